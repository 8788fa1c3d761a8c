//! The queue of what is still to happen, ordered by time and, at equal times, by insertion.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::time::{SimDuration, SimTime};

/// Entries that are kept sorted. What one packet has under way fits: an entry goes in and out at the
/// soon end, past a few others, however much is due later.
const SOON_MAX: usize = 16;

/// Work that is due at a time; `W` says what it is.
///
/// The order is total: no two entries have the same sequence number. Storage grows to the largest
/// number of entries that were ever due at once and is then reused.
#[derive(Debug)]
pub struct Schedule<W> {
    // Entries that are all due before those in `later`; the first one is the last here.
    soon: Vec<Entry<W>>,
    later: BinaryHeap<Reverse<Entry<W>>>,
    inserted: u64,
}

#[derive(Copy, Clone, Debug)]
struct Entry<W> {
    time: SimTime,
    sequence: u64,
    work: W,
}

impl<W: Copy> Schedule<W> {
    /// Returns an empty schedule.
    #[must_use]
    pub fn new() -> Schedule<W> {
        Schedule {
            soon: Vec::with_capacity(SOON_MAX + 1),
            later: BinaryHeap::new(),
            inserted: 0,
        }
    }

    /// Adds work that is due at `time`, after all that is due then already.
    pub fn insert(&mut self, time: SimTime, work: W) {
        let entry = Entry {
            time,
            sequence: self.inserted,
            work,
        };
        self.inserted += 1;
        if (self.later.peek()).is_some_and(|Reverse(first)| first.time <= time) {
            self.later.push(Reverse(entry));
            return;
        }
        let due_after = self.soon.iter().rposition(|other| other.time > time);
        self.soon
            .insert(due_after.map_or(0, |place| place + 1), entry);
        if self.soon.len() > SOON_MAX {
            self.later.push(Reverse(self.soon.remove(0)));
        }
    }

    /// Removes and returns the work that is due first.
    pub fn take(&mut self) -> Option<(SimTime, W)> {
        let first = match self.soon.pop() {
            Some(entry) => entry,
            None => self.later.pop()?.0,
        };
        Some((first.time, first.work))
    }

    /// Returns when the first work is due.
    #[must_use]
    pub fn next_time(&self) -> Option<SimTime> {
        let soon = self.soon.last();
        let first = soon.or_else(|| self.later.peek().map(|Reverse(entry)| entry));
        first.map(|entry| entry.time)
    }
}

impl<W: Copy> Default for Schedule<W> {
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
    use crate::random::Generator;

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
    fn entries_come_out_by_time_then_by_insertion_however_many_wait() {
        let mut generator = Generator::named(1, &["schedule"]);
        let mut schedule = Schedule::new();
        let mut waiting: Vec<(SimTime, u32)> = Vec::new();
        let mut now = 0;
        for work in 0..12_000 {
            // Thousands of entries, then few, then thousands again.
            let grows = work % 5_000 < 2_000;
            if waiting.is_empty() || grows || generator.draw().is_multiple_of(4) {
                let time = SimTime::from_ps(now + generator.draw() % 100);
                schedule.insert(time, work);
                waiting.push((time, work));
            } else {
                let first = waiting.iter().enumerate().min_by_key(|(_, entry)| **entry);
                let first = first.map(|(place, _)| place).expect("an entry waits");
                let expected = waiting.swap_remove(first);
                assert_eq!(schedule.next_time(), Some(expected.0));
                assert_eq!(schedule.take(), Some(expected));
                now = expected.0.as_ps();
            }
        }
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
