//! Sums over the time of a run: levels of queues, and spans in which a part was in use.

use nic_core::time::{SimDuration, SimTime};

use super::report::QueueLength;

/// A level over the time: its integral and its maximum.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Level {
    now: u32,
    since: SimTime,
    /// The level in each picosecond, added up.
    sum: u128,
    most: u32,
}

impl Level {
    /// Returns a level before the run.
    pub(super) fn new(now: u32) -> Level {
        Level {
            now,
            ..Level::default()
        }
    }

    pub(super) fn set(&mut self, level: u32, time: SimTime, from: SimTime) {
        // Usually one of an endpoint's levels has changed, and the others are passed when they do.
        if level != self.now {
            self.pass(time, from);
            self.now = level;
        }
        if time >= from {
            self.most = self.most.max(level);
        }
    }

    /// Counts the present level up to a time.
    pub(super) fn pass(&mut self, time: SimTime, from: SimTime) {
        let since = self.since.max(from);
        if time > since {
            self.most = self.most.max(self.now);
            self.sum += u128::from(self.now) * u128::from(time.since(since).as_ps());
        }
        self.since = self.since.max(time);
    }

    pub(super) fn over(&self, window: SimDuration) -> QueueLength {
        let mean = match window.as_ps() {
            0 => 0.0,
            ps => self.sum as f64 / ps as f64,
        };
        QueueLength {
            mean,
            max: self.most,
        }
    }
}

/// The sum of the times in which a part was in use, reported when each begins.
#[derive(Clone, Debug, Default)]
pub(super) struct SpansInUse {
    pub(super) sum: SimDuration,
    /// The ends of spans that may outlast the run.
    ends: Vec<SimTime>,
}

impl SpansInUse {
    pub(super) fn add(&mut self, begin: SimTime, duration: SimDuration, from: SimTime) {
        let end = begin + duration;
        if end <= from {
            return;
        }
        self.sum += end.since(begin.max(from));
        self.ends.retain(|end| *end > begin);
        self.ends.push(end);
    }

    /// Takes off what comes after the end of the run.
    pub(super) fn end(&mut self, time: SimTime) {
        let late = self.ends.drain(..).filter(|end| *end > time);
        let late: u64 = late.map(|end| end.since(time).as_ps()).sum();
        self.sum = SimDuration::from_ps(self.sum.as_ps().saturating_sub(late));
    }
}
