//! The seeded generator behind every random choice, and how an owner gets one of its own.

/// A stream of random numbers (SplitMix64, Steele, Lea and Flood 2014): small, fast, the same on
/// every machine, and not for secrets.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

/// Weyl increment of SplitMix64.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Returns the generator that belongs to `owner` under the run's seed: whoever else draws, its
    /// numbers are the same.
    #[must_use]
    pub fn named(seed: u64, owner: &str) -> Random {
        // FNV-1a spreads short names that differ in one byte over all bits.
        let hash = owner.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut seeding = Random { state: seed };
        Random {
            state: seeding.next_u64() ^ hash,
        }
    }

    /// Draws 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a byte.
    pub fn byte(&mut self) -> u8 {
        // The highest bits are as good as any.
        (self.next_u64() >> 56) as u8
    }

    /// Draws whether an event of this probability happens. One number is drawn whatever the answer,
    /// so a changed probability does not shift later draws.
    pub fn chance(&mut self, probability: f64) -> bool {
        // 53 bits fill a double's mantissa, so the quotient is exact and below 1.
        let draw = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        draw < probability
    }

    /// Draws a number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Taking the high half of a product is less biased than a remainder, and by less than
        // bound / 2^64.
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        // The first outputs for the seed 1234567, as published with the reference code.
        let mut random = Random { state: 1_234_567 };
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn owners_draw_apart_and_each_repeats() {
        let first = Random::named(1, "a>b").next_u64();
        assert_eq!(Random::named(1, "a>b").next_u64(), first);
        assert_ne!(Random::named(1, "b>a").next_u64(), first);
        assert_ne!(Random::named(2, "a>b").next_u64(), first);
    }

    #[test]
    fn certain_and_impossible_are_exact() {
        let mut random = Random::named(7, "edge");
        assert!((0..1000).all(|_| random.chance(1.0)));
        assert!(!(0..1000).any(|_| random.chance(0.0)));
    }

    #[test]
    fn below_stays_below() {
        let mut random = Random::named(7, "below");
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(1), 0);
    }
}
