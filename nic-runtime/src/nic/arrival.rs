//! Arrival slots: NIC memory for arriving packets, which the endpoints of a NIC share.
//!
//! Every applet owns one arrival slot: its `RxBuf`, which has the size of a packet and is part of the applet's SRAM
//! anyway. An endpoint whose frames come without asking for a slot owns slots for as many frames as its sender repeats
//! together, because such a frame cannot wait until a slot is free. If any endpoint of a NIC owns a slot, its other
//! endpoints own one together. All other arrival slots form a pool. An endpoint can fill the pool, but cannot take the
//! slots that each neighbour owns.

use nic_core::chain::{Chain, Link};
use nic_core::id::EndpointId;

use super::ready::RoundRobin;

/// A group of endpoints that own an arrival slot together: one endpoint, or all endpoints without a slot of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tenancy(pub u32);

/// The endpoints of a NIC by the arrival slots that they own. Tenancies have this order.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// Number of endpoints that have an applet, or may get one. Each owns a slot.
    pub applets: usize,
    /// Number of other endpoints whose frames come without asking for a slot.
    pub unasked: usize,
    /// How many frames their senders repeat together. Each of these endpoints owns as many slots, if the NIC has them.
    pub group: u32,
    /// Whether there are further endpoints, which form the last [`Tenancy`].
    pub others: bool,
}

/// A claim of an endpoint for slots: the endpoint and the purpose in one number. The number is also the index of the
/// claim's link in a queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ClaimId(pub u32);

/// The purpose for which an endpoint needs slots.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The endpoint needs slots for the packet of the next transmit descriptor in its queue.
    Post,
    /// The endpoint needs slots for a packet that a call of its applet pushes.
    Push,
}

impl ClaimId {
    /// Returns the claim of an endpoint for a purpose.
    #[must_use]
    #[inline]
    pub fn of(endpoint: EndpointId, purpose: Purpose) -> ClaimId {
        // No scenario has 2³¹ endpoints, so the shift loses nothing.
        ClaimId((endpoint.0 << 1) | purpose as u32)
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn endpoint(self) -> EndpointId {
        EndpointId(self.0 / 2)
    }

    /// Returns the purpose.
    #[must_use]
    pub fn purpose(self) -> Purpose {
        match self.0 % 2 {
            0 => Purpose::Post,
            _ => Purpose::Push,
        }
    }
}

/// Progress of a claim towards a packet's two slots: first an arrival slot at the receiver, then a send slot on the
/// sender's NIC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// The claim has no slot and waits for none.
    #[default]
    None,
    /// The claim waits for an arrival slot of this receiver.
    AwaitsArrival(EndpointId),
    /// The claim has an arrival slot of this receiver and waits for a send slot.
    AwaitsSend(EndpointId),
    /// The claim has both its arrival slot and its send slot.
    Held(EndpointId),
}

/// The arrival slots of a NIC.
#[derive(Clone, Debug)]
pub struct ArrivalSlots {
    // Number of free slots of the pool.
    pool: u32,
    tenants: Vec<Tenant>,
    // Tenancies with waiting claims.
    awaited: RoundRobin,
}

#[derive(Copy, Clone, Debug, Default)]
struct Tenant {
    // Number of slots that packets for this tenancy hold.
    held: u32,
    // Number of slots that the tenancy owns.
    own: u32,
    waiting: Chain,
}

impl ArrivalSlots {
    /// Returns the arrival slots of a NIC: `count` slots, and one more for each applet. Slots that endpoints without an
    /// applet own are taken from the pool, in which at least one slot stays.
    #[must_use]
    pub fn new(count: u32, owners: Owners) -> ArrivalSlots {
        let owner = |own| Tenant {
            own,
            ..Tenant::default()
        };
        let mut pool = count;
        let mut of_pool = |most: u32| {
            let own = most.min(pool - 1);
            pool -= own;
            owner(own)
        };
        let Owners {
            applets,
            unasked,
            group,
            others,
        } = owners;
        let base = of_pool(u32::from(others && applets + unasked > 0));
        // Where the slots do not suffice, each endpoint owns equally many, but at least one as long as there are any.
        let share = (count - 1) / u32::try_from(unasked.max(1)).unwrap_or(u32::MAX);
        let mut tenants = vec![owner(1); applets];
        tenants.extend((0..unasked).map(|_| of_pool(group.min(share).max(1))));
        tenants.push(base);
        ArrivalSlots {
            pool,
            awaited: RoundRobin::new(tenants.len()),
            tenants,
        }
    }

    /// Takes an arrival slot for a packet to this tenancy; returns false if no slot is free.
    #[must_use]
    #[inline]
    pub fn take(&mut self, tenancy: Tenancy) -> bool {
        let tenant = &mut self.tenants[tenancy.0 as usize];
        if tenant.held >= tenant.own {
            let Some(left) = self.pool.checked_sub(1) else {
                return false;
            };
            self.pool = left;
        }
        tenant.held += 1;
        true
    }

    /// Queues a claim after [`ArrivalSlots::take`] has failed.
    pub fn wait(&mut self, tenancy: Tenancy, links: &mut [Link], claim: ClaimId) {
        let waiting = &mut self.tenants[tenancy.0 as usize].waiting;
        waiting.push_back(links, claim.0);
        self.awaited.insert(tenancy.0 as usize);
    }

