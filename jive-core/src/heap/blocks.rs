//! Arrays as blocks of memory, for a collector that moves them or takes their memory for others.

use core::ops::Range;

use super::header::index;
use super::{END_MAX, Heap};
use crate::array_kind::ArrayKind;
use crate::limits::ARRAY_ALIGNMENT;
use crate::trap::TrapKind;

impl Heap<'_> {
    /// Returns the bytes of an array from its header to its last element, or `None` if the reference names no array.
    pub(crate) fn block(&self, reference: i32) -> Option<Range<u32>> {
        let array = self.array(reference)?;
        let end = array.start.checked_add(array.byte_length())?;
        Some(reference.cast_unsigned()..end)
    }

    /// Returns the offset at which the last array may end at most.
    pub(crate) fn end_max(&self) -> u32 {
        let length = u32::try_from(self.memory.len()).unwrap_or(u32::MAX);
        length.min(END_MAX)
    }

    /// Moves the bytes of an array, and writes zeros behind them up to the next multiple of [`ARRAY_ALIGNMENT`]. Moves
    /// nothing if the memory ends before one of the places.
    pub(crate) fn carry(&mut self, block: Range<u32>, to: u32) {
        let (from, to) = (index(block.start)..index(block.end), index(to));
        let behind = to.saturating_add(from.len());
        let padded = behind.next_multiple_of(index(ARRAY_ALIGNMENT));
        if from.end <= self.memory.len() && padded <= self.memory.len() {
            self.memory.copy_within(from, to);
            if let Some(padding) = self.memory.get_mut(behind..padded) {
                padding.fill(0);
            }
        }
    }

    /// Makes a zeroed array at the beginning of a free block below the last array, and returns its reference.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Heap::allocate`], with `OutOfMemoryError` if the block is too small.
    pub(crate) fn allocate_in(
        &mut self,
        free: Range<u32>,
        kind: ArrayKind,
        length: i32,
    ) -> Result<i32, TrapKind> {
        let mut within = Heap {
            top: free.start,
            memory: self.memory.get_mut(..index(free.end)).unwrap_or_default(),
            ..*self
        };
        let reference = within.allocate(kind, length)?;
        let made = within.top.saturating_sub(free.start);
        self.cleared = self.cleared.saturating_add(made);
        Ok(reference)
    }

    /// Sets the offset after the last array. Arrays above are free, and arrays below may have been copied from there.
    pub(crate) fn refill_to(&mut self, top: u32) {
        self.cleared = self
            .cleared
            .saturating_add(self.top.saturating_sub(self.counted_to));
        (self.top, self.counted_to) = (top, top);
    }
}
