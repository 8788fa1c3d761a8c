//! Puts the fragments of capsules together, in order, for one endpoint.
//!
//! The numbers of capsules ascend. At any time one capsule is the latest, and this capsule is being collected, was
//! given up, or is complete. A capsule is given up as well when its next fragment does not come within [`PATIENCE`]. A
//! fragment with a lower number than the latest capsule is stale: the network may have repeated the fragment. A fragment
//! with a higher number begins a new capsule, which replaces the latest one.

use super::capsule::{CapsuleRefusal, FragmentHeader, checksum};
use crate::time::{SimDuration, SimTime};

/// How long a half-finished capsule keeps its memory while no fragment comes. Chosen: long compared with the time of a
/// fragment on a slow link, and short compared with the time between two replacements of an applet.
pub const PATIENCE: SimDuration = SimDuration::from_ns(1_000_000_000);

/// The memory in which a capsule is put together. The simulator's grows, a device lends a fixed slice.
pub trait CapsuleMemory {
    /// Empties the memory.
    fn clear(&mut self);

    /// Adds bytes after those that the memory holds. A capsule has no more bytes than the `room` of
    /// [`Reassembly::take`].
    fn append(&mut self, bytes: &[u8]);

    /// Returns the bytes that were added since the memory was empty.
    fn bytes(&self) -> &[u8];
}

/// The latest capsule of an endpoint.
#[derive(Clone, Debug, Default)]
pub struct Reassembly<M> {
    latest: Option<(u32, Progress)>,
    memory: M,
}

#[derive(Copy, Clone, Debug)]
enum Progress {
    /// The capsule's first fragments have arrived.
    Collecting {
        first: FragmentHeader,
        /// The time at which the capsule is given up, unless another fragment comes before. A check that was scheduled
        /// for an earlier fragment, or for another capsule, finds a later time and does nothing.
        until: SimTime,
    },
    /// The capsule waited too long for its next fragment. If a fragment comes after all, the sender is told that there
    /// is a gap.
    Overdue,
    /// A fragment of the capsule was missing or wrong, or the NIC lacked the memory for the capsule. A capsule that was
    /// given up may start again with its first fragment.
    GivenUp,
    /// The latest capsule was complete; `answer` is the answer to the sender, if the NIC has given one.
    Whole { answer: Option<&'static str> },
}

/// The result of handling a fragment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The fragment was added to its capsule, which waits for more fragments.
    More,
    /// The fragment repeats an earlier one, or belongs to a capsule that was given up.
    Ignored,
    /// The last fragment of the latest capsule was repeated, and the sender gets the answer again.
    Again(&'static str),
    /// The capsule is refused.
    Refused(CapsuleRefusal),
    /// The capsule is complete, and its bytes are in the memory.
    Whole,
}

impl<M: CapsuleMemory> Reassembly<M> {
    /// Returns a reassembly that puts capsules together in this memory, and has not taken any fragment.
    #[must_use]
    pub const fn new(memory: M) -> Reassembly<M> {
        Reassembly {
            latest: None,
            memory,
        }
    }

    /// Returns how many bytes of memory the capsule that is being collected has taken: those of the whole class file.
    pub fn held(&self) -> u32 {
        match &self.latest {
            Some((_, Progress::Collecting { first, .. })) => first.total,
            Some((_, Progress::Overdue | Progress::GivenUp | Progress::Whole { .. })) | None => 0,
        }
    }

    /// Returns until when the capsule that is being collected waits for its next fragment.
    pub fn waits_until(&self) -> Option<SimTime> {
        match &self.latest {
            Some((_, Progress::Collecting { until, .. })) => Some(*until),
            Some((_, Progress::Overdue | Progress::GivenUp | Progress::Whole { .. })) | None => {
                None
            }
        }
    }

    /// Returns the number of the latest capsule if it is complete.
    pub fn whole(&self) -> Option<u32> {
        match &self.latest {
            Some((number, Progress::Whole { .. })) => Some(*number),
            Some((_, Progress::Collecting { .. } | Progress::Overdue | Progress::GivenUp))
            | None => None,
        }
    }

