//! The queue of what is still to happen, ordered by time and, at equal times, by insertion.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::time::{SimDuration, SimTime};

/// Work that is due at a time; `W` says what it is.
///
/// The order is total: no two entries have the same sequence number. Storage grows to the largest
/// number of entries that were ever due at once and is then reused.
#[derive(Debug)]
pub struct Schedule<W> {
    entries: BinaryHeap<Reverse<Entry<W>>>,
    inserted: u64,
}

#[derive(Debug)]
struct Entry<W> {
    time: SimTime,
    sequence: u64,
    work: W,
}

impl<W> Schedule<W> {
    /// Returns an empty schedule.
    #[must_use]
    pub fn new() -> Schedule<W> {
        Schedule {
            entries: BinaryHeap::new(),
            inserted: 0,
        }
    }

    /// Adds work that is due at `time`, after all that is due then already.
    pub fn insert(&mut self, time: SimTime, work: W) {
        self.entries.push(Reverse(Entry {
            time,
            sequence: self.inserted,
            work,
        }));
        self.inserted += 1;
    }

    /// Removes and returns the work that is due first.
    pub fn take(&mut self) -> Option<(SimTime, W)> {
        self.entries
            .pop()
            .map(|Reverse(entry)| (entry.time, entry.work))
    }

    /// Returns when the first work is due.
    #[must_use]
    pub fn next_time(&self) -> Option<SimTime> {
        self.entries.peek().map(|Reverse(entry)| entry.time)
    }
}

impl<W> Default for Schedule<W> {
    fn default() -> Schedule<W> {
        Schedule::new()
    }
}

impl<W> Ord for Entry<W> {
    fn cmp(&self, other: &Entry<W>) -> Ordering {
        (self.time, self.sequence).cmp(&(other.time, other.sequence))
    }
}

impl<W> PartialOrd for Entry<W> {
    fn partial_cmp(&self, other: &Entry<W>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> PartialEq for Entry<W> {
    fn eq(&self, other: &Entry<W>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W> Eq for Entry<W> {}

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
    fn equal_times_keep_the_order_of_insertion() {
        let mut schedule = Schedule::new();
        for (ps, work) in [(5, 'c'), (1, 'a'), (5, 'd'), (1, 'b'), (5, 'e')] {
            schedule.insert(SimTime::from_ps(ps), work);
        }
        assert_eq!(schedule.next_time(), Some(SimTime::from_ps(1)));
        let order: String = std::iter::from_fn(|| schedule.take().map(|(_, work)| work)).collect();
        assert_eq!(order, "abcde");
        assert_eq!(schedule.next_time(), None);
    }

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
