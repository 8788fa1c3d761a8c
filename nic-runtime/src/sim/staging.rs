//! Places for packets in NIC memory: who has one, who waits for one, and who goes on when one is free.
//!
//! A packet leaves its sender's own memory only when it has an arrival slot at the receiver and then a send slot at
//! home. A waiting endpoint therefore holds nothing that another endpoint could wait for, except its own arrivals.
//! Wires never wait. A send slot is free again after the transfer and the wire time of its packet.
//!
//! So an endpoint waits for time, or for the receiver that it talks to. Only receivers that push packets
//! themselves can close a circle, and then all of it are endpoints that talk to each other.

use nic_core::event::Sink;
use nic_core::id::{EndpointId, NicId};
use nic_core::unet::Channel;

use super::ahead::Way;
use super::{Simulation, at};
use crate::fabric::{Admission, PacketRef};
use crate::nic::{ClaimId, ProcessorId, Progress, Purpose};
use crate::sle;
use crate::sle::call::Cause;

/// Whether an endpoint may push a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// It has its places.
    Given,
    /// It waits for them.
    Waits,
    /// It can neither have them nor wait. It would wait for itself, through endpoints that wait for each other, or its
    /// heap has no room for a waiting call.
    Refused,
}

/// What waits where there is no place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// A transmit descriptor, which stays in its queue.
    Post,
    /// The call that a processor runs, which must be kept in its applet's heap.
    Call(ProcessorId),
    /// A message on which a call has trapped.
    Message,
}

impl Waiter {
    fn purpose(self) -> Purpose {
        match self {
            Waiter::Post => Purpose::Post,
            Waiter::Call(_) | Waiter::Message => Purpose::Push,
        }
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Returns how far a claim has come.
    #[inline]
    pub(crate) fn progress(&self, claim: ClaimId) -> Progress {
        self.residents[at(claim.endpoint().0)].claims[claim.purpose() as usize]
    }

    #[inline]
    fn progress_mut(&mut self, claim: ClaimId) -> &mut Progress {
        &mut self.residents[at(claim.endpoint().0)].claims[claim.purpose() as usize]
    }

    /// Puts the packet that a call of an applet pushes into its places, or has the call wait for them. The places
    /// for the packet of a transmit descriptor are for its call alone where that may run on another processor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn claim_for_push(
        &mut self,
        on: ProcessorId,
        waiter: Waiter,
        id: EndpointId,
        channel: &Channel,
    ) -> Grant {
        let held = Progress::Held(channel.peer);
        let [post, push] = &mut self.residents[at(id.0)].claims;
        // As a rule it is the packet for which the NIC made room before it took the descriptor.
        if *post == held {
            let processor = &self.processors[at(on.0)];
            let is_for_post = || matches!(processor.activation.call().cause, Cause::Post(_));
            if processor.share.is_alone || is_for_post() {
                *post = Progress::None;
                return Grant::Given;
            }
        }
        if *push == held {
            *push = Progress::None;
            return Grant::Given;
        }
        let grant = self.claim(id, waiter, channel);
        if grant == Grant::Given {
            *self.progress_mut(ClaimId::of(id, Purpose::Push)) = Progress::None;
        }
        grant
    }

    /// Puts the packet of a transmit descriptor into the places that the NIC made for it. If a push has used them,
    /// [`Simulation::claim_for_push`] has found others.
    #[inline]
    pub(crate) fn use_post(&mut self, id: EndpointId) {
        *self.progress_mut(ClaimId::of(id, Purpose::Post)) = Progress::None;
    }

