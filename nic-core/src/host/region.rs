//! The transmit region: the part of a buffer area after the free buffers, which serves as a ring for messages to send.

use crate::memory::{HostSpan, Region};
use crate::storage::{DESCRIPTORS_MAX, Queue, Storage};
use crate::unet::TransmitDescriptor;

const ALIGNMENT: u32 = 8;

/// Allocates spaces in the transmit region for messages to send.
///
/// Spaces of the region are handed out in ascending order and wrap around. A space of the region is reused only after
/// the transmit descriptor that names it has completed.
#[derive(Clone, Debug)]
pub struct TransmitRegion<S: Storage> {
    area: Region,
    start: u32,
    next: u32,
    // The spaces in use are in two queues: those below `next` in `behind`, and the others in `ahead`. Each queue of
    // spaces is sorted by offset, without overlaps. A space leaves its queue only at the front, so completed spaces may
    // follow an open one. A check of the front alone is therefore enough, and `Space` needs no length.
    behind: S::Queue<Space, DESCRIPTORS_MAX>,
    ahead: S::Queue<Space, DESCRIPTORS_MAX>,
}

/// A space of the transmit region that is in use and has at least one byte.
#[derive(Copy, Clone, Debug)]
struct Space {
    offset: u32,
    completed: bool,
}

/// The result of a request for space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TransmitSpace {
    /// The space for the message, which the user may write.
    Free(HostSpan),
    /// The next space is still in use by a descriptor that has not completed.
    Taken,
    /// The message is longer than the whole transmit region.
    TooLong,
}

impl<S: Storage> TransmitRegion<S> {
    /// Returns the part of `area` from `start` on as a transmit region without messages.
    #[must_use]
    pub fn new(area: Region, start: u32) -> TransmitRegion<S> {
        // If rounding up `start` passes the end of the area, the region is empty: `longest` is 0, and only messages
        // without bytes fit.
        let start = start
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(area.length());
        TransmitRegion {
            area,
            start,
            next: start,
            behind: S::Queue::default(),
            ahead: S::Queue::default(),
        }
    }

    /// Returns the length of the longest message that fits in the region, in bytes.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.area.length() - self.start
    }

    /// Returns the offset of the next message's space, unless the space has to wrap around.
    #[must_use]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Makes the next space the first of the region, so that all spaces in use are ahead of it.
    #[cold]
    fn wrap(&mut self) {
        while let Some(space) = self.ahead.pop_front() {
            self.behind.push_back(space);
        }
        core::mem::swap(&mut self.behind, &mut self.ahead);
    }

    /// Allocates the next space, for a message of `length` bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take(&mut self, length: u32) -> TransmitSpace {
        if length > self.longest() {
            return TransmitSpace::TooLong;
        }
        let wraps = length > self.area.length() - self.next;
        let offset = if wraps { self.start } else { self.next };
        let Ok(space) = self.area.span(offset.into(), length.into()) else {
            return TransmitSpace::TooLong;
        };
        if length == 0 {
            return TransmitSpace::Free(space);
        }
        if self.behind.len() + self.ahead.len() >= S::capacity::<DESCRIPTORS_MAX>(u32::MAX) as usize
        {
            return TransmitSpace::Taken;
        }
        let end = offset + length;
        let first_behind = self.behind.front().filter(|_| wraps);
        if let Some(first) = first_behind.or(self.ahead.front())
            && first.offset < end
        {
            return TransmitSpace::Taken;
        }
        if wraps {
            self.wrap();
        }
        self.behind.push_back(Space {
            offset,
            completed: false,
        });
        self.next = end
            .checked_next_multiple_of(ALIGNMENT)
            .unwrap_or(u32::MAX)
            .min(self.area.length());
        TransmitSpace::Free(space)
    }

    /// Marks the space of a completed descriptor as reusable.
    pub fn complete(&mut self, descriptor: TransmitDescriptor) {
        let TransmitDescriptor { offset, length, .. } = descriptor;
        if length == 0 {
            return;
        }
        let spaces = if offset < self.next {
            &mut self.behind
        } else {
            &mut self.ahead
        };
        // The space is usually at the front, because messages usually complete in the order in which they were posted.
        if spaces.front().is_some_and(|first| first.offset == offset) {
            spaces.pop_front();
        } else if let Some(space) = space_at::<S>(spaces, offset) {
            space.completed = true;
        }
        while spaces.front().is_some_and(|space| space.completed) {
            spaces.pop_front();
        }
    }
}

/// Finds the space in use at an offset by binary search.
fn space_at<S: Storage>(
    spaces: &mut S::Queue<Space, DESCRIPTORS_MAX>,
    offset: u32,
) -> Option<&mut Space> {
    let (mut first, mut behind) = (0, spaces.len());
    while first < behind {
        let middle = first.midpoint(behind);
        if spaces.get(middle)?.offset < offset {
            first = middle + 1;
        } else {
            behind = middle;
        }
    }
    spaces.get_mut(first).filter(|space| space.offset == offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ChannelId;
    use crate::random::Generator;
    use crate::storage::Fixed;

    fn region() -> TransmitRegion<Fixed> {
        TransmitRegion::<Fixed>::new(Region::sole(100), 50)
    }

    fn take(region: &mut TransmitRegion<Fixed>, length: u32) -> Option<u32> {
        match region.take(length) {
            TransmitSpace::Free(space) => Some(space.offset()),
            TransmitSpace::Taken => None,
            TransmitSpace::TooLong => panic!("{length} bytes fit"),
        }
    }

    fn complete(region: &mut TransmitRegion<Fixed>, offset: u32, length: u32) {
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
        // The offset 84 is aligned up to 88, where 12 bytes are left, so a message of 13 bytes wraps around.
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
    fn no_space_is_handed_out_while_it_is_taken() {
        let mut generator = Generator::named(1, &["region"]);
        let mut region = region();
        let mut taken: Vec<(u32, u32)> = Vec::new();
        let (mut handed_out, mut refused) = (0, 0);
        for _ in 0..10_000 {
            // The conversion is lossless, because the drawn number is below 20.
            let draw = (generator.draw() % 20) as u32;
            if draw < 12 {
                let length = draw + 1;
                match take(&mut region, length) {
                    Some(offset) => {
                        let overlaps = |&(other, size): &(u32, u32)| {
                            offset < other + size && other < offset + length
                        };
                        assert!(!taken.iter().any(overlaps), "{offset} {length} {taken:?}");
                        taken.push((offset, length));
                        handed_out += 1;
                    }
                    None => refused += 1,
                }
            } else if !taken.is_empty() {
                let (offset, length) = taken.swap_remove(draw as usize % taken.len());
                complete(&mut region, offset, length);
            }
        }
        assert!(
            handed_out > 1_000 && refused > 1_000,
            "{handed_out} {refused}"
        );
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
