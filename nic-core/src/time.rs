//! Virtual time: instants and durations in integer picoseconds.
//!
//! A simulation never reads a wall clock. A picosecond is shorter than the time of a byte on any wire or a cycle of any
//! processor, so costs stay exact. A `u64` of picoseconds spans more than 213 days.

use core::fmt::{self, Write};
use core::num::NonZeroU64;
use core::ops::{Add, AddAssign};

use heapless::String;

const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;
const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

/// Length of the longest time as text: `18446744073709.551 us`.
const SHOWN_BYTES_MAX: usize = 21;

/// A point of virtual time, counted from the start of the run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A span of virtual time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimDuration(u64);

impl SimTime {
    /// The instant at which every run starts.
    pub const ZERO: SimTime = SimTime(0);
    /// The last representable instant. Additions saturate here.
    pub const MAX: SimTime = SimTime(u64::MAX);

    /// Returns the instant that is this many picoseconds after the start of the run.
    #[must_use]
    pub const fn from_ps(ps: u64) -> SimTime {
        SimTime(ps)
    }

    /// Returns the picoseconds since the start of the run.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the whole nanoseconds since the start of the run, rounded down, as traces show them.
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PICOSECONDS_PER_NANOSECOND
    }

    /// Returns the first multiple of `period` at or after this instant. If the period is zero, the result is the
    /// instant itself.
    #[must_use]
    pub const fn next_multiple_of(self, period: SimDuration) -> SimTime {
        match self.0.checked_rem(period.0) {
            None | Some(0) => self,
            Some(past) => SimTime(self.0.saturating_add(period.0 - past)),
        }
    }

    /// Returns the instant that is `span` later, or `None` if it is later than [`SimTime::MAX`].
    #[must_use]
    pub const fn checked_add(self, span: SimDuration) -> Option<SimTime> {
        match self.0.checked_add(span.0) {
            Some(ps) => Some(SimTime(ps)),
            None => None,
        }
    }

    /// Returns the span of time from `earlier` to this instant, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// The empty span.
    pub const ZERO: SimDuration = SimDuration(0);

    /// Returns a span of this many picoseconds of virtual time.
    #[must_use]
    pub const fn from_ps(ps: u64) -> SimDuration {
        SimDuration(ps)
    }

    /// Returns a span of this many nanoseconds, or the longest span if that is too long.
    #[must_use]
    pub const fn from_ns(ns: u64) -> SimDuration {
        SimDuration(ns.saturating_mul(PICOSECONDS_PER_NANOSECOND))
    }

    /// Returns the length of the span in picoseconds.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the length of the span in whole nanoseconds, rounded down.
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PICOSECONDS_PER_NANOSECOND
    }

    /// Returns the time that `bytes` take at this rate, rounded up to the picosecond.
    #[must_use]
    pub fn of_transfer(bytes: u32, bytes_per_second: NonZeroU64) -> SimDuration {
        // 64-bit arithmetic is tried first: up to 18 MB fit, and a 128-bit division is much slower.
        if let Some(exact) = u64::from(bytes).checked_mul(PICOSECONDS_PER_SECOND) {
            return SimDuration(exact.div_ceil(bytes_per_second.get()));
        }
        let exact = u128::from(bytes) * u128::from(PICOSECONDS_PER_SECOND);
        let ps = exact.div_ceil(u128::from(bytes_per_second.get()));
        SimDuration(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Returns this span minus the span `part`, or zero if `part` is longer.
    #[must_use]
    pub const fn less(self, part: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_sub(part.0))
    }

    /// Returns `count` times the span, or the longest span if that is too long.
    #[must_use]
    pub const fn times(self, count: u64) -> SimDuration {
        SimDuration(self.0.saturating_mul(count))
    }
}

/// A rate in bytes per second, with a precomputed time per byte if that is a whole number of picoseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    bytes_per_second: NonZeroU64,
    // The time of a byte in picoseconds, or zero if that is not a whole number.
    byte_ps: u64,
}

