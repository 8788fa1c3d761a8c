//! Random times between the messages of a send.

use nic_core::random::Generator;
use nic_core::time::SimDuration;

/// The distribution of the times between two messages of a send.
///
/// Draws are inversions of one random number each, with the logarithm of the crate `libm`. They are the same on every
/// machine, and do not depend on what other crates turn on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Exponential with this mean, so that the messages are a Poisson process.
    Poisson(SimDuration),
    /// Uniform between these times, both included.
    Uniform(SimDuration, SimDuration),
}

/// The number of values of a draw, which has 53 bits as a fraction of `f64` has.
const DRAWS: f64 = (1_u64 << 53) as f64;

impl Gap {
    /// Returns the mean time.
    #[must_use]
    pub fn mean(self) -> SimDuration {
        match self {
            Gap::Poisson(mean) => mean,
            Gap::Uniform(least, most) => SimDuration::from_ps(least.as_ps().midpoint(most.as_ps())),
        }
    }

    /// Draws a time.
    pub fn draw(self, generator: &mut Generator) -> SimDuration {
        let draw = generator.draw();
        match self {
            Gap::Poisson(mean) => {
                // Above 0 and at most 1, so that the logarithm is finite.
                let unit = ((draw >> 11) + 1) as f64 / DRAWS;
                let ps = -libm::log(unit) * mean.as_ps() as f64;
                // A float above the greatest number of 64 bits becomes that number.
                SimDuration::from_ps(libm::round(ps) as u64)
            }
            Gap::Uniform(least, most) => {
                let span = u128::from(most.as_ps().saturating_sub(least.as_ps())) + 1;
                let more = (u128::from(draw) * span) >> 64;
                // The product is below `span` shifted by 64 bits, so the quotient fits in 64 bits.
                SimDuration::from_ps(least.as_ps() + more as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    const MEAN: u64 = 10_000_000;

    fn draws(gap: Gap, seed: u64, count: usize) -> impl Iterator<Item = u64> {
        let mut generator = Generator::named(seed, &["gap", "client", "1"]);
        (0..count).map(move |_| gap.draw(&mut generator).as_ps())
    }

    fn poisson() -> Gap {
        Gap::Poisson(SimDuration::from_ps(MEAN))
    }

    fn uniform() -> Gap {
        Gap::Uniform(SimDuration::from_ps(MEAN), SimDuration::from_ps(5 * MEAN))
    }

    /// The digests were computed by another program, from the definitions of FNV-1a, SplitMix64 and xoshiro256++.
    #[test]
    fn draws_are_the_same_everywhere() {
        for (gap, expected) in [(poisson(), POISSON), (uniform(), UNIFORM)] {
            let mut digest = Sha256::new();
            for ps in draws(gap, 1, 100_000) {
                digest.update(ps.to_le_bytes());
            }
            let found: String = digest
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(found, expected, "{gap:?}");
        }
    }

    const POISSON: &str = "fcf8f5f09f0bbeb33dcc27934a8d12a6ed6accf86f7cc823d905d890ecf50137";
    const UNIFORM: &str = "ff6c64eafc2078fb598050e98c908957b9f27fe2235d70540c10e4a3678e03df";

    #[test]
    fn means_and_variances_are_those_of_the_distributions() {
        let mean = MEAN as f64;
        // The variance of an exponential distribution is the square of its mean. That of a uniform one is the square of
        // its width, divided by 12.
        for (gap, expected, variance) in [
            (poisson(), mean, mean * mean),
            (uniform(), 3.0 * mean, 16.0 * mean * mean / 12.0),
        ] {
            let list: Vec<f64> = (1..=20)
                .flat_map(|seed| draws(gap, seed, 20_000))
                .map(|ps| ps as f64)
                .collect();
            let count = list.len() as f64;
            let found = list.iter().sum::<f64>() / count;
            let squares: f64 = list.iter().map(|ps| (ps - found).powi(2)).sum();
            // The standard errors over 400,000 draws are below 0.2 % and 0.5 %.
            assert!((found / expected - 1.0).abs() < 0.006, "{gap:?}: {found}");
            assert!(
                (squares / count / variance - 1.0).abs() < 0.015,
                "{gap:?}: {squares}"
            );
            assert!(list.iter().all(|ps| *ps >= 0.0));
        }
        let ends = draws(uniform(), 1, 100_000);
        let (least, most) = ends.fold((u64::MAX, 0), |(least, most), ps| {
            (least.min(ps), most.max(ps))
        });
        assert!(least >= MEAN && most <= 5 * MEAN);
    }

    /// The mean wait of Poisson arrivals at a server of constant service (M/D/1) is ρS / 2(1 - ρ), by Pollaczek and
    /// Khinchine. The waits follow Lindley's recursion, which `tests/simulation/queue.rs` compares with the simulator.
    #[test]
    fn poisson_arrivals_wait_as_long_as_the_formula_says() {
        let service = MEAN as f64;
        for load in [0.3, 0.6, 0.9] {
            let gap = Gap::Poisson(SimDuration::from_ps((service / load) as u64));
            let (mut sum, mut count) = (0.0, 0.0);
            for seed in 1..=20 {
                let mut wait = 0.0_f64;
                for (number, ps) in draws(gap, seed, 120_000).enumerate() {
                    wait = (wait + service - ps as f64).max(0.0);
                    // The queue is empty at the beginning, which is left out.
                    if number >= 20_000 {
                        sum += wait;
                        count += 1.0;
                    }
                }
            }
            let expected = load * service / (2.0 * (1.0 - load));
            let found = sum / count;
            assert!(
                (found / expected - 1.0).abs() < 0.02,
                "load {load}: {found}, {expected}"
            );
        }
    }
}
