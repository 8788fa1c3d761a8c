//! The memory that verification works in: lent by the caller, its size computed from the class, and with it that
//! of the program which is linked afterwards.

use jive_core::limits::{CONSTANTS_MAX, FRAME_SLOTS_MAX, METHODS_MAX};
use jive_core::{ClassFile, Code, CodeCounts, ProgramSize, count_code};

use crate::marks::{CodeMarks, marks_len};
use crate::queue::queue_len;
use crate::resolve::Resolved;
use crate::signature::signature_len;
use crate::state::{PLACES, Shape};

/// How much of each kind of memory a [`WorkArea`] must hold.
///
/// Each method is verified in the same memory, so what counts is the most that one method needs. Per
/// method that is 12 bytes for 32 bytes of code, and for each branch target the sum of `max_locals`
/// and `max_stack`, plus 4, and 256 bytes besides; a class adds 16 bytes or so for each constant. A class
/// within the limits but made to be large can ask for several megabytes, which the caller may refuse to lend.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkSize {
    /// Entries for the constant pool.
    pub constants: usize,
    /// Bytes of the methods' signatures.
    pub signatures: usize,
    /// Entries for the bytes of code.
    pub marks: usize,
    /// Entries for the branch targets.
    pub leaders: usize,
    /// Words of the worklist.
    pub queue: usize,
    /// Bytes of type states.
    pub states: usize,
}

impl WorkSize {
    /// Returns how many bytes that is in all.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.constants
            .saturating_mul(size_of::<Resolved>())
            .saturating_add(self.signatures)
            .saturating_add(self.marks.saturating_mul(size_of::<CodeMarks>()))
            .saturating_add(self.leaders.saturating_mul(size_of::<u16>()))
            .saturating_add(self.queue.saturating_mul(size_of::<u32>()))
            .saturating_add(self.states)
    }
}

/// Memory lent to the verifier, as much of each kind as [`work_size`] asks for or more.
///
/// Its contents do not matter. Where it is too small the class is rejected with
/// [`WorkArea`](crate::VerifyErrorKind::WorkArea).
#[derive(Debug)]
pub struct WorkArea<'w> {
    /// What the constants were resolved to.
    pub constants: &'w mut [Resolved],
    /// The methods' signatures.
    pub signatures: &'w mut [u8],
    /// Where instructions start and paths meet.
    pub marks: &'w mut [CodeMarks],
    /// The pcs of the branch targets.
    pub leaders: &'w mut [u16],
    /// The worklist.
    pub queue: &'w mut [u32],
    /// The type states.
    pub states: &'w mut [u8],
}

/// How much memory it takes to verify a class, and then to link it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadSize {
    /// For verifying it.
    pub work: WorkSize,
    /// For linking it: what [`program_size`](jive_core::program_size) says of a class that was accepted.
    pub program: ProgramSize,
}

/// Returns how much memory verification of a class works in.
///
/// A class that passes a limit gets what a class at the limit would, since it is rejected before it
/// needs more.
#[must_use]
pub fn work_size(class: &ClassFile<'_>) -> WorkSize {
    load_size(class).work
}

/// Returns how much memory verification of a class works in, and how much its program takes if it is accepted:
/// both from one walk over its code.
#[must_use]
pub fn load_size(class: &ClassFile<'_>) -> LoadSize {
    let mut work = WorkSize {
        constants: usize::from(class.pool().count().min(CONSTANTS_MAX)),
        ..WorkSize::default()
    };
    let mut program = ProgramSize::without_code(class);
    for method in class.methods().take(usize::from(METHODS_MAX)) {
        let signature = signature_len(method.descriptor.as_bytes());
        work.signatures = work.signatures.saturating_add(signature);
        if let Some(code) = method.code() {
            let counts = count_code(code.bytes);
            program.add_code(code.bytes, &counts);
            work.add_code(&code, &counts);
        }
    }
    LoadSize { work, program }
}

impl WorkSize {
    /// Makes room for the code of a method.
    fn add_code(&mut self, code: &Code<'_>, counts: &CodeCounts) {
        let leaders = leaders_bound(counts);
        self.marks = self.marks.max(marks_len(code.bytes.len()));
        self.leaders = self.leaders.max(leaders);
        self.queue = self.queue.max(queue_len(leaders));
        self.states = self.states.max(states_len(code, leaders));
    }
}

/// Returns how many bytes hold a state for each leader and the one that instructions change.
fn states_len(code: &Code<'_>, leaders: usize) -> usize {
    let shape = Shape::of(code);
    if shape.slots() > u32::from(FRAME_SLOTS_MAX) {
        return 0;
    }
    shape
        .state_len()
        .saturating_mul(leaders)
        .saturating_add(PLACES)
}

/// Returns a number of leaders that a method cannot have more of.
///
/// It is not exact, which would take a mark for each byte of code: a target of several branches is
/// counted for each of them, as far as there are instructions to be leaders.
fn leaders_bound(counts: &CodeCounts) -> usize {
    let leaders = counts.targets.saturating_add(1);
    leaders.min(counts.instructions.max(1))
}
