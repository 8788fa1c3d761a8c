//! The queue of what is still to happen, ordered by time and, at equal times, by insertion.

use crate::time::{SimDuration, SimTime};

/// Bits of time that one level tells apart.
const DIGIT_BITS: u32 = 6;
/// Slots of one level: one for each value of its digit, and for each bit of a word.
const SLOTS: usize = 1 << DIGIT_BITS;
/// Levels that cover every time there is.
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;
/// Entries that are kept sorted in front of the wheel. What one packet has under way fits.
const SOON_MAX: usize = 8;
/// No entry.
const NONE: u32 = u32::MAX;

/// Work that is due at a time; `W` says what it is.
///
/// A hierarchical timing wheel: inserting and taking cost the same however much is due. An entry lies at
/// the level of the most significant digit in which its time differs from `reached`, in the slot of that
/// digit. So all entries of one slot are due before those of the next slot and of the next level, and
/// entries of equal times are always in one slot, in the order of their insertion: no number tells them
/// apart and none is compared. An entry moves to a lower level when `reached` enters its slot, at most
/// once for each level, and together with its neighbours of equal time; those that are due first leave
/// the wheel at once. The few that are due before all else are sorted and stay outside of the wheel.
///
/// Storage grows to the largest number of entries that were ever due at once and is then reused.
#[derive(Debug)]
pub struct Schedule<W> {
    // The first of the few; each is due before everything in the wheel, or was inserted before what is due
    // with it. A list, since moving what was written a moment ago would wait for it.
    soon: u32,
    soon_count: usize,
    entries: Vec<Entry<W>>,
    // The first entry that is vacant; each names the next one.
    vacant: u32,
    // The last entry of each slot, level by level; it names the slot's first one.
    slots: [u32; LEVELS * SLOTS],
    // Bit i: slot i of the level has entries.
    occupied: [u64; LEVELS],
    // Bit i: entries of slot i of the level are due at different times.
    mixed: [u64; LEVELS],
    // Bit i: level i has entries.
    levels: u32,
    // Left the wheel together: all of them are due at `reached`, and before everything in the wheel.
    first: Option<Chain>,
    // Nothing in the wheel is due before, and nothing will be.
    reached: u64,
    // Nothing in the wheel is due before.
    clear_until: u64,
}

#[derive(Copy, Clone, Debug)]
struct Due<W> {
    time: u64,
    work: W,
}

#[derive(Copy, Clone, Debug)]
struct Entry<W> {
    due: Due<W>,
    next: u32,
}

/// Entries of which each names the next one, and the last one whatever.
#[derive(Copy, Clone, Debug)]
struct Chain {
    first: u32,
    last: u32,
}

/// A slot of a level.
#[derive(Copy, Clone)]
struct Slot {
    level: usize,
    digit: usize,
}

/// An end of a slot's entries.
#[derive(Copy, Clone, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

impl<W: Copy> Schedule<W> {
    /// Returns an empty schedule.
    #[must_use]
    pub fn new() -> Schedule<W> {
        Schedule {
            soon: NONE,
            soon_count: 0,
            entries: Vec::new(),
            vacant: NONE,
            slots: [NONE; LEVELS * SLOTS],
            occupied: [0; LEVELS],
            mixed: [0; LEVELS],
            levels: 0,
            first: None,
            reached: 0,
            clear_until: u64::MAX,
        }
    }

    /// Forgets all work, and the time that was reached.
    pub fn reset(&mut self) {
        self.soon = NONE;
        self.soon_count = 0;
        self.entries.clear();
        self.vacant = NONE;
        self.slots.fill(NONE);
        self.occupied.fill(0);
        self.mixed.fill(0);
        self.levels = 0;
        self.first = None;
        self.reached = 0;
        self.clear_until = u64::MAX;
    }

