//! Packets on their way: from a NIC's send slot over a link into an arrival slot of another NIC.
//!
//! The arrival slot is taken before the first bit goes out, so a packet that cannot land stays on its
//! side of the link, and the packets behind it too. That is a Myrinet's flow control. NICs that wait for
//! each other in a circle would wait for ever: the packet that closes a circle is dropped instead.

use super::ahead::Way;
use super::processor::Slot;
use super::{Simulation, Work, at};
use crate::event::{
    ChannelId, DropReason, EndpointId, EventKind, NicId, PacketId, Sink, Trigger, WireDropReason,
};
use crate::fabric::{DirectionId, Fate, Packet, PacketRef, flip, packet_number};
use crate::unet::Channel;

impl<S: Sink> Simulation<'_, S> {
    /// Makes a packet without bytes yet, whose send slot is taken, and gives it its number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn make_packet(
        &mut self,
        from: EndpointId,
        channel: &Channel,
        trigger: Trigger,
    ) -> PacketRef {
        self.read_ahead(channel.peer, Way::In);
        let made = &mut self.packets_made[at(from.0)];
        let id = packet_number(from, *made);
        *made += 1;
        if let Trigger::Post(post) = trigger {
            self.endpoints[at(from.0)].transmit.packet_made(post);
        }
        let packet = Packet {
            id,
            from: (from, channel.id),
            to: (channel.peer, channel.peer_id),
            route: channel.route,
            trigger,
            fate: None,
            bytes: Vec::new(),
        };
        self.packets.add(packet, &[])
    }

    /// Puts a packet into the queue of its link direction.
    pub(super) fn enqueue(&mut self, packet: PacketRef) {
        let direction = self.packets[packet].route;
        self.fabric[direction].queue.push_back(packet);
        self.start_sending(direction);
        self.break_circle(self.fabric[direction].from);
    }

    /// Starts to send the first packet of a direction's queue, if the wire is free and there is room for
    /// it at the other end.
    pub(super) fn start_sending(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        if direction.sending.is_some() || direction.blocked {
            return;
        }
        let Some(&packet) = direction.queue.front() else {
            return;
        };
        if direction.leaves_group {
            return self.leave_group();
        }
        let receiver = &mut self.nics[at(direction.to.0)];
        if !receiver.arrival_slots.take() {
            direction.blocked = true;
            receiver.blocked.push_back(id);
            return;
        }
        direction.queue.pop_front();
        direction.sending = Some(packet);
        let sent = &mut self.packets[packet];
        if direction.wire.is_faulty() {
            sent.fate.get_or_insert_with(|| direction.draw_fate());
        }
        let duration = direction.occupied_by(length(sent));
        self.schedule.insert(self.now + duration, Work::WireOut(id));
        let (from, channel) = sent.from;
        let kind = EventKind::WireTx {
            packet: sent.id,
            peer: sent.to.0,
            channel,
            payload: &sent.bytes,
            duration,
            trigger: sent.trigger,
        };
        self.report.emit(self.now, from, kind);
    }

    pub(super) fn last_bit_out(&mut self, id: DirectionId) {
        let Some(packet) = self.fabric[id].sending.take() else {
            return;
        };
        let fate = self.packets[packet].fate.unwrap_or_default();
        let lands = self.now + self.fabric[id].wire.latency;
        let arrival = if fate.lost {
            Work::WireLost(packet)
        } else {
            Work::WireIn(packet)
        };
        self.schedule.insert(lands, arrival);
        if fate.duplicated {
            // The copy follows at once and has the send slot until it is out.
            let copy = self.packets.duplicate(packet);
            let direction = &mut self.fabric[id];
            self.packets[copy].fate = Some(Fate {
                duplicated: false,
                ..direction.draw_fate()
            });
            direction.queue.push_front(copy);
        } else {
            self.packet_left(packet);
        }
        self.start_sending(id);
        self.break_circle(self.fabric[id].from);
    }

    /// Drops a packet that never had a send slot.
    pub(super) fn drop_without_slot(&mut self, packet: PacketRef) {
        let Packet {
            id,
            from: (from, _),
            ..
        } = self.packets[packet];
        let kind = EventKind::Drop {
            packet: Some(id),
            reason: DropReason::NicFull,
        };
        self.report.emit(self.now, from, kind);
        self.packets.release(packet);
    }

    /// Notes that a packet needs its send slot no longer.
    fn packet_left(&mut self, packet: PacketRef) {
        let Packet {
            from: (from, _),
            trigger,
            ..
        } = self.packets[packet];
        if trigger != Trigger::Load {
            let nic = self.endpoints[at(from.0)].nic;
            self.nics[at(nic.0)].send_slots.release();
            self.slot_freed(nic, Slot::Send);
        }
        if let Trigger::Post(post) = trigger {
            let completion = self.endpoints[at(from.0)].transmit.packet_left(post);
            self.complete(from, post, completion);
        }
    }

    pub(super) fn lost(&mut self, packet: PacketRef) {
        self.drop_on_wire(packet, WireDropReason::Loss);
    }

    pub(super) fn last_bit_in(&mut self, packet: PacketRef) {
        let arrived = &mut self.packets[packet];
        let fate = arrived.fate.unwrap_or_default();
        let direction = &mut self.fabric[arrived.route];
        if let Some(bit) = fate.flipped.filter(|_| !arrived.bytes.is_empty()) {
            if direction.wire.crc {
                return self.drop_on_wire(packet, WireDropReason::Crc);
            }
            flip(&mut arrived.bytes, bit);
        }
        match direction.held.take() {
            None if fate.held => {
                direction.held = Some(packet);
                if direction.holding.start(self.now) {
                    let overdue = self.now + self.profile.wire.reorder_max;
                    self.schedule.insert(overdue, Work::LookHeld(arrived.route));
                }
            }
            held => {
                direction.holding.stop();
                self.deliver(packet);
                if let Some(held) = held {
                    self.deliver(held);
                }
            }
        }
    }

    /// Delivers a packet that no other has followed for too long.
    pub(super) fn release_held(&mut self, direction: DirectionId) {
        self.fabric[direction].holding.stop();
        if let Some(packet) = self.fabric[direction].held.take() {
            self.deliver(packet);
        }
    }

    fn deliver(&mut self, packet: PacketRef) {
        let arrived = &self.packets[packet];
        let (to, channel) = arrived.to;
        let kind = EventKind::WireRx {
            packet: arrived.id,
            peer: arrived.from.0,
            channel,
            payload: &arrived.bytes,
        };
        self.report.emit(self.now, to, kind);
        let nic = self.endpoints[at(to.0)].nic;
        self.nics[at(nic.0)].arrivals.push_back(packet);
        self.wake(nic);
        self.break_circle(nic);
    }

    fn drop_on_wire(&mut self, packet: PacketRef, reason: WireDropReason) {
        let Packet {
            id, to: (to, _), ..
        } = self.packets[packet];
        self.report
            .emit(self.now, to, EventKind::WireDrop { packet: id, reason });
        self.end_arrival(packet);
    }

    /// Ends a packet that had an arrival slot; a direction that waited for one goes on.
    pub(super) fn end_arrival(&mut self, packet: PacketRef) {
        let nic: NicId = self.fabric[self.packets[packet].route].to;
        self.packets.release(packet);
        let receiver = &mut self.nics[at(nic.0)];
        receiver.arrival_slots.release();
        if let Some(direction) = receiver.blocked.pop_front() {
            self.fabric[direction].blocked = false;
            self.start_sending(direction);
        }
    }

    /// Returns what identifies a packet to its receiver.
    pub(super) fn arrival(&self, packet: PacketRef) -> (PacketId, EndpointId, ChannelId, u32) {
        let arrived = &self.packets[packet];
        (arrived.id, arrived.to.0, arrived.to.1, length(arrived))
    }

    /// Drops a packet of a NIC that waits for itself, through whatever other NICs.
    ///
    /// To be called whenever a NIC may have begun to wait: when its processor is held, one of its packets
    /// is blocked or its last arrival slot is filled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn break_circle(&mut self, nic: NicId) {
        // Nearly always its processor is not held, and then it waits for nobody.
        if self.processors[at(nic.0)].is_held_for_sending() {
            self.break_circle_of_held(nic);
        }
    }

    fn break_circle_of_held(&mut self, nic: NicId) {
        if !self.waits_in_circle(nic) {
            return;
        }
        let outgoing = &self.nics[at(nic.0)].outgoing;
        let Some(id) = outgoing.iter().copied().find(|&id| self.fabric[id].blocked) else {
            return;
        };
        let direction = &mut self.fabric[id];
        direction.blocked = false;
        let packet = direction.queue.pop_front();
        self.nics[at(direction.to.0)]
            .blocked
            .retain(|&other| other != id);
        if let Some(packet) = packet {
            self.packet_left(packet);
            self.drop_without_slot(packet);
        }
        self.start_sending(id);
    }

    /// Returns whether all that a NIC waits for waits in turn, and nothing of it can go on by itself.
    fn waits_in_circle(&mut self, nic: NicId) -> bool {
        let mut seen = std::mem::take(&mut self.circle);
        seen.clear();
        seen.push(nic);
        let mut visited = 0;
        while let Some(&nic) = seen.get(visited) {
            if !self.waits(nic) {
                break;
            }
            visited += 1;
            for &id in &self.nics[at(nic.0)].outgoing {
                let direction = &self.fabric[id];
                if direction.blocked && !seen.contains(&direction.to) {
                    seen.push(direction.to);
                }
            }
        }
        let all_wait = visited == seen.len();
        self.circle = seen;
        all_wait
    }

    /// Returns whether a NIC can do nothing before another takes one of its packets: its processor is
    /// held for a send slot, its send slots hold packets that are blocked, its arrival slots packets that
    /// wait for the processor.
    fn waits(&self, id: NicId) -> bool {
        let nic = &self.nics[at(id.0)];
        self.processors[at(id.0)].is_held_for_sending()
            && nic.arrivals.len() == nic.arrival_slots.count()
            && nic.filling == 0
            && nic
                .outgoing
                .iter()
                .all(|&id| self.fabric[id].sending.is_none())
    }
}

fn length(packet: &Packet) -> u32 {
    u32::try_from(packet.bytes.len()).expect("a packet is at most max_packet bytes long")
}
