//! The schedule: a queue of pending work, ordered by time and, at equal times, by insertion.

mod front;
mod wheel;

use front::Front;
use nic_core::time::SimTime;
use wheel::{End, Wheel};

/// Pending work; `W` is the kind of work.
///
/// Two queues form the schedule. A small sorted queue holds the work that is due first, and a timing wheel holds the
/// remaining work. Most work of a packet is due within a few events, so the work rarely enters the wheel.
#[derive(Debug)]
pub struct Schedule<W> {
    /// Invariant: each entry of this sorted queue precedes every entry of the wheel, by time or, at equal times, by
    /// insertion.
    front: Front<W>,
    wheel: Wheel<W>,
}

impl<W: Copy + Default> Schedule<W> {
    /// Returns an empty schedule.
    #[must_use]
    pub fn new() -> Schedule<W> {
        Schedule {
            front: Front::new(),
            wheel: Wheel::new(),
        }
    }

    /// Removes all work, and sets the time that the schedule has reached to zero.
    pub fn reset(&mut self) {
        self.front = Front::new();
        self.wheel.clear();
    }

    /// Returns whether no work is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.front.first_time().is_none() && self.wheel.is_empty()
    }

    /// Inserts work after all work that is due at the same time. The argument `time` must not be before the time of the
    /// entry that was taken last.
    #[inline(never)]
    pub fn insert(&mut self, time: SimTime, work: W) {
        let time = time.as_ps();
        if self.wheel.is_known_clear_until(time) && !self.front.is_full() {
            self.front.insert(time, work);
        } else {
            self.insert_beside_wheel(time, work);
        }
    }

    /// Inserts work that may have its place in the wheel, or may displace other work into the wheel.
    #[inline(never)]
    fn insert_beside_wheel(&mut self, time: u64, work: W) {
        if !self.wheel.is_clear_until(time) {
            return self.wheel.insert_later(time, work);
        }
        if !self.front.is_full() {
            return self.front.insert(time, work);
        }
        // The sorted queue is full, so its last entry or the new entry moves to the wheel. Entries of equal time in the
        // wheel were inserted later, so the moved entry is put in front of them.
        match self.front.take_last() {
            Some((last, later)) if last > time => {
                self.wheel.insert(last, later, End::Front);
                self.front.insert(time, work);
            }
            earlier => {
                if let Some((last, earlier)) = earlier {
                    self.front.insert(last, earlier);
                }
                self.wheel.insert(time, work, End::Front);
            }
        }
    }

    /// Removes and returns the work that is due first.
    ///
    /// The method `take` is inlined into both loops, with a sink and without one, because a call would cost 2 % of a
    /// packet's time.
    #[inline(always)]
    pub fn take(&mut self) -> Option<(SimTime, W)> {
        let (time, work) = match self.front.take() {
            Some(first) => first,
            None => self.wheel.take()?,
        };
        Some((SimTime::from_ps(time), work))
    }

    /// Returns whether no work is due until `time`, inclusive. If work is due until `time`, the function inserts `work` at
    /// `time` and returns false.
    #[inline]
    pub fn is_clear_or_insert(&mut self, time: SimTime, work: W) -> bool {
        let is_clear = match self.front.first_time() {
            Some(first) => time.as_ps() < first,
            None if self.wheel.is_clear_until(time.as_ps()) => true,
            None => {
                self.wheel.insert_later(time.as_ps(), work);
                return false;
            }
        };
        if !is_clear {
            self.insert(time, work);
        }
        is_clear
    }
}

impl<W: Copy + Default> Default for Schedule<W> {
    fn default() -> Schedule<W> {
        Schedule::new()
    }
}

#[cfg(test)]
mod tests {
    use nic_core::random::Generator;

    use super::*;