    /// Returns whether nothing is due, ever.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.soon == NONE && self.first.is_none() && self.levels == 0
    }

    /// Adds work that is due at `time`, after all that is due then already, and not before what was taken
    /// last.
    pub fn insert(&mut self, time: SimTime, work: W) {
        let time = time.as_ps();
        let place = self.store(Due { time, work });
        if self.is_wheel_clear_until(time) {
            self.insert_soon(place, time);
        } else {
            self.add(place, time, End::Back);
        }
    }

    /// Removes and returns the work that is due first.
    // Work passed on in memory would wait for its two halves, which were written a moment ago.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take(&mut self) -> Option<(SimTime, W)> {
        let place = if self.soon == NONE {
            self.take_from_wheel()?
        } else {
            let place = self.soon;
            self.soon = self.entries[place as usize].next;
            self.soon_count -= 1;
            place
        };
        let entry = &mut self.entries[place as usize];
        let Due { time, work } = entry.due;
        entry.next = self.vacant;
        self.vacant = place;
        Some((SimTime::from_ps(time), work))
    }

    /// Returns whether it is certain that nothing is due until `time`, `time` included.
    #[inline]
    pub fn is_clear_until(&mut self, time: SimTime) -> bool {
        match self.entries.get(self.soon as usize) {
            Some(first) => time.as_ps() < first.due.time,
            None => self.is_wheel_clear_until(time.as_ps()),
        }
    }

    /// Adds an entry to those that are due before all else, behind those of its time.
    fn insert_soon(&mut self, place: u32, time: u64) {
        let mut before = NONE;
        let mut after = self.soon;
        while let Some(entry) = self.entries.get(after as usize)
            && entry.due.time <= time
        {
            before = after;
            after = entry.next;
        }
        self.entries[place as usize].next = after;
        match self.entries.get_mut(before as usize) {
            Some(before) => before.next = place,
            None => self.soon = place,
        }
        self.soon_count += 1;
        if self.soon_count > SOON_MAX {
            let last = self.remove_last_soon();
            // Whatever is due with it in the wheel was inserted later.
            self.add(last, self.entries[last as usize].due.time, End::Front);
        }
    }

    /// Removes the last of those that are due before all else; there are several.
    fn remove_last_soon(&mut self) -> u32 {
        let mut before = self.soon;
        for _ in 2..self.soon_count {
            before = self.entries[before as usize].next;
        }
        self.soon_count -= 1;
        std::mem::replace(&mut self.entries[before as usize].next, NONE)
    }

    #[inline]
    fn is_wheel_clear_until(&mut self, time: u64) -> bool {
        time < self.clear_until || time < self.find_clear_until()
    }

    /// Returns a time before which nothing in the wheel is due: the very time of what is due first, or
    /// where a slot of several times begins.
    fn find_clear_until(&mut self) -> u64 {
        let found = match (self.first, self.first_slot()) {
            (Some(_), _) => self.reached,
            (None, None) => u64::MAX,
            (None, Some(slot)) => {
                let due = self.entries[self.last_of(slot) as usize].due;
                if self.mixed[slot.level] & (1 << slot.digit) == 0 {
                    due.time
                } else {
                    slot.begin(due.time)
                }
            }
        };
        // What was known before holds still: a slot begins before the one time that it had.
        self.clear_until = self.clear_until.max(found);
        self.clear_until
    }

    fn take_from_wheel(&mut self) -> Option<u32> {
        let Chain { first, last } = match self.first {
            Some(chain) => chain,
            None => self.leave_wheel()?,
        };
        self.first = (first != last).then(|| Chain {
            first: self.entries[first as usize].next,
            last,
        });
        Some(first)
    }

    /// Removes from the wheel what is due first, and moves `reached` there. What shares its slot moves to
    /// lower levels, which are empty.
    fn leave_wheel(&mut self) -> Option<Chain> {
        let slot = self.first_slot()?;
        let last = self.last_of(slot);
        let is_mixed = self.clear(slot);
        let Entry { due, next: first } = self.entries[last as usize];
        self.reached = due.time;
        let all = Chain { first, last };
        if !is_mixed {
            return Some(all);
        }
        let mut place = first;
        while place != last {
            let Entry { due, next } = &self.entries[place as usize];
            self.reached = self.reached.min(due.time);
            place = *next;
        }
        Some(self.part(all))
    }

    /// Puts entries where they belong, but for those that are due at `reached`, which it returns.
    fn part(&mut self, all: Chain) -> Chain {
        let mut due_first: Option<Chain> = None;
        let mut rest = all.first;
        loop {
            // A run of equal times moves as one.
            let first = rest;
            let time = self.entries[first as usize].due.time;
            let mut last = first;
            rest = self.entries[last as usize].next;
            while last != all.last && self.entries[rest as usize].due.time == time {
                last = rest;
                rest = self.entries[last as usize].next;
            }
            if time > self.reached {
                self.put(Chain { first, last }, time, End::Back);
            } else if let Some(chain) = &mut due_first {
                self.entries[chain.last as usize].next = first;
                chain.last = last;
            } else {
                due_first = Some(Chain { first, last });
            }
            if last == all.last {
                return due_first.unwrap_or(Chain { first, last });
            }
        }
    }

    /// Finds a place for an entry.
    fn store(&mut self, due: Due<W>) -> u32 {
        let place = self.vacant;
        if let Some(vacant) = self.entries.get_mut(place as usize) {
            self.vacant = vacant.next;
            vacant.due = due;
            return place;
        }
        let place = u32::try_from(self.entries.len()).expect("memory bounds the entries");
        self.entries.push(Entry { due, next: NONE });
        place
    }

    /// Adds an entry to the wheel, at an end of its slot.
    fn add(&mut self, place: u32, time: u64, end: End) {
        self.clear_until = self.clear_until.min(time);
        let chain = Chain {
            first: place,
            last: place,
        };
        self.put(chain, time, end);
    }

    /// Puts entries of one time at an end of their slot.
    fn put(&mut self, chain: Chain, time: u64, end: End) {
        debug_assert!(time >= self.reached, "nothing is due in the past");
        // The lowest bit stands for a difference where there is none: level 0 it is.
        let level = ((time ^ self.reached) | 1).ilog2() / DIGIT_BITS;
        let slot = Slot {
            level: level as usize,
            digit: (time >> (level * DIGIT_BITS)) as usize % SLOTS,
        };
        let last = self.last_of(slot);
        let first = match self.entries.get_mut(last as usize) {
            Some(last) => {
                let differs = last.due.time != time;
                self.mixed[slot.level] |= u64::from(differs) << slot.digit;
                std::mem::replace(&mut last.next, chain.first)
            }
            None => chain.first,
        };
        self.entries[chain.last as usize].next = first;
        if end == End::Back || last == NONE {
            self.slots[slot.index()] = chain.last;
            self.occupied[slot.level] |= 1 << slot.digit;
            self.levels |= 1 << slot.level;
        }
    }

    /// Returns the slot of what is due first.
    fn first_slot(&self) -> Option<Slot> {
        let level = self.levels.trailing_zeros() as usize;
        let digit = self.occupied.get(level)?.trailing_zeros() as usize % SLOTS;
        Some(Slot { level, digit })
    }

    fn last_of(&self, slot: Slot) -> u32 {
        self.slots[slot.index()]
    }

    /// Notes that a slot has no entries any more; returns whether they were due at different times.
    fn clear(&mut self, slot: Slot) -> bool {
        let bit = 1 << slot.digit;
        self.slots[slot.index()] = NONE;
        self.occupied[slot.level] &= !bit;
        if self.occupied[slot.level] == 0 {
            self.levels &= !(1 << slot.level);
        }
        let is_mixed = self.mixed[slot.level] & bit != 0;
        self.mixed[slot.level] &= !bit;
        is_mixed
    }
}

