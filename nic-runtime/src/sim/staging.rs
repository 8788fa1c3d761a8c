//! Slots for packets in NIC memory: which packets hold them, which wait for them, and which gets a freed slot.
//!
//! A packet leaves its sender's memory only when it has two slots: first an arrival slot at the receiver, then a send
//! slot. A waiting endpoint therefore holds nothing that other endpoints need, except packets that have arrived for
//! itself. Wires never wait. A send slot becomes free again when its packet has left, so waiting for a send slot only
//! takes time.
//!
//! An endpoint therefore waits only for time to pass, or for the receiver that it sends to. A circle of endpoints that
//! wait for each other can arise only if receivers push packets themselves. All endpoints in a circle of waits send to
//! each other, so no other endpoint is held up.

use crate::ids::ProcessorId;
use nic_core::id::{EndpointId, NicId};
use nic_core::unet::Channel;

use super::{Engines, Parts};
use crate::nic::claim::{Grant, Waiter};
use crate::nic::endpoint::EndpointInfo;
use crate::nic::item::Way;
use crate::nic::{ClaimId, Progress, Purpose};
use crate::wire::{Admission, PacketRef};

impl<E: Engines> Parts<'_, E> {
    /// Returns the progress of a claim.
    #[inline]
    pub(crate) fn progress(&self, claim: ClaimId) -> Progress {
        self.live[claim.endpoint()].claims[claim.purpose() as usize]
    }

    #[inline]
    fn progress_mut(&mut self, claim: ClaimId) -> &mut Progress {
        &mut self.live[claim.endpoint()].claims[claim.purpose() as usize]
    }

    /// Gets slots for a packet that an applet's call pushes, or makes the call wait. If the NIC has several processors,
    /// slots reserved for a transmit descriptor's packet serve only the call for that descriptor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn claim_for_push(
        &mut self,
        on: ProcessorId,
        waiter: Waiter,
        id: EndpointId,
        channel: &Channel,
    ) -> Grant {
        let held = Progress::Held(channel.peer);
        let [post, push] = &mut self.live[id].claims;
        // Usually the pushed packet is the one whose slots the NIC reserved before it took the transmit descriptor.
        if *post == held {
            let processor = &self.processors[on];
            if processor.role.is_alone || processor.activation.call().is_for_post() {
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

    /// Uses up the slots reserved for a transmit descriptor's packet. If a push of the descriptor's call has used the
    /// reserved slots, [`Parts::claim_for_push`] has claimed other slots.
    #[inline]
    pub(crate) fn use_post(&mut self, id: EndpointId) {
        *self.progress_mut(ClaimId::of(id, Purpose::Post)) = Progress::None;
    }

    /// Gets the slots for an endpoint's packet on `channel`, or makes the claim wait. The endpoint must not already
    /// hold slots for the claim's purpose.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn claim(&mut self, id: EndpointId, waiter: Waiter, channel: &Channel) -> Grant {
        let to = channel.peer;
        self.prefetch(to, Way::In);
        let direction = &self.fabric[channel.route];
        let EndpointInfo {
            tenancy,
            reserves_arrival,
            ..
        } = self.infos[to];
        // A channel joins endpoints of one protocol, so both ends reserve slots or none does.
        if direction.admission != Admission::Slot || !reserves_arrival {
            let leaves_group = direction.admission == Admission::LeavesGroup;
            return self.claim_without_slot(id, waiter, to, leaves_group);
        }
        let receiver = self.endpoints[to].nic;
        if !self.nics[receiver].arrival_slots.take(tenancy) {
            return self.await_arrival_slot(id, waiter, channel);
        }
        let claim = ClaimId::of(id, waiter.purpose());
        if self.claim_send_slot(claim, to) == Grant::Given {
            return Grant::Given;
        }
        self.await_send_slot(claim, waiter)
    }

    /// Like [`Parts::claim`], for a packet that needs no arrival slot or must not leave its group.
    #[cold]
    fn claim_without_slot(
        &mut self,
        id: EndpointId,
        waiter: Waiter,
        to: EndpointId,
        leaves_group: bool,
    ) -> Grant {
        if leaves_group {
            self.limits.leave_group();
            return Grant::Waits;
        }
        let claim = ClaimId::of(id, waiter.purpose());
        let grant = match self.may_take_send_slot(id) {
            true => self.claim_send_slot(claim, to),
            false => self.line_up_for_send_slot(claim, to),
        };
        match grant {
            Grant::Given => Grant::Given,
            Grant::Waits | Grant::Refused => self.await_send_slot(claim, waiter),
        }
    }

    /// Returns whether the messages of an endpoint may hold another send slot.
    fn may_take_send_slot(&self, id: EndpointId) -> bool {
        self.send_slots_left.get(id).is_none_or(|left| *left > 0)
    }

    /// Makes a claim wait for a send slot even though one may be free.
    fn line_up_for_send_slot(&mut self, claim: ClaimId, to: EndpointId) -> Grant {
        let nic = &mut self.nics[self.endpoints[claim.endpoint()].nic];
        nic.awaiting_send_slot.push_back(claim);
        *self.progress_mut(claim) = Progress::AwaitsSend(to);
        Grant::Waits
    }

    /// Makes a claim that has its arrival slot wait for a send slot, if the waiter can wait.
    #[cold]
    fn await_send_slot(&mut self, claim: ClaimId, waiter: Waiter) -> Grant {
        if self.can_wait(waiter) {
            return Grant::Waits;
        }
        self.give_up(claim);
        Grant::Refused
    }

    /// Returns whether a waiter can be kept until the claim succeeds. Only a running call needs room to wait: room in
    /// its applet's heap.
    fn can_wait(&self, waiter: Waiter) -> bool {
        match waiter {
            Waiter::Call(on) => self.can_suspend(on),
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
        let receiver = self.endpoints[to].nic;
        let slots = &mut self.nics[receiver].arrival_slots;
        slots.wait(self.infos[to].tenancy, &mut self.links, claim);
        Grant::Waits
    }

    /// Returns whether endpoint `id` is `other`, or is suspended in a chain of waits that leads to `other`.
    fn waits_for(&self, mut id: EndpointId, other: EndpointId) -> bool {
        // This search along waiting endpoints ends, because a push that would close a circle of them is refused. The
        // bound of this loop is a second safeguard against an endless search.
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
        let nic = &mut self.nics[self.endpoints[claim.endpoint()].nic];
        let (progress, grant) = if nic.send_slots.take() {
            (Progress::Held(to), Grant::Given)
        } else {
            debug_assert!(
                !nic.awaiting_send_slot.contains(&claim),
                "a claim waits in one place"
            );
            nic.awaiting_send_slot.push_back(claim);
            (Progress::AwaitsSend(to), Grant::Waits)
        };
        *self.progress_mut(claim) = progress;
        grant
    }

    /// Gives up the slots for a descriptor's packet, because the packet is not sent or because the applet is suspended
    /// and must not keep them.
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
            // A claim that waits for an arrival slot stays in line and declines the slot when its turn comes.
            Progress::None | Progress::AwaitsArrival(_) => {}
            Progress::AwaitsSend(to) => {
                *progress = Progress::None;
                // The claim leaves the line, so that it does not have two places when it waits again.
                let home = self.endpoints[claim.endpoint()].nic;
                self.nics[home]
                    .awaiting_send_slot
                    .retain(|other| *other != claim);
                self.release_reserved_slot(claim, to);
            }
            Progress::Held(to) => {
                *progress = Progress::None;
                let home = self.endpoints[claim.endpoint()].nic;
                self.release_send_slot(home);
                self.release_reserved_slot(claim, to);
            }
        }
    }

    /// Frees the arrival slot of a packet that is not sent.
    fn release_reserved_slot(&mut self, claim: ClaimId, to: EndpointId) {
        let reserves = self.infos[to].reserves_arrival;
        if reserves && (self.setup.reserves_slots() || self.has_reserved_slot(claim, to)) {
            self.release_arrival_slot(to);
        }
    }

    /// Returns whether a claim's packet has reserved an arrival slot.
    #[cold]
    fn has_reserved_slot(&self, claim: ClaimId, to: EndpointId) -> bool {
        let nic = |id: EndpointId| self.endpoints[id].nic;
        let route = self.fabric.route(nic(claim.endpoint()), nic(to));
        route.is_some_and(|route| self.fabric[route].admission == Admission::Slot)
    }

    /// Returns whether a packet has passed its link without reserving an arrival slot.
    pub(crate) fn comes_unasked(&self, packet: PacketRef) -> bool {
        self.fabric[self.packets[packet].route].admission == Admission::Unasked
    }

    /// Takes an arrival slot for a packet for which none is reserved. Returns whether the packet has a slot.
    #[cold]
    pub(crate) fn take_slot_unasked(&mut self, packet: PacketRef) -> bool {
        if !self.comes_unasked(packet) || self.has_place(packet) {
            return true;
        }
        let (to, _) = self.packets[packet].to;
        let nic = self.endpoints[to].nic;
        let tenancy = self.infos[to].tenancy;
        let has_slot = self.nics[nic].arrival_slots.take(tenancy);
        self.packets[packet].has_arrival_slot = has_slot;
        has_slot
    }

    /// Returns whether an arriving packet already has a place in NIC memory, and needs no arrival slot.
    fn has_place(&self, packet: PacketRef) -> bool {
        !self.packets[packet].header.is_none() && E::has_place(self, packet)
    }

    /// Frees an arrival slot of an endpoint, or passes it on to the claim that has waited for it.
    #[inline]
    pub(crate) fn release_arrival_slot(&mut self, to: EndpointId) {
        let receiver = self.endpoints[to].nic;
        let tenancy = self.infos[to].tenancy;
        let slots = &mut self.nics[receiver].arrival_slots;
        if let Some(claim) = slots.release(tenancy, &mut self.links) {
            self.pass_on_arrival_slot(receiver, claim);
        }
        if !self.setup.reserves_slots() {
            self.deliver_waiting(receiver);
        }
    }

    #[cold]
    fn pass_on_arrival_slot(&mut self, receiver: NicId, claim: ClaimId) {
        let mut next = Some(claim);
        while let Some(claim) = next.take() {
            if let Some(declined) = self.arrival_slot_found(claim) {
                let tenancy = self.infos[declined].tenancy;
                let slots = &mut self.nics[receiver].arrival_slots;
                next = slots.release(tenancy, &mut self.links);
            }
        }
    }

    /// Continues a claim with the arrival slot that it waited for. If the claim declines the slot, returns the endpoint
    /// whose slot it is.
    fn arrival_slot_found(&mut self, claim: ClaimId) -> Option<EndpointId> {
        let Progress::AwaitsArrival(to) = self.progress(claim) else {
            debug_assert!(false, "only who waits is in line");
            return None;
        };
        let id = claim.endpoint();
        // Decline the arrival slot: a suspended applet would keep the slot from other endpoints. The endpoint of the
        // suspended applet claims a slot again when the call continues.
        if claim.purpose() == Purpose::Post && self.live[id].suspended_on.is_some() {
            *self.progress_mut(claim) = Progress::None;
            return Some(to);
        }
        if self.claim_send_slot(claim, to) == Grant::Given {
            self.places_found(claim);
        }
        None
    }

    /// Frees a send slot, or passes it on to the next waiting claim.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn release_send_slot(&mut self, nic: NicId) {
        self.nics[nic].send_slots.release();
        if !self.nics[nic].awaiting_send_slot.is_empty() {
            self.pass_on_send_slot(nic);
        }
    }

    #[cold]
    fn pass_on_send_slot(&mut self, nic: NicId) {
        let mut place = 0;
        while let Some(&claim) = self.nics[nic].awaiting_send_slot.get(place) {
            // Pass over claims of endpoints that hold their share of the slots.
            let waits = matches!(self.progress(claim), Progress::AwaitsSend(_));
            if waits && !self.may_take_send_slot(claim.endpoint()) {
                place += 1;
                continue;
            }
            self.nics[nic].awaiting_send_slot.remove(place);
            if let Progress::AwaitsSend(to) = self.progress(claim) {
                let taken = self.nics[nic].send_slots.take();
                debug_assert!(taken, "a slot was freed for it");
                *self.progress_mut(claim) = Progress::Held(to);
                return self.places_found(claim);
            }
        }
    }

    /// Gets a send slot for a frame that reserves no arrival slot, or makes the endpoint wait for one. The endpoint
    /// must not already wait for a send slot.
    pub(crate) fn claim_for_frame(&mut self, id: EndpointId, to: EndpointId) -> bool {
        let claim = ClaimId::of(id, Purpose::Post);
        let is_given = self.claim_send_slot(claim, to) == Grant::Given;
        if is_given {
            self.use_post(id);
        }
        is_given
    }

    /// Continues the work whose claim has its slots.
    fn places_found(&mut self, claim: ClaimId) {
        let id = claim.endpoint();
        let home = self.endpoints[id].nic;
        match claim.purpose() {
            Purpose::Post if self.infos[id].makes_packets() => E::slot_found(self, id),
            Purpose::Post => {
                let nic = &mut self.nics[home];
                nic.posted.insert(self.infos[id].position());
                let on = nic.takes_posts;
                self.wake(on);
            }
            // Only a suspended call waits for the slots of a pushed packet.
            Purpose::Push => {
                if let Some(on) = self.live[id].suspended_on() {
                    self.processors[on].resumable.push_back(id);
                    self.wake(on);
                }
            }
        }
    }
}