    #[test]
    fn equal_times_keep_the_order_of_insertion() {
        let mut schedule = Schedule::new();
        for (ps, work) in [(5, 'c'), (1, 'a'), (5, 'd'), (1, 'b'), (5, 'e')] {
            schedule.insert(SimTime::from_ps(ps), work);
        }
        let order: String = std::iter::from_fn(|| schedule.take().map(|(_, work)| work)).collect();
        assert_eq!(order, "abcde");
    }

    /// Inserts and takes work at random, with times up to 2^`bits` apart. Compares the schedule's order with a linear
    /// search for the first entry.
    fn compare(seed: u64, bits: u32) {
        let mut generator = Generator::named(seed, &["schedule"]);
        let mut schedule = Schedule::new();
        let mut waiting: Vec<(SimTime, u32)> = Vec::new();
        let (mut now, mut passed) = (0u64, 0);
        for work in 0..6_000 {
            // The number of waiting entries grows and shrinks in turn.
            let grows = work % 1_000 < 150;
            let span = generator.draw() >> (64 - 1 - generator.draw() % u64::from(bits));
            let time = SimTime::from_ps(now.saturating_add(span));
            if waiting.is_empty() || grows || generator.draw().is_multiple_of(8) {
                schedule.insert(time, work);
                waiting.push((time, work));
                continue;
            }
            let first = waiting.iter().enumerate().min_by_key(|(_, entry)| **entry);
            let first = first.map(|(place, _)| place).expect("an entry waits");
            if !generator.draw().is_multiple_of(4) {
                let expected = waiting.swap_remove(first);
                assert_eq!(schedule.take(), Some(expected));
                now = expected.0.as_ps();
            } else if schedule.is_clear_or_insert(time, work) {
                assert!(time < waiting[first].0, "{time:?}");
                now = time.as_ps();
                passed += 1;
            } else {
                assert!(time >= waiting[first].0, "{time:?}");
                waiting.push((time, work));
            }
        }
        waiting.sort_unstable();
        let rest: Vec<_> = std::iter::from_fn(|| schedule.take()).collect();
        assert_eq!(rest, waiting);
        assert!(passed > 0, "time passes with nothing due");
        assert!(schedule.is_clear_or_insert(SimTime::from_ps(u64::MAX - 1), 0));
    }

    #[test]
    fn entries_come_out_by_time_then_by_insertion_however_many_wait() {
        for (seed, bits) in (1..).zip([2, 6, 7, 12, 13, 30, 60, 63]) {
            compare(seed, bits);
        }
    }

    #[test]
    fn what_was_reset_begins_anew() {
        let mut schedule = Schedule::new();
        // The test inserts more entries than the sorted queue holds, at times that the wheel has passed before the
        // reset.
        for ps in (1..100).map(|number| number * 1_000) {
            schedule.insert(SimTime::from_ps(ps), 'a');
        }
        assert_eq!(schedule.take(), Some((SimTime::from_ps(1_000), 'a')));
        for _ in 0..50 {
            schedule.take();
        }
        assert!(!schedule.is_empty());
        schedule.reset();
        assert!(schedule.is_empty() && schedule.take().is_none());
        assert!(schedule.is_clear_or_insert(SimTime::from_ps(u64::MAX - 1), 'a'));
        for ps in (1..20).rev() {
            schedule.insert(SimTime::from_ps(ps), 'b');
        }
        let times = std::iter::from_fn(|| schedule.take().map(|(time, _)| time.as_ps()));
        assert!(times.eq(1..20));
    }

    #[test]
    fn the_last_time_there_is_can_be_due() {
        let mut schedule = Schedule::new();
        schedule.insert(SimTime::MAX, 'a');
        schedule.insert(SimTime::MAX, 'b');
        assert!(!schedule.is_clear_or_insert(SimTime::MAX, 'c'));
        assert_eq!(schedule.take(), Some((SimTime::MAX, 'a')));
        assert_eq!(schedule.take(), Some((SimTime::MAX, 'b')));
        assert_eq!(schedule.take(), Some((SimTime::MAX, 'c')));
        assert!(schedule.take().is_none());
    }
}