    /// Returns the memory, which holds the bytes of the latest capsule if it is complete.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the memory of the latest capsule for its bytes to be taken away.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Gives up the capsule that is being collected if it has waited too long for its next fragment.
    pub fn expire(&mut self, now: SimTime) {
        if self.waits_until().is_some_and(|until| until <= now) {
            self.stop(Progress::Overdue);
        }
    }

    /// Gives up the capsule that is being collected, and returns its number. For receivers without a clock, which know
    /// in another way that no fragment will come.
    pub fn give_up(&mut self) -> Option<u32> {
        let number = match self.latest {
            Some((number, Progress::Collecting { .. })) => number,
            Some((_, Progress::Overdue | Progress::GivenUp | Progress::Whole { .. })) | None => {
                return None;
            }
        };
        self.stop(Progress::GivenUp);
        Some(number)
    }

    /// Ends the latest capsule before it is complete, and empties the memory.
    fn stop(&mut self, progress: Progress) {
        if let Some((_, latest)) = &mut self.latest {
            *latest = progress;
        }
        self.memory.clear();
    }

    /// Takes a fragment. `room` is the memory that the endpoint may take, including the memory that
    /// [`Reassembly::held`] returns.
    pub fn take(
        &mut self,
        header: FragmentHeader,
        bytes: &[u8],
        (room, now): (u64, SimTime),
    ) -> Taken {
        self.expire(now);
        let is_new = match &self.latest {
            Some((latest, _)) if header.number < *latest => {
                // Only the first fragment of a stale capsule is answered, so that the capsule gets one answer.
                return match header.offset {
                    0 => Taken::Refused(CapsuleRefusal::Stale),
                    _ => Taken::Ignored,
                };
            }
            Some((latest, _)) => header.number > *latest,
            None => true,
        };
        if is_new {
            self.latest = Some((header.number, Progress::GivenUp));
            self.memory.clear();
        }
        let Some((_, progress)) = &mut self.latest else {
            return Taken::Ignored;
        };
        match progress {
            Progress::GivenUp | Progress::Overdue if header.offset == 0 => {
                if u64::from(header.total) > room {
                    return Taken::Refused(CapsuleRefusal::NoSram);
                }
                *progress = Progress::Collecting {
                    first: header,
                    until: now,
                };
            }
            Progress::Overdue => {
                *progress = Progress::GivenUp;
                return Taken::Refused(CapsuleRefusal::Gap);
            }
            // The first fragment of the latest capsule is missing.
            Progress::GivenUp if is_new => return Taken::Refused(CapsuleRefusal::Gap),
            Progress::GivenUp => return Taken::Ignored,
            Progress::Whole { answer } => {
                let end = u32::try_from(bytes.len()).ok();
                let end = end.and_then(|length| header.offset.checked_add(length));
                let is_last = end == Some(header.total);
                return match answer {
                    Some(answer) if is_last => Taken::Again(answer),
                    Some(_) | None => Taken::Ignored,
                };
            }
            Progress::Collecting { .. } => {}
        }
        let Progress::Collecting { first, until } = progress else {
            return Taken::Ignored;
        };
        let known = self.memory.bytes().len();
        let refused = if (header.total, header.checksum) != (first.total, first.checksum) {
            CapsuleRefusal::Mismatch
        } else if (header.offset as usize) < known {
            return Taken::Ignored;
        } else if header.offset as usize > known {
            CapsuleRefusal::Gap
        } else {
            self.memory.append(bytes);
            *until = now + PATIENCE;
            let whole = self.memory.bytes();
            if whole.len() < first.total as usize {
                return Taken::More;
            }
            if checksum(whole) == first.checksum {
                *progress = Progress::Whole { answer: None };
                return Taken::Whole;
            }
            CapsuleRefusal::Checksum
        };
        self.stop(Progress::GivenUp);
        Taken::Refused(refused)
    }

