//! Random times between the messages of a send.

use std::sync::Arc;

use nic_core::random::Generator;
use nic_core::time::SimDuration;

/// The times between two messages of a send.
///
/// Draws are inversions of one random number each, with the logarithm of the crate `libm`. They are the same on every
/// machine, and do not depend on what other crates turn on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Exponential with this mean, so that the messages are a Poisson process.
    Poisson(SimDuration),
    /// Uniform between these times, both included.
    Uniform(SimDuration, SimDuration),
    /// Bursts: messages come at a fixed interval while the sender is on, and none while it is off.
    Bursts {
        /// The interval.
        every: SimDuration,
        /// The mean of the exponential times in which the sender is on, at least the interval.
        on: SimDuration,
        /// The mean of the exponential times in which it is off.
        off: SimDuration,
    },
    /// These times, of which there is at least one, over and over.
    Trace(Arc<[SimDuration]>),
}

/// The number of values of a draw, which has 53 bits as a fraction of `f64` has.
const DRAWS: f64 = (1_u64 << 53) as f64;

impl Gap {
    /// Returns the mean time.
    #[must_use]
    pub fn mean(&self) -> SimDuration {
        match self {
            Gap::Poisson(mean) => *mean,
            Gap::Uniform(least, most) => SimDuration::from_ps(least.as_ps().midpoint(most.as_ps())),
            Gap::Bursts { every, on, off } => {
                let both = u128::from(on.as_ps()) + u128::from(off.as_ps());
                let ps = u128::from(every.as_ps()) * both / u128::from(on.as_ps().max(1));
                SimDuration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
            }
            Gap::Trace(times) => {
                let sum: u128 = times.iter().map(|time| u128::from(time.as_ps())).sum();
                let ps = sum / (times.len() as u128).max(1);
                SimDuration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
            }
        }
    }
}

/// Draws an exponential time.
fn exponential(generator: &mut Generator, mean: SimDuration) -> SimDuration {
    // Above 0 and at most 1, so that the logarithm is finite.
    let unit = ((generator.draw() >> 11) + 1) as f64 / DRAWS;
    let ps = -libm::log(unit) * mean.as_ps() as f64;
    // A float above the greatest number of 64 bits becomes that number.
    SimDuration::from_ps(libm::round(ps) as u64)
}

/// The times between the messages of one send, drawn one after the other.
#[derive(Clone, Debug)]
pub struct Gaps {
    gap: Gap,
    generator: Generator,
    /// How long a sender of bursts stays on; `None` before the first message.
    left: Option<SimDuration>,
    /// The position of the next time of a trace.
    next: usize,
}

impl Gaps {
    /// Starts to draw times with the numbers of a generator.
    #[must_use]
    pub fn new(gap: Gap, generator: Generator) -> Gaps {
        Gaps {
            gap,
            generator,
            left: None,
            next: 0,
        }
    }

    /// Returns the distribution.
    #[must_use]
    pub fn gap(&self) -> &Gap {
        &self.gap
    }

    /// Draws the time between two messages.
    pub fn draw(&mut self) -> SimDuration {
        let Gaps {
            gap,
            generator,
            left,
            next,
        } = self;
        match gap {
            Gap::Poisson(mean) => exponential(generator, *mean),
            Gap::Uniform(least, most) => {
                let span = u128::from(most.as_ps().saturating_sub(least.as_ps())) + 1;
                let more = (u128::from(generator.draw()) * span) >> 64;
                // The product is below `span` shifted by 64 bits, so the quotient fits in 64 bits.
                SimDuration::from_ps(least.as_ps() + more as u64)
            }
            Gap::Bursts { every, on, off } => {
                // The interval passes while the sender is on, in one burst or in several.
                let mut rest = *every;
                let mut gap = SimDuration::ZERO;
                let left = left.get_or_insert_with(|| exponential(generator, *on));
                while *left < rest {
                    rest = rest.less(*left);
                    gap += *left + exponential(generator, *off);
                    *left = exponential(generator, *on);
                }
                *left = left.less(rest);
                gap + rest
            }
            Gap::Trace(times) => {
                let time = times.get(*next).copied().unwrap_or(SimDuration::ZERO);
                *next = if *next + 1 < times.len() {
                    *next + 1
                } else {
                    0
                };
                time
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN: u64 = 10_000_000;

    fn draws(gap: Gap, seed: u64, count: usize) -> impl Iterator<Item = u64> {
        let generator = Generator::named(seed, &["gap", "client", "1"]);
        let mut gaps = Gaps::new(gap, generator);
        (0..count).map(move |_| gaps.draw().as_ps())
    }

    fn poisson() -> Gap {
        Gap::Poisson(SimDuration::from_ps(MEAN))
    }

    fn uniform() -> Gap {
        Gap::Uniform(SimDuration::from_ps(MEAN), SimDuration::from_ps(5 * MEAN))
    }

    fn bursts() -> Gap {
        Gap::Bursts {
            every: SimDuration::from_ps(MEAN),
            on: SimDuration::from_ps(5 * MEAN),
            off: SimDuration::from_ps(20 * MEAN),
        }
    }

    #[test]
    fn means_and_variances_are_those_of_the_distributions() {
        let mean = MEAN as f64;
        // The variance of an exponential distribution is the square of its mean. That of a uniform one is the square of
        // its width, divided by 12. The pauses in an interval of bursts are a Poisson process, so the variance is that of
        // a compound Poisson distribution: the mean number of pauses times the mean square of a pause.
        for (gap, expected, variance) in [
            (poisson(), mean, mean * mean),
            (uniform(), 3.0 * mean, 16.0 * mean * mean / 12.0),
            (bursts(), 5.0 * mean, 0.2 * 2.0 * (20.0 * mean).powi(2)),
        ] {
            let list: Vec<f64> = (1..=20)
                .flat_map(|seed| draws(gap.clone(), seed, 20_000))
                .map(|ps| ps as f64)
                .collect();
            let count = list.len() as f64;
            let found = list.iter().sum::<f64>() / count;
            let squares: f64 = list.iter().map(|ps| (ps - found).powi(2)).sum();
            // The standard errors over 400,000 draws are below 0.4 % and 0.8 %.
            assert!((found / expected - 1.0).abs() < 0.012, "{gap:?}: {found}");
            assert!(
                (squares / count / variance - 1.0).abs() < 0.025,
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

    #[test]
    fn a_trace_begins_again_where_it_ends() {
        let times = [3, 5, 0].map(SimDuration::from_ps);
        let trace = Gap::Trace(times.into());
        assert_eq!(trace.mean(), SimDuration::from_ps(2));
        let drawn: Vec<u64> = draws(trace, 1, 7).collect();
        assert_eq!(drawn, [3, 5, 0, 3, 5, 0, 3]);
    }
}
