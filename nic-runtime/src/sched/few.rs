//! The work that is due before all else: what one packet has under way, as a rule.

/// How much fits; a power of two, so that a place needs no check.
const ROOM: usize = 8;
/// Bits of a place in the order.
const PLACE_BITS: u32 = 4;

const _: () = assert!(ROOM.is_power_of_two() && ROOM as u32 * PLACE_BITS <= u32::BITS);

/// A little work, in the order of time and, at equal times, of insertion.
///
/// It stays where it was put, since moving what was written a moment ago would wait for it: the order is one
/// number.
#[derive(Debug)]
pub(super) struct Few<W> {
    times: [u64; ROOM],
    work: [W; ROOM],
    // Bit i: place i is vacant.
    vacant: u32,
    // The places that are not, by when they are due: the first in the lowest bits.
    order: u32,
    // How many of its bits count.
    bits: u32,
}

impl<W: Copy + Default> Few<W> {
    pub(super) fn new() -> Few<W> {
        Few {
            times: [0; ROOM],
            work: [W::default(); ROOM],
            vacant: (1 << ROOM) - 1,
            order: 0,
            bits: 0,
        }
    }

    /// Returns when the first of it is due.
    #[inline]
    pub(super) fn first_time(&self) -> Option<u64> {
        (self.bits > 0).then(|| self.times[self.order as usize % ROOM])
    }

    /// Returns whether nothing more fits.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.vacant == 0
    }

    /// Adds work behind all that is due then already; there is room.
    #[inline]
    pub(super) fn insert(&mut self, time: u64, work: W) {
        debug_assert!(!self.is_full());
        let place = self.vacant.trailing_zeros();
        self.vacant &= self.vacant.wrapping_sub(1);
        self.times[place as usize % ROOM] = time;
        self.work[place as usize % ROOM] = work;
        let mut earlier = 0;
        while earlier < self.bits
            && self.times[self.order.wrapping_shr(earlier) as usize % ROOM] <= time
        {
            earlier = earlier.wrapping_add(PLACE_BITS);
        }
        let below = 1u32.wrapping_shl(earlier).wrapping_sub(1);
        let later = (self.order & !below).wrapping_shl(PLACE_BITS);
        self.order = self.order & below | place.wrapping_shl(earlier) | later;
        self.bits = self.bits.wrapping_add(PLACE_BITS);
    }

    /// Removes and returns what is due first.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(u64, W)> {
        self.bits = self.bits.checked_sub(PLACE_BITS)?;
        let place = self.order;
        self.order = place.wrapping_shr(PLACE_BITS);
        Some(self.vacate(place))
    }

    /// Removes and returns what is due last.
    pub(super) fn take_last(&mut self) -> Option<(u64, W)> {
        self.bits = self.bits.checked_sub(PLACE_BITS)?;
        let place = self.order.wrapping_shr(self.bits);
        self.order &= 1u32.wrapping_shl(self.bits).wrapping_sub(1);
        Some(self.vacate(place))
    }

    /// Returns what lies at the place that the lowest bits number, which is vacant then.
    #[inline]
    fn vacate(&mut self, place: u32) -> (u64, W) {
        let place = place as usize % ROOM;
        self.vacant |= 1 << place;
        (self.times[place], self.work[place])
    }
}
