//! Memory for verification, which the caller lends, and whose size is computed from the class.

use jive_core::limits::{CONSTANTS_MAX, FRAME_SLOTS_MAX, METHODS_MAX};
use jive_core::{ClassFile, Code, CodeCounts, Method, count_code};

use crate::marks::{CodeMarks, marks_len};
use crate::queue::queue_len;
use crate::resolve::Resolved;
use crate::signature::signature_len;
use crate::state::{PLACES, Shape};

/// The size of each part of a [`WorkArea`].
///
/// All methods are verified in the same memory, so the largest demand of any method determines its size. Each method
/// needs 256 bytes of memory, plus 12 bytes for every 32 bytes of code. Each branch target needs `max_locals` plus
/// `max_stack` plus 4 bytes of memory. The class needs some 16 bytes of memory for each constant. A crafted class
/// within the limits can need several megabytes of memory, which the caller may refuse to lend.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkSize {
    /// Number of constants.
    pub constants: usize,
    /// Length of all methods' signatures, in bytes.
    pub signatures: usize,
    /// Number of [`CodeMarks`].
    pub marks: usize,
    /// Number of leaders, which are the branch targets and the first instruction of a method.
    pub leaders: usize,
    /// Length of the worklist, in words.
    pub queue: usize,
    /// Length of all type states, in bytes.
    pub states: usize,
}

impl WorkSize {
    /// Returns the total size in bytes.
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

/// Memory lent to the verifier. Each part of the memory must have at least the length that [`work_size`] returns.
///
/// The initial contents of the memory do not matter. If a part of the memory is too short, the class is rejected with
/// [`WorkArea`](crate::VerifyErrorKind::WorkArea).
#[derive(Debug)]
pub struct WorkArea<'w> {
    /// Resolutions of the constants.
    pub constants: &'w mut [Resolved],
    /// Signatures of the methods.
    pub signatures: &'w mut [u8],
    /// Marks for instruction starts and leaders.
    pub marks: &'w mut [CodeMarks],
    /// Pcs of the leaders.
    pub leaders: &'w mut [u16],
    /// The worklist.
    pub queue: &'w mut [u32],
    /// The type states.
    pub states: &'w mut [u8],
}

/// Returns how much memory the verification of a class needs.
///
/// For a class that exceeds a limit, returns the size for a class at the limit. The verifier rejects a class beyond a
/// limit before it needs more memory.
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
    /// Returns how much memory verification needs besides the memory for methods.
    #[must_use]
    pub fn without_methods(class: &ClassFile<'_>) -> Self {
        Self {
            constants: usize::from(class.pool().count().min(CONSTANTS_MAX)),
            ..Self::default()
        }
    }

    /// Adds the memory for the next method. `counts` is the result of [`count_code`] for the method's code.
    ///
    /// Methods beyond [`METHODS_MAX`] are ignored, because the class is rejected before they are verified.
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

/// Returns the length of the states of all leaders and of the current state, in bytes.
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

/// Returns an upper bound for the number of leaders of a method.
///
/// The bound is not exact, because an exact number of leaders would need a mark for each byte of code. A target of
/// several branches counts several times, up to the number of instructions. A pc at which no instruction begins may be a
/// leader too: an observer is told the types there.
fn leaders_bound(counts: &CodeCounts) -> usize {
    let leaders = counts.targets.saturating_add(1);
    let ends_early = usize::from(counts.stopped_at.is_some());
    let starts = counts.instructions.saturating_add(ends_early);
    leaders.min(starts.max(1))
}