    /// Records the answer to a complete capsule, unless a later capsule has begun.
    pub fn answered(&mut self, number: u32, given: &'static str) {
        if let Some((latest, Progress::Whole { answer })) = &mut self.latest
            && *latest == number
        {
            *answer = Some(given);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl CapsuleMemory for Vec<u8> {
        fn clear(&mut self) {
            Vec::clear(self);
        }

        fn append(&mut self, bytes: &[u8]) {
            self.extend_from_slice(bytes);
        }

        fn bytes(&self) -> &[u8] {
            self
        }
    }

    const CLASS: &[u8] = b"0123456789";
    const ROOM: (u64, SimTime) = (10, SimTime::ZERO);

    fn header(number: u32, offset: u32) -> FragmentHeader {
        FragmentHeader {
            number,
            total: 10,
            offset,
            checksum: checksum(CLASS),
        }
    }

    /// Takes the bytes from `offset` to `end` of capsule `number`.
    fn take(reassembly: &mut Reassembly<Vec<u8>>, number: u32, (offset, end): (u32, u32)) -> Taken {
        let bytes = &CLASS[offset as usize..end as usize];
        reassembly.take(header(number, offset), bytes, ROOM)
    }

    #[test]
    fn fragments_in_order_make_a_class_file() {
        let mut reassembly = Reassembly::new(Vec::new());
        assert_eq!(take(&mut reassembly, 1, (0, 4)), Taken::More);
        assert_eq!(reassembly.held(), 10);
        assert_eq!(take(&mut reassembly, 1, (4, 5)), Taken::More);
        assert_eq!(take(&mut reassembly, 1, (5, 10)), Taken::Whole);
        assert_eq!(reassembly.held(), 0);
        assert_eq!(reassembly.memory().bytes(), CLASS);
        assert_eq!(reassembly.whole(), Some(1));
    }

    #[test]
    fn repeated_fragments_are_ignored_and_the_last_is_answered_again() {
        let mut reassembly = Reassembly::new(Vec::new());
        for (span, taken) in [((0, 4), Taken::More), ((4, 10), Taken::Whole)] {
            assert_eq!(take(&mut reassembly, 1, span), taken);
            assert_eq!(take(&mut reassembly, 1, span), Taken::Ignored);
        }
        reassembly.answered(1, "installed");
        assert_eq!(take(&mut reassembly, 1, (0, 4)), Taken::Ignored);
        let again = Taken::Again("installed");
        assert_eq!(take(&mut reassembly, 1, (4, 10)), again);
    }

    #[test]
    fn a_missing_fragment_gives_the_capsule_up_until_it_starts_again() {
        let gap = Taken::Refused(CapsuleRefusal::Gap);
        let mut reassembly = Reassembly::new(Vec::new());
        assert_eq!(take(&mut reassembly, 3, (0, 2)), Taken::More);
        assert_eq!(take(&mut reassembly, 3, (4, 6)), gap);
        assert_eq!(reassembly.held(), 0);
        // One refusal for each capsule is enough.
        assert_eq!(take(&mut reassembly, 3, (6, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 3, (0, 10)), Taken::Whole);
        // The missing fragment may also be the capsule's first fragment.
        assert_eq!(take(&mut reassembly, 4, (4, 6)), gap);
        assert_eq!(take(&mut reassembly, 4, (6, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 4, (0, 10)), Taken::Whole);
    }

    #[test]
    fn a_higher_number_replaces_the_latest_capsule_and_a_lower_one_is_stale() {
        let mut reassembly = Reassembly::new(Vec::new());
        assert_eq!(take(&mut reassembly, 5, (0, 9)), Taken::More);
        assert_eq!(take(&mut reassembly, 6, (0, 9)), Taken::More);
        let stale = Taken::Refused(CapsuleRefusal::Stale);
        assert_eq!(take(&mut reassembly, 5, (9, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 5, (0, 10)), stale);
        assert_eq!(take(&mut reassembly, 6, (9, 10)), Taken::Whole);
        // An answer to a capsule that is no longer the latest is not kept.
        assert_eq!(take(&mut reassembly, 7, (0, 1)), Taken::More);
        reassembly.answered(6, "installed");
        assert_eq!(take(&mut reassembly, 7, (1, 10)), Taken::Whole);
        assert_eq!(take(&mut reassembly, 7, (1, 10)), Taken::Ignored);
    }

    #[test]
    fn a_capsule_that_waits_too_long_gives_its_memory_back() {
        let mut reassembly = Reassembly::new(Vec::new());
        let at =
            |time: SimTime, reassembly: &mut Reassembly<Vec<u8>>, (offset, end): (u32, u32)| {
                let bytes = &CLASS[offset as usize..end as usize];
                reassembly.take(header(1, offset), bytes, (ROOM.0, time))
            };
        let (start, last) = (SimTime::ZERO, SimTime::ZERO + PATIENCE);
        assert_eq!(at(start, &mut reassembly, (0, 4)), Taken::More);
        // Each fragment begins the wait again, and a copy of an earlier one does not.
        let almost = SimTime::from_ps(last.as_ps() - 1);
        reassembly.expire(almost);
        assert_eq!(at(almost, &mut reassembly, (4, 6)), Taken::More);
        assert_eq!(at(last, &mut reassembly, (0, 4)), Taken::Ignored);
        reassembly.expire(last);
        assert_eq!(reassembly.held(), 10);
        let over = almost + PATIENCE;
        assert_eq!(reassembly.waits_until(), Some(over));
        reassembly.expire(over);
        assert_eq!(reassembly.held(), 0);
        let gap = Taken::Refused(CapsuleRefusal::Gap);
        assert_eq!(at(over, &mut reassembly, (6, 10)), gap);
        assert_eq!(at(over, &mut reassembly, (6, 10)), Taken::Ignored);
        assert_eq!(at(over, &mut reassembly, (0, 10)), Taken::Whole);
    }

    #[test]
    fn wrong_statements_give_a_capsule_up() {
        let mut reassembly = Reassembly::new(Vec::new());
        assert_eq!(take(&mut reassembly, 1, (0, 4)), Taken::More);
        let other = FragmentHeader {
            checksum: 7,
            ..header(1, 4)
        };
        let mismatch = Taken::Refused(CapsuleRefusal::Mismatch);
        assert_eq!(reassembly.take(other, b"4", ROOM), mismatch);
        let checksum = Taken::Refused(CapsuleRefusal::Checksum);
        assert_eq!(reassembly.take(header(2, 0), b"wrong byte", ROOM), checksum);
        let no_sram = Taken::Refused(CapsuleRefusal::NoSram);
        let room = (ROOM.0 - 1, ROOM.1);
        assert_eq!(reassembly.take(header(3, 0), b"0", room), no_sram);
        assert_eq!(reassembly.take(header(3, 1), b"1", ROOM), Taken::Ignored);
    }

    #[test]
    fn a_receiver_without_a_clock_gives_a_capsule_up_and_takes_it_again() {
        let mut reassembly = Reassembly::new(Vec::new());
        assert_eq!(reassembly.give_up(), None);
        for round in 0..2 {
            assert_eq!(take(&mut reassembly, 4, (0, 4)), Taken::More, "{round}");
            assert_eq!(reassembly.give_up(), Some(4));
            assert_eq!(reassembly.give_up(), None);
            assert_eq!(take(&mut reassembly, 4, (4, 10)), Taken::Ignored);
        }
        assert_eq!(take(&mut reassembly, 4, (0, 10)), Taken::Whole);
        // A complete capsule is not given up, and its answer stays.
        assert_eq!(reassembly.give_up(), None);
        reassembly.answered(4, "installed");
        assert_eq!(take(&mut reassembly, 4, (4, 10)), Taken::Again("installed"));
    }
}
