//! A hierarchical timing wheel, for work that is due later than the first few entries.

/// Number of bits of the time that select a slot within a level of the wheel.
const DIGIT_BITS: u32 = 6;
/// Number of slots of a level: one for each value of a digit. The slots of a level match the 64 bits of an `occupied`
/// word.
const SLOTS: usize = 1 << DIGIT_BITS;
/// Number of levels that the wheel needs to cover every `u64` time.
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;
/// Index of an entry that means "no entry".
const NONE: u32 = u32::MAX;

/// Pending work, ordered by time and, at equal times, by insertion.
///
/// Inserting and taking an entry need constant time, however many entries the wheel has. The wheel treats a time as a
/// number of base-64 digits. An entry's level is the most significant digit in which its time differs from `reached`;
/// its slot is the value of that digit. All entries of a slot are therefore due before those of the next slot, and
/// before those of the next level.
///
/// Entries of equal time always share a slot and stay in the order of insertion. The wheel therefore needs no insertion
/// numbers and no comparisons of times. When `reached` enters a slot, the slot's entries move to lower levels, at most
/// once for each level.
///
/// The vector of entries grows to the largest number of pending entries. Vacant entries are reused.
#[derive(Debug)]
pub(super) struct Wheel<W> {
    entries: Vec<Entry<W>>,
    // Head of the list of vacant entries, which the field `next` links.
    vacant: u32,
    // The last entry of each slot, level by level. The `next` of a slot's last entry is the slot's first entry, so the
    // list is circular.
    slots: [u32; LEVELS * SLOTS],
    // Bit i is set if slot i of the level has entries.
    occupied: [u64; LEVELS],
    // Bit i is set if the entries of slot i of the level have different times.
    mixed: [u64; LEVELS],
    // Bit i is set if level i has entries.
    levels: u32,
    // Entries already removed from their slot, which are all due at `reached`, before every entry in a slot.
    first: Option<Chain>,
    // Time of the entries taken last. No entry is due before this time, and none may be inserted before it.
    reached: u64,
    // A lower bound of all times in the wheel, kept so that most queries need no search.
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

/// A linked list of entries of the wheel. The `next` of the list's last entry is unspecified.
#[derive(Copy, Clone, Debug)]
struct Chain {
    first: u32,
    last: u32,
}

/// A slot of the wheel: its level and the value of its digit.
#[derive(Copy, Clone)]
struct Slot {
    level: usize,
    digit: usize,
}

/// Whether work is inserted before or after the entries of equal time.
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

    /// Removes all work, and sets the time that the wheel has reached to zero.
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

    /// Inserts work before or after all work that is due at the same time. The argument `time` must not be before the
    /// time of the entry that was taken last.
    pub(super) fn insert(&mut self, time: u64, work: W, end: End) {
        let place = self.store(Due { time, work });
        self.clear_until = self.clear_until.min(time);
        match &mut self.first {
            // All other entries that are due at `reached` are in the list `first`.
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

    /// Removes and returns the work that is due first.
    // Inlined into both loops, with a sink and without one: a call costs 4 % of a packet in a network of ten NICs. The
    // rare search for the next slot stays a call.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<(u64, W)> {
        let Chain { first, last } = match self.first {
            Some(chain) => chain,
            None => self.advance()?,
        };
        let Entry { due, next } = self.entries[first as usize];
        self.first = (first != last).then_some(Chain { first: next, last });
        self.entries[first as usize].next = self.vacant;
        self.vacant = first;
        Some((due.time, due.work))
    }

    /// Returns whether it is certain that no work is due until `time`, inclusive.
    #[inline]
    pub(super) fn is_clear_until(&mut self, time: u64) -> bool {
        self.is_known_clear_until(time) || time < self.find_clear_until()
    }

    /// Like [`Wheel::is_clear_until`], but compares only with the known lower bound and does not search. This query
    /// answers false more often than a search does.
    #[inline]
    pub(super) fn is_known_clear_until(&self, time: u64) -> bool {
        time < self.clear_until
    }

    /// Returns a lower bound of all times in the wheel. The lower bound is the time of the first entry, or the start of
    /// the first slot if that slot has several times.
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
        // The bound that was known is kept if it is later than the start of the first slot.
        self.clear_until = self.clear_until.max(found);
        self.clear_until
    }

    /// Removes the first slot and moves `reached` to the earliest time of the slot's entries. Entries of the slot that
    /// are due later move to lower levels, which are all empty.
    #[inline(never)]
    fn advance(&mut self) -> Option<Chain> {
        let slot = self.first_slot()?;
        let last = self.last_of(slot);
        let is_mixed = self.clear_slot(slot);
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
        Some(self.distribute(all))
    }

    /// Moves the entries of a removed slot back into slots, which depend on the new `reached`. Returns the entries that
    /// are due at `reached`.
    fn distribute(&mut self, all: Chain) -> Chain {
        let mut due_first: Option<Chain> = None;
        let mut rest = all.first;
        loop {
            // Neighbouring entries of equal time move together.
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

    /// Stores an entry of the wheel and returns its index.
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

    /// Adds a list of entries, all due at `time`, to one end of their slot.
    fn put(&mut self, chain: Chain, time: u64, end: End) {
        debug_assert!(time >= self.reached, "nothing is due in the past");
        // Setting the lowest bit makes `ilog2` defined for equal times, which belong to level 0.
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

    /// Returns the slot that holds the wheel's first entry.
    fn first_slot(&self) -> Option<Slot> {
        let level = self.levels.trailing_zeros() as usize;
        let digit = self.occupied.get(level)?.trailing_zeros() as usize % SLOTS;
        Some(Slot { level, digit })
    }

    fn last_of(&self, slot: Slot) -> u32 {
        self.slots[slot.index()]
    }

    /// Marks a slot as empty. Returns whether the slot's entries had different times.
    fn clear_slot(&mut self, slot: Slot) -> bool {
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

    /// Returns the earliest time that falls into this slot; `time` is any time in the slot.
    fn begin(self, time: u64) -> u64 {
        // The number `level` is below `LEVELS`, so it fits in `u32`.
        time & (u64::MAX << (self.level as u32 * DIGIT_BITS))
    }
}
