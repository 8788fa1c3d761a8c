//! The transmit region: the part of a buffer area behind the free buffers, used round and round.

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
    // What was handed out and may not be overwritten: descriptors that have not completed name it.
    taken: Vec<HostSpan>,
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
    /// Returns the region of `area` from `start` on, for at most `posted_max` messages at a time.
    #[must_use]
    pub fn new(area: Region, start: u32, posted_max: u32) -> TransmitRegion {
        // Where not even alignment fits, `longest` is zero and so is everything that can be asked for.
        let start = start
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(area.length());
        let taken = Vec::with_capacity(posted_max as usize + 1);
        TransmitRegion {
            area,
            start,
            next: start,
            taken,
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
        if self.taken.iter().any(|&taken| overlap(taken, space)) {
            return TransmitSpace::Taken;
        }
        let end = offset + length;
        self.next = end
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(self.area.length());
        self.taken.push(space);
        TransmitSpace::Free(space)
    }

    /// Notes that a descriptor has completed, so that its space may be overwritten.
    pub fn complete(&mut self, descriptor: TransmitDescriptor) {
        // Equal spaces are both empty, and one of those is as good as the other.
        let named = self.taken.iter().position(|space| {
            (space.offset(), space.length()) == (descriptor.offset, descriptor.length)
        });
        if let Some(index) = named {
            self.taken.swap_remove(index);
        }
    }
}

fn overlap(a: HostSpan, b: HostSpan) -> bool {
    // Both lie in one region, so the sums are at most its length.
    a.offset() < b.offset() + b.length() && b.offset() < a.offset() + a.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ChannelId;
    use crate::unet::HostMemory;

    fn region() -> TransmitRegion {
        TransmitRegion::new(HostMemory::new().pin(100), 50, 8)
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
}
