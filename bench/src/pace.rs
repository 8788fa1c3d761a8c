//! The current speed of the machine, so that figures with a unit of time can be compared with a promise.
//!
//! Packets a second and microseconds are promised for one reference machine. Native kernels were timed on the reference
//! machine, and are timed on the current machine beside each figure with a unit of time. The ratio of the kernels'
//! current times to those on the reference machine is the *pace* of the current machine. A time divided by the pace
//! estimates the time on the reference machine.

use serde::Serialize;

use crate::clock::median;
use crate::kernel::PUBLIC;
use crate::peer::{Running, SWEEP};

/// Times of native kernels on the reference machine, in nanoseconds for each invocation.
///
/// `nullcall` is left out because it lasts about a nanosecond. `fwd` is left out because LLVM compiled it differently
/// on the reference machine, which would make every machine look slower than it is.
const PROMISED_FOR: [(&str, f64); 6] = [
    ("checksum", 416.0),
    ("crc32", 7390.0),
    ("crc32t", 3252.0),
    ("sieve", 8952.0),
    ("fib", 18_500.0),
    ("sort", 11_200.0),
];
/// Minimum nanoseconds that a kernel runs in one measurement of the pace.
const PART: f64 = 100_000.0;

/// A time as measured, and as estimated for the reference machine.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct Paced {
    /// The median of the measured times over the rounds.
    pub measured: f64,
    /// The median over the rounds of the time divided by the pace of that round.
    pub as_promised_for: f64,
    /// The median of the pace over the rounds.
    pub pace: f64,
}

/// Native kernels, ready to be timed.
#[expect(
    missing_debug_implementations,
    reason = "closures have nothing to show"
)]
pub struct Pace(Vec<Reference>);

struct Reference {
    running: Running<'static>,
    ns_promised_for: f64,
    sweeps: u32,
}

impl Pace {
    /// Starts the native kernels.
    ///
    /// # Panics
    ///
    /// Panics if a kernel of `PROMISED_FOR` does not exist.
    #[must_use]
    pub fn new() -> Pace {
        let references = PROMISED_FOR.map(|(name, ns_promised_for)| {
            let kernel = PUBLIC.iter().find(|kernel| kernel.name == name);
            let kernel = kernel.expect("the names are those of kernels");
            Reference {
                running: (kernel.native)(kernel.b).expect("native code runs"),
                ns_promised_for,
                // A small whole number.
                sweeps: (PART / ns_promised_for / f64::from(SWEEP)).ceil() as u32,
            }
        });
        Pace(references.into())
    }

    /// Returns the current pace: the geometric mean over the kernels of their time divided by that on the reference
    /// machine.
    fn now(&mut self) -> f64 {
        let logarithms = self
            .0
            .iter_mut()
            .map(|reference| reference.times_as_long().ln());
        let sum: f64 = logarithms.sum();
        (sum / PROMISED_FOR.len() as f64).exp()
    }

    /// Measures a time in several rounds, with the pace before and after each round.
    ///
    /// # Panics
    ///
    /// If `rounds` is 0.
    pub fn beside(&mut self, rounds: usize, mut measure: impl FnMut() -> f64) -> Paced {
        let (mut measured, mut promised_for, mut paces) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let before = self.now();
            let taken = measure();
            let pace = f64::midpoint(before, self.now());
            measured.push(taken);
            promised_for.push(taken / pace);
            paces.push(pace);
        }
        Paced {
            measured: median(measured),
            as_promised_for: median(promised_for),
            pace: median(paces),
        }
    }
}

impl Default for Pace {
    fn default() -> Pace {
        Pace::new()
    }
}

impl Reference {
    fn times_as_long(&mut self) -> f64 {
        let taken = (self.running.time)(self.sweeps).expect("native code runs");
        let invocations = f64::from(self.sweeps) * f64::from(SWEEP);
        taken.as_secs_f64() * 1e9 / invocations / self.ns_promised_for
    }
}

impl Paced {
    /// Converts the time of an item into a rate: the number of items in `time`. If the item is a byte and its time is in
    /// nanoseconds, a `time` of 1,000 gives a rate in MB/s.
    #[must_use]
    pub fn rate(self, time: f64) -> Paced {
        Paced {
            measured: time / self.measured,
            as_promised_for: time / self.as_promised_for,
            pace: self.pace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_divides_times_and_multiplies_rates() {
        let mut times = [300.0, 100.0, 200.0].into_iter();
        let paced = Pace::new().beside(3, || times.next().expect("a time for each round"));
        assert_eq!(paced.measured, 200.0);
        let of_one_round = paced.measured / paced.as_promised_for / paced.pace;
        // Three rounds take only a few milliseconds, so their paces are about equal.
        assert!((0.2..5.0).contains(&of_one_round), "{paced:?}");
        let rate = paced.rate(1000.0);
        assert_eq!(rate.measured, 5.0);
        assert_eq!(rate.as_promised_for, 1000.0 / paced.as_promised_for);
    }
}
