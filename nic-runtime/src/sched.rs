//! The queue of what is still to happen, ordered by time and, at equal times, by insertion.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::time::SimTime;

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
}
