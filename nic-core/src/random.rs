//! Random number generators that depend on the scenario's seed and a name, and on nothing else.

use core::hash::Hasher;

use fnv::FnvHasher;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A generator for one named source of randomness, such as a link direction or a payload.
///
/// Equal seeds and names give equal random numbers on every machine. FNV-1a hashes the name, SplitMix64 expands the
/// hash into the generator's state, and xoshiro256++ draws the numbers. Different names give unrelated numbers, so an
/// endpoint added to a scenario does not change the draws of the others.
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// Returns the random number generator for a name that consists of several parts.
    #[must_use]
    pub fn named(seed: u64, name: &[&str]) -> Generator {
        Generator::numbered(Name::new(seed, name), &[])
    }

    /// Returns the random number generator for a part of a named thing, which `numbers` identify.
    #[must_use]
    pub fn numbered(whole: Name, numbers: &[u64]) -> Generator {
        let mut hasher = FnvHasher::with_key(whole.0);
        for number in numbers {
            hasher.write(&number.to_le_bytes());
        }
        Generator(Xoshiro256PlusPlus::seed_from_u64(hasher.finish()))
    }

    /// Draws 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Fills `bytes` with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// The hash of a seed and a name, for deriving many generators from one name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Name(u64);

impl Name {
    /// Hashes a seed and the parts of a name.
    #[must_use]
    pub fn new(seed: u64, name: &[&str]) -> Name {
        let mut hasher = FnvHasher::default();
        hasher.write(&seed.to_le_bytes());
        for part in name {
            hasher.write(part.as_bytes());
            // The byte 0xff, which never occurs in UTF-8, separates the parts of a name, so that ("a", "bc") and ("ab",
            // "c") differ.
            hasher.write(&[0xff]);
        }
        Name(hasher.finish())
    }

    /// Returns the hash of the name, for use as one of the `numbers` of another generator.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// A probability, stored as the number of the 2^64 possible draws for which the answer is yes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Chance(u128);

impl Chance {
    /// The probability 0.
    pub const NEVER: Chance = Chance(0);

    /// Returns the stored form of a probability, which is clamped to 0 to 1.
    #[must_use]
    pub fn new(probability: f64) -> Chance {
        const DRAWS: f64 = 18_446_744_073_709_551_616.0;
        // The scaled probability is exact on every machine: scaling by a power of two does not round, and `as`
        // truncates.
        Chance((probability.clamp(0.0, 1.0) * DRAWS) as u128)
    }

    /// Returns whether the random number `draw` is one of those for which the answer is yes.
    #[must_use]
    pub fn strikes(self, draw: u64) -> bool {
        u128::from(draw) < self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_and_impossible_do_not_depend_on_the_draw() {
        for draw in [0, 1, u64::MAX / 2, u64::MAX] {
            assert!(Chance::new(1.0).strikes(draw));
            assert!(!Chance::new(0.0).strikes(draw));
        }
        assert!(Chance::new(0.5).strikes((1 << 63) - 1));
        assert!(!Chance::new(0.5).strikes(1 << 63));
    }

    #[test]
    fn names_and_seeds_separate_streams() {
        let first = |seed, name: &[&str]| Generator::named(seed, name).draw();
        assert_eq!(first(1, &["a", "b"]), first(1, &["a", "b"]));
        assert_ne!(first(1, &["a", "b"]), first(2, &["a", "b"]));
        assert_ne!(first(1, &["a", "b"]), first(1, &["b", "a"]));
        assert_ne!(first(1, &["ab"]), first(1, &["a", "b"]));
    }
}