    /// Frees an arrival slot. If a claim waited for the slot, the claim receives it and is returned.
    ///
    /// A slot that the tenancy owns is given to the oldest claim for that tenancy. A slot of the pool is given to the
    /// tenancies with waiting claims, in turn.
    #[inline(always)]
    pub fn release(&mut self, tenancy: Tenancy, links: &mut [Link]) -> Option<ClaimId> {
        let tenant = &mut self.tenants[tenancy.0 as usize];
        debug_assert!(tenant.held > 0, "a slot is released once");
        tenant.held -= 1;
        let next = if tenant.held >= tenant.own {
            self.pool += 1;
            self.awaited.take_turn()?
        } else if tenant.waiting.is_empty() {
            return None;
        } else {
            tenancy.0 as usize
        };
        self.pass_on(next, links)
    }

    /// Returns how many arrival slots are taken.
    #[must_use]
    pub fn taken(&self) -> u32 {
        self.tenants.iter().map(|tenant| tenant.held).sum()
    }

    #[cold]
    fn pass_on(&mut self, next: usize, links: &mut [Link]) -> Option<ClaimId> {
        let tenant = &mut self.tenants[next];
        let claim = tenant.waiting.pop_front(links)?;
        if tenant.waiting.is_empty() {
            self.awaited.remove(next);
        }
        let taken = self.take(Tenancy(
            u32::try_from(next).expect("tenancies have u32 numbers"),
        ));
        debug_assert!(taken, "a slot was freed for it");
        Some(ClaimId(claim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Tenancy = Tenancy(2);

    fn owners(applets: usize, unasked: usize, others: bool) -> Owners {
        Owners {
            applets,
            unasked,
            group: 2,
            others,
        }
    }

    fn wait(slots: &mut ArrivalSlots, tenancy: Tenancy, links: &mut [Link], claim: u32) {
        assert!(!slots.take(tenancy));
        slots.wait(tenancy, links, ClaimId(claim));
    }

    #[test]
    fn a_full_pool_leaves_each_neighbour_its_own_slot() {
        let mut slots = ArrivalSlots::new(4, owners(2, 0, true));
        // The tenancy takes its own slot and the three slots of the pool, which no tenancy owns.
        let taken = (0..9).filter(|_| slots.take(Tenancy(0))).count();
        assert_eq!(taken, 4);
        assert!(slots.take(Tenancy(1)) && !slots.take(Tenancy(1)));
        assert!(slots.take(BASE) && !slots.take(BASE));
    }

    #[test]
    fn endpoints_without_applets_have_the_whole_pool_where_they_are_alone() {
        let mut slots = ArrivalSlots::new(4, owners(0, 0, true));
        assert_eq!((0..9).filter(|_| slots.take(Tenancy(0))).count(), 4);
    }

    #[test]
    fn an_endpoint_whose_frames_come_unasked_has_slots_for_a_group() {
        // The other endpoints fill the pool, and take the slot that they own.
        for (count, group, pool) in [(12, 2, 7), (6, 2, 1), (4, 1, 1)] {
            let mut slots = ArrivalSlots::new(count, owners(0, 2, true));
            let mut taken = |tenancy| (0..20).filter(|_| slots.take(tenancy)).count();
            assert_eq!(taken(BASE), pool + 1, "{count}");
            assert_eq!(taken(Tenancy(0)), group, "{count}");
            assert_eq!(taken(Tenancy(1)), group, "{count}");
        }
        // The pool keeps its slot, so that these endpoints own none.
        let mut slots = ArrivalSlots::new(1, owners(0, 2, false));
        assert!(slots.take(Tenancy(1)) && !slots.take(Tenancy(0)));
    }

    #[test]
    fn a_pool_slot_goes_round_and_an_own_slot_stays() {
        let mut links = [Link::default(); 8];
        let mut slots = ArrivalSlots::new(2, owners(3, 0, false));
        for tenancy in [0, 0, 1, 1, 2] {
            assert!(slots.take(Tenancy(tenancy)));
        }
        wait(&mut slots, Tenancy(0), &mut links, 0);
        wait(&mut slots, Tenancy(0), &mut links, 1);
        wait(&mut slots, Tenancy(1), &mut links, 2);
        // Tenancy 2 releases its own slot, so the pool stays full.
        assert_eq!(slots.release(Tenancy(2), &mut links), None);
        // Tenancy 1 releases a slot of the pool. The turns for slots of the pool are tenancy 0, then 1, then 0.
        assert_eq!(slots.release(Tenancy(1), &mut links), Some(ClaimId(0)));
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(2)));
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(1)));
        assert_eq!(slots.release(Tenancy(0), &mut links), None);
    }

    #[test]
    fn with_a_single_slot_everybody_goes_on() {
        let mut links = [Link::default(); 2];
        let mut slots = ArrivalSlots::new(1, owners(1, 0, true));
        assert!(slots.take(Tenancy(0)) && slots.take(Tenancy(0)));
        // The pool has only one slot, so endpoints without applets own none.
        wait(&mut slots, Tenancy(1), &mut links, 0);
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(0)));
    }
}
