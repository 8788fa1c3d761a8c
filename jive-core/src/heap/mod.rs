//! The heap of an instance: arrays in one linear memory. An array lives as long as its instance, or until its call
//! ends.
//!
//! A reference is the offset of an array's header in the memory. No header has offset 0, so the reference 0 is null. An
//! array is stored as follows:
//!
//! | offset | bytes | holds |
//! |---|---|---|
//! | reference | 4 | length in elements, little-endian |
//! | reference + 4 | 1 | kind, as `newarray` codes it (JVMS table 6.5.newarray-A) |
//! | reference + 5 | 1 | a mask for the lowest byte of a stored element |
//! | reference + 6 | 2 | zeros |
//! | reference + 8 | length × width | elements, little-endian, then zeros up to a multiple of 8 |
//!
//! Arrays follow each other in the order of their allocation, and no array between others is freed (a bump allocator).
//! The arrays of a per-call activation are above all other arrays, and all are freed when the call ends.

mod blocks;
pub(crate) mod elements;
mod header;
mod lent;

pub use lent::HeapState;

use header::{Header, index};

use crate::array_kind::ArrayKind;
use crate::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};
use crate::trap::TrapKind;

/// The offset of the first array. The memory below the first array is the header of null.
const HEAP_START: u32 = ARRAY_ALIGNMENT;

/// The highest offset at which the last array may end, so that all references are positive `int`s.
const END_MAX: u32 = i32::MAX.cast_unsigned() & !(ARRAY_ALIGNMENT - 1);

/// The value of `call_floor` if no per-call activation runs. No reference is above `PERSISTENT`.
const PERSISTENT: i32 = i32::MAX;

/// How long the arrays of a call live.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// The arrays live as long as the instance.
    Persistent,
    /// The arrays live until the call returns or traps.
    PerCall,
}

/// Arrays in lent memory.
///
/// A reference of one heap never names bytes of another heap. No field has a reference to an array that was freed at
/// the end of its call. The interpreter refuses to store references to arrays that a call's end frees: see
/// [`Heap::is_transient`].
#[derive(Debug)]
pub struct Heap<'m> {
    memory: &'m mut [u8],
    /// The offset at which the next array will be allocated. At most [`END_MAX`].
    top: u32,
    /// The references of arrays that are freed at the end of the running call are above this number. `call_floor` is
    /// [`PERSISTENT`] if the running call frees no arrays. So one comparison decides whether an array is transient,
    /// with or without a per-call activation.
    call_floor: i32,
    /// Bytes of new arrays that were freed since the last [`Heap::take_cleared`].
    cleared: u32,
    /// Where the arrays begin that [`Heap::take_cleared`] has not counted. It is counted when arrays are freed, and not
    /// when they are made, because few calls make any.
    counted_to: u32,
}

/// How far the memory of a heap is filled, and which part of the memory belongs to the running call.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Extent {
    top: u32,
    call_floor: i32,
}

/// What a heap knows besides its memory.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bounds {
    extent: Extent,
    cleared: u32,
    counted_to: u32,
}

impl Bounds {
    /// Returns the bounds of a call that begins, while no other call is running.
    #[inline(always)]
    pub(crate) const fn of_call(self, lifetime: Lifetime) -> Self {
        match lifetime {
            Lifetime::PerCall => self.above(self.extent.top),
            Lifetime::Persistent => self,
        }
    }

    /// Returns the bounds of a call whose own arrays begin at `floor`, while no other call is running.
    #[inline(always)]
    pub(crate) const fn above(mut self, floor: u32) -> Self {
        // A heap begins above 0, so subtracting 1 does not wrap.
        self.extent.call_floor = floor.cast_signed().wrapping_sub(1);
        self
    }

    /// Returns the offset after the last array.
    pub(crate) const fn top(self) -> u32 {
        self.extent.top
    }

    /// Returns whether a call that began with the bounds `before` has nothing to free or to count.
    #[inline(always)]
    pub(crate) const fn hold_no_more_than(self, before: Self) -> bool {
        let floor = before.extent.call_floor;
        self.extent.top == before.extent.top
            && self.cleared == before.cleared
            && self.counted_to == before.counted_to
            && (floor == PERSISTENT || self.extent.top.cast_signed().wrapping_sub(1) == floor)
    }

    /// Returns whether a reference names an array that is freed at the end of the running call.
    #[inline(always)]
    pub(crate) const fn is_transient(&self, reference: i32) -> bool {
        reference > self.extent.call_floor
    }
}

