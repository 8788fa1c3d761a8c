//! Random lengths of the messages of a send, and the channels between which it chooses.

use nic_core::id::ChannelId;
use nic_core::random::Generator;

/// The number of values of a draw, which has 53 bits as a fraction of `f64` has.
const DRAWS: f64 = (1_u64 << 53) as f64;

/// The distribution of the lengths of messages, drawn by inversion of one random number each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Length {
    /// Uniform between these lengths, both included.
    Uniform(u32, u32),
    /// Lengths, each with the number of draws of 53 bits that are below its end. The last ends behind every draw.
    Table(Vec<(u32, u64)>),
}

impl Length {
    /// Returns lengths whose probabilities have the proportions of weights, or `None` unless there are weights, all of
    /// them above 0, with a finite sum.
    #[must_use]
    pub fn weighted(weights: &[(u32, f64)]) -> Option<Length> {
        let sum: f64 = weights.iter().map(|(_, weight)| *weight).sum();
        let are_weights = weights.iter().all(|(_, weight)| *weight > 0.0);
        if weights.is_empty() || !are_weights || !sum.is_finite() {
            return None;
        }
        let mut below = 0.0;
        let ends = weights.iter().map(|(length, weight)| {
            below += weight;
            // Additions and divisions of floats are the same on every machine, and so is rounding.
            (*length, libm::round(below / sum * DRAWS) as u64)
        });
        let mut table: Vec<_> = ends.collect();
        if let Some((_, end)) = table.last_mut() {
            *end = u64::MAX;
        }
        Some(Length::Table(table))
    }

    /// Returns the lengths from `least` to `most`, of which the first has rank 1. The probability of rank k is
    /// proportional to k to the power of `-exponent`. Returns `None` as [`Length::weighted`] does, and if there is no
    /// length.
    #[must_use]
    pub fn zipf(least: u32, most: u32, exponent: f64) -> Option<Length> {
        let ranks = (1_u32..).zip(least..=most);
        let weights = ranks.map(|(rank, length)| (length, libm::pow(f64::from(rank), -exponent)));
        Length::weighted(&weights.collect::<Vec<_>>())
    }

    /// Returns the greatest length.
    #[must_use]
    pub fn longest(&self) -> u32 {
        match self {
            Length::Uniform(_, most) => *most,
            Length::Table(table) => table.iter().map(|(length, _)| *length).max().unwrap_or(0),
        }
    }

    /// Draws a length.
    pub fn draw(&self, generator: &mut Generator) -> u32 {
        let draw = generator.draw();
        match self {
            Length::Uniform(least, most) => {
                let span = u64::from(most.saturating_sub(*least)) + 1;
                // The quotient is below `span`, so the sum is at most `most`.
                least + ((u128::from(draw) * u128::from(span)) >> 64) as u32
            }
            Length::Table(table) => {
                let place = table.partition_point(|(_, end)| *end <= draw >> 11);
                table.get(place).map_or(0, |(length, _)| *length)
            }
        }
    }
}

/// Draws one of several channels, of which there is at least one; all are equally likely.
pub fn draw_channel(channels: &[ChannelId], generator: &mut Generator) -> Option<ChannelId> {
    let place = (u128::from(generator.draw()) * channels.len() as u128) >> 64;
    // The quotient is below the number of channels.
    channels.get(place as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generator(seed: u64) -> Generator {
        Generator::named(seed, &["length", "client", "1"])
    }

    fn imix() -> Length {
        Length::weighted(&[(64, 7.0), (570, 4.0), (1500, 1.0)]).expect("weights")
    }

    #[test]
    fn means_and_variances_are_those_of_the_distributions() {
        let weighted = |weights: &[(f64, f64)]| {
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            let mean = weights.iter().map(|(it, weight)| it * weight).sum::<f64>() / sum;
            let squares = weights
                .iter()
                .map(|(it, weight)| (it - mean).powi(2) * weight);
            (mean, squares.sum::<f64>() / sum)
        };
        let ranks: Vec<_> = (1..=100)
            .map(|rank| (f64::from(rank), f64::from(rank).powf(-1.5)))
            .collect();
        for (length, (mean, variance)) in [
            // The variance of n equally likely neighbours is (n² - 1) / 12.
            (
                Length::Uniform(64, 1500),
                (782.0, (1437.0_f64.powi(2) - 1.0) / 12.0),
            ),
            (
                imix(),
                weighted(&[(64.0, 7.0), (570.0, 4.0), (1500.0, 1.0)]),
            ),
            (Length::zipf(1, 100, 1.5).expect("ranks"), weighted(&ranks)),
        ] {
            let draws: Vec<f64> = (1..=20)
                .flat_map(|seed| {
                    let mut generator = generator(seed);
                    let draws = (0..20_000).map(|_| length.draw(&mut generator).into());
                    draws.collect::<Vec<f64>>()
                })
                .collect();
            let count = draws.len() as f64;
            let found = draws.iter().sum::<f64>() / count;
            let squares = draws.iter().map(|draw| (draw - found).powi(2)).sum::<f64>() / count;
            assert!((found / mean - 1.0).abs() < 0.01, "{found}, {mean}");
            assert!(
                (squares / variance - 1.0).abs() < 0.03,
                "{squares}, {variance}"
            );
        }
    }

    #[test]
    fn weights_that_make_no_distribution_are_refused() {
        for weights in [
            &[][..],
            &[(64, 0.0)],
            &[(64, 1.0), (65, -0.5)],
            &[(64, f64::NAN)],
            &[(64, f64::INFINITY)],
        ] {
            assert_eq!(Length::weighted(weights), None, "{weights:?}");
        }
        assert_eq!(Length::zipf(2, 1, 1.0), None);
    }
}