impl Slot {
    fn index(self) -> usize {
        self.level * SLOTS + self.digit
    }

    /// Returns the first time of the slot, which holds `time`.
    fn begin(self, time: u64) -> u64 {
        // A level is far below 2³².
        time & (u64::MAX << (self.level as u32 * DIGIT_BITS))
    }
}

impl<W: Copy> Default for Schedule<W> {
    fn default() -> Schedule<W> {
        Schedule::new()
    }
}

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
        let order: String = std::iter::from_fn(|| schedule.take().map(|(_, work)| work)).collect();
        assert_eq!(order, "abcde");
    }

    /// Inserts and takes at random, spans up to `bits` bits wide, and compares with a search for the first.
    fn compare(seed: u64, bits: u32) {
        let mut generator = Generator::named(seed, &["schedule"]);
        let mut schedule = Schedule::new();
        let mut waiting: Vec<(SimTime, u32)> = Vec::new();
        let (mut now, mut passed) = (0u64, 0);
        for work in 0..6_000 {
            // Hundreds of entries, then few, then hundreds again.
            let grows = work % 1_000 < 400;
            let span = generator.draw() >> (64 - 1 - generator.draw() % u64::from(bits));
            if waiting.is_empty() || grows || generator.draw().is_multiple_of(4) {
                let time = SimTime::from_ps(now.saturating_add(span));
                schedule.insert(time, work);
                waiting.push((time, work));
            } else {
                let first = waiting.iter().enumerate().min_by_key(|(_, entry)| **entry);
                let first = first.map(|(place, _)| place).expect("an entry waits");
                let until = SimTime::from_ps(now.saturating_add(span));
                if schedule.is_clear_until(until) {
                    assert!(until < waiting[first].0, "{until:?}");
                    now = until.as_ps();
                    passed += 1;
                    continue;
                }
                let expected = waiting.swap_remove(first);
                assert_eq!(schedule.take(), Some(expected));
                now = expected.0.as_ps();
            }
        }
        waiting.sort_unstable();
        let rest: Vec<_> = std::iter::from_fn(|| schedule.take()).collect();
        assert_eq!(rest, waiting);
        assert!(passed > 0, "time passes with nothing due");
        assert!(schedule.is_clear_until(SimTime::from_ps(u64::MAX - 1)));
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
        // More than are kept in front of the wheel, and times that the wheel has passed.
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
        assert!(schedule.is_clear_until(SimTime::from_ps(u64::MAX - 1)));
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
        assert!(!schedule.is_clear_until(SimTime::MAX));
        assert_eq!(schedule.take(), Some((SimTime::MAX, 'a')));
        assert_eq!(schedule.take(), Some((SimTime::MAX, 'b')));
        assert!(schedule.take().is_none());
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
