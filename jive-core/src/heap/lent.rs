//! A heap whose memory is lent for a while only: between two natives, somebody else writes the same bytes.

use super::header::{Header, index};
use super::{Bounds, Heap};
use crate::array_kind::ArrayKind;
use crate::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};

/// What a heap knows besides its memory, while the memory is not lent to it.
///
/// Holding one proves nothing of the memory that comes back: it may be shorter, and its bytes may have changed. An
/// access past its end traps, as the access of a forged reference does.
#[derive(Copy, Clone, Debug)]
pub struct HeapState(Bounds);

impl<'m> Heap<'m> {
    /// Gives the lent memory back, and returns what [`Heap::attach`] needs to go on with it.
    #[must_use]
    pub fn detach(self) -> HeapState {
        HeapState(self.bounds())
    }

    /// Makes the heap again that [`Heap::detach`] ended, in the same memory.
    #[must_use]
    pub fn attach(memory: &'m mut [u8], state: HeapState) -> Heap<'m> {
        Heap::joined(memory, state.0)
    }

    /// Makes an array of bytes that are elements of another array, and returns its reference. The header is written at
    /// `offset` bytes behind the first element of the array `within`; the elements of the new array follow it, and keep
    /// the bytes that are there.
    ///
    /// Both arrays have these bytes from then on. A store to the outer array can overwrite the header, after which the
    /// new reference is a forged one.
    ///
    /// Returns `None`, and writes nothing, if `within` names no array, if the offset is no multiple of
    /// [`ARRAY_ALIGNMENT`], or if the outer array ends before the new one.
    pub fn place(&mut self, within: i32, offset: u32, kind: ArrayKind, length: u32) -> Option<i32> {
        let outer = self.array(within)?;
        let room = outer.byte_length().checked_sub(offset)?;
        let needed = length
            .checked_mul(kind.width().into())?
            .checked_add(ARRAY_HEADER_BYTES)?;
        if needed > room || !offset.is_multiple_of(ARRAY_ALIGNMENT) {
            return None;
        }
        let at = outer.start.checked_add(offset)?;
        let header = self.memory.get_mut(index(at)..)?.first_chunk_mut()?;
        *header = Header::new(length, kind).to_bytes();
        i32::try_from(at).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trap::TrapKind;

    #[test]
    fn memory_comes_back_with_what_others_wrote() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let bytes = heap.allocate(ArrayKind::Byte, 4).unwrap();
        let start = heap.array(bytes).unwrap().start as usize;
        let state = heap.detach();
        memory[start + 3] = 7;
        let mut heap = Heap::attach(&mut memory, state);
        assert_eq!(heap.bytes(bytes), Some(&[0, 0, 0, 7][..]));
        // The first array takes 16 bytes from offset 8 on.
        assert_eq!(heap.allocate(ArrayKind::Int, 1), Ok(24));
    }

    #[test]
    fn shorter_memory_is_a_broken_promise() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let bytes = heap.allocate(ArrayKind::Byte, 4).unwrap();
        let state = heap.detach();
        for length in 0..20 {
            let mut heap = Heap::attach(&mut memory[..length], state);
            assert_eq!(heap.bytes(bytes), None);
            assert_eq!(heap.store_byte(bytes, 3, 1), None, "{length}");
            assert!(heap.fault(bytes, 3) == TrapKind::Unverified, "{length}");
            let refused = heap.allocate(ArrayKind::Byte, 0);
            assert_eq!(refused, Err(TrapKind::OutOfMemoryError));
            assert_eq!(heap.place(bytes, 0, ArrayKind::Byte, 0), None);
            assert_eq!(heap.contents(), []);
        }
    }

    #[test]
    fn an_array_is_placed_only_where_all_of_it_fits() {
        let mut memory = [0; 64];
        let mut heap = Heap::new(&mut memory);
        let outer = heap.allocate(ArrayKind::Byte, 28).unwrap();
        let behind = heap.allocate(ArrayKind::Byte, 1).unwrap();
        heap.bytes_mut(outer).unwrap().fill(3);
        // Of 28 bytes, 12 are behind offset 16, and a header takes 8 of them.
        let placed = heap.place(outer, 16, ArrayKind::Short, 2).unwrap();
        assert_eq!(placed, outer + 8 + 16);
        assert_eq!(heap.length(placed), Ok(2));
        assert_eq!(heap.bytes(placed), Some(&[3; 4][..]));
        assert_eq!(heap.load_short(placed, 1), Some(0x0303));
        assert_eq!(heap.bytes(behind), Some(&[0][..]));
        for (within, offset, length) in [
            (outer, 16, 3),
            (outer, 12, 1),
            (outer, 24, 0),
            (outer, 32, 0),
            (outer, 0, u32::MAX),
            (0, 0, 0),
            (-1, 0, 0),
        ] {
            assert_eq!(heap.place(within, offset, ArrayKind::Short, length), None);
        }
    }
}
