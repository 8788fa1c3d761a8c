//! The control memory of a connection over remote memory: its two rings, and the lazy copies of the peer's read pointers.

use super::registration::SEGMENTS_MAX;
use crate::remote::{RING_POINTER_BYTES, RingError, RingLayout};

/// Length in bytes of an entry of either ring, which consists of four numbers.
pub const ENTRY_BYTES: u32 = 16;

/// The layout by which both ends of a connection place their rings and the lazy copies of the peer's read pointers. All
/// rings and copies of one end lie in one control window, which the peer may write.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ControlLayout {
    pub(super) cookies: RingLayout,
    pub(super) transfers: RingLayout,
}

impl ControlLayout {
    /// Returns the layout for ends with at most `receives` posted receive descriptors of one segment.
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Size`] if the rings do not fit in the window.
    pub fn new(receives: u32) -> Result<ControlLayout, RingError> {
        let too_many = RingError::Size {
            entries: receives,
            entry_bytes: ENTRY_BYTES,
        };
        // The cookie queue needs two entries for each descriptor: a header and a segment. A reader reports its pointer
        // only after half a ring, so half of the ring must suffice.
        let entries = receives.max(1).checked_mul(4).ok_or(too_many)?;
        ControlLayout::of(entries)
    }

    /// Returns the layout for ends whose programs post descriptors with any number of segments, with room for at least
    /// `receives` posted descriptors of one segment.
    ///
    /// # Errors
    ///
    /// Returns [`RingError::Size`] if the rings do not fit in the window.
    pub fn with_segments(receives: u32) -> Result<ControlLayout, RingError> {
        // Half of the ring has room for a descriptor with all segments and its header.
        let one = 2 * (SEGMENTS_MAX + 1);
        ControlLayout::of(receives.saturating_mul(4).max(one))
    }

    /// Returns the layout of rings with at least so many entries.
    fn of(entries: u32) -> Result<ControlLayout, RingError> {
        let too_many = RingError::Size {
            entries,
            entry_bytes: ENTRY_BYTES,
        };
        let entries = entries.checked_next_power_of_two().ok_or(too_many)?;
        let cookies = RingLayout::new(0, ENTRY_BYTES, entries)?;
        let transfers = RingLayout::new(cookies.end(), ENTRY_BYTES, entries)?;
        Ok(ControlLayout { cookies, transfers })
    }

    /// Returns the length in bytes of the control window of one end.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.transfers_read() + RING_POINTER_BYTES
    }

    /// Returns the offset of the lazy copy of the cookie queue's write pointer, which changes when the peer has posted
    /// a receive.
    #[must_use]
    pub fn cookies_written(self) -> u32 {
        self.cookies.pointer()
    }

    /// Returns the offset of the lazy copy of the transfer queue's write pointer, which changes when a message has
    /// arrived.
    #[must_use]
    pub fn transfers_written(self) -> u32 {
        self.transfers.pointer()
    }

    /// Returns the offset of the lazy copy of the peer's read pointer of the cookie queue.
    #[must_use]
    pub fn cookies_read(self) -> u32 {
        self.transfers.end()
    }

    /// Returns the offset of the lazy copy of the peer's read pointer of the transfer queue.
    #[must_use]
    pub fn transfers_read(self) -> u32 {
        self.cookies_read() + RING_POINTER_BYTES
    }
}

/// Returns the number at an offset of this end's own control memory.
pub(super) fn number(own: &[u8], offset: u32) -> u32 {
    let place = offset as usize;
    let bytes = own.get(place..place + RING_POINTER_BYTES as usize);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_be_bytes)
}

/// Returns the numbers of an entry of a ring.
pub(super) fn numbers(own: &[u8], place: u32) -> [u32; 4] {
    [0, 4, 8, 12].map(|offset| number(own, place + offset))
}

/// Returns an entry of a ring with these numbers.
pub(super) fn entry(numbers: [u32; 4]) -> [u8; ENTRY_BYTES as usize] {
    let mut bytes = [0; ENTRY_BYTES as usize];
    for (place, number) in bytes.chunks_exact_mut(4).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    bytes
}
