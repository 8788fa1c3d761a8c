//! The front of the schedule: a few sorted entries that are due before everything in the wheel.

/// Capacity. A power of two, so that `% ROOM` is a mask and indexing needs no bounds check. One packet rarely has more
/// events pending.
const ROOM: usize = 8;
/// Bits of an index in `order`.
const PLACE_BITS: u32 = 4;

const _: () = assert!(ROOM.is_power_of_two() && ROOM as u32 * PLACE_BITS <= u32::BITS);

/// A small queue sorted by time and, at equal times, by insertion.
///
/// Entries never move. Only `order`, one integer of packed indices, changes when an entry is inserted or removed.
/// Shifting the entries themselves would load bytes that were stored a moment ago, and wait for those stores.
#[derive(Debug)]
pub(super) struct Front<W> {
    times: [u64; ROOM],
    work: [W; ROOM],
    // Bit i is set if index i is vacant.
    vacant: u32,
    // The occupied indices in the order of their times. The lowest bits hold the first.
    order: u32,
    // How many bits of `order` are in use.
    bits: u32,
}

impl<W: Copy + Default> Front<W> {
    pub(super) fn new() -> Front<W> {
        Front {
            times: [0; ROOM],
            work: [W::default(); ROOM],
            vacant: (1 << ROOM) - 1,
            order: 0,
            bits: 0,
        }
    }

    /// Returns the time of the first entry.
    #[inline]
    pub(super) fn first_time(&self) -> Option<u64> {
        (self.bits > 0).then(|| self.times[self.order as usize % ROOM])
    }

    /// Returns whether all places are occupied.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.vacant == 0
    }

    /// Inserts work behind all entries that are due at the same time or earlier. The queue must not be full.
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

    /// Removes and returns the first entry.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(u64, W)> {
        self.bits = self.bits.checked_sub(PLACE_BITS)?;
        let place = self.order;
        self.order = place.wrapping_shr(PLACE_BITS);
        Some(self.vacate(place))
    }

    /// Removes and returns the last entry.
    pub(super) fn take_last(&mut self) -> Option<(u64, W)> {
        self.bits = self.bits.checked_sub(PLACE_BITS)?;
        let place = self.order.wrapping_shr(self.bits);
        self.order &= 1u32.wrapping_shl(self.bits).wrapping_sub(1);
        Some(self.vacate(place))
    }

    /// Frees the index in the lowest bits of `place`, and returns its entry.
    #[inline]
    fn vacate(&mut self, place: u32) -> (u64, W) {
        let place = place as usize % ROOM;
        self.vacant |= 1 << place;
        (self.times[place], self.work[place])
    }
}
