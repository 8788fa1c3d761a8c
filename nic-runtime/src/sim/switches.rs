//! Switches: packets that arrive at a switch go on by the port that leads towards their destination.
//!
//! A switch has no memory of its own but the buffers of its ports. Nothing that happens at a switch moves a packet's
//! slots: the send slot is free when the packet has left its NIC, and an arrival slot that the packet has reserved is
//! free again if a switch loses the packet.

use super::{Engines, Parts};
use crate::nic::work::Work;
use crate::wire::{BufferAt, Crossbar, PacketRef, Waits};
use nic_core::event::roles::{Carries, Forwarded};
use nic_core::event::{NicEvent, WireDropReason};
use nic_core::id::{DirectionId, EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};

impl<E: Engines> Parts<'_, E> {
    /// Sends a packet on that has arrived at a switch, once the switch's latency is over.
    #[cold]
    pub(crate) fn reach_switch(&mut self, packet: PacketRef) {
        let latency = self.fabric[self.packets[packet].route]
            .onward
            .map(|onward| onward.latency);
        match latency {
            Some(latency) if latency > SimDuration::ZERO => {
                self.schedule
                    .insert(self.now + latency, Work::Forward(packet));
            }
            Some(_) | None => self.forward(packet),
        }
    }

    /// Schedules when a packet goes on whose first bit leaves for a switch that does not wait for its last. If the next
    /// link is the faster one, the packet goes on so late that its last bit is there in time.
    #[cold]
    pub(crate) fn cut_through(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        let direction = &self.fabric[id];
        let (true, Some(onward)) = (direction.is_cut_through(), direction.onward) else {
            return;
        };
        let Some(next) = self.fabric.next(direction.to, self.ends(packet)) else {
            return;
        };
        let next = self.fabric[next].occupied_by(self.packets[packet].wire_length());
        let behind = SimDuration::from_ps(duration.as_ps().saturating_sub(next.as_ps()));
        // The beginning of a worm goes on at once, and keeps the next link for longer.
        let behind = if direction.is_worm_hole() {
            SimDuration::ZERO
        } else {
            behind
        };
        let goes_on = self.now + direction.wire.latency + onward.latency + behind;
        self.schedule.insert(goes_on, Work::Forward(packet));
    }

    /// Returns the NICs at the ends of a packet's way.
    pub(super) fn ends(&self, packet: PacketRef) -> (NicId, NicId) {
        let sent = &self.packets[packet];
        let nic = |endpoint: EndpointId| self.endpoints[endpoint].nic;
        (nic(sent.from.0), nic(sent.to.0))
    }

    /// Queues a packet at the port of a switch by which the packet leaves.
    #[cold]
    pub(crate) fn forward(&mut self, packet: PacketRef) {
        let came_by = self.packets[packet].route;
        let at = self.fabric[came_by].to;
        let Some(id) = self.fabric.next(at, self.ends(packet)) else {
            debug_assert!(false, "the reader has checked that channels have routes");
            return self.drop_on_wire(packet, WireDropReason::Loss);
        };
        let frame = self.frame_at(id, packet);
        let forwarded = &mut self.packets[packet];
        forwarded.route = id;
        if !forwarded.fate.is_some_and(|fate| fate.is_exempt) {
            forwarded.fate = None;
        }
        let waits = Waits {
            sender: forwarded.from.0,
            frame,
            since: self.now,
            came_by,
            behind: 0,
        };
        if let Some(input) = &mut self.fabric[came_by].input {
            input.buffer.take(waits);
            input.queue.push_back(packet);
            let is_first = input.queue.len() == 1;
            if let Some(crossbar) = self.fabric.crossbars.get_mut(&at) {
                crossbar.came(id);
            }
            if is_first {
                self.request(came_by);
            }
            return self.drop_overflow_of_input(came_by);
        }
        let direction = &mut self.fabric[id];
        let Some(port) = &mut direction.port else {
            debug_assert!(false, "a direction from a switch has a port");
            return;
        };
        port.take(waits);
        direction.queue.push_back(packet);
        self.start_sending(id);
        self.worm_stands(id, packet);
        self.drop_overflow(id);
    }

    /// Drops packets for which an input has no room.
    fn drop_overflow_of_input(&mut self, id: DirectionId) {
        let at = self.fabric[id].to;
        while let Some(input) = &mut self.fabric[id].input {
            let (before, position) = (input.first(), input.position);
            let Some((place, _)) = input.buffer.overflow() else {
                return;
            };
            let Some(packet) = input.queue.remove(place) else {
                return;
            };
            if let Some(crossbar) = self.fabric.crossbars.get_mut(&at) {
                crossbar.left(self.packets[packet].route);
            }
            if let Some((first, since)) = before.filter(|_| place == 0) {
                let output = self.packets[first].route;
                if let Some(crossbar) = self.fabric.crossbars.get_mut(&at) {
                    crossbar.withdraw(position, output, since);
                }
                self.request(id);
            }
            self.lose(packet, at, WireDropReason::SwitchFull);
            self.end_arrival(packet);
        }
    }

    /// Lets the first packet of an input ask for its output.
    fn request(&mut self, id: DirectionId) {
        let direction = &self.fabric[id];
        let at = direction.to;
        let input = direction.input.as_ref();
        let first = input.and_then(|input| Some((input.position, input.first()?)));
        if let Some((position, (packet, since))) = first {
            let output = self.packets[packet].route;
            self.arbitrate_later(at, |crossbar| crossbar.request(position, output, since));
        }
    }

    /// Tells a switch what its arbiters have to decide. They decide when everything else has happened at this instant, so
    /// that they know of all inputs that become free.
    fn arbitrate_later(&mut self, at: NicId, tell: impl FnOnce(&mut Crossbar)) {
        if let Some(crossbar) = self.fabric.crossbars.get_mut(&at) {
            let was_due = crossbar.is_due();
            tell(crossbar);
            if !was_due && crossbar.is_due() {
                self.schedule.insert(self.now, Work::Arbitrate(at));
            }
        }
    }

    /// Passes packets from the inputs of a switch to its free outputs.
    #[cold]
    pub(crate) fn arbitrate(&mut self, at: NicId) {
        let Some(crossbar) = self.fabric.crossbars.get_mut(&at) else {
            return;
        };
        for output in crossbar.take_due() {
            let direction = &self.fabric[output];
            if direction.sending.is_some() || !direction.queue.is_empty() {
                continue;
            }
            let crossbar = self.fabric.crossbars.get_mut(&at);
            if let Some(input) = crossbar.and_then(|crossbar| crossbar.choose(output)) {
                self.pass(input, output);
            }
        }
    }

    /// Passes the first packet of an input to an output.
    fn pass(&mut self, input: DirectionId, output: DirectionId) {
        let first = self.fabric[input].input.as_mut();
        let Some((packet, waits)) = first.and_then(|input| input.take()) else {
            return;
        };
        let at = self.fabric[output].from;
        let crossbar = self.fabric.crossbars.get_mut(&at);
        let behind = crossbar.map_or(0, |crossbar| crossbar.left(output));
        let direction = &mut self.fabric[output];
        if let Some(port) = &mut direction.port {
            port.take(Waits { behind, ..waits });
            direction.queue.push_back(packet);
            self.start_sending(output);
        }
        self.use_room(BufferAt::Input(input));
    }

    /// Drops packets for which a port has no room.
    fn drop_overflow(&mut self, id: DirectionId) {
        loop {
            let direction = &mut self.fabric[id];
            let overflow = direction.port.as_mut().and_then(|port| port.overflow());
            let Some((place, lost)) = overflow else {
                return;
            };
            let Some(packet) = direction.queue.remove(place) else {
                debug_assert!(false, "a port and its queue hold the same packets");
                return;
            };
            let at = direction.from;
            self.lose(packet, at, WireDropReason::SwitchFull);
            // The end of the packet may still be on its way to the switch.
            let before = &mut self.fabric[lost.came_by];
            if before.sending == Some(packet) {
                before.is_sending_lost = true;
            } else {
                self.end_arrival(packet);
            }
        }
    }

    /// Starts to send a packet from a port of a switch over a free wire.
    #[cold]
    pub(crate) fn first_bit_out_of_switch(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        // A packet that has waited for room at the next switch has begun already.
        if let Some(port) = &mut self.fabric[id].port
            && port.begun().is_none()
        {
            port.begin();
        }
        if self.fabric[id].onward.is_some() && !self.finds_room(id, packet) {
            return;
        }
        let ends = self.worm_goes_on(id, packet, duration);
        let duration = ends.since(self.now);
        self.schedule.insert(ends, Work::WireOut(id));
        let direction = &mut self.fabric[id];
        let begun = direction.port.as_ref().and_then(|port| {
            let begun = port.begun()?;
            Some((begun, begun.behind + port.waiting()))
        });
        if let Some((begun, behind)) = begun {
            let sent = &self.packets[packet];
            let kind = NicEvent::Forward(Forwarded {
                packet: sent.id,
                peer: sent.to.0,
                next: direction.to,
                payload: &sent.bytes,
                carries: match sent.header {
                    header if header.is_for_nic() => Carries::Control,
                    header if header.is_frame() => Carries::Frame,
                    _ => Carries::Message,
                },
                is_copy: sent.fate.is_some_and(|fate| fate.is_copy) && !sent.header.is_frame(),
                behind: u32::try_from(behind).unwrap_or(u32::MAX),
                waited: self.now.since(begun.since),
                duration,
            });
            self.report
                .emit_at(self.now, (direction.from, sent.from.0), kind);
        }
        self.cut_through(id, packet, duration);
    }

    /// Frees the input and the output of a packet that has left, if it waited at an input.
    fn free_input(&mut self, output: DirectionId, ended: Option<Waits>) {
        let Some(Waits { came_by, .. }) = ended else {
            return;
        };
        let direction = &mut self.fabric[came_by];
        let at = direction.to;
        if let Some(input) = &mut direction.input {
            input.is_busy = false;
            self.arbitrate_later(at, |crossbar| crossbar.free(output));
            self.request(came_by);
        }
    }

    /// Handles the last bit of a packet that leaves for a switch or leaves one, and arrives at the time `lands`.
    #[cold]
    pub(crate) fn last_bit_out_at_switch(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        lands: SimTime,
    ) {
        if !self.fabric.worms.leave(packet, id, self.now) {
            self.fabric[id].sending = Some(packet);
            return;
        }
        let direction = &mut self.fabric[id];
        let is_lost = std::mem::take(&mut direction.is_sending_lost);
        let (is_faulty, is_cut_through) = (direction.is_faulty, direction.is_cut_through());
        let copy_follows = is_faulty && self.copy_follows(id, packet, lands);
        if !is_faulty && !is_cut_through {
            self.schedule.insert(lands, Work::WireIn(packet));
        }
        let now = self.now;
        match &mut self.fabric[id].port {
            Some(port) if copy_follows => port.again(now),
            Some(port) => {
                let ended = port.end();
                self.free_input(id, ended);
                self.use_room(BufferAt::Port(id));
            }
            None if copy_follows => {}
            None => self.packet_left(packet),
        }
        if is_lost {
            self.end_arrival(packet);
        }
        self.start_sending(id);
    }
}
