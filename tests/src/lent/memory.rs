//! The memory that parser, verifier, linker and interpreter borrow, and its possible contents beforehand.
//!
//! Safe code cannot make ops, marks or frames from arbitrary bits. An embedder, however, can lend memory that the
//! library has used for another class, at the same place or elsewhere. The tests therefore fill slices of ops, marks or
//! frames with values from earlier classes, and slices of numbers with arbitrary numbers.

use jive_core::{
    Frame, LinkedConstant, LinkedField, LinkedMethod, Mark, Op, Pc, ProgramSize, ProgramStorage,
    SwitchCase,
};
use jive_verifier::{CodeMarks, Resolved, WorkArea, WorkSize};

use jive_lab::Random;

/// The contents of lent memory before a class uses it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Numbers have all bits set, and all other elements have one value that another class left.
    Ones,
    /// The values that the last class left.
    Last,
    /// Random numbers, and values of other classes at random positions.
    Random,
}

impl Filling {
    /// All fillings.
    pub const ALL: [Filling; 3] = [Filling::Ones, Filling::Last, Filling::Random];
}

/// A slice to lend, and a collection of values that other classes left.
#[derive(Clone, Debug, Default)]
pub struct Lent<T> {
    memory: Vec<T>,
    seen: Vec<T>,
}

/// Maximum number of values kept for each type.
const SEEN_MAX: usize = 512;
/// Maximum number of values kept from each class.
const SEEN_EACH: usize = 4;

impl<T: Copy + Default> Lent<T> {
    /// Returns `count` elements with their current contents; new elements have the default value.
    pub fn lend(&mut self, count: usize) -> &mut [T] {
        if self.memory.len() < count {
            self.memory.resize(count, T::default());
        }
        &mut self.memory[..count]
    }

    /// Fills `count` elements with values that other classes left, and lends them with any elements that follow.
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

    /// Fills `count` elements with numbers, and lends them with any elements that follow.
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
            // Mask most numbers to few bits, because small numbers are more likely to be mistaken for indices.
            Filling::Random => {
                let mask = [0x7, 0xff, u64::MAX][random.below(3)];
                self.memory.fill_with(|| number(random.draw() & mask));
            }
        }
        &mut self.memory
    }
}

/// All memory that a class and its run borrow.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Memory for [`jive_core::ClassFile::parse`].
    pub index: Lent<u32>,
    /// Memory for [`jive_verifier::verify`].
    pub work: Work,
    /// Memory for linking and running a class.
    pub loaded: Loaded,
}

/// Memory that an accepted class borrows.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// Memory for [`jive_core::link`].
    pub storage: Storage,
    /// Frames of the call stack.
    pub frames: Lent<Frame>,
    /// Slots of the call stack.
    pub slots: Lent<i32>,
    /// Fields of the instance.
    pub fields: Lent<i32>,
    /// Memory of the heap.
    pub heap: Lent<u8>,
}

/// Memory that the verifier borrows.
#[derive(Clone, Debug, Default)]
pub struct Work {
    constants: Lent<Resolved>,
    signatures: Lent<u8>,
    marks: Lent<CodeMarks>,
    leaders: Lent<u16>,
    queue: Lent<u32>,
    states: Lent<u8>,
}

/// Memory that the linker borrows.
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

/// Truncates a number to its low 16 bits.
fn low_u16(number: u64) -> u16 {
    number as u16
}

impl Lent<u32> {
    /// Fills `count` elements of the lent slice of `u32`, and lends them.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [u32] {
        self.fill_numbers(count, filling, random, |number| number as u32)
    }
}

impl Lent<i32> {
    /// Fills `count` elements of the lent slice of `i32`, and lends them.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [i32] {
        self.fill_numbers(count, filling, random, |number| number as i32)
    }
}

impl Lent<u8> {
    /// Fills `count` elements of the lent slice of `u8`, and lends them.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [u8] {
        self.fill_numbers(count, filling, random, |number| number as u8)
    }
}

impl Lent<Frame> {
    /// Fills `count` frames of the lent memory, and lends them.
    pub fn hostile(&mut self, count: usize, filling: Filling, random: &mut Random) -> &mut [Frame] {
        self.fill(count, filling, random)
    }
}

impl Work {
    /// Lends slices of the requested sizes to the verifier, with their current contents.
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

    /// Fills slices of at least the requested sizes, and lends them to the verifier.
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
    /// Lends slices of the requested sizes to the linker, with their current contents.
    pub fn lend(&mut self, size: &ProgramSize) -> ProgramStorage<'_, '_> {
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

    /// Fills slices of at least the requested sizes, and lends them to the linker.
    pub fn hostile(
        &mut self,
        size: &ProgramSize,
        filling: Filling,
        random: &mut Random,
    ) -> ProgramStorage<'_, '_> {
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
