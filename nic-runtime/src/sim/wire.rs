//! Packets on their way: from a send slot of one NIC over a link to an arrival slot of another.
//!
//! On links that reserve slots (see `staging`), a packet has its arrival slot before it enters the wire, and never
//! waits at the far end.

use super::{Engines, Parts};
use crate::nic::endpoint::AppletAt;
use crate::nic::work::Work;
use crate::protocol::Header;
use crate::wire::{Packet, PacketRef, Taker, place_in_turn};
use nic_core::event::{DropReason, NicEvent, Trigger, WireDropReason};
use nic_core::id::{ChannelId, DirectionId, EndpointId, NicId, PacketId, packet_number};
use nic_core::sle::ArraySpan;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

impl<E: Engines> Parts<'_, E> {
    /// Makes a packet, still without bytes, and numbers it. The caller has taken the packet's send slot.
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

    /// Makes a packet from bytes of the sender's array, and returns the packet and its number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn make_full_packet(
        &mut self,
        sender: AppletAt,
        channel: &Channel,
        trigger: Trigger,
        content: ArraySpan,
    ) -> (PacketId, PacketRef) {
        let packet = self.new_packet(sender.endpoint, channel, trigger);
        let heap = self.applets[sender.applet].instance.heap();
        (packet.id, self.packets.add(packet, content.bytes(heap)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new_packet(
        &mut self,
        from: EndpointId,
        channel: &Channel,
        trigger: Trigger,
    ) -> Packet {
        let made = &mut self.live[from].packets_made;
        let id = packet_number(from, *made);
        *made += 1;
        if let Trigger::Post(post) = trigger {
            self.endpoints[from].transmit.packet_made(post);
        }
        Packet {
            id,
            from: (from, channel.id),
            to: (channel.peer, channel.peer_id),
            route: channel.route,
            trigger,
            fate: None,
            has_arrival_slot: trigger != Trigger::Load,
            has_send_slot: trigger != Trigger::Load,
            completes_later: false,
            is_accepted: false,
            header: Header::None,
            bytes: Vec::new(),
        }
    }

    /// Queues a packet on its link direction.
    pub(crate) fn enqueue(&mut self, packet: PacketRef) {
        let id = self.packets[packet].route;
        let direction = &mut self.fabric[id];
        // Usually the wire is free, and the packet skips the queue.
        if direction.is_free(self.now) && direction.queue.is_empty() {
            return self.first_bit_out(id, packet);
        }
        if direction.takes_turns {
            self.queue_in_turn(id, packet);
        } else {
            direction.queue.push_back(packet);
        }
        self.start_sending(id);
    }

    /// Queues a packet at a port where channels take turns.
    #[cold]
    fn queue_in_turn(&mut self, id: DirectionId, packet: PacketRef) {
        let direction = &self.fabric[id];
        let taker = |packet: &PacketRef| Taker::of(&self.packets[*packet]);
        let waiting = direction.sending.iter().chain(&direction.queue);
        let waiting: Vec<Taker> = waiting.map(taker).collect();
        let is_sending = usize::from(direction.sending.is_some());
        let place = place_in_turn(&waiting, taker(&packet)).saturating_sub(is_sending);
        self.fabric[id].queue.insert(place, packet);
    }

    /// Starts to send the first queued packet, if the wire is free.
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

    /// Starts to send a packet over a free wire.
    fn first_bit_out(&mut self, id: DirectionId, packet: PacketRef) {
        let direction = &mut self.fabric[id];
        direction.sending = Some(packet);
        let sent = &mut self.packets[packet];
        if direction.is_faulty && sent.fate.is_none() {
            let names = (direction.name, self.names[sent.from.0]);
            let faults = &direction.wire.faults;
            sent.fate = Some(direction.flows.draw_fate(sent.from, names, faults));
        }
        let duration = direction.occupied_by(sent.wire_length());
        if direction.port.is_some() {
            return self.first_bit_out_of_switch(id, packet, duration);
        }
        if self.setup.transfers_delay_packets() && sent.header.is_message() {
            return self.first_bit_out_by_transfers(id, packet, duration);
        }
        self.first_bit_goes(id, packet, duration);
    }

    /// Starts to send a packet that depends on its NIC's transfers.
    #[cold]
    fn first_bit_out_by_transfers(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        if self.nics[self.fabric[id].from].sends_in_turn {
            self.await_wire_turn(id, packet, duration);
        } else {
            self.send_by_cells(id, packet, duration);
        }
    }

    /// Makes a packet wait until its NIC's transfers are over.
    #[cold]
    fn await_wire_turn(&mut self, id: DirectionId, packet: PacketRef, duration: SimDuration) {
        let from = self.fabric[id].from;
        let start = self.nics[from].dma.queue_packet(self.now, duration);
        if start > self.now {
            self.schedule.insert(start, Work::WireStart(id));
        } else {
            self.first_bit_goes(id, packet, duration);
        }
    }

    /// Sends the packet that has waited for its NIC's transfers.
    #[cold]
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
        let leads_to_switch = self.fabric[id].onward.is_some();
        if leads_to_switch && !self.finds_room(id, packet) {
            return;
        }
        self.schedule.insert(self.now + duration, Work::WireOut(id));
        if leads_to_switch {
            self.worm_goes_on(id, packet, duration);
            self.cut_through(id, packet, duration);
        }
        let sent = &self.packets[packet];
        if !sent.header.is_none() {
            return E::transmit_started(self, packet, duration);
        }
        if self.report.listens() {
            self.tell_leaves(packet, duration);
        }
    }

    /// Reports that the first bit of a packet without a header leaves.
    #[cold]
    #[inline(never)]
    fn tell_leaves(&mut self, packet: PacketRef, duration: SimDuration) {
        let sent = &self.packets[packet];
        let (from, channel) = sent.from;
        let post = self.report.post_sent(sent);
        let kind = NicEvent::WireTx {
            packet: sent.id,
            peer: sent.to.0,
            channel,
            payload: &sent.bytes,
            part: None,
            post,
            duration,
            trigger: sent.trigger,
        };
        self.report.emit(self.now, from, kind);
    }

    /// Schedules the end of the idle gap after a packet, if another packet waits for the gap to end.
    #[cold]
    fn await_gap(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        // A stopped link direction has no known end of its idle gap: the go signal restarts the direction.
        if direction.gap_ends == SimTime::MAX {
            return;
        }
        if !std::mem::replace(&mut direction.waits_for_gap, true) {
            let ends = direction.gap_ends;
            self.schedule.insert(ends, Work::WireFree(id));
        }
    }

    /// Sends the next packet, because the idle gap after the last one is over.
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
        if direction.is_at_switch() {
            return self.last_bit_out_at_switch(id, packet, lands);
        }
        if !direction.is_faulty {
            // A packet that is delivered from its first cell on needs no event for its last bit.
            if !self.setup.transfers_delay_packets() || !self.cells.has_begun(packet) {
                self.schedule.insert(lands, Work::WireIn(packet));
            }
            self.packet_left(packet);
            return self.start_sending(id);
        }
        if !self.copy_follows(id, packet, lands) {
            self.packet_left(packet);
        }
        self.start_sending(id);
    }

    /// Schedules the arrival of a packet on a faulty link. Returns whether the link sends a copy of the packet next.
    pub(crate) fn copy_follows(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        lands: SimTime,
    ) -> bool {
        let fate = self.packets[packet].fate.unwrap_or_default();
        let arrival = if fate.lost {
            Work::WireLost(packet)
        } else {
            Work::WireIn(packet)
        };
        self.schedule.insert(lands, arrival);
        if fate.duplicated {
            // Send the copy of a duplicated packet next; the copy keeps the send slot until it is out.
            let copy = self.packets.duplicate(packet);
            // The copy has no arrival slot and is kept outside the NIC, so faults of a link cost the NIC no memory. A
            // copy's fate does not depend on other packets at the receiver.
            self.packets[copy].has_arrival_slot = false;
            let flows = &mut self.fabric[id].flows;
            self.packets[copy].fate = Some(flows.fate_of_copy(self.packets[copy].from));
            self.fabric[id].queue.push_front(copy);
        }
        fate.duplicated
    }

    /// Drops a packet that never got its slots, while the call that made the packet is still running.
    pub(crate) fn drop_unsent(&mut self, packet: PacketRef) {
        let Packet {
            id,
            from: (from, _),
            trigger,
            ..
        } = self.packets[packet];
        if let Trigger::Post(post) = trigger {
            let completion = self.endpoints[from].transmit.packet_left(post);
            debug_assert_eq!(completion, None, "its descriptor has not ended");
        }
        let kind = NicEvent::Drop {
            packet: Some(id),
            reason: DropReason::NicFull,
        };
        self.report.emit(self.now, from, kind);
        self.packets.release(packet);
    }

    /// Records that a packet has left: frees its send slot and may complete its descriptor.
    pub(crate) fn packet_left(&mut self, packet: PacketRef) {
        let Packet {
            from: (from, _),
            trigger,
            has_send_slot,
            ..
        } = self.packets[packet];
        if has_send_slot {
            let nic = self.endpoints[from].nic;
            self.release_send_slot(nic);
        }
        if !E::packet_left(self, packet) {
            return;
        }
        if let Trigger::Post(post) = trigger {
            let completion = self.endpoints[from].transmit.packet_left(post);
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
        let is_empty = arrived.bytes.is_empty() && arrived.header.length() == 0;
        if let Some(bit) = fate.flipped.filter(|_| !is_empty) {
            // A packet whose header cannot be read is discarded like a frame with a wrong CRC.
            if direction.wire.crc || !arrived.header.flip(&mut arrived.bytes, bit) {
                return self.drop_on_wire(packet, WireDropReason::Crc);
            }
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

    /// Delivers a packet that has reached the receiver's end of the link.
    pub(crate) fn arrive(&mut self, packet: PacketRef) {
        if self.fabric[self.packets[packet].route].onward.is_some() {
            return self.reach_switch(packet);
        }
        if self.setup.reserves_slots() || self.packets[packet].header.is_for_nic() {
            self.deliver(packet);
        } else {
            self.arrive_unasked(packet);
        }
    }

    /// Delivers packets delayed for reordering, if no packet of their channel has followed in time.
    pub(crate) fn release_held(&mut self, direction: DirectionId) {
        while let Some(packet) = self.fabric[direction].flows.take_overdue(self.now) {
            self.arrive(packet);
        }
    }

    pub(crate) fn deliver(&mut self, packet: PacketRef) {
        let arrived = &self.packets[packet];
        if !arrived.header.is_none() {
            return E::packet_received(self, packet);
        }
        let (to, _) = arrived.to;
        if self.report.listens() {
            self.tell_arrives(packet);
        }
        if self.setup.receives_directly() && self.is_received_directly(to) {
            return self.land(packet);
        }
        self.queue_arrival(packet);
    }

    /// Queues a packet for the processor that takes arrivals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn queue_arrival(&mut self, packet: PacketRef) {
        let (to, _) = self.packets[packet].to;
        let nic = self.endpoints[to].nic;
        self.nics[nic].arrivals.push_back(packet);
        self.wake(self.nics[nic].takes_arrivals);
    }

    /// Reports that the last bit of a packet without a header has arrived.
    #[cold]
    #[inline(never)]
    fn tell_arrives(&mut self, packet: PacketRef) {
        let arrived = &self.packets[packet];
        let (to, channel) = arrived.to;
        let kind = NicEvent::WireRx {
            packet: arrived.id,
            peer: arrived.from.0,
            channel,
            payload: &arrived.bytes,
            part: None,
            post: self.report.post_of(arrived.id),
        };
        self.report.emit(self.now, to, kind);
    }

    #[cold]
    pub(crate) fn drop_on_wire(&mut self, packet: PacketRef, reason: WireDropReason) {
        self.give_up_room(packet);
        let at = self.fabric[self.packets[packet].route].to;
        self.lose(packet, at, reason);
        self.end_arrival(packet);
    }

    /// Reports that a packet is lost on its way to a NIC or switch, or at a switch. A packet that had to ask for no slot
    /// has none to give back.
    pub(crate) fn lose(&mut self, packet: PacketRef, at: NicId, reason: WireDropReason) {
        if !self.setup.reserves_slots() && self.comes_unasked(packet) {
            self.packets[packet].has_arrival_slot = false;
        }
        let Packet {
            id,
            to: (to, _),
            header,
            route,
            ..
        } = self.packets[packet];
        let kind = NicEvent::WireDrop {
            packet: id,
            reason,
            is_frame: header.is_frame(),
            // A packet that a switch has no room for is on its way to a port.
            port: (reason == WireDropReason::SwitchFull).then(|| self.fabric[route].to),
        };
        self.report.emit_at(self.now, (at, to), kind);
    }

    /// Ends the handling of a packet at the receiver, and frees the packet's arrival slot.
    pub(crate) fn end_arrival(&mut self, packet: PacketRef) {
        if self.cells.are_on() && self.is_still_arriving(packet) {
            return;
        }
        if self.setup.receives_directly() {
            self.end_landing(packet);
        }
        E::arrival_over(self, packet);
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

    /// Returns an arrived packet's number, receiving endpoint, channel at that endpoint, and length.
    pub(crate) fn arrival(&self, packet: PacketRef) -> (PacketId, EndpointId, ChannelId, u32) {
        let arrived = &self.packets[packet];
        (arrived.id, arrived.to.0, arrived.to.1, length(arrived))
    }
}

fn length(packet: &Packet) -> u32 {
    u32::try_from(packet.bytes.len()).expect("a packet is at most max_packet bytes long")
}