impl Extent {
    /// Returns the offset after the last array.
    pub(crate) const fn top(self) -> u32 {
        self.top
    }
}

/// An array, as its header describes it. The whole array is within the heap's memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArrayView {
    /// Type of the elements.
    pub kind: ArrayKind,
    /// The count of elements.
    pub length: u32,
    /// Offset of the first element in the linear memory.
    pub start: u32,
}

impl ArrayView {
    /// Returns the size of the elements in bytes.
    #[must_use]
    pub const fn byte_length(self) -> u32 {
        // The product cannot wrap, because the array is in a memory whose offsets fit in `u32`. `From` is not `const`.
        self.length.wrapping_mul(self.kind.width() as u32)
    }
}

impl<'m> Heap<'m> {
    /// Makes an empty heap in lent memory.
    ///
    /// The lent memory may have any contents, because a new array is zeroed. Bytes past 2³¹ are not used, because a
    /// reference is a positive `int`.
    #[must_use]
    pub fn new(memory: &'m mut [u8]) -> Self {
        // Null has the header of an array without elements. So every load from null and every store to null fails its
        // bounds check, and needs no test for null.
        if let Some(null) = memory.first_chunk_mut::<{ ARRAY_HEADER_BYTES as usize }>() {
            *null = [0; ARRAY_HEADER_BYTES as usize];
        }
        Self {
            memory,
            top: HEAP_START,
            call_floor: PERSISTENT,
            cleared: 0,
            counted_to: HEAP_START,
        }
    }