impl Rate {
    /// Returns the rate of this many bytes per second, with its time per byte.
    #[must_use]
    pub const fn new(bytes_per_second: NonZeroU64) -> Rate {
        let rate = bytes_per_second.get();
        let byte_ps = if PICOSECONDS_PER_SECOND.is_multiple_of(rate) {
            PICOSECONDS_PER_SECOND / rate
        } else {
            0
        };
        Rate {
            bytes_per_second,
            byte_ps,
        }
    }

    /// Returns the time that `bytes` take at this rate, equal to [`SimDuration::of_transfer`]. For most rates, the
    /// computation of the time needs no division.
    #[must_use]
    pub fn time(self, bytes: u32) -> SimDuration {
        if self.byte_ps == 0 {
            return self.divided(bytes);
        }
        SimDuration(u64::from(bytes).saturating_mul(self.byte_ps))
    }

    /// Returns the time of `bytes` by a division, for a rate without a whole number of picoseconds per byte.
    #[cold]
    fn divided(self, bytes: u32) -> SimDuration {
        SimDuration::of_transfer(bytes, self.bytes_per_second)
    }
}

/// Saturates at [`SimTime::MAX`]. The sum saturates at [`SimTime::MAX`], because wrapping around would put the event in
/// the past.
impl Add<SimDuration> for SimTime {
    type Output = SimTime;

    fn add(self, span: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(span.0))
    }
}

impl Add for SimDuration {
    type Output = SimDuration;

    fn add(self, other: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, other: SimDuration) {
        *self = *self + other;
    }
}

impl fmt::Display for SimTime {
    /// Shows the instant in microseconds with three decimals, as `12.345 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SimDuration(self.0).fmt(f)
    }
}

impl fmt::Display for SimDuration {
    /// Shows the span in microseconds with three decimals, as `12.345 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.as_ns();
        let mut shown = String::<SHOWN_BYTES_MAX>::new();
        write!(shown, "{}.{:03} us", ns / 1000, ns % 1000)?;
        f.pad(&shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_round_up_to_the_picosecond() {
        let rate = |bytes_per_second| NonZeroU64::new(bytes_per_second).unwrap();
        // A rate of 160 MB/s, which is that of `lanai-1998`'s wire, is 6.25 ns a byte.
        assert_eq!(
            SimDuration::of_transfer(4096, rate(160_000_000)),
            SimDuration::from_ns(25_600)
        );
        assert_eq!(
            SimDuration::of_transfer(1, rate(3)),
            SimDuration::from_ps(333_333_333_334)
        );
        assert_eq!(SimDuration::of_transfer(0, rate(1)), SimDuration::ZERO);
        assert_eq!(
            SimDuration::of_transfer(u32::MAX, rate(1)),
            SimDuration(u64::MAX)
        );
    }

    #[test]
    fn rates_tell_the_time_of_transfers() {
        let rates = [1, 3, 160_000_000, 999_999_999, 1_000_000_000_000, u64::MAX];
        for rate in rates.map(|rate| NonZeroU64::new(rate).unwrap()) {
            for bytes in [0, 1, 64, 9_000, u32::MAX] {
                let expected = SimDuration::of_transfer(bytes, rate);
                assert_eq!(Rate::new(rate).time(bytes), expected, "{bytes} at {rate}");
            }
        }
    }

    #[test]
    fn the_longest_time_is_shown_and_padded() {
        let longest = SimTime::MAX.to_string();
        assert_eq!(longest, "18446744073709.551 us");
        assert_eq!(longest.len(), SHOWN_BYTES_MAX);
        assert_eq!(format!("{:>9}", SimTime::ZERO), " 0.000 us");
    }

    #[test]
    fn multiples_of_a_period() {
        let at = |ps: u64| SimTime(ps).next_multiple_of(SimDuration(10)).0;
        assert_eq!([at(0), at(1), at(10), at(11)], [0, 10, 10, 20]);
        assert_eq!(SimTime(7).next_multiple_of(SimDuration::ZERO), SimTime(7));
    }
}
