//! The memory that verification works in: lent by the caller, its size computed from the class.

use jive_core::limits::{CONSTANTS_MAX, FRAME_SLOTS_MAX, METHODS_MAX};
use jive_core::{ClassFile, Code, CodeCounts, Method, count_code};

use crate::marks::{CodeMarks, marks_len};
use crate::queue::queue_len;
use crate::resolve::Resolved;
use crate::signature::signature_len;
use crate::state::{PLACES, Shape};

/// How much of each kind of memory a [`WorkArea`] must hold.
///
/// Each method is verified in the same memory, so what counts is the most that one method needs. Per method that is 12
/// bytes for 32 bytes of code, and 256 bytes. Each branch target adds the sum of `max_locals` and `max_stack`, plus 4.
/// A class adds some 16 bytes for each constant. A class within the limits but made to be large can ask for several
/// megabytes, which the caller may refuse to lend.
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

/// Returns how much memory verification of a class works in.
///
/// A class that passes a limit gets what a class at the limit would, since it is rejected before it
/// needs more.
#[must_use]
pub fn work_size(class: &ClassFile<'_>) -> WorkSize {
    let mut size = WorkSize::without_methods(class);
    for method in class.methods() {
        let counts = method.code().map(|code| count_code(code.bytes));
        size.add_method(&method, counts.as_ref());
    }
    size
}

impl WorkSize {
    /// Returns how much memory verification works in besides that for the methods.
    #[must_use]
    pub fn without_methods(class: &ClassFile<'_>) -> Self {
        Self {
            constants: usize::from(class.pool().count().min(CONSTANTS_MAX)),
            ..Self::default()
        }
    }

    /// Makes room for the next method, whose code [`count_code`] has counted.
    ///
    /// Methods beyond [`METHODS_MAX`] need no room: the class is rejected before they are verified.
    pub fn add_method(&mut self, method: &Method<'_>, counts: Option<&CodeCounts>) {
        if method.id.0 >= METHODS_MAX {
            return;
        }
        let signature = signature_len(method.descriptor.as_bytes());
        self.signatures = self.signatures.saturating_add(signature);
        if let (Some(code), Some(counts)) = (method.code(), counts) {
            let leaders = leaders_bound(counts);
            self.marks = self.marks.max(marks_len(code.bytes.len()));
            self.leaders = self.leaders.max(leaders);
            self.queue = self.queue.max(queue_len(leaders));
            self.states = self.states.max(states_len(&code, leaders));
        }
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
/// An exact count would take a mark for each byte of code. Instead a target of several branches is counted for each of
/// them, up to the number of instructions.
fn leaders_bound(counts: &CodeCounts) -> usize {
    let leaders = counts.targets.saturating_add(1);
    leaders.min(counts.instructions.max(1))
}
