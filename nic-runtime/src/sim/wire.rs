//! Packets on their way: from a NIC's send slot over a link into an arrival slot of another NIC.
//!
//! A packet has its arrival slot before it comes here (see `staging`), so nothing on a wire ever waits for
//! room at the other end.

use nic_core::event::{DropReason, NicEvent, Sink, Trigger, WireDropReason};
use nic_core::id::{ChannelId, DirectionId, EndpointId, PacketId, packet_number};
use nic_core::sle::ArraySpan;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::{Simulation, Tenant, Work, at};
use crate::fabric::{Packet, PacketRef, flip};

impl<S: Sink> Simulation<'_, S> {
    /// Makes a packet without bytes yet, whose send slot is taken, and gives it its number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn make_packet(
        &mut self,
        from: EndpointId,
        channel: &Channel,
        trigger: Trigger,
    ) -> PacketRef {
        let packet = self.new_packet(from, channel, trigger);
        self.packets.add(packet, &[])
    }

    /// Makes a packet of bytes of an array of its sender's; returns its number too.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn make_full_packet(
        &mut self,
        sender: Tenant,
        channel: &Channel,
        trigger: Trigger,
        content: ArraySpan,
    ) -> (PacketId, PacketRef) {
        let packet = self.new_packet(sender.endpoint, channel, trigger);
        let heap = self.applets[at(sender.applet.0)].instance.heap();
        (packet.id, self.packets.add(packet, content.bytes(heap)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new_packet(&mut self, from: EndpointId, channel: &Channel, trigger: Trigger) -> Packet {
        let made = &mut self.residents[at(from.0)].packets_made;
        let id = packet_number(from, *made);
        *made += 1;
        if let Trigger::Post(post) = trigger {
            self.endpoints[at(from.0)].transmit.packet_made(post);
        }
        Packet {
            id,
            from: (from, channel.id),
            to: (channel.peer, channel.peer_id),
            route: channel.route,
            trigger,
            fate: None,
            has_arrival_slot: trigger != Trigger::Load,
            bytes: Vec::new(),
        }
    }

    /// Puts a packet into the queue of its link direction.
    pub(crate) fn enqueue(&mut self, packet: PacketRef) {
        let id = self.packets[packet].route;
        let direction = &mut self.fabric[id];
        // As a rule the wire is free.
        if direction.is_free(self.now) && direction.queue.is_empty() {
            return self.first_bit_out(id, packet);
        }
        direction.queue.push_back(packet);
        self.start_sending(id);
    }

    /// Starts to send the first packet of a direction's queue, if the wire is free.
    pub(crate) fn start_sending(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        if direction.sending.is_some() || direction.queue.is_empty() {
            return;
        }
        if direction.gap_ends > self.now {
            return self.await_gap(id);
        }
        if let Some(packet) = direction.queue.pop_front() {
            self.first_bit_out(id, packet);
        }
    }

    /// Sends a packet over a wire that is free.
    fn first_bit_out(&mut self, id: DirectionId, packet: PacketRef) {
        let direction = &mut self.fabric[id];
        direction.sending = Some(packet);
        let sent = &mut self.packets[packet];
        if direction.is_faulty && sent.fate.is_none() {
            let names = (direction.name, self.names[at(sent.from.0.0)]);
            let faults = &direction.wire.faults;
            sent.fate = Some(direction.flows.draw_fate(sent.from, names, faults));
        }
        let duration = direction.occupied_by(length(sent));
        if self.minds_transfers {
            return self.first_bit_out_by_transfers(id, packet, duration);
        }
        self.first_bit_goes(id, packet, duration);
    }

    /// Sends a packet that its NIC's transfers hold up, or run beside.
    #[cold]
    fn first_bit_out_by_transfers(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        if self.nics[at(self.fabric[id].from.0)].sends_in_turn {
            self.await_wire_turn(id, packet, duration);
        } else {
            self.send_by_cells(id, packet, duration);
        }
    }

    /// Has the packet that a direction sends wait until its NIC's transfers are over.
    #[cold]
    fn await_wire_turn(&mut self, id: DirectionId, packet: PacketRef, duration: SimDuration) {
        let from = self.fabric[id].from;
        let start = self.nics[at(from.0)].dma.queue_packet(self.now, duration);
        if start > self.now {
            self.schedule.insert(start, Work::WireStart(id));
        } else {
            self.first_bit_goes(id, packet, duration);
        }
    }

    /// Sends the packet whose turn has come.
    pub(crate) fn wire_turn(&mut self, id: DirectionId) {
        let direction = &self.fabric[id];
        if let Some(packet) = direction.sending {
            let duration = direction.occupied_by(length(&self.packets[packet]));
            self.first_bit_goes(id, packet, duration);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn first_bit_goes(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        let sent = &self.packets[packet];
        self.schedule.insert(self.now + duration, Work::WireOut(id));
        let (from, channel) = sent.from;
        let kind = NicEvent::WireTx {
            packet: sent.id,
            peer: sent.to.0,
            channel,
            payload: &sent.bytes,
            duration,
            trigger: sent.trigger,
        };
        self.report.emit(self.now, from, kind);
    }

    /// Has the next packet of a direction wait until the wire has been idle for long enough.
    #[cold]
    fn await_gap(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        // Who was told to stop is told when to go on.
        if direction.gap_ends == SimTime::MAX {
            return;
        }
        if !std::mem::replace(&mut direction.waits_for_gap, true) {
            let ends = direction.gap_ends;
            self.schedule.insert(ends, Work::WireFree(id));
        }
    }

    /// Sends the packet that waited until the wire had been idle for long enough.
    pub(crate) fn gap_over(&mut self, id: DirectionId) {
        self.fabric[id].waits_for_gap = false;
        self.start_sending(id);
    }

    pub(crate) fn last_bit_out(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        let Some(packet) = direction.sending.take() else {
            return;
        };
        direction.gap_ends = self.now + direction.gap;
        let lands = self.now + direction.wire.latency;
        if direction.backlog.is_some() {
            self.stay_stopped(id);
        }
        let direction = &self.fabric[id];
        if !direction.is_faulty {
            // Where its first cell is delivered, nothing comes of the last bit.
            if !self.minds_transfers || !self.cells.has_begun(packet) {
                self.schedule.insert(lands, Work::WireIn(packet));
            }
            self.packet_left(packet);
            return self.start_sending(id);
        }
        let fate = self.packets[packet].fate.unwrap_or_default();
        let arrival = if fate.lost {
            Work::WireLost(packet)
        } else {
            Work::WireIn(packet)
        };
        self.schedule.insert(lands, arrival);
        if fate.duplicated {
            // The copy follows at once and has the send slot until it is out.
            let copy = self.packets.duplicate(packet);
            // The link keeps its copy until the receiver takes it, so a fault of the wire costs the NIC no memory. What
            // the fault does to a packet does not depend on other packets there.
            self.packets[copy].has_arrival_slot = false;
            let flows = &mut self.fabric[id].flows;
            self.packets[copy].fate = Some(flows.fate_of_copy(self.packets[copy].from));
            self.fabric[id].queue.push_front(copy);
        } else {
            self.packet_left(packet);
        }
        self.start_sending(id);
    }

    /// Drops a packet that never had a place; what made it is still under way.
    pub(crate) fn drop_unsent(&mut self, packet: PacketRef) {
        let Packet {
            id,
            from: (from, _),
            trigger,
            ..
        } = self.packets[packet];
        if let Trigger::Post(post) = trigger {
            let completion = self.endpoints[at(from.0)].transmit.packet_left(post);
            debug_assert_eq!(completion, None, "its descriptor has not ended");
        }
        let kind = NicEvent::Drop {
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
            self.release_send_slot(nic);
        }
        if let Trigger::Post(post) = trigger {
            let completion = self.endpoints[at(from.0)].transmit.packet_left(post);
            self.complete(from, post, completion);
        }
    }

    #[cold]
    pub(crate) fn lost(&mut self, packet: PacketRef) {
        self.drop_on_wire(packet, WireDropReason::Loss);
    }

    pub(crate) fn last_bit_in(&mut self, packet: PacketRef) {
        let arrived = &mut self.packets[packet];
        let direction = &mut self.fabric[arrived.route];
        if direction.delivers_all {
            return self.deliver(packet);
        }
        let fate = arrived.fate.unwrap_or_default();
        if let Some(bit) = fate.flipped.filter(|_| !arrived.bytes.is_empty()) {
            if direction.wire.crc {
                return self.drop_on_wire(packet, WireDropReason::Crc);
            }
            flip(&mut arrived.bytes, bit);
        }
        let from = arrived.from;
        let until = self.now + direction.wire.reorder_max;
        if fate.held && direction.flows.hold(from, packet, until) {
            self.schedule.insert(until, Work::LookHeld(arrived.route));
            return;
        }
        let held = direction.flows.take_held(from);
        self.arrive(packet);
        if let Some(held) = held {
            self.arrive(held);
        }
    }

    /// Delivers a packet, if it has a place or finds one.
    pub(crate) fn arrive(&mut self, packet: PacketRef) {
        if self.reserves_slots {
            self.deliver(packet);
        } else {
            self.arrive_unasked(packet);
        }
    }

    /// Delivers the packets that no other of their channel has followed for too long.
    pub(crate) fn release_held(&mut self, direction: DirectionId) {
        while let Some(packet) = self.fabric[direction].flows.take_overdue(self.now) {
            self.arrive(packet);
        }
    }

    pub(crate) fn deliver(&mut self, packet: PacketRef) {
        let arrived = &self.packets[packet];
        let (to, channel) = arrived.to;
        let kind = NicEvent::WireRx {
            packet: arrived.id,
            peer: arrived.from.0,
            channel,
            payload: &arrived.bytes,
        };
        self.report.emit(self.now, to, kind);
        let nic = self.endpoints[at(to.0)].nic;
        self.nics[at(nic.0)].arrivals.push_back(packet);
        self.wake(self.nics[at(nic.0)].takes_arrivals);
    }

    #[cold]
    pub(crate) fn drop_on_wire(&mut self, packet: PacketRef, reason: WireDropReason) {
        if !self.reserves_slots && self.comes_unasked(packet) {
            self.packets[packet].has_arrival_slot = false;
        }
        let Packet {
            id, to: (to, _), ..
        } = self.packets[packet];
        self.report
            .emit(self.now, to, NicEvent::WireDrop { packet: id, reason });
        self.end_arrival(packet);
    }

    /// Ends a packet that had arrived, or would have; its arrival slot is free.
    pub(crate) fn end_arrival(&mut self, packet: PacketRef) {
        if self.cells.are_on() && self.is_still_arriving(packet) {
            return;
        }
        let Packet {
            to: (to, _),
            has_arrival_slot,
            ..
        } = self.packets[packet];
        self.packets.release(packet);
        if has_arrival_slot {
            self.release_arrival_slot(to);
        }
    }

    /// Returns what identifies a packet to its receiver.
    pub(crate) fn arrival(&self, packet: PacketRef) -> (PacketId, EndpointId, ChannelId, u32) {
        let arrived = &self.packets[packet];
        (arrived.id, arrived.to.0, arrived.to.1, length(arrived))
    }
}

fn length(packet: &Packet) -> u32 {
    u32::try_from(packet.bytes.len()).expect("a packet is at most max_packet bytes long")
}
