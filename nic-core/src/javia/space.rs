//! Where a program's buffers lie: places in one array of bytes, given out by first fit.

use jive_core::limits::{ARRAY_ALIGNMENT, ARRAY_HEADER_BYTES};

use crate::storage::{List, Storage};

/// Maximum number of buffers of a program without an allocator.
///
/// Each costs 32 bytes. Chosen.
pub const BUFFERS_MAX: usize = 16;

/// The place of a buffer among the elements of the array in which all buffers of a program lie.
///
/// A place begins with room for an array header, and then has the buffer's bytes. Descriptors and windows name these
/// bytes alone, so no peer can write a header. The whole place is aligned as arrays are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    start: u32,
    bytes: u32,
}

impl Place {
    /// Returns where the header lies, in bytes from the first element of the array with the buffers.
    #[must_use]
    pub const fn header(self) -> u32 {
        self.start
    }

    /// Returns where the buffer's bytes begin.
    #[must_use]
    pub const fn start(self) -> u32 {
        // A place ends within the space, whose length is a `u32`.
        self.start + ARRAY_HEADER_BYTES
    }

    /// Returns the length of the buffer in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    /// Returns where the place ends: its header, its bytes and the bytes behind them that align the next place.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.start + size_of_place(self.bytes)
    }
}

/// Returns how much of the space a buffer of a length takes, as far as the length fits in any space.
const fn size_of_place(bytes: u32) -> u32 {
    bytes.next_multiple_of(ARRAY_ALIGNMENT) + ARRAY_HEADER_BYTES
}

/// A part of the space that no buffer has.
#[derive(Copy, Clone, Debug)]
struct Gap {
    start: u32,
    end: u32,
}

/// Number of gaps between and around the buffers of a table that is full.
const GAPS_MAX: usize = BUFFERS_MAX + 1;

/// The parts of the space for buffers that no buffer has.
#[derive(Clone, Debug)]
pub(super) struct Space<S: Storage> {
    // Sorted. Between two gaps there is a buffer.
    gaps: S::List<Gap, GAPS_MAX>,
}

impl<S: Storage> Space<S> {
    /// Returns a space of `bytes` bytes without buffers. A rest that is shorter than the alignment is never used, because
    /// every place is as long as a multiple of it.
    pub(super) fn new(bytes: u32) -> Space<S> {
        let mut gaps = S::List::default();
        gaps.push(Gap {
            start: 0,
            end: bytes,
        });
        Space { gaps }
    }

    /// Takes the first place with room for a buffer of `bytes` bytes. Returns `None` if no gap is long enough.
    pub(super) fn take(&mut self, bytes: u32) -> Option<Place> {
        // The largest lengths would wrap around; no space has room for them.
        let needed = bytes
            .checked_next_multiple_of(ARRAY_ALIGNMENT)?
            .checked_add(ARRAY_HEADER_BYTES)?;
        let fits = |gap: &Gap| gap.end - gap.start >= needed;
        let found = self.gaps.iter().position(fits)?;
        let gap = &mut self.gaps[found];
        let start = gap.start;
        gap.start += needed;
        if gap.start == gap.end {
            self.gaps[found..].rotate_left(1);
            self.gaps.pop();
        }
        Some(Place { start, bytes })
    }

    /// Gives a place back that [`Space::take`] has returned, and merges it with the gaps beside it.
    pub(super) fn give_back(&mut self, place: Place) {
        let (start, end) = (place.start, place.end());
        let next = self.gaps.partition_point(|gap| gap.end < start);
        // The gap at `next` may end where the place begins, and the one behind it begin where the place ends.
        let joins_before = self.gaps.get(next).is_some_and(|gap| gap.end == start);
        let behind = next + usize::from(joins_before);
        let joins_behind = self.gaps.get(behind).is_some_and(|gap| gap.start == end);
        match (joins_before, joins_behind) {
            (true, true) => {
                self.gaps[next].end = self.gaps[behind].end;
                self.gaps[behind..].rotate_left(1);
                self.gaps.pop();
            }
            (true, false) => self.gaps[next].end = end,
            (false, true) => self.gaps[behind].start = start,
            (false, false) => {
                let is_added = self.gaps.push(Gap { start, end });
                debug_assert!(is_added, "one gap more than buffers at most");
                self.gaps[next..].rotate_right(1);
            }
        }
    }
}
