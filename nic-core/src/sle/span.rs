//! Ranges of bytes within the arrays of an applet.

use jive_core::{ArrayView, Heap, TrapKind};

use crate::native::{Bound, Refusal, fault};

/// Number of bytes of an element of the array that holds the offsets of a message's shares.
pub(super) const SHARE_BYTES: u32 = size_of::<i32>() as u32;

/// A range of bytes within an array. An `ArraySpan` proves that the range lay inside the array when the span was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// The alignment lets the compiler copy the struct as 8-byte words; see `memory::HostSpan`.
#[repr(align(8))]
pub struct ArraySpan {
    pub(super) array: i32,
    pub(super) length: u32,
    // Start of the range in the heap's memory.
    pub(super) start: u32,
}

impl ArraySpan {
    /// Returns all bytes of an array, or `None` if the reference is null.
    pub(super) fn whole(heap: &Heap<'_>, array: i32) -> Option<ArraySpan> {
        let view = heap.array(array)?;
        Some(ArraySpan {
            array,
            length: view.byte_length(),
            start: view.start,
        })
    }

    /// Returns the reference to the span's array.
    #[must_use]
    pub fn array(self) -> i32 {
        self.array
    }

    /// Returns where the span begins in the heap's memory.
    #[must_use]
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns the span's length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the bytes. The span stays valid during a call, because arrays neither move nor shrink.
    #[must_use]
    pub fn bytes<'h>(self, heap: &'h Heap<'_>) -> &'h [u8] {
        heap.bytes_at(self.start, self.length).unwrap_or_default()
    }

    /// Returns the elements of the span, whose array is an `int[]`.
    pub fn offsets<'h>(self, heap: &'h Heap<'_>) -> impl Iterator<Item = i32> + use<'h> {
        let elements = self.bytes(heap).chunks_exact(SHARE_BYTES as usize);
        // The conversion cannot fail, because `chunks_exact` yields slices of exactly `SHARE_BYTES`.
        elements.map(|element| i32::from_le_bytes(element.try_into().unwrap_or_default()))
    }

    /// Returns the bytes of the span for writing.
    pub fn bytes_mut<'h>(self, heap: &'h mut Heap<'_>) -> &'h mut [u8] {
        heap.bytes_at_mut(self.start, self.length)
            .unwrap_or_default()
    }
}

/// Returns the span of `length` bytes from `offset` of a byte array. An empty span may start at the end of the array.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn array_span<R: Refusal>(
    heap: &Heap<'_>,
    array: i32,
    offset: i32,
    length: i32,
) -> Result<ArraySpan, R> {
    let view = array_view(heap, array)?;
    // The end of the range cannot overflow, because an `i64` holds the sum of any two `i32` values.
    let end = i64::from(offset) + i64::from(length);
    match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length)) if end <= i64::from(view.length) => Ok(ArraySpan {
            array,
            length,
            start: view.start + offset,
        }),
        _ => Err(fault(Bound::Array {
            offset,
            length,
            elements: view.length,
        })),
    }
}

/// Returns the header of an array, whose type the verifier proved.
#[inline]
pub(super) fn array_view<R: Refusal>(heap: &Heap<'_>, array: i32) -> Result<ArrayView, R> {
    if array == 0 {
        return Err(R::of(TrapKind::NullPointerException, Bound::Null));
    }
    heap.array(array).ok_or(R::unverified())
}
