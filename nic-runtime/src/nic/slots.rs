//! Slots: pieces of NIC memory of one packet's size, counted.

use std::num::NonZeroU32;

/// How many slots of one kind are free.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    free: u32,
    count: u32,
}

impl Slots {
    /// Returns this many slots, all of them free.
    #[must_use]
    pub fn new(count: NonZeroU32) -> Slots {
        Slots {
            free: count.get(),
            count: count.get(),
        }
    }

    /// Returns how many there are, free or taken.
    #[must_use]
    pub fn count(self) -> usize {
        self.count as usize
    }

    /// Returns whether none is taken.
    #[must_use]
    pub fn are_free(self) -> bool {
        self.free == self.count
    }

    /// Takes one; says whether one was free.
    #[must_use]
    pub fn take(&mut self) -> bool {
        let taken = self.free.checked_sub(1);
        self.free = taken.unwrap_or(0);
        taken.is_some()
    }

    /// Frees one that was taken.
    pub fn release(&mut self) {
        debug_assert!(self.free < self.count, "a slot is released once");
        self.free += 1;
    }
}
