//! Access to the elements of arrays, for the array instructions.
//!
//! Loads and stores return `None` if the array does not exist or has no element with the given index. [`Heap::fault`]
//! finds the trap of a failed load or store, so that loads and stores need no code for that. The functions that take the
//! memory alone are those that printed code calls (`compiled`).

use core::ops::Range;

use super::Heap;
use super::header::{Header, header, index};
use crate::array_kind::ArrayKind;
use crate::limits::ARRAY_HEADER_BYTES;
use crate::trap::TrapKind;

impl Heap<'_> {
    /// Returns the length of an array, or the trap of `arraylength`.
    #[inline]
    pub(crate) fn length(&self, reference: i32) -> Result<i32, TrapKind> {
        if reference == 0 {
            return Err(TrapKind::NullPointerException);
        }
        length(self.memory, reference).ok_or(TrapKind::Unverified)
    }

    #[inline(always)]
    pub(crate) fn load_byte(&self, reference: i32, index: i32) -> Option<u8> {
        load_byte(self.memory, reference, index)
    }

    #[inline(always)]
    pub(crate) fn load_short(&self, reference: i32, index: i32) -> Option<i16> {
        load_short(self.memory, reference, index)
    }

    #[inline(always)]
    pub(crate) fn load_int(&self, reference: i32, index: i32) -> Option<i32> {
        load_int(self.memory, reference, index)
    }

    #[inline(always)]
    pub(crate) fn store_byte(&mut self, reference: i32, index: i32, value: i32) -> Option<()> {
        store_byte(self.memory, reference, index, value)
    }

    #[inline(always)]
    pub(crate) fn store_short(&mut self, reference: i32, index: i32, value: i32) -> Option<()> {
        store_short(self.memory, reference, index, value)
    }

    #[inline(always)]
    pub(crate) fn store_int(&mut self, reference: i32, index: i32, value: i32) -> Option<()> {
        store_int(self.memory, reference, index, value)
    }

    /// Returns the trap of a load or store that found no element. `fault` tests for null before it tests the bounds
    /// (JVMS §6.5.iaload).
    #[cold]
    #[inline(never)]
    pub(crate) fn fault(&self, reference: i32, element: i32) -> TrapKind {
        if reference == 0 {
            return TrapKind::NullPointerException;
        }
        match self.header(reference) {
            Some(header) if element.cast_unsigned() >= header.length => {
                TrapKind::ArrayIndexOutOfBoundsException
            }
            _ => TrapKind::Unverified,
        }
    }
}

/// Returns the length of an array, or `None` if the memory ends before its header. The length of null is 0.
#[inline(always)]
pub(crate) fn length(memory: &[u8], reference: i32) -> Option<i32> {
    // The cast is lossless, because `allocate` converted the length from an `int`.
    header(memory, reference).map(|header| header.length.cast_signed())
}

#[inline(always)]
pub(crate) fn load_byte(memory: &[u8], reference: i32, index: i32) -> Option<u8> {
    load(memory, reference, index, BYTES).map(u8::from_le_bytes)
}

#[inline(always)]
pub(crate) fn load_short(memory: &[u8], reference: i32, index: i32) -> Option<i16> {
    let fits = &[ArrayKind::Short];
    load(memory, reference, index, fits).map(i16::from_le_bytes)
}

#[inline(always)]
pub(crate) fn load_int(memory: &[u8], reference: i32, index: i32) -> Option<i32> {
    let fits = &[ArrayKind::Int];
    load(memory, reference, index, fits).map(i32::from_le_bytes)
}

// Masks the stored byte by the mask in the array's header, so that `bastore` need not test the array's kind (JVMS
// §6.5.bastore).
#[inline(always)]
pub(crate) fn store_byte(memory: &mut [u8], reference: i32, index: i32, value: i32) -> Option<()> {
    let [low, ..] = value.to_le_bytes();
    let array = memory.get_mut(through(reference, index, 1))?;
    let header = holds(array, index, BYTES)?;
    *array.last_mut()? = low & header.mask;
    Some(())
}

#[inline(always)]
pub(crate) fn store_short(memory: &mut [u8], reference: i32, index: i32, value: i32) -> Option<()> {
    let [low, high, ..] = value.to_le_bytes();
    store(memory, reference, index, [low, high], &[ArrayKind::Short])
}

#[inline(always)]
pub(crate) fn store_int(memory: &mut [u8], reference: i32, index: i32, value: i32) -> Option<()> {
    let bytes = value.to_le_bytes();
    store(memory, reference, index, bytes, &[ArrayKind::Int])
}

#[inline(always)]
fn load<const WIDTH: usize>(
    memory: &[u8],
    reference: i32,
    element: i32,
    fits: &[ArrayKind],
) -> Option<[u8; WIDTH]> {
    let array = memory.get(through(reference, element, WIDTH))?;
    holds(array, element, fits)?;
    array.last_chunk().copied()
}

#[inline(always)]
fn store<const WIDTH: usize>(
    memory: &mut [u8],
    reference: i32,
    element: i32,
    bytes: [u8; WIDTH],
    fits: &[ArrayKind],
) -> Option<()> {
    let array = memory.get_mut(through(reference, element, WIDTH))?;
    holds(array, element, fits)?;
    *array.last_chunk_mut()? = bytes;
    Some(())
}

/// The kinds that `baload` and `bastore` access (JVMS §6.5.baload). Both kinds of arrays have elements of one byte.
const BYTES: &[ArrayKind] = &[ArrayKind::Byte, ArrayKind::Boolean];

/// Returns the range of memory from an array's header through one of its elements, if the array has that element.
///
/// One bounds check of the range covers the header and the element.
#[inline(always)]
const fn through(reference: i32, element: i32, width: usize) -> Range<usize> {
    let start = index(reference.cast_unsigned());
    let elements = index(element.cast_unsigned()).wrapping_mul(width);
    let behind_header = start.wrapping_add(index(ARRAY_HEADER_BYTES));
    // If the sum wraps in 32 bits, the array has no element with this index, and `holds` finds that by the array's
    // length.
    start..behind_header.wrapping_add(elements).wrapping_add(width)
}

/// Returns the header of an array, if the array has an element with index `element`. The slice `array` begins at the
/// array's header and ends after this element of the array.
///
/// The verifier has proved that the array's kind is one of `fits`, and builds with debug assertions check that. Code of
/// a class that was declared verified wrongly can access only the lent memory.
#[inline(always)]
fn holds(array: &[u8], element: i32, fits: &[ArrayKind]) -> Option<Header> {
    let header = Header::from_bytes(*array.first_chunk()?);
    // As an unsigned number, a negative index is at least 2³¹, which exceeds every length.
    if element.cast_unsigned() >= header.length {
        return None;
    }
    if cfg!(debug_assertions) && !fits.iter().any(|fit| fit.newarray_code() == header.kind) {
        return None;
    }
    Some(header)
}
