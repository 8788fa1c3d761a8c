//! Latencies in bounded memory.

use hdrhistogram::Histogram;
use nic_core::time::SimDuration;
use serde::Serialize;

/// Decimal digits of a latency that are kept, as in tools that measure latencies of networks.
const DIGITS: u8 = 3;

const PICOSECONDS_PER_NANOSECOND: f64 = 1e3;

/// The latencies added so far: their sum, minimum and maximum as they are, and the rest as a histogram.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    /// The histogram, in picoseconds; `None` if there is no latency.
    histogram: Option<Box<Histogram<u64>>>,
    sum: u128,
    minimum: u64,
    maximum: u64,
}

/// What is shown of latencies, in nanoseconds.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// How many latencies there are.
    pub count: u64,
    /// The minimum.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// 90 % are at most this, in three decimal digits, as the other percentiles.
    pub p90: f64,
    /// 99 % are at most this.
    pub p99: f64,
    /// 99.9 % are at most this.
    pub p999: f64,
    /// The maximum.
    pub max: f64,
}

impl Latencies {
    /// Adds a latency.
    pub fn add(&mut self, latency: SimDuration) {
        let ps = latency.as_ps();
        self.minimum = match self.histogram {
            None => ps,
            Some(_) => self.minimum.min(ps),
        };
        self.maximum = self.maximum.max(ps);
        self.sum += u128::from(ps);
        let histogram = self.histogram.get_or_insert_with(|| Box::new(empty()));
        // Not `saturating_record`, which would clamp to what the histogram has grown to so far.
        histogram
            .record(ps)
            .expect("a histogram without a bound grows");
    }

    /// Adds every latency of another list.
    pub fn merge(&mut self, other: &Latencies) {
        let Some(more) = &other.histogram else {
            return;
        };
        self.minimum = match self.histogram {
            None => other.minimum,
            Some(_) => self.minimum.min(other.minimum),
        };
        self.maximum = self.maximum.max(other.maximum);
        self.sum += other.sum;
        let histogram = self.histogram.get_or_insert_with(|| Box::new(empty()));
        histogram
            .add(&**more)
            .expect("histograms that grow can be added");
    }

    /// Returns what is shown of the latencies, or `None` if there are none.
    #[must_use]
    pub fn shown(&self) -> Option<Latency> {
        let histogram = self.histogram.as_ref()?;
        let ns = |ps: u64| ps as f64 / PICOSECONDS_PER_NANOSECOND;
        let count = histogram.len();
        let [p50, p90, p99, p999] = self.percentiles(histogram).map(ns);
        Some(Latency {
            count,
            min: ns(self.minimum),
            mean: self.sum as f64 / count as f64 / PICOSECONDS_PER_NANOSECOND,
            p50,
            p90,
            p99,
            p999,
            max: ns(self.maximum),
        })
    }
}

/// The shares of all latencies that are at most what is shown.
const SHARES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

impl Latencies {
    /// Returns the percentiles of [`SHARES`] in picoseconds, in one pass over the histogram.
    fn percentiles(&self, histogram: &Histogram<u64>) -> [u64; 4] {
        let count = histogram.len();
        let ranks = SHARES.map(|share| ((share * count as f64).ceil() as u64).clamp(1, count));
        let mut found = [self.maximum; 4];
        let (mut next, mut sum) = (0, 0);
        for step in histogram.iter_recorded() {
            sum += step.count_at_value();
            while next < ranks.len() && sum >= ranks[next] {
                let value = histogram.highest_equivalent(step.value_iterated_to());
                found[next] = value.clamp(self.minimum, self.maximum);
                next += 1;
            }
            if next == ranks.len() {
                break;
            }
        }
        found
    }
}

fn empty() -> Histogram<u64> {
    Histogram::new(DIGITS).expect("three digits are allowed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a sorted list of all latencies.
    #[test]
    fn percentiles_are_those_of_a_sorted_list_in_three_digits() {
        let mut state = 7_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // Latencies of six orders of magnitude.
            let magnitude = 10_u64.pow(3 + u32::try_from((state >> 60) % 7).expect("small"));
            magnitude + (state >> 20) % magnitude
        };
        let mut list: Vec<u64> = (0..10_000).map(|_| draw()).collect();
        let (mut all, mut half) = (Latencies::default(), Latencies::default());
        for (number, ps) in list.iter().enumerate() {
            let of = if number % 2 == 0 { &mut all } else { &mut half };
            of.add(SimDuration::from_ps(*ps));
        }
        all.merge(&half);
        let shown = all.shown().expect("there are latencies");
        list.sort_unstable();
        let exact = |share: f64| {
            let rank = (share * list.len() as f64).ceil() as usize;
            list[rank.max(1) - 1] as f64 / 1e3
        };
        assert_eq!(
            (shown.count, shown.min, shown.max),
            (10_000, exact(0.0), exact(1.0))
        );
        let sum: u64 = list.iter().sum();
        assert!((shown.mean / (sum as f64 / 1e7) - 1.0).abs() < 1e-12);
        for (found, share) in [
            (shown.p50, 0.5),
            (shown.p90, 0.9),
            (shown.p99, 0.99),
            (shown.p999, 0.999),
        ] {
            let expected = exact(share);
            assert!(
                (found / expected - 1.0).abs() < 1e-3,
                "{share}: {found}, {expected}"
            );
        }
        assert_eq!(Latencies::default().shown(), None);
    }
}
