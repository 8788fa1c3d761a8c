//! Numbers for tests that try many cases: one seed gives one sequence, everywhere.

/// Marsaglia's xorshift of 64 bits.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence; the seed is not 0.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number below `bound`.
    ///
    /// # Panics
    /// Where `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper bits are the better ones.
        (self.0 >> 11) % bound
    }

    /// Returns an index of a list of this length.
    ///
    /// # Panics
    /// Where the list is empty.
    pub fn index(&mut self, length: usize) -> usize {
        let bound = u64::try_from(length).expect("lengths have 64 bits at most");
        usize::try_from(self.below(bound)).expect("it is below a length")
    }

    /// Returns an element of a list.
    ///
    /// # Panics
    /// Where the list is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}
