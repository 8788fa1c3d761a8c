//! Virtual time: instants and durations in integer picoseconds.
//!
//! A simulation never reads a wall clock. One picosecond resolves a byte on any wire and a cycle of
//! any processor well below what the trace shows (nanoseconds); u64 holds more than 213 days.

use std::fmt;
use std::ops::{Add, AddAssign};

const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;

/// A point of virtual time, counted from the start of the run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A span of virtual time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimDuration(u64);

impl SimTime {
    /// The start of every run.
    pub const ZERO: SimTime = SimTime(0);
    /// The last instant there is; additions stop here.
    pub const MAX: SimTime = SimTime(u64::MAX);

    /// Returns the instant this many picoseconds after the start.
    #[must_use]
    pub const fn from_ps(ps: u64) -> SimTime {
        SimTime(ps)
    }

    /// Returns picoseconds since the start.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns whole nanoseconds since the start, rounded down, as traces show them.
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PICOSECONDS_PER_NANOSECOND
    }

    /// Returns the span from `earlier` to this instant, or zero where `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time at all.
    pub const ZERO: SimDuration = SimDuration(0);

    /// Returns a span of this many picoseconds.
    #[must_use]
    pub const fn from_ps(ps: u64) -> SimDuration {
        SimDuration(ps)
    }

    /// Returns a span of this many nanoseconds, or the longest one where that overflows.
    #[must_use]
    pub const fn from_ns(ns: u64) -> SimDuration {
        SimDuration(ns.saturating_mul(PICOSECONDS_PER_NANOSECOND))
    }

    /// Returns the span in picoseconds.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns whole nanoseconds, rounded down.
    #[must_use]
    pub const fn as_ns(self) -> u64 {
        self.0 / PICOSECONDS_PER_NANOSECOND
    }

    /// Returns the span `count` times over, or the longest one where that overflows.
    #[must_use]
    pub const fn times(self, count: u64) -> SimDuration {
        SimDuration(self.0.saturating_mul(count))
    }
}

/// Stops at [`SimTime::MAX`]: a time no run reaches, rather than one in the past.
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
    /// Shows microseconds with three decimals, `12.345 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.as_ns();
        write!(f, "{}.{:03} us", ns / 1000, ns % 1000)
    }
}
