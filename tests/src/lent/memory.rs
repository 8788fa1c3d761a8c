//! The memory that parser, verifier, linker and interpreter borrow, and what may lie in it beforehand.
//!
//! Safe code cannot make an op, a mark or a frame of any bits it likes. An embedder can lend memory that the library
//! used for another class, at the same place or elsewhere. So those slices are filled from a collection of such values.
//! Slices of numbers are filled with any numbers.

use jive_core::{
    Frame, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize, ProgramStorage,
    SwitchCase,
};
use jive_verifier::{CodeMarks, Resolved, WorkArea, WorkSize};

use crate::fuzzing::Random;

/// What lies in lent memory before a class uses it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Numbers have all bits set; every other element is the same value of another class.
    Ones,
    /// What the last class left.
    Last,
    /// Random numbers, and values of other classes at random places.
    Random,
}

impl Filling {
    /// All of them.
    pub const ALL: [Filling; 3] = [Filling::Ones, Filling::Last, Filling::Random];
}

/// A slice to be lent, and values of its type that other classes left.
#[derive(Clone, Debug, Default)]
pub struct Lent<T> {
    memory: Vec<T>,
    seen: Vec<T>,
}

/// Values of other classes that are kept of each type.
const SEEN_MAX: usize = 512;
/// Values that are kept of each class.
const SEEN_EACH: usize = 4;

impl<T: Copy + Default> Lent<T> {
    /// Returns this many elements with their contents as they are; new ones are the default.
    pub fn lend(&mut self, count: usize) -> &mut [T] {
        if self.memory.len() < count {
            self.memory.resize(count, T::default());
        }
        &mut self.memory[..count]
    }

    /// Fills this many elements with values that other classes left, and lends them with those behind.
    fn fill(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [T] {
        self.lend(count);
        for _ in 0..SEEN_EACH.min(self.memory.len()) {
            let value = self.memory[random.below(self.memory.len())];
            if self.seen.len() < SEEN_MAX {
                self.seen.push(value);
            } else {
                let place = random.below(SEEN_MAX);
                self.seen[place] = value;
            }
        }
        if !self.seen.is_empty() {
            let mut pick = || self.seen[random.below(self.seen.len())];
            match filling {
                Filling::Ones => {
                    let value = pick();
                    self.memory.fill(value);
                }
                Filling::Last => {}
                Filling::Random => self.memory.fill_with(pick),
            }
        }
        &mut self.memory
    }

    /// Fills this many elements with numbers, and lends them with those behind.
    fn fill_numbers(
        &mut self,
        count: usize,
        filling: Filling,
        random: &mut Random,
        number: impl Fn(u64) -> T,
    ) -> &mut [T] {
        self.lend(count);
        match filling {
            Filling::Ones => self.memory.fill(number(u64::MAX)),
            Filling::Last => {}
            // Small numbers are more likely to be taken for indices.
            Filling::Random => {
                let mask = [0x7, 0xff, u64::MAX][random.below(3)];
                self.memory.fill_with(|| number(random.draw() & mask));
            }
        }
        &mut self.memory
    }
}

/// Everything that one class and its run borrow.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// For [`jive_core::ClassFile::parse`].
    pub index: Lent<u32>,
    /// For [`jive_verifier::verify`].
    pub work: Work,
    /// For linking and running it.
    pub loaded: Loaded,
}

/// What an accepted class borrows.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// For [`jive_core::link`].
    pub storage: Storage,
    /// For the call stack.
    pub frames: Lent<Frame>,
    /// For the call stack.
    pub slots: Lent<i32>,
    /// For the instance.
    pub fields: Lent<i32>,
    /// For the heap.
    pub heap: Lent<u8>,
}

/// What the verifier borrows.
#[derive(Clone, Debug, Default)]
pub struct Work {
    constants: Lent<Resolved>,
    signatures: Lent<u8>,
    marks: Lent<CodeMarks>,
    leaders: Lent<u16>,
    queue: Lent<u32>,
    states: Lent<u8>,
}

/// What the linker borrows.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    ops: Lent<Op>,
    ends: Lent<u16>,
    places: Lent<Pc>,
    marks: Lent<Mark>,
    methods: Lent<LinkedMethod>,
    fields: Lent<LinkedField>,
    switches: Lent<SwitchCase>,
    constants: Lent<LinkedConstant>,
}

/// Takes as many of the low bits as the type has.
fn low_u16(number: u64) -> u16 {
    number as u16
}

impl Lent<u32> {
    /// Fills and lends memory of this type.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [u32] {
        self.fill_numbers(count, filling, random, |number| number as u32)
    }
}

impl Lent<i32> {
    /// Fills and lends memory of this type.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [i32] {
        self.fill_numbers(count, filling, random, |number| number as i32)
    }
}

impl Lent<u8> {
    /// Fills and lends memory of this type.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [u8] {
        self.fill_numbers(count, filling, random, |number| number as u8)
    }
}

impl Lent<Frame> {
    /// Fills and lends memory of this type.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [Frame] {
        self.fill(count, filling, random)
    }
}

impl Work {
    /// Lends as much as is asked for, with its contents as they are.
    pub fn lend(&mut self, size: &WorkSize) -> WorkArea<'_> {
        WorkArea {
            constants: self.constants.lend(size.constants),
            signatures: self.signatures.lend(size.signatures),
            marks: self.marks.lend(size.marks),
            leaders: self.leaders.lend(size.leaders),
            queue: self.queue.lend(size.queue),
            states: self.states.lend(size.states),
        }
    }

    /// Fills and lends as much as is asked for, or more.
    pub fn hostile(
        &mut self,
        size: &WorkSize,
        filling: Filling,
        random: &mut Random,
    ) -> WorkArea<'_> {
        WorkArea {
            constants: self.constants.fill(size.constants, filling, random),
            signatures: self.signatures.hostile(size.signatures, filling, random),
            marks: self.marks.fill(size.marks, filling, random),
            leaders: self
                .leaders
                .fill_numbers(size.leaders, filling, random, low_u16),
            queue: self.queue.hostile(size.queue, filling, random),
            states: self.states.hostile(size.states, filling, random),
        }
    }
}

impl Storage {
    /// Lends as much as is asked for, with its contents as they are.
    pub fn lend(&mut self, size: &ProgramSize) -> ProgramStorage<'_> {
        ProgramStorage {
            ops: self.ops.lend(size.ops),
            ends: self.ends.lend(size.ops),
            places: self.places.lend(size.places),
            marks: self.marks.lend(size.marks),
            methods: self.methods.lend(size.methods),
            fields: self.fields.lend(size.fields),
            switches: self.switches.lend(size.switches),
            constants: self.constants.lend(size.constants),
        }
    }

    /// Fills and lends as much as is asked for, or more.
    pub fn hostile(
        &mut self,
        size: &ProgramSize,
        filling: Filling,
        random: &mut Random,
    ) -> ProgramStorage<'_> {
        ProgramStorage {
            ops: self.ops.fill(size.ops, filling, random),
            ends: self.ends.fill_numbers(size.ops, filling, random, low_u16),
            places: self
                .places
                .fill_numbers(size.places, filling, random, |number| Pc(low_u16(number))),
            marks: self.marks.fill(size.marks, filling, random),
            methods: self.methods.fill(size.methods, filling, random),
            fields: self.fields.fill(size.fields, filling, random),
            switches: self.switches.fill(size.switches, filling, random),
            constants: self.constants.fill(size.constants, filling, random),
        }
    }
}
