//! Stop-and-go flow control (`wire.flow = "stop"`). Packets that find no arrival slot wait at the receiving end of the
//! wire, and the sender is told to stop before their backlog overflows.
//!
//! As in networks without reserved slots, a waiting packet holds up all packets behind it on the wire, whatever their
//! destination. A deadlock of full NICs resolves when its first packet has waited for `wire.timeout`: the packet is
//! dropped, and its wire moves again.

use super::{Engines, Parts};
use crate::nic::work::Work;
use crate::wire::{PacketRef, Signal};
use nic_core::event::WireDropReason;
use nic_core::id::{DirectionId, NicId};
use nic_core::time::SimTime;

impl<E: Engines> Parts<'_, E> {
    /// Delivers a packet that has no reserved slot if a slot is free; otherwise adds it to the backlog.
    #[cold]
    pub(crate) fn arrive_unasked(&mut self, packet: PacketRef) {
        let route = self.packets[packet].route;
        let direction = &self.fabric[route];
        let waits = direction
            .backlog
            .as_ref()
            .is_some_and(|backlog| backlog.first().is_some());
        if !waits && self.take_slot_unasked(packet) {
            return self.deliver(packet);
        }
        let direction = &mut self.fabric[route];
        let length = u32::try_from(self.packets[packet].bytes.len()).unwrap_or(u32::MAX);
        let frame = direction.wire.framing.frame(length);
        let is_patient = self.packets[packet].header.is_patient();
        let mut until = None;
        let fits = direction.backlog.as_mut().is_some_and(|backlog| {
            until = (!is_patient).then(|| backlog.drops_at(self.now));
            backlog.add(packet, frame, until.unwrap_or(SimTime::MAX))
        });
        if !fits {
            return self.drop_on_wire(packet, WireDropReason::Overrun);
        }
        if let Some(until) = until {
            self.schedule.insert(until, Work::LookBacklog(route));
        }
        if !waits {
            self.backlogs.0.push_back(route);
        }
        self.signal(route);
    }

    /// Sends the next stop or go signal if one is due. The signal reaches the sender of the packets after the link's
    /// latency.
    fn signal(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        let told = direction
            .backlog
            .as_mut()
            .and_then(|backlog| backlog.signal());
        if told.is_some() {
            let hears = self.now + direction.wire.latency;
            self.schedule.insert(hears, Work::Heard(id));
        }
    }

    /// A NIC receives the next stop or go signal. Stop and go signals alternate and arrive in order, so they need not
    /// carry a value.
    #[cold]
    pub(crate) fn heard(&mut self, id: DirectionId) {
        let now = self.now;
        let direction = &mut self.fabric[id];
        let Some(backlog) = &mut direction.backlog else {
            return;
        };
        backlog.heard = match backlog.heard {
            Signal::Go => Signal::Stop,
            Signal::Stop => Signal::Go,
        };
        match backlog.heard {
            Signal::Stop => {
                backlog.free_at = direction.gap_ends;
                direction.gap_ends = SimTime::MAX;
            }
            Signal::Go => {
                direction.gap_ends = backlog.free_at.max(now);
                self.start_sending(id);
            }
        }
    }

    /// Delivers packets from the backlogs of a NIC's wires while slots are free.
    #[cold]
    pub(crate) fn deliver_waiting(&mut self, nic: NicId) {
        // A delivered packet may be over at once. Its slot then lets others go on, by this function, which changes the
        // list. So the list is looked through until nothing is delivered.
        while self.deliver_some(nic) {}
    }

    /// Looks through the backlogs of a NIC's wires once. Returns whether a packet was delivered.
    fn deliver_some(&mut self, nic: NicId) -> bool {
        let mut has_delivered = false;
        let mut place = 0;
        while let Some(&id) = self.backlogs.0.get(place) {
            if self.fabric[id].to != nic {
                place += 1;
                continue;
            }
            while let Some(packet) = self.first_waiting(id)
                && self.take_slot_unasked(packet)
            {
                self.take_waiting(id);
                self.deliver(packet);
                has_delivered = true;
            }
            match self.first_waiting(id) {
                Some(_) => place += 1,
                None => self.backlogs.0.retain(|other| *other != id),
            }
        }
        has_delivered
    }

    /// Drops the packets of a backlog that have waited for too long.
    pub(crate) fn drop_overdue(&mut self, id: DirectionId) {
        while let Some(backlog) = &self.fabric[id].backlog
            && backlog.is_overdue(self.now)
        {
            let Some(packet) = self.take_waiting(id) else {
                break;
            };
            self.drop_on_wire(packet, WireDropReason::Overrun);
        }
        let nic = self.fabric[id].to;
        self.deliver_waiting(nic);
    }

    pub(crate) fn first_waiting(&self, id: DirectionId) -> Option<PacketRef> {
        self.fabric[id].backlog.as_ref()?.first()
    }

    fn take_waiting(&mut self, id: DirectionId) -> Option<PacketRef> {
        let packet = self.fabric[id].backlog.as_mut()?.take();
        self.signal(id);
        packet
    }

    /// Keeps a stopped link direction from sending another packet once its current packet is out.
    #[cold]
    pub(crate) fn stay_stopped(&mut self, id: DirectionId) {
        let direction = &mut self.fabric[id];
        if let Some(backlog) = &mut direction.backlog
            && backlog.heard == Signal::Stop
        {
            backlog.free_at = direction.gap_ends;
            direction.gap_ends = SimTime::MAX;
        }
    }
}
