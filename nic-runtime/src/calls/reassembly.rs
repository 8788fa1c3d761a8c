//! Puts the fragments of capsules together, in order, for one endpoint.
//!
//! The numbers of capsules ascend. At any time one capsule is the latest, and this capsule is being collected, was
//! given up, or is complete. A capsule is given up as well when its next fragment does not come within [`PATIENCE`]. A
//! fragment with a lower number than the latest capsule is stale: the network may have repeated the fragment. A fragment
//! with a higher number begins a new capsule, which replaces the latest one.

use nic_core::sle::{CapsuleRefusal, FragmentHeader, checksum};
use nic_core::time::{SimDuration, SimTime};

/// How long a half-finished capsule keeps its memory while no fragment comes. Chosen: long compared with the time of a
/// fragment on a slow link, and short compared with the time between two replacements of an applet.
const PATIENCE: SimDuration = SimDuration::from_ns(1_000_000_000);

/// The latest capsule of an endpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    latest: Option<(u32, Progress)>,
}

#[derive(Clone, Debug)]
enum Progress {
    /// The capsule's first fragments have arrived.
    Collecting {
        first: FragmentHeader,
        bytes: Vec<u8>,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The fragment was added to its capsule, which waits for more fragments.
    More,
    /// The fragment repeats an earlier one, or belongs to a capsule that was given up.
    Ignored,
    /// The last fragment of the latest capsule was repeated, and the sender gets the answer again.
    Again(&'static str),
    /// The capsule is refused.
    Refused(CapsuleRefusal),
    /// The capsule is complete, and this is its class file.
    Whole(Vec<u8>),
}

impl Reassembly {
    /// Returns how many bytes of memory the capsule that is being collected has taken: those of the whole class file.
    pub(crate) fn held(&self) -> u32 {
        match &self.latest {
            Some((_, Progress::Collecting { first, .. })) => first.total,
            Some((_, Progress::Overdue | Progress::GivenUp | Progress::Whole { .. })) | None => 0,
        }
    }

    /// Returns until when the capsule that is being collected waits for its next fragment.
    pub(crate) fn waits_until(&self) -> Option<SimTime> {
        match &self.latest {
            Some((_, Progress::Collecting { until, .. })) => Some(*until),
            Some((_, Progress::Overdue | Progress::GivenUp | Progress::Whole { .. })) | None => {
                None
            }
        }
    }

    /// Gives up the capsule that is being collected if it has waited too long for its next fragment.
    pub(crate) fn look(&mut self, now: SimTime) {
        if self.waits_until().is_some_and(|until| until <= now)
            && let Some((_, progress)) = &mut self.latest
        {
            *progress = Progress::Overdue;
        }
    }

    /// Takes a fragment. `room` is the memory that the endpoint may take, including the memory that
    /// [`Reassembly::held`] returns.
    pub(crate) fn take(
        &mut self,
        header: FragmentHeader,
        bytes: &[u8],
        (room, now): (u64, SimTime),
    ) -> Taken {
        self.look(now);
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
                    bytes: Vec::new(),
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
                let is_last = header.offset as usize + bytes.len() == header.total as usize;
                return match answer {
                    Some(answer) if is_last => Taken::Again(answer),
                    Some(_) | None => Taken::Ignored,
                };
            }
            Progress::Collecting { .. } => {}
        }
        let Progress::Collecting {
            first,
            bytes: known,
            until,
        } = progress
        else {
            return Taken::Ignored;
        };
        let refused = if (header.total, header.checksum) != (first.total, first.checksum) {
            CapsuleRefusal::Mismatch
        } else if (header.offset as usize) < known.len() {
            return Taken::Ignored;
        } else if header.offset as usize > known.len() {
            CapsuleRefusal::Gap
        } else {
            known.extend_from_slice(bytes);
            *until = now + PATIENCE;
            if known.len() < first.total as usize {
                return Taken::More;
            }
            let (whole, expected) = (std::mem::take(known), first.checksum);
            *progress = Progress::Whole { answer: None };
            if checksum(&whole) == expected {
                return Taken::Whole(whole);
            }
            CapsuleRefusal::Checksum
        };
        *progress = Progress::GivenUp;
        Taken::Refused(refused)
    }

