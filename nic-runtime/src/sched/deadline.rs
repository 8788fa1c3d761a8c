//! Limits on how long a state may last.

use crate::time::{SimDuration, SimTime};

/// A limit on how long a state may last that, as a rule, ends by itself.
///
/// One look at it is in the schedule at most: entering and leaving the state costs no entry, and a look
/// that comes too early is put off instead of being cancelled.
#[derive(Copy, Clone, Debug, Default)]
pub struct Deadline {
    since: Option<SimTime>,
    scheduled: bool,
}

/// What a look at a [`Deadline`] finds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// The state has ended; nothing is to be done.
    Ended,
    /// The state began anew since the look was scheduled; look again at this time.
    Again(SimTime),
    /// The state has lasted too long.
    Overdue,
}

impl Deadline {
    /// Notes that the state begins; returns whether a look has to be scheduled.
    pub fn start(&mut self, now: SimTime) -> bool {
        self.since = Some(now);
        !std::mem::replace(&mut self.scheduled, true)
    }

    /// Notes that the state has ended.
    pub fn stop(&mut self) {
        self.since = None;
    }

    /// Returns whether the state lasts.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Takes the look that was scheduled, for a state that may last for `limit`.
    pub fn look(&mut self, now: SimTime, limit: SimDuration) -> Look {
        match self.since.map(|since| since + limit) {
            Some(end) if end > now => Look::Again(end),
            found => {
                self.scheduled = false;
                if found.is_some() {
                    Look::Overdue
                } else {
                    Look::Ended
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_looked_at_once_at_a_time() {
        let (at, limit) = (SimTime::from_ps, SimDuration::from_ps(10));
        let mut deadline = Deadline::default();
        assert!(deadline.start(at(0)));
        deadline.stop();
        assert!(!deadline.start(at(3)), "the look at 10 is still to come");
        assert_eq!(deadline.look(at(10), limit), Look::Again(at(13)));
        assert_eq!(deadline.look(at(13), limit), Look::Overdue);
        deadline.stop();
        assert!(deadline.start(at(20)));
        deadline.stop();
        assert_eq!(deadline.look(at(30), limit), Look::Ended);
    }
}