    /// Ends the heap, and returns the lent memory.
    #[must_use]
    pub fn into_memory(self) -> &'m mut [u8] {
        self.memory
    }

    /// Lends the heap's memory to a run. The run reports how far it filled the memory, and [`Heap::adopt`] records that
    /// extent.
    pub(crate) const fn lend(&mut self) -> Heap<'_> {
        Heap {
            memory: self.memory,
            top: self.top,
            call_floor: self.call_floor,
            cleared: 0,
            counted_to: self.counted_to,
        }
    }

    /// Returns what the heap knows besides its memory.
    #[inline(always)]
    pub(crate) const fn bounds(&self) -> Bounds {
        Bounds {
            extent: self.extent(),
            cleared: self.cleared,
            counted_to: self.counted_to,
        }
    }

    /// Splits the heap into its memory and what else it knows, for [`Heap::joined`].
    #[inline(always)]
    pub(crate) const fn split(&mut self) -> (&mut [u8], Bounds) {
        let bounds = self.bounds();
        (self.memory, bounds)
    }

    /// Joins the parts of a heap that [`Heap::split`] returned.
    #[inline(always)]
    pub(crate) const fn joined(memory: &'m mut [u8], bounds: Bounds) -> Self {
        Self {
            memory,
            top: bounds.extent.top,
            call_floor: bounds.extent.call_floor,
            cleared: bounds.cleared,
            counted_to: bounds.counted_to,
        }
    }

    /// Sets what the heap knows besides its memory.
    pub(crate) const fn set_bounds(&mut self, bounds: Bounds) {
        (self.cleared, self.counted_to) = (bounds.cleared, bounds.counted_to);
        self.adopt(bounds.extent);
    }

    /// Frees the arrays from `floor` on, which were made for a call.
    pub(crate) fn end_call_at(&mut self, floor: u32) {
        let bounds = self.bounds().above(floor);
        self.end_call_with(bounds);
    }

    /// Sets what the heap knows, and ends the call that it knows of.
    #[inline(never)]
    pub(crate) fn end_call_with(&mut self, bounds: Bounds) {
        self.set_bounds(bounds);
        self.end_call();
    }

    /// Lends the heap's memory to a call that begins, while no other call is running.
    #[inline(always)]
    pub(crate) fn lend_for(&mut self, lifetime: Lifetime) -> Heap<'_> {
        let mut heap = self.lend();
        if lifetime == Lifetime::PerCall {
            heap.begin_call();
        }
        heap
    }

    /// Returns whether a call begun by [`Heap::begin_call`] is running.
    pub(crate) const fn is_in_call(&self) -> bool {
        self.call_floor != PERSISTENT
    }

    /// Records how far a run filled the heap's memory.
    pub(crate) const fn adopt(&mut self, extent: Extent) {
        self.top = extent.top;
        self.call_floor = extent.call_floor;
    }

    /// Returns whether a run that ended with this extent has allocated no array.
    #[inline(always)]
    pub(crate) const fn is_of(&self, extent: Extent) -> bool {
        self.top == extent.top
    }

    /// Ends a call: records how far the call filled the heap's memory, and frees the arrays of the call.
    #[inline(never)]
    pub(crate) fn keep(&mut self, extent: Extent) {
        self.adopt(extent);
        self.end_call();
    }

    /// Returns how far the heap's memory is filled.
    pub(crate) const fn extent(&self) -> Extent {
        Extent {
            top: self.top,
            call_floor: self.call_floor,
        }
    }

    /// Allocates a zeroed array, and returns its reference.
    ///
    /// # Errors
    ///
    /// Returns `NegativeArraySizeException` if the length is negative, and `OutOfMemoryError` if the array does not fit
    /// in the heap. After an error of `allocate`, the heap has not changed.
    pub fn allocate(&mut self, kind: ArrayKind, length: i32) -> Result<i32, TrapKind> {
        let length = u32::try_from(length).map_err(|_| TrapKind::NegativeArraySizeException)?;
        let data = length
            .checked_mul(kind.width().into())
            .and_then(|bytes| bytes.checked_next_multiple_of(ARRAY_ALIGNMENT))
            .ok_or(TrapKind::OutOfMemoryError)?;
        let end = self
            .top
            .checked_add(ARRAY_HEADER_BYTES)
            .and_then(|start| start.checked_add(data))
            .filter(|&end| end <= END_MAX)
            .ok_or(TrapKind::OutOfMemoryError)?;
        let block = self
            .memory
            .get_mut(index(self.top)..index(end))
            .ok_or(TrapKind::OutOfMemoryError)?;
        // The memory of the new array may contain elements of an earlier call, which no other call may read.
        block.fill(0);
        if let Some(header) = block.first_chunk_mut() {
            *header = Header::new(length, kind).to_bytes();
        }
        // The offset is at most `END_MAX`, so the reference is positive.
        let reference = self.top.cast_signed();
        self.top = end;
        Ok(reference)
    }

    /// Returns whether new arrays were cleared since the last call of [`Heap::take_cleared`].
    #[inline]
    #[must_use]
    pub const fn has_cleared(&self) -> bool {
        self.cleared > 0 || self.top > self.counted_to
    }

    /// Returns how many bytes of new arrays were cleared since the last call of `take_cleared`. Clearing takes real time
    /// that no fuel pays for.
    #[inline]
    pub fn take_cleared(&mut self) -> u32 {
        let made = self.top.saturating_sub(self.counted_to);
        self.counted_to = self.top;
        core::mem::take(&mut self.cleared).saturating_add(made)
    }

    /// Returns how many bytes an array takes, including its header.
    #[must_use]
    pub fn bytes_of_array(kind: ArrayKind, length: u32) -> u64 {
        let header = u64::from(ARRAY_HEADER_BYTES);
        let data = u64::from(length).saturating_mul(kind.width().into());
        header.saturating_add(data.next_multiple_of(ARRAY_ALIGNMENT.into()))
    }

    /// Returns the heap as it was when the last array ended at `top`. Arrays between the heap's current end and `top`
    /// have been freed, but no other array has been allocated since.
    pub(crate) const fn filled_to(&mut self, top: u32) -> Heap<'_> {
        Heap {
            memory: self.memory,
            top,
            call_floor: PERSISTENT,
            cleared: 0,
            counted_to: self.counted_to,
        }
    }

    /// Returns kind and length of an array that may have been freed, if no other array has been allocated since.
    pub(crate) fn shape(&self, reference: i32) -> Option<(ArrayKind, u32)> {
        let header = self.header(reference)?;
        Some((ArrayKind::from_newarray_code(header.kind)?, header.length))
    }

    /// Returns the header at a reference, if the memory is large enough.
    #[inline(always)]
    fn header(&self, reference: i32) -> Option<Header> {
        header::header(self.memory, reference)
    }

    /// Returns the array that a reference names. Returns `None` for null, and if no array can be at the reference.
    ///
    /// A forged reference may name elements of an array whose bytes look like a header. A forged reference never names
    /// bytes after the last array.
    #[must_use]
    #[inline]
    pub fn array(&self, reference: i32) -> Option<ArrayView> {
        let header = self.header(reference)?;
        // The header of null has no kind.
        let kind = ArrayKind::from_newarray_code(header.kind)?;
        let start = u32::try_from(reference)
            .ok()?
            .checked_add(ARRAY_HEADER_BYTES)?;
        let bytes = header.length.checked_mul(kind.width().into())?;
        (start.is_multiple_of(ARRAY_ALIGNMENT) && start.checked_add(bytes)? <= self.top).then_some(
            ArrayView {
                kind,
                length: header.length,
                start,
            },
        )
    }

    /// Returns the bytes of an array's elements, or `None` if the reference names no array.
    #[must_use]
    pub fn bytes(&self, reference: i32) -> Option<&[u8]> {
        let array = self.array(reference)?;
        self.bytes_at(array.start, array.byte_length())
    }

    /// Returns the bytes of an array's elements as a mutable slice.
    #[must_use]
    pub fn bytes_mut(&mut self, reference: i32) -> Option<&mut [u8]> {
        let array = self.array(reference)?;
        self.bytes_at_mut(array.start, array.byte_length())
    }

    /// Returns `length` bytes of the linear memory from an offset on, such as [`ArrayView::start`]. Returns `None` if
    /// the memory ends before the last of the requested bytes. The caller has checked that the bytes belong to an
    /// array, which never moves.
    #[must_use]
    #[inline]
    pub fn bytes_at(&self, start: u32, length: u32) -> Option<&[u8]> {
        self.memory.get(index(start)..)?.get(..index(length))
    }

    /// Returns bytes of the linear memory as a mutable slice, like [`Heap::bytes_at`].
    #[must_use]
    #[inline]
    pub fn bytes_at_mut(&mut self, start: u32, length: u32) -> Option<&mut [u8]> {
        let from = self.memory.get_mut(index(start)..)?;
        from.get_mut(..index(length))
    }

    /// Returns the size of all live arrays in bytes, headers included.
    #[must_use]
    pub const fn used(&self) -> u32 {
        self.top.saturating_sub(HEAP_START)
    }

    /// Returns the reference that the next new array has.
    #[must_use]
    pub const fn next_reference(&self) -> i32 {
        self.top.cast_signed()
    }

    /// Returns the count of bytes that are free for arrays.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free_from(self.top)
    }

    /// Returns the count of bytes that are free for arrays if the last array ends at `top`.
    pub(crate) const fn free_from(&self, top: u32) -> u32 {
        // Memory above 4 GiB is not counted, because no reference can name it.
        let length = if self.memory.len() < u32::MAX as usize {
            self.memory.len() as u32
        } else {
            u32::MAX
        };
        length.saturating_sub(top)
    }

    /// Begins a call whose arrays are freed when the call ends. No other per-call activation is running.
    pub(crate) const fn begin_call(&mut self) {
        // The top of the heap is at least `HEAP_START`, so subtracting 1 does not wrap.
        self.call_floor = self.top.cast_signed().wrapping_sub(1);
    }

    /// Ends the call that [`Heap::begin_call`] has begun, if the call is still running, and frees the call's arrays.
    /// Returns how long the arrays lived.
    pub(crate) fn end_call(&mut self) -> Lifetime {
        if !self.is_in_call() {
            return Lifetime::Persistent;
        }
        let floor = self.call_floor.cast_unsigned().wrapping_add(1);
        if self.top > floor {
            self.free_to(floor);
        }
        self.call_floor = PERSISTENT;
        Lifetime::PerCall
    }

    /// Takes back the end of a call: its arrays, the last of which ended at `top`, are as they were.
    pub(crate) fn reopen_call(&mut self, lifetime: Lifetime, top: u32) {
        if lifetime == Lifetime::PerCall {
            self.begin_call();
        }
        if top > self.top {
            // The arrays of the call were counted as cleared when they were freed.
            let uncounted = self.top.saturating_sub(self.counted_to);
            self.cleared = self.cleared.saturating_add(uncounted);
            (self.top, self.counted_to) = (top, top);
        }
    }

    #[cold]
    fn free_to(&mut self, floor: u32) {
        let made = self.top.saturating_sub(self.counted_to);
        self.cleared = self.cleared.saturating_add(made);
        self.top = floor;
        self.counted_to = self.counted_to.min(floor);
    }

    /// Returns whether a reference names an array that is freed at the end of the running call.
    ///
    /// A reference to a transient array must not be stored where a later call can read the reference.
    #[must_use]
    pub const fn is_transient(&self, reference: i32) -> bool {
        reference > self.call_floor
    }

    /// Frees the arrays that were allocated when [`Heap::used`] was at least `used`. Freeing arrays abandons a running
    /// call.
    ///
    /// The caller makes sure that no field has a reference to a freed array.
    pub fn free_behind(&mut self, used: u32) {
        self.top = self.top.min(HEAP_START.saturating_add(used));
        self.call_floor = PERSISTENT;
    }

    /// Returns the bytes of all live arrays, headers included, for [`Heap::restore`].
    #[must_use]
    pub fn contents(&self) -> &[u8] {
        self.memory
            .get(index(HEAP_START)..index(self.top))
            .unwrap_or_default()
    }

    /// Restores the arrays from bytes that [`Heap::contents`] returned. Restoring the arrays abandons a running call.
    ///
    /// References name the same arrays as when `contents` was called, so the caller must restore the fields too. An
    /// empty slice frees all arrays.
    ///
    /// # Errors
    ///
    /// Returns [`TrapKind::OutOfMemoryError`] if the heap's memory is smaller than the contents. After this error, the
    /// heap has not changed.
    pub fn restore(&mut self, contents: &[u8]) -> Result<(), TrapKind> {
        let end = u32::try_from(contents.len())
            .ok()
            .and_then(|length| length.checked_add(HEAP_START))
            .filter(|&end| end <= END_MAX)
            .ok_or(TrapKind::OutOfMemoryError)?;
        if !contents.is_empty() {
            self.memory
                .get_mut(index(HEAP_START)..index(end))
                .ok_or(TrapKind::OutOfMemoryError)?
                .copy_from_slice(contents);
        }
        self.top = end;
        self.call_floor = PERSISTENT;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_little_endian_and_aligned() {
        let mut memory = [0xff; 64];
        let mut heap = Heap::new(&mut memory);
        let shorts = heap.allocate(ArrayKind::Short, 3).unwrap();
        let ints = heap.allocate(ArrayKind::Int, 1).unwrap();
        heap.store_short(shorts, 1, 0x1_2345).unwrap();
        heap.store_int(ints, 0, -2).unwrap();
        assert_eq!(heap.bytes(shorts), Some(&[0, 0, 0x45, 0x23, 0, 0][..]));
        assert_eq!(heap.bytes(ints), Some(&[0xfe, 0xff, 0xff, 0xff][..]));
        for reference in [shorts, ints] {
            assert_eq!(heap.array(reference).unwrap().start % ARRAY_ALIGNMENT, 0);
        }
        // The two arrays take two headers of 8 bytes, and 6 and 4 bytes of elements up to the next multiple of 8.
        assert_eq!(heap.used(), 32);
    }

    #[test]
    fn forged_reference_stays_within_the_arrays() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let bytes = heap.allocate(ArrayKind::Byte, 24).unwrap();
        let view = ArrayView {
            kind: ArrayKind::Byte,
            length: 24,
            start: 16,
        };
        // The elements that the test writes look like the header of a `byte[]` that ends one byte after the last array.
        heap.bytes_mut(bytes).unwrap()[8..16].copy_from_slice(&[9, 0, 0, 0, 8, 0, 0, 0]);
        for reference in i32::from(i8::MIN)..100 {
            let expected = (reference == bytes).then_some(view);
            assert_eq!(heap.array(reference), expected, "{reference}");
        }
        for reference in [i32::MIN, i32::MAX, i32::MAX - 7] {
            assert_eq!(heap.array(reference), None);
        }
        heap.restore(&[]).unwrap();
        assert_eq!(heap.array(bytes), None);
    }

    #[test]
    #[cfg(debug_assertions)]
    fn an_array_of_another_kind_is_a_broken_promise() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let bytes = heap.allocate(ArrayKind::Byte, 8).unwrap();
        assert_eq!(heap.load_int(bytes, 0), None);
        assert_eq!(heap.store_short(bytes, 0, 1), None);
        assert_eq!(heap.load_byte(-1, 0), None);
        for reference in [bytes, -1] {
            assert_eq!(heap.fault(reference, 0), TrapKind::Unverified);
        }
        assert_eq!(heap.bytes(bytes), Some(&[0; 8][..]));
    }

    #[test]
    fn contents_come_back_as_they_were() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let bytes = heap.allocate(ArrayKind::Byte, 2).unwrap();
        heap.store_byte(bytes, 1, 7).unwrap();
        let mut saved = [0; 16];
        saved.copy_from_slice(heap.contents());
        heap.store_byte(bytes, 1, 8).unwrap();
        heap.begin_call();
        let transient = heap.allocate(ArrayKind::Byte, 2).unwrap();
        assert!(heap.is_transient(transient) && !heap.is_transient(bytes));
        heap.restore(&saved).unwrap();
        assert_eq!((heap.load_byte(bytes, 1), heap.used()), (Some(7), 16));
        for reference in [transient, i32::MAX] {
            assert!(!heap.is_transient(reference));
        }
        assert_eq!(heap.restore(&[0; 57]), Err(TrapKind::OutOfMemoryError));
        assert_eq!(heap.used(), 16);
    }
}