    /// Records the answer to a complete capsule, unless a later capsule has begun.
    pub(crate) fn answered(&mut self, number: u32, given: &'static str) {
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
    fn take(reassembly: &mut Reassembly, number: u32, (offset, end): (u32, u32)) -> Taken {
        let bytes = &CLASS[offset as usize..end as usize];
        reassembly.take(header(number, offset), bytes, ROOM)
    }

    fn whole() -> Taken {
        Taken::Whole(CLASS.to_vec())
    }

    #[test]
    fn fragments_in_order_make_a_class_file() {
        let mut reassembly = Reassembly::default();
        assert_eq!(take(&mut reassembly, 1, (0, 4)), Taken::More);
        assert_eq!(reassembly.held(), 10);
        assert_eq!(take(&mut reassembly, 1, (4, 5)), Taken::More);
        assert_eq!(take(&mut reassembly, 1, (5, 10)), whole());
        assert_eq!(reassembly.held(), 0);
    }

    #[test]
    fn repeated_fragments_are_ignored_and_the_last_is_answered_again() {
        let mut reassembly = Reassembly::default();
        for (span, taken) in [((0, 4), Taken::More), ((4, 10), whole())] {
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
        let mut reassembly = Reassembly::default();
        assert_eq!(take(&mut reassembly, 3, (0, 2)), Taken::More);
        assert_eq!(take(&mut reassembly, 3, (4, 6)), gap);
        assert_eq!(reassembly.held(), 0);
        // One refusal for each capsule is enough.
        assert_eq!(take(&mut reassembly, 3, (6, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 3, (0, 10)), whole());
        // The missing fragment may also be the capsule's first fragment.
        assert_eq!(take(&mut reassembly, 4, (4, 6)), gap);
        assert_eq!(take(&mut reassembly, 4, (6, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 4, (0, 10)), whole());
    }

    #[test]
    fn a_higher_number_replaces_the_latest_capsule_and_a_lower_one_is_stale() {
        let mut reassembly = Reassembly::default();
        assert_eq!(take(&mut reassembly, 5, (0, 9)), Taken::More);
        assert_eq!(take(&mut reassembly, 6, (0, 9)), Taken::More);
        let stale = Taken::Refused(CapsuleRefusal::Stale);
        assert_eq!(take(&mut reassembly, 5, (9, 10)), Taken::Ignored);
        assert_eq!(take(&mut reassembly, 5, (0, 10)), stale);
        assert_eq!(take(&mut reassembly, 6, (9, 10)), whole());
        // An answer to a capsule that is no longer the latest is not kept.
        assert_eq!(take(&mut reassembly, 7, (0, 1)), Taken::More);
        reassembly.answered(6, "installed");
        assert_eq!(take(&mut reassembly, 7, (1, 10)), whole());
        assert_eq!(take(&mut reassembly, 7, (1, 10)), Taken::Ignored);
    }

    #[test]
    fn a_capsule_that_waits_too_long_gives_its_memory_back() {
        let mut reassembly = Reassembly::default();
        let at = |time: SimTime, reassembly: &mut Reassembly, (offset, end): (u32, u32)| {
            let bytes = &CLASS[offset as usize..end as usize];
            reassembly.take(header(1, offset), bytes, (ROOM.0, time))
        };
        let (start, last) = (SimTime::ZERO, SimTime::ZERO + PATIENCE);
        assert_eq!(at(start, &mut reassembly, (0, 4)), Taken::More);
        // Each fragment begins the wait again, and a copy of an earlier one does not.
        let almost = SimTime::from_ps(last.as_ps() - 1);
        reassembly.look(almost);
        assert_eq!(at(almost, &mut reassembly, (4, 6)), Taken::More);
        assert_eq!(at(last, &mut reassembly, (0, 4)), Taken::Ignored);
        reassembly.look(last);
        assert_eq!(reassembly.held(), 10);
        let over = almost + PATIENCE;
        assert_eq!(reassembly.waits_until(), Some(over));
        reassembly.look(over);
        assert_eq!(reassembly.held(), 0);
        let gap = Taken::Refused(CapsuleRefusal::Gap);
        assert_eq!(at(over, &mut reassembly, (6, 10)), gap);
        assert_eq!(at(over, &mut reassembly, (6, 10)), Taken::Ignored);
        assert_eq!(at(over, &mut reassembly, (0, 10)), whole());
    }

    #[test]
    fn wrong_statements_give_a_capsule_up() {
        let mut reassembly = Reassembly::default();
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
}
