//! The linear memory of a program: null, the buffers in one array, and the heap.

use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use jive_core::{ArrayKind, Heap};

use crate::spec::ProgramSpec;

/// The reference of the array in which the buffers lie: it is the first.
pub(super) const BUFFERS: i32 = ARRAY_ALIGNMENT as i32;

/// Returns the place in the memory of a byte of the buffers.
pub(super) const fn in_memory(of_buffers: u32) -> u32 {
    of_buffers.saturating_add(ARRAY_ALIGNMENT + ARRAY_HEADER_BYTES)
}

/// Returns how many bytes the memory of a program has.
pub(super) fn bytes(spec: &ProgramSpec) -> u32 {
    let buffers = match spec.buffers {
        0 => 0,
        buffers => buffers.saturating_add(ARRAY_HEADER_BYTES),
    };
    // The reader of scenarios has checked the sum.
    aligned(ARRAY_HEADER_BYTES)
        .saturating_add(aligned(buffers))
        .saturating_add(spec.heap)
}

fn aligned(bytes: u32) -> u32 {
    bytes
        .checked_next_multiple_of(ARRAY_ALIGNMENT)
        .unwrap_or(u32::MAX)
}

/// Makes the heap of a program that begins, with the array of its buffers.
pub(super) fn begin<'m>(memory: &'m mut [u8], spec: &ProgramSpec) -> Heap<'m> {
    let mut heap = Heap::new(memory);
    if let Ok(length) = i32::try_from(spec.buffers)
        && length > 0
    {
        // The memory was measured for it.
        let made = heap.allocate(ArrayKind::Byte, length);
        debug_assert!(made.is_ok(), "the buffers fit");
    }
    heap
}
