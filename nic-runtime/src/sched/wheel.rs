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
/// numbers. When `reached` enters a slot, the slot's entries move to lower levels, at most once for each level.
///
/// The vector of entries grows to the largest number of pending entries. Vacant entries are reused.
#[derive(Debug)]
pub(super) struct Wheel<W> {
    entries: Vec<Entry<W>>,
    // Head of the list of vacant entries, which the field `next` links.
    vacant: u32,
    // The slots, level by level.
    slots: [Slot; LEVELS * SLOTS],
    // Bit i is set if slot i of the level has entries.
    occupied: [u64; LEVELS],
    // Bit i is set if level i has entries.
    levels: u32,
    // Entries already removed from their slot, which are all due at `reached`, before every entry in a slot.
    first: Option<Chain>,
    // Time of the entries taken last. No entry is due before this time, and none may be inserted before it.
    reached: u64,
    // A lower bound of all times in the wheel, kept so that most queries need no search.
    clear_until: u64,
}

/// A slot of the wheel: a circular list of entries, in the order of insertion.
#[derive(Copy, Clone, Debug)]
struct Slot {
    // The earliest time of the entries.
    time: u64,
    // The last entry, or `NONE`. The `next` of the last entry is the first entry.
    last: u32,
    // Whether the entries have different times.
    is_mixed: bool,
}

const EMPTY: Slot = Slot {
    time: 0,
    last: NONE,
    is_mixed: false,
};

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

/// The position of a slot: its level and the value of its digit.
#[derive(Copy, Clone)]
struct Position {
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
            slots: [EMPTY; LEVELS * SLOTS],
            occupied: [0; LEVELS],
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
        self.slots.fill(EMPTY);
        self.occupied.fill(0);
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
        self.clear_until = self.clear_until.min(time);
        self.add(time, work, end);
    }

    /// Inserts work after all work that is due at the same time. For `time`, [`Wheel::is_clear_until`] must have answered
    /// false.
    // Most work of a network of NICs comes this way. The lower bound need not be checked again, and `add` is compiled
    // for one end.
    #[inline(never)]
    pub(super) fn insert_later(&mut self, time: u64, work: W) {
        debug_assert!(!self.is_known_clear_until(time));
        self.add(time, work, End::Back);
    }

    /// Inserts work, and leaves the lower bound `clear_until` to the caller.
    #[inline(always)]
    fn add(&mut self, time: u64, work: W, end: End) {
        let place = self.store(Due { time, work });
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

    /// Returns whether no work is due until `time`, inclusive.
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

    /// Returns the time of the wheel's first entry, or `u64::MAX` if the wheel is empty, as the new lower bound.
    fn find_clear_until(&mut self) -> u64 {
        self.clear_until = match self.first {
            Some(_) => self.reached,
            None => match self.first_slot() {
                Some(position) => self.slots[position.index()].time,
                None => u64::MAX,
            },
        };
        self.clear_until
    }

    /// Removes the first slot and moves `reached` to the earliest time of the slot's entries. Entries of the slot that
    /// are due later move to lower levels, which are all empty.
    #[inline(never)]
    fn advance(&mut self) -> Option<Chain> {
        let position = self.first_slot()?;
        let Slot {
            time,
            last,
            is_mixed,
        } = self.clear_slot(position);
        self.reached = time;
        let all = Chain {
            first: self.entries[last as usize].next,
            last,
        };
        Some(if is_mixed { self.distribute(all) } else { all })
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
        let position = Position {
            level: level as usize,
            digit: (time >> (level * DIGIT_BITS)) as usize % SLOTS,
        };
        let slot = &mut self.slots[position.index()];
        let first = match self.entries.get_mut(slot.last as usize) {
            Some(last) => {
                slot.is_mixed |= slot.time != time;
                slot.time = slot.time.min(time);
                if end == End::Back {
                    slot.last = chain.last;
                }
                std::mem::replace(&mut last.next, chain.first)
            }
            None => {
                *slot = Slot {
                    time,
                    last: chain.last,
                    is_mixed: false,
                };
                self.occupied[position.level] |= 1 << position.digit;
                self.levels |= 1 << position.level;
                chain.first
            }
        };
        self.entries[chain.last as usize].next = first;
    }

    /// Returns the position of the slot that holds the wheel's first entry.
    fn first_slot(&self) -> Option<Position> {
        let level = self.levels.trailing_zeros() as usize;
        let digit = self.occupied.get(level)?.trailing_zeros() as usize % SLOTS;
        Some(Position { level, digit })
    }

    /// Empties a slot and returns its former content.
    fn clear_slot(&mut self, position: Position) -> Slot {
        self.occupied[position.level] &= !(1 << position.digit);
        if self.occupied[position.level] == 0 {
            self.levels &= !(1 << position.level);
        }
        std::mem::replace(&mut self.slots[position.index()], EMPTY)
    }
}

impl Position {
    fn index(self) -> usize {
        self.level * SLOTS + self.digit
    }
}
