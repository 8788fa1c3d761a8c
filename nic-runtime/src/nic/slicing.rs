//! How the calls of a processor yield to work that keeps connections alive.

use super::item::Item;
use super::stage::Stage;
use nic_core::time::{SimDuration, SimTime};

/// How the calls of a processor yield.
#[derive(Debug)]
pub(crate) struct Slicing {
    /// How long calls may hold the processor while other work must not wait.
    pub(crate) slice: SimDuration,
    /// How long calls have held the processor since no such work waited, without the present call.
    pub(crate) held: SimDuration,
    /// Since when the present call holds the processor.
    pub(crate) since: Option<SimTime>,
    /// Whether the call waits for another event.
    pub(crate) is_waiting: bool,
    /// The call that has yielded.
    pub(crate) yielded: Option<Yielded>,
    /// The time until which the processor serves only work that keeps connections alive.
    pub(crate) serves_until: Option<SimTime>,
    /// The part after the last instruction of the work with which a yielded call continues.
    pub(crate) after_code: Option<u64>,
    /// The time for which a check of the call is scheduled.
    pub(crate) check: Option<SimTime>,
}

/// A call that has yielded.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Yielded {
    /// The stage at which the call continues, when the rest of its work is done.
    pub(crate) stage: Stage,
    /// The rest of its work, in thousandths of picoseconds.
    pub(crate) left: u64,
    /// The part of this rest after the last instruction.
    pub(crate) after_code: Option<u64>,
    /// Whether the call waits for another event, which has not come yet.
    pub(crate) is_waiting: bool,
    pub(crate) in_hand: Option<Item>,
    pub(crate) since: SimTime,
}

impl Slicing {
    pub(crate) fn new(slice: SimDuration) -> Slicing {
        Slicing {
            slice,
            held: SimDuration::ZERO,
            since: None,
            is_waiting: false,
            yielded: None,
            serves_until: None,
            after_code: None,
            check: None,
        }
    }

    /// Notes that a call begins to hold the processor.
    pub(crate) fn begins(&mut self, now: SimTime) {
        self.since.get_or_insert(now);
    }

    /// Notes that a call no longer holds the processor.
    pub(crate) fn ends(&mut self, now: SimTime) {
        if let Some(since) = self.since.take() {
            self.held += now.since(since);
        }
    }

    /// Notes that the processor waits at this stage for another event.
    pub(crate) fn waits(&mut self, at: Stage) {
        self.is_waiting = !matches!(at, Stage::Idle);
    }

    /// Returns how long the present call must still hold the processor before it may yield. Returns `None` if no call
    /// holds the processor.
    pub(crate) fn rest(&self, now: SimTime) -> Option<SimDuration> {
        let since = self.since?;
        Some(self.slice.less(now.since(since)))
    }
}
