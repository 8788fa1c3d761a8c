//! The front of the schedule: a few sorted entries that are due before everything in the wheel.

/// Capacity of the front, in entries. The capacity is a power of two, so that `% ROOM` is a mask and indexing needs no
/// bounds check. One packet rarely has more than eight events pending, and the next messages of a few senders fit beside
/// them. With a capacity of 8, a packet takes 15 % longer if ten endpoints of a NIC send in turn.
const ROOM: usize = 16;

const _: () = assert!(ROOM.is_power_of_two());

/// A small stack of entries, sorted so that the entry that is due first is on top. Of entries that are due at the same
/// time, the entry that was inserted first is on top.
///
/// Most entries are inserted at the top of the stack or right below it, so few others move.
#[derive(Debug)]
pub(super) struct Front<W> {
    // Times and work of the entries are two arrays. If times and work were one array, a move would load the bytes of
    // two recent stores at once, and the processor would stall.
    times: [u64; ROOM],
    work: [W; ROOM],
    count: usize,
}

impl<W: Copy + Default> Front<W> {
    pub(super) fn new() -> Front<W> {
        Front {
            times: [0; ROOM],
            work: [W::default(); ROOM],
            count: 0,
        }
    }

    /// Returns the time of the entry that is due first.
    #[inline]
    pub(super) fn first_time(&self) -> Option<u64> {
        let top = self.count.checked_sub(1)?;
        Some(self.times[top % ROOM])
    }

    /// Returns whether the front holds [`ROOM`] entries.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.count == ROOM
    }

    /// Inserts work after all entries that are due at the same time or earlier. The stack must not be full.
    #[inline]
    pub(super) fn insert(&mut self, time: u64, work: W) {
        debug_assert!(!self.is_full());
        // A place below `ROOM` stays so, and the compiler leaves out the other remainders.
        let mut place = self.count % ROOM;
        while place > 0 {
            let below = (place - 1) % ROOM;
            if self.times[below] > time {
                break;
            }
            self.times[place] = self.times[below];
            self.work[place] = self.work[below];
            place = below;
        }
        self.times[place] = time;
        self.work[place] = work;
        self.count = self.count.wrapping_add(1);
    }

    /// Removes and returns the entry that is due first.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(u64, W)> {
        self.count = self.count.checked_sub(1)?;
        let top = self.count % ROOM;
        Some((self.times[top], self.work[top]))
    }

    /// Removes and returns the entry that is due last.
    pub(super) fn take_last(&mut self) -> Option<(u64, W)> {
        self.count = self.count.checked_sub(1)?;
        let last = (self.times[0], self.work[0]);
        self.times.copy_within(1.., 0);
        self.work.copy_within(1.., 0);
        Some(last)
    }
}
