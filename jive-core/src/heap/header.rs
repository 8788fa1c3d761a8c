//! The header before an array's elements.

use crate::array_kind::ArrayKind;
use crate::limits::ARRAY_HEADER_BYTES;

/// The header before an array's elements.
#[derive(Copy, Clone)]
pub(super) struct Header {
    pub(super) length: u32,
    /// The kind, as `newarray` codes it.
    pub(super) kind: u8,
    /// The mask for the lowest byte of a stored element, which is 1 for a `boolean[]` (JVMS §6.5.bastore).
    pub(super) mask: u8,
}

impl Header {
    pub(super) const fn new(length: u32, kind: ArrayKind) -> Self {
        Self {
            length,
            kind: kind.newarray_code(),
            mask: match kind {
                ArrayKind::Boolean => 1,
                ArrayKind::Byte | ArrayKind::Short | ArrayKind::Int => 0xff,
            },
        }
    }

    pub(super) fn to_bytes(self) -> [u8; ARRAY_HEADER_BYTES as usize] {
        let [a, b, c, d] = self.length.to_le_bytes();
        [a, b, c, d, self.kind, self.mask, 0, 0]
    }

    #[inline]
    pub(super) const fn from_bytes(bytes: [u8; ARRAY_HEADER_BYTES as usize]) -> Self {
        let [a, b, c, d, kind, mask, ..] = bytes;
        Self {
            length: u32::from_le_bytes([a, b, c, d]),
            kind,
            mask,
        }
    }
}

/// Returns the header at a reference, if the memory is large enough.
#[inline(always)]
pub(super) fn header(memory: &[u8], reference: i32) -> Option<Header> {
    let at = index(reference.cast_unsigned());
    memory
        .get(at..at.wrapping_add(index(ARRAY_HEADER_BYTES)))?
        .first_chunk()
        .map(|&bytes| Header::from_bytes(bytes))
}

/// Converts an offset in the heap to an index.
#[inline]
pub(super) const fn index(offset: u32) -> usize {
    // The cast is lossless, because `usize` has at least 32 bits on every target that the crate builds for; `usize` has
    // no `From<u32>`.
    offset as usize
}
