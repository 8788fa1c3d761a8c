//! Random numbers that depend on the scenario's seed and on the name of what draws them, nothing else.

use core::hash::Hasher;

use fnv::FnvHasher;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A generator of its own for one link direction, one payload: whatever has a name.
///
/// Equal seeds and names draw equal numbers on every machine: the name is hashed with FNV-1a, the
/// hash expanded by SplitMix64, the numbers are xoshiro256++'s. Two different names draw unrelated ones, so
/// adding a neighbour changes nobody else's draws.
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// Returns the generator of what `name` names, part by part.
    #[must_use]
    pub fn named(seed: u64, name: &[&str]) -> Generator {
        Generator::numbered(Name::new(seed, name), &[])
    }

    /// Returns the generator of a part of something, by the name of the whole and numbers that tell the part.
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

    /// Fills `bytes` with random ones.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// A name, hashed once, of something whose parts draw from generators of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Name(u64);

impl Name {
    /// Hashes a seed and a name, part by part.
    #[must_use]
    pub fn new(seed: u64, name: &[&str]) -> Name {
        let mut hasher = FnvHasher::default();
        hasher.write(&seed.to_le_bytes());
        for part in name {
            hasher.write(part.as_bytes());
            // No name holds this byte (it never occurs in UTF-8), so parts cannot run together.
            hasher.write(&[0xff]);
        }
        Name(hasher.finish())
    }

    /// Returns the hash, as a number to tell parts of something else by.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// A probability as the number of 64-bit draws, of 2^64, that mean yes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Chance(u128);

impl Chance {
    /// The chance of what does not happen.
    pub const NEVER: Chance = Chance(0);

    /// Returns the chance for a probability from 0 to 1; outside of that, the nearest.
    #[must_use]
    pub fn new(probability: f64) -> Chance {
        const DRAWS: f64 = 18_446_744_073_709_551_616.0;
        // Scaling by a power of two is exact and `as` truncates, so this is the same on every machine.
        Chance((probability.clamp(0.0, 1.0) * DRAWS) as u128)
    }

    /// Returns whether this draw means yes.
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
