//! A random number generator for tests. Each seed gives the same sequence on every machine.

/// Marsaglia's 64-bit xorshift.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence from a seed, which must not be 0.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number below `bound`.
    ///
    /// # Panics
    ///
    /// Panics if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Use the high bits, which are of better quality.
        (self.0 >> 11) % bound
    }

    /// Returns a random index of a list of this length.
    ///
    /// # Panics
    ///
    /// Panics if the list is empty.
    pub fn index(&mut self, length: usize) -> usize {
        let bound = u64::try_from(length).expect("lengths have 64 bits at most");
        usize::try_from(self.below(bound)).expect("it is below a length")
    }

    /// Returns a random element of a list.
    ///
    /// # Panics
    ///
    /// Panics if the list is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}
