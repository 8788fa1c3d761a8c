//! Arrival slots: NIC memory for packets that come in, shared by the endpoints of the NIC.
//!
//! Every applet has one slot of its own: its `RxBuf`, which is the size of a packet and is part of the
//! endpoint's SRAM anyway. Endpoints without an applet share one of the pool, where the NIC has applets too.
//! Whatever is needed beyond that comes from the pool. An endpoint can therefore fill the pool, but it
//! cannot take the one slot with which each of its neighbours goes on.

use nic_core::chain::{Chain, Link};
use nic_core::id::EndpointId;

use super::ready::RoundRobin;

/// Who shares slots with whom: an applet with nobody, endpoints without one with each other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tenancy(pub u32);

/// What an endpoint needs places for, and may wait with: the number of a claim, and of its link in a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ClaimId(pub u32);

/// What an endpoint needs a place for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The packet of a transmit descriptor that the NIC has not taken yet.
    Post,
    /// The packet that a call of its applet pushes.
    Push,
}

impl ClaimId {
    /// Returns the claim of an endpoint for a purpose.
    #[must_use]
    #[inline]
    pub fn of(endpoint: EndpointId, purpose: Purpose) -> ClaimId {
        // No scenario has 2³¹ endpoints, so no bit is lost.
        ClaimId((endpoint.0 << 1) | purpose as u32)
    }

    /// Returns whose claim it is.
    #[must_use]
    pub fn endpoint(self) -> EndpointId {
        EndpointId(self.0 / 2)
    }

    /// Returns what it is for.
    #[must_use]
    pub fn purpose(self) -> Purpose {
        match self.0 % 2 {
            0 => Purpose::Post,
            _ => Purpose::Push,
        }
    }
}

/// How far an endpoint has come towards the two places that its next packet needs. The first is an arrival slot at the
/// receiver, the second a send slot at home.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// It has none and asks for none.
    #[default]
    None,
    /// It waits for an arrival slot for this receiver.
    AwaitsArrival(EndpointId),
    /// It has an arrival slot for this receiver and waits for a send slot.
    AwaitsSend(EndpointId),
    /// It has both.
    Held(EndpointId),
}

/// The arrival slots of one NIC.
#[derive(Clone, Debug)]
pub struct ArrivalSlots {
    // Free slots of the pool.
    pool: u32,
    tenants: Vec<Tenant>,
    // Tenancies for which a packet waits.
    awaited: RoundRobin,
}

#[derive(Copy, Clone, Debug, Default)]
struct Tenant {
    // Slots that packets for it hold.
    held: u32,
    // Slots that are its own: none or one.
    own: u32,
    waiting: Chain,
}

impl ArrivalSlots {
    /// Returns `count` slots for a NIC with this many applets, and perhaps endpoints without one, whose
    /// [`Tenancy`] is the last.
    #[must_use]
    pub fn new(count: u32, applets: usize, has_base_endpoints: bool) -> ArrivalSlots {
        let base_own = u32::from(applets > 0 && has_base_endpoints && count > 1);
        let applet = Tenant {
            own: 1,
            ..Tenant::default()
        };
        let mut tenants = vec![applet; applets];
        tenants.push(Tenant {
            own: base_own,
            ..Tenant::default()
        });
        ArrivalSlots {
            pool: count - base_own,
            awaited: RoundRobin::new(tenants.len()),
            tenants,
        }
    }

    /// Takes a slot for a packet to this tenancy; says whether there was one.
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

    /// Has a claim wait for a slot that [`ArrivalSlots::take`] did not find.
    pub fn wait(&mut self, tenancy: Tenancy, links: &mut [Link], claim: ClaimId) {
        let waiting = &mut self.tenants[tenancy.0 as usize].waiting;
        waiting.push_back(links, claim.0);
        self.awaited.insert(tenancy.0 as usize);
    }

    /// Frees a slot, and returns the claim that has it now, if one waited that may.
    ///
    /// A slot of a tenancy's own goes to the claim that waits longest for that tenancy. A slot of the
    /// pool goes round the tenancies that are waited for.
    #[inline]
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

    /// Returns whether no packet holds a slot.
    #[must_use]
    pub fn are_free(&self) -> bool {
        self.tenants.iter().all(|tenant| tenant.held == 0)
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

    fn wait(slots: &mut ArrivalSlots, tenancy: Tenancy, links: &mut [Link], claim: u32) {
        assert!(!slots.take(tenancy));
        slots.wait(tenancy, links, ClaimId(claim));
    }

    #[test]
    fn a_full_pool_leaves_each_neighbour_its_own_slot() {
        let mut slots = ArrivalSlots::new(4, 2, true);
        // Its own, and the three of the pool that are nobody's.
        let taken = (0..9).filter(|_| slots.take(Tenancy(0))).count();
        assert_eq!(taken, 4);
        assert!(slots.take(Tenancy(1)) && !slots.take(Tenancy(1)));
        assert!(slots.take(BASE) && !slots.take(BASE));
    }

    #[test]
    fn endpoints_without_applets_have_the_whole_pool_where_they_are_alone() {
        let mut slots = ArrivalSlots::new(4, 0, true);
        assert_eq!((0..9).filter(|_| slots.take(Tenancy(0))).count(), 4);
    }

    #[test]
    fn a_pool_slot_goes_round_and_an_own_slot_stays() {
        let mut links = [Link::default(); 8];
        let mut slots = ArrivalSlots::new(2, 3, false);
        for tenancy in [0, 0, 1, 1, 2] {
            assert!(slots.take(Tenancy(tenancy)));
        }
        wait(&mut slots, Tenancy(0), &mut links, 0);
        wait(&mut slots, Tenancy(0), &mut links, 1);
        wait(&mut slots, Tenancy(1), &mut links, 2);
        // Tenancy 2 gives back its own slot: the pool is as full as before.
        assert_eq!(slots.release(Tenancy(2), &mut links), None);
        // Tenancy 1 gives back a slot of the pool, and the turn is tenancy 0's, then 1's, then 0's.
        assert_eq!(slots.release(Tenancy(1), &mut links), Some(ClaimId(0)));
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(2)));
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(1)));
        assert_eq!(slots.release(Tenancy(0), &mut links), None);
    }

    #[test]
    fn with_a_single_slot_everybody_goes_on() {
        let mut links = [Link::default(); 2];
        let mut slots = ArrivalSlots::new(1, 1, true);
        assert!(slots.take(Tenancy(0)) && slots.take(Tenancy(0)));
        // The pool has but one slot, so none can be set aside; it comes back when the applet returns.
        wait(&mut slots, Tenancy(1), &mut links, 0);
        assert_eq!(slots.release(Tenancy(0), &mut links), Some(ClaimId(0)));
    }
}
