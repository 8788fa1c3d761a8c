//! How fast the machine is just now, so that a figure with a unit of time can be held against a promise.
//!
//! What is promised in packets a second or in microseconds is promised for one machine. Native code was timed there. It
//! is timed here too, beside each such figure. How many times as long it takes is the machine's pace. A time divided by
//! the pace is the time on that machine.

use serde::Serialize;

use crate::clock::median;
use crate::kernel::PUBLIC;
use crate::peer::{Running, SWEEP};

/// What native code took on the machine for which the promises were made, in nanoseconds for each invocation.
///
/// Not `nullcall`, which lasts a nanosecond, and not `fwd`, which LLVM compiled otherwise there: it would have any
/// machine look slower than it is.
const PROMISED_FOR: [(&str, f64); 6] = [
    ("checksum", 416.0),
    ("crc32", 7390.0),
    ("crc32t", 3252.0),
    ("sieve", 8952.0),
    ("fib", 18_500.0),
    ("sort", 11_200.0),
];
/// Nanoseconds that a kernel's part of one look at the pace should take, at the least.
const PART: f64 = 100_000.0;

/// A time, as it was measured and as it would be on the machine for which the promises were made.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct Paced {
    /// The median over the rounds.
    pub measured: f64,
    /// The median over the rounds of what each took, divided by the pace beside it.
    pub as_promised_for: f64,
    /// The median over the rounds of the pace.
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
    /// Begins the native kernels.
    ///
    /// # Panics
    /// Where there is none of a name above.
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

    /// Returns how many times as long native code takes now as on the machine of the promises: the geometric mean over
    /// the kernels.
    fn now(&mut self) -> f64 {
        let logarithms = self
            .0
            .iter_mut()
            .map(|reference| reference.times_as_long().ln());
        let sum: f64 = logarithms.sum();
        (sum / PROMISED_FOR.len() as f64).exp()
    }

    /// Measures a time in as many rounds, and the pace before and behind each.
    ///
    /// # Panics
    /// Where there is no round.
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
    /// Returns how many are done in a time if one takes this: with nanoseconds and bytes, 1,000 divided by it is
    /// MB/s.
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
    fn a_time_is_divided_by_the_pace_and_a_rate_is_multiplied() {
        let mut times = [300.0, 100.0, 200.0].into_iter();
        let paced = Pace::new().beside(3, || times.next().expect("a time for each round"));
        assert_eq!(paced.measured, 200.0);
        let of_one_round = paced.measured / paced.as_promised_for / paced.pace;
        // The pace of three rounds within a few milliseconds is about the same.
        assert!((0.2..5.0).contains(&of_one_round), "{paced:?}");
        let rate = paced.rate(1000.0);
        assert_eq!(rate.measured, 5.0);
        assert_eq!(rate.as_promised_for, 1000.0 / paced.as_promised_for);
    }
}
