//! Counters for slots: pieces of NIC memory, each of one packet's size.

use std::num::NonZeroU32;

/// A number of slots of one kind, and how many are free.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    free: u32,
    count: u32,
}

impl Slots {
    /// Returns this number of slots, all free.
    #[must_use]
    pub fn new(count: NonZeroU32) -> Slots {
        Slots {
            free: count.get(),
            count: count.get(),
        }
    }

    /// Returns the number of slots, free or taken.
    #[must_use]
    pub fn count(self) -> usize {
        self.count as usize
    }

    /// Returns the number of slots that are taken.
    #[must_use]
    pub fn taken(self) -> usize {
        (self.count - self.free) as usize
    }

    /// Takes a slot; returns false if none is free.
    #[must_use]
    pub fn take(&mut self) -> bool {
        let taken = self.free.checked_sub(1);
        self.free = taken.unwrap_or(0);
        taken.is_some()
    }

    /// Frees a slot.
    pub fn release(&mut self) {
        debug_assert!(self.free < self.count, "a slot is released once");
        self.free += 1;
    }
}
