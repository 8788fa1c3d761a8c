//! The work that is due later than the first few.

/// Bits of time that one level tells apart.
const DIGIT_BITS: u32 = 6;
/// Slots of one level: one for each value of its digit, and for each bit of a word.
const SLOTS: usize = 1 << DIGIT_BITS;
/// Levels that cover every time there is.
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;
/// No entry.
const NONE: u32 = u32::MAX;

/// Work in the order of time and, at equal times, of insertion.
///
/// A hierarchical timing wheel: inserting and taking cost the same however much is due. An entry lies at the level of
/// the most significant digit in which its time differs from `reached`, in the slot of that digit. So all entries of
/// one slot are due before those of the next slot and of the next level. Entries of equal times are always in one slot,
/// in the order of their insertion. No number tells them apart, and none is compared. An entry moves to a lower level
/// when `reached` enters its slot, together with its neighbours of equal time. That happens at most once for each
/// level. Entries that are due first leave the wheel at once.
///
/// Storage grows to the largest number of entries that were ever in it at once and is then reused.
#[derive(Debug)]
pub(super) struct Wheel<W> {
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

/// An end of those entries that are due at one time.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

impl<W: Copy> Wheel<W> {
    pub(super) fn new() -> Wheel<W> {
        Wheel {
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
    pub(super) fn clear(&mut self) {
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

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.levels == 0
    }

    /// Adds work at an end of what is due then already, and not before what was taken last.
    pub(super) fn insert(&mut self, time: u64, work: W, end: End) {
        let place = self.store(Due { time, work });
        self.clear_until = self.clear_until.min(time);
        match &mut self.first {
            // Nothing else in the wheel is due then.
            Some(chain) if time == self.reached => match end {
                End::Front => {
                    self.entries[place as usize].next = chain.first;
                    chain.first = place;
                }
                End::Back => {
                    self.entries[chain.last as usize].next = place;
                    chain.last = place;
                }
            },
            _ => {
                let chain = Chain {
                    first: place,
                    last: place,
                };
                self.put(chain, time, end);
            }
        }
    }

    /// Removes and returns what is due first.
    pub(super) fn take(&mut self) -> Option<(u64, W)> {
        let Chain { first, last } = match self.first {
            Some(chain) => chain,
            None => self.leave()?,
        };
        let Entry { due, next } = self.entries[first as usize];
        self.first = (first != last).then_some(Chain { first: next, last });
        self.entries[first as usize].next = self.vacant;
        self.vacant = first;
        Some((due.time, due.work))
    }

    /// Returns whether it is certain that nothing is due until `time`, `time` included.
    #[inline]
    pub(super) fn is_clear_until(&mut self, time: u64) -> bool {
        self.is_known_clear_until(time) || time < self.find_clear_until()
    }

    /// Does as [`Wheel::is_clear_until`] without a look at what is there: false more often.
    #[inline]
    pub(super) fn is_known_clear_until(&self, time: u64) -> bool {
        time < self.clear_until
    }

    /// Returns a time before which nothing in the wheel is due. That is the first entry's own time, or the beginning of
    /// a slot of several times.
    fn find_clear_until(&mut self) -> u64 {
        let found = match self.first {
            Some(_) => self.reached,
            None => self.first_slot().map_or(u64::MAX, |slot| {
                let due = self.entries[self.last_of(slot) as usize].due;
                if self.mixed[slot.level] & (1 << slot.digit) == 0 {
                    due.time
                } else {
                    slot.begin(due.time)
                }
            }),
        };
        // What was known before holds still: a slot begins before the one time that it had.
        self.clear_until = self.clear_until.max(found);
        self.clear_until
    }

    /// Removes from the wheel what is due first, and moves `reached` there. What shares its slot moves to
    /// lower levels, which are empty.
    fn leave(&mut self) -> Option<Chain> {
        let slot = self.first_slot()?;
        let last = self.last_of(slot);
        let is_mixed = self.empty(slot);
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
    fn empty(&mut self, slot: Slot) -> bool {
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
