//! The transmit region: the part of a buffer area behind the free buffers, used round and round.

use std::collections::BTreeMap;

use crate::unet::{HostSpan, Region, TransmitDescriptor};

const ALIGNMENT: u32 = 8;

/// Where the next message that is sent may lie.
///
/// Spaces are handed out in ascending order, wrapping; none is handed out again before the transmit
/// descriptor that names it has completed.
#[derive(Clone, Debug)]
pub struct TransmitRegion {
    area: Region,
    start: u32,
    next: u32,
    // What was handed out and may not be overwritten, since descriptors that have not completed name
    // it: offset and end of each space that has bytes. No two of them overlap.
    taken: BTreeMap<u32, u32>,
}

/// What a request for space finds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TransmitSpace {
    /// Space, which may be written.
    Free(HostSpan),
    /// Space that a descriptor names which has not completed.
    Taken,
    /// No space of this length, ever.
    TooLong,
}

impl TransmitRegion {
    /// Returns the region of `area` from `start` on.
    #[must_use]
    pub fn new(area: Region, start: u32) -> TransmitRegion {
        // Where not even alignment fits, `longest` is zero and so is everything that can be asked for.
        let start = start
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(area.length());
        TransmitRegion {
            area,
            start,
            next: start,
            taken: BTreeMap::new(),
        }
    }

    /// Returns the longest message that fits, in bytes.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.area.length() - self.start
    }

    /// Takes the next space for a message of `length` bytes.
    pub fn take(&mut self, length: u32) -> TransmitSpace {
        if length > self.longest() {
            return TransmitSpace::TooLong;
        }
        let offset = if length > self.area.length() - self.next {
            self.start
        } else {
            self.next
        };
        let Ok(space) = self.area.span(offset.into(), length.into()) else {
            return TransmitSpace::TooLong;
        };
        let end = offset + length;
        // Of all that begins before the end, what begins last also ends last.
        let before = self.taken.range(..end).next_back();
        if length > 0 && before.is_some_and(|(_, &taken_end)| taken_end > offset) {
            return TransmitSpace::Taken;
        }
        self.next = end
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(self.area.length());
        if length > 0 {
            self.taken.insert(offset, end);
        }
        TransmitSpace::Free(space)
    }

    /// Notes that a descriptor has completed, so that its space may be overwritten.
    pub fn complete(&mut self, descriptor: TransmitDescriptor) {
        if descriptor.length > 0 {
            self.taken.remove(&descriptor.offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ChannelId;
    use crate::unet::HostMemory;

    fn region() -> TransmitRegion {
        TransmitRegion::new(HostMemory::new().pin(100), 50)
    }

    fn take(region: &mut TransmitRegion, length: u32) -> Option<u32> {
        match region.take(length) {
            TransmitSpace::Free(space) => Some(space.offset()),
            TransmitSpace::Taken => None,
            TransmitSpace::TooLong => panic!("{length} bytes fit"),
        }
    }

    fn complete(region: &mut TransmitRegion, offset: u32, length: u32) {
        region.complete(TransmitDescriptor {
            channel: ChannelId(0),
            offset,
            length,
        });
    }

    #[test]
    fn spaces_are_aligned_and_wrap() {
        let mut region = region();
        assert_eq!(region.longest(), 44);
        assert_eq!(take(&mut region, 5), Some(56));
        assert_eq!(take(&mut region, 20), Some(64));
        // 84 is aligned up to 88; 12 bytes are left there, so 13 wrap.
        assert_eq!(take(&mut region, 13), None, "56 and 64 are taken");
        complete(&mut region, 56, 5);
        assert_eq!(take(&mut region, 13), None, "64 is taken");
        assert_eq!(take(&mut region, 12), Some(88), "what waits takes nothing");
        complete(&mut region, 64, 20);
        assert_eq!(take(&mut region, 13), Some(56));
    }

    #[test]
    fn completion_may_come_out_of_order() {
        let mut region = region();
        assert_eq!(take(&mut region, 16), Some(56));
        assert_eq!(take(&mut region, 16), Some(72));
        complete(&mut region, 72, 16);
        assert_eq!(take(&mut region, 16), None);
        complete(&mut region, 56, 16);
        assert_eq!(take(&mut region, 44), Some(56));
    }

    #[test]
    fn the_whole_region_and_no_more_can_be_taken() {
        let mut region = region();
        assert_eq!(region.take(45), TransmitSpace::TooLong);
        assert_eq!(take(&mut region, 44), Some(56));
        assert_eq!(take(&mut region, 0), Some(100));
        assert_eq!(take(&mut region, 1), None);
        complete(&mut region, 56, 44);
        assert_eq!(take(&mut region, 1), Some(56));
    }

    #[test]
    fn a_message_of_no_bytes_takes_nothing_and_frees_nothing() {
        let mut region = region();
        assert_eq!(take(&mut region, 0), Some(56));
        assert_eq!(take(&mut region, 30), Some(56));
        complete(&mut region, 56, 0);
        assert_eq!(take(&mut region, 20), None, "56 to 86 are taken");
        complete(&mut region, 56, 30);
        assert_eq!(take(&mut region, 20), Some(56));
    }
}