    /// Gets an endpoint that has none the places for a packet on `channel`, or has it wait for them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn claim(&mut self, id: EndpointId, waiter: Waiter, channel: &Channel) -> Grant {
        let to = channel.peer;
        self.read_ahead(to, Way::In);
        let direction = &self.fabric[channel.route];
        if direction.admission != Admission::Slot {
            let leaves_group = direction.admission == Admission::LeavesGroup;
            return self.claim_without_slot(id, waiter, to, leaves_group);
        }
        let receiver = direction.to;
        let tenancy = self.seats[at(to.0)].tenancy;
        if !self.nics[at(receiver.0)].arrival_slots.take(tenancy) {
            return self.await_arrival_slot(id, waiter, channel);
        }
        let claim = ClaimId::of(id, waiter.purpose());
        if self.claim_send_slot(claim, to) == Grant::Given {
            return Grant::Given;
        }
        self.await_send_slot(claim, waiter)
    }

    /// As [`Simulation::claim`], where the packet leaves without an arrival slot, or not at all.
    #[cold]
    fn claim_without_slot(
        &mut self,
        id: EndpointId,
        waiter: Waiter,
        to: EndpointId,
        leaves_group: bool,
    ) -> Grant {
        if leaves_group {
            self.leave_group();
            return Grant::Waits;
        }
        let claim = ClaimId::of(id, waiter.purpose());
        match self.claim_send_slot(claim, to) {
            Grant::Given => Grant::Given,
            Grant::Waits | Grant::Refused => self.await_send_slot(claim, waiter),
        }
    }

    /// Has an endpoint that has an arrival slot wait for a send slot, if what waits can.
    #[cold]
    fn await_send_slot(&mut self, claim: ClaimId, waiter: Waiter) -> Grant {
        if self.can_wait(waiter) {
            return Grant::Waits;
        }
        let home = self.endpoints[at(claim.endpoint().0)].nic;
        self.nics[at(home.0)].awaiting_send_slot.pop_back();
        self.give_up(claim);
        Grant::Refused
    }

    /// Returns whether what would wait can be kept meanwhile.
    fn can_wait(&self, waiter: Waiter) -> bool {
        match waiter {
            Waiter::Call(on) => sle::suspend::can_suspend(self, on),
            Waiter::Post | Waiter::Message => true,
        }
    }

    #[cold]
    fn await_arrival_slot(&mut self, id: EndpointId, waiter: Waiter, channel: &Channel) -> Grant {
        let to = channel.peer;
        let purpose = waiter.purpose();
        if purpose == Purpose::Push && (self.waits_for(to, id) || !self.can_wait(waiter)) {
            return Grant::Refused;
        }
        let claim = ClaimId::of(id, purpose);
        *self.progress_mut(claim) = Progress::AwaitsArrival(to);
        let receiver = self.fabric[channel.route].to;
        let slots = &mut self.nics[at(receiver.0)].arrival_slots;
        slots.wait(self.seats[at(to.0)].tenancy, &mut self.links, claim);
        Grant::Waits
    }

    /// Returns whether an endpoint is `other`, or is suspended until such an endpoint takes a packet.
    fn waits_for(&self, mut id: EndpointId, other: EndpointId) -> bool {
        // Every circle is broken when it would close, so this ends; the count bounds it all the same.
        for _ in 0..self.endpoints.len() {
            if id == other {
                return true;
            }
            let push = self.progress(ClaimId::of(id, Purpose::Push));
            let Progress::AwaitsArrival(next) = push else {
                return false;
            };
            id = next;
        }
        false
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn claim_send_slot(&mut self, claim: ClaimId, to: EndpointId) -> Grant {
        let nic = &mut self.nics[at(self.endpoints[at(claim.endpoint().0)].nic.0)];
        let (progress, grant) = if nic.send_slots.take() {
            (Progress::Held(to), Grant::Given)
        } else {
            nic.awaiting_send_slot.push_back(claim);
            (Progress::AwaitsSend(to), Grant::Waits)
        };
        *self.progress_mut(claim) = progress;
        grant
    }

    /// Gives back the places for a descriptor's packet that its endpoint does not need, or must not keep because its
    /// applet is suspended.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn give_up_post(&mut self, id: EndpointId) {
        let claim = ClaimId::of(id, Purpose::Post);
        if self.progress(claim) != Progress::None {
            self.give_up(claim);
        }
    }

    #[cold]
    fn give_up(&mut self, claim: ClaimId) {
        let progress = self.progress_mut(claim);
        match *progress {
            // It stays in line, and its turn passes if it cannot use it.
            Progress::None | Progress::AwaitsArrival(_) => {}
            Progress::AwaitsSend(to) => {
                *progress = Progress::None;
                self.release_reserved_slot(claim, to);
            }
            Progress::Held(to) => {
                *progress = Progress::None;
                let home = self.endpoints[at(claim.endpoint().0)].nic;
                self.release_send_slot(home);
                self.release_reserved_slot(claim, to);
            }
        }
    }

    /// Frees the arrival slot that a packet would have had which is not sent.
    fn release_reserved_slot(&mut self, claim: ClaimId, to: EndpointId) {
        if self.reserves_slots || self.has_reserved_slot(claim, to) {
            self.release_arrival_slot(to);
        }
    }

    /// Returns whether a packet to an endpoint needs an arrival slot before it leaves.
    #[cold]
    fn has_reserved_slot(&self, claim: ClaimId, to: EndpointId) -> bool {
        let nic = |id: EndpointId| self.endpoints[at(id.0)].nic;
        let route = self.fabric.route(nic(claim.endpoint()), nic(to));
        route.is_some_and(|route| self.fabric[route].admission == Admission::Slot)
    }

    /// Returns whether a packet has passed its link without an arrival slot.
    pub(crate) fn comes_unasked(&self, packet: PacketRef) -> bool {
        self.fabric[self.packets[packet].route].admission == Admission::Unasked
    }

    /// Takes an arrival slot for a packet if it comes unasked; returns whether it has one.
    #[cold]
    pub(crate) fn take_slot_unasked(&mut self, packet: PacketRef) -> bool {
        if !self.comes_unasked(packet) {
            return true;
        }
        let (to, _) = self.packets[packet].to;
        let nic = self.endpoints[at(to.0)].nic;
        let tenancy = self.seats[at(to.0)].tenancy;
        let has_slot = self.nics[at(nic.0)].arrival_slots.take(tenancy);
        self.packets[packet].has_arrival_slot = has_slot;
        has_slot
    }

    /// Frees an arrival slot of an endpoint; the claim that waited for it goes on.
    #[inline]
    pub(crate) fn release_arrival_slot(&mut self, to: EndpointId) {
        let receiver = self.endpoints[at(to.0)].nic;
        let tenancy = self.seats[at(to.0)].tenancy;
        let slots = &mut self.nics[at(receiver.0)].arrival_slots;
        if let Some(claim) = slots.release(tenancy, &mut self.links) {
            self.pass_on_arrival_slot(receiver, claim);
        }
        if !self.reserves_slots {
            self.deliver_waiting(receiver);
        }
    }

    #[cold]
    fn pass_on_arrival_slot(&mut self, receiver: NicId, claim: ClaimId) {
        let mut next = Some(claim);
        while let Some(claim) = next.take() {
            if let Some(declined) = self.arrival_slot_found(claim) {
                let tenancy = self.seats[at(declined.0)].tenancy;
                let slots = &mut self.nics[at(receiver.0)].arrival_slots;
                next = slots.release(tenancy, &mut self.links);
            }
        }
    }

    /// Has a claim that waited for an arrival slot go on with it, or returns whose slot it declines.
    fn arrival_slot_found(&mut self, claim: ClaimId) -> Option<EndpointId> {
        let Progress::AwaitsArrival(to) = self.progress(claim) else {
            debug_assert!(false, "only who waits is in line");
            return None;
        };
        let id = claim.endpoint();
        // A suspended applet would keep the slot from others until it goes on; it asks again then.
        if claim.purpose() == Purpose::Post && sle::suspend::is_suspended(self, id) {
            *self.progress_mut(claim) = Progress::None;
            return Some(to);
        }
        if self.claim_send_slot(claim, to) == Grant::Given {
            self.places_found(claim);
        }
        None
    }

    /// Frees a send slot; the claim that waited for it goes on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn release_send_slot(&mut self, nic: NicId) {
        self.nics[at(nic.0)].send_slots.release();
        if !self.nics[at(nic.0)].awaiting_send_slot.is_empty() {
            self.pass_on_send_slot(nic);
        }
    }

    #[cold]
    fn pass_on_send_slot(&mut self, nic: NicId) {
        while let Some(claim) = self.nics[at(nic.0)].awaiting_send_slot.pop_front() {
            // Others have given up since they came into line.
            if let Progress::AwaitsSend(to) = self.progress(claim) {
                let taken = self.nics[at(nic.0)].send_slots.take();
                debug_assert!(taken, "a slot was freed for it");
                *self.progress_mut(claim) = Progress::Held(to);
                return self.places_found(claim);
            }
        }
    }

    /// Returns whether every place is free and nobody waits for one.
    pub(crate) fn holds_no_packet(&self) -> bool {
        let mut residents = self.residents.iter();
        self.nothing_waits()
            && residents.all(|resident| resident.claims == [Progress::None; 2])
            && self
                .nics
                .iter()
                .all(|nic| nic.send_slots.are_free() && nic.arrival_slots.are_free())
    }

    /// Has the processor go on with what waited for places.
    fn places_found(&mut self, claim: ClaimId) {
        let id = claim.endpoint();
        let home = self.endpoints[at(id.0)].nic;
        let nic = &mut self.nics[at(home.0)];
        match claim.purpose() {
            Purpose::Post => {
                nic.posted.insert(self.seats[at(id.0)].position());
                let on = nic.takes_posts;
                self.wake(on);
            }
            Purpose::Push => sle::suspend::resumable(self, id),
        }
    }
}
