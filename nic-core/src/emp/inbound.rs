//! The receiver's record of one sender: which messages and frames have arrived, and which message is delivered next.
//!
//! A sender's messages are matched and delivered in the order of their numbers, except that messages with different
//! tags need not wait. A message of which no frame has arrived delays all later ones, because its tag is unknown.

/// Maximum number of messages of a sender that may be outstanding at a time.
pub const WINDOW: u16 = 8;

const SLOTS: usize = WINDOW as usize;

/// How far ahead of the first missing frame other frames may arrive, which is the number of bits that record them.
const AHEAD: u16 = 64;

/// The messages from one sender that are not finished, and which of their frames have arrived. `T` is the engine's own
/// record of a message that has a receive.
#[derive(Copy, Clone, Debug)]
pub struct Inbound<T> {
    /// Number of the oldest message that is not finished.
    base: u16,
    /// Which messages before `base` were delivered: bit i is set for message `base` - 1 - i. The others were given up.
    delivered: u64,
    /// The messages from `base` on, each in the slot of its number, modulo the number of slots.
    slots: [Slot<T>; SLOTS],
}

#[derive(Copy, Clone, Debug, Default)]
enum Slot<T> {
    /// No frame has arrived.
    #[default]
    Unseen,
    /// A frame of the message has arrived, but no receive accepted the message.
    Unmatched { tag: u16 },
    /// The message has a receive, in which its frames are placed.
    Placing(Placing<T>),
    /// The message was delivered.
    Finished,
    /// The message was given up before it was complete.
    GivenUp,
}

#[derive(Copy, Clone, Debug)]
struct Placing<T> {
    tag: u16,
    length: u32,
    frames: u16,
    /// The first missing frame.
    missing: u16,
    /// Bit i is set if frame `missing` + i has arrived. Bit 0 is never set, because frame `missing` has not arrived.
    ahead: u64,
    /// Number of the message's frames that are in host memory.
    landed: u16,
    /// The missing frame for which the sender was asked last; the receiver asks for each missing frame once.
    asked: Option<u16>,
    matched: T,
}

/// What the receiver does with a frame of a message, and why.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The frame's message must be matched with a receive first.
    NeedsMatch,
    /// The frame has not arrived before, so it is placed.
    Fresh,
    /// The frame has arrived before.
    Duplicate,
    /// The message was delivered.
    Finished,
    /// The message was given up, so it is not delivered any more.
    GivenUp,
    /// An earlier message must be matched before the message of this frame.
    Blocked,
    /// The message or the frame is too far ahead of the first that is missing.
    TooEarly,
    /// The frame gives its message another length or tag than earlier frames did.
    Contradicts,
}

/// The state of a message after one of its frames is recorded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Number of the message's frames that have arrived without a gap.
    pub count: u16,
    /// The first missing frame of the message, if the receiver must ask the sender for it.
    pub gap: Option<u16>,
    /// Whether every frame of the message has arrived.
    pub is_complete: bool,
}

/// A message to deliver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Finish<T> {
    /// The message's number.
    pub message: u16,
    /// The message's length in bytes.
    pub length: u32,
    /// The engine's record.
    pub matched: T,
}

impl<T> Default for Inbound<T> {
    fn default() -> Inbound<T> {
        Inbound {
            base: 0,
            delivered: 0,
            slots: core::array::from_fn(|_| Slot::Unseen),
        }
    }
}

/// Returns the index of a message's slot.
fn slot(message: u16) -> usize {
    usize::from(message % WINDOW)
}

impl<T: Copy> Inbound<T> {
    /// Returns how far a message is after the oldest unfinished one, or `None` if it is before that one.
    fn after_base(&self, message: u16) -> Option<u16> {
        let after = message.wrapping_sub(self.base);
        (after <= u16::MAX / 2).then_some(after)
    }

    /// Returns the engine's records of the messages that have a receive and are not delivered.
    pub fn held(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Placing(placing) => Some(&placing.matched),
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => None,
        })
    }

    /// Gives up the oldest unfinished message if it is before `oldest`, which is the oldest message outstanding at the
    /// sender. The caller repeats the call until it returns `None`. Returns the engine's record of the message that is
    /// given up, if the message had one and was not delivered.
    ///
    /// A message whose frames have all arrived is kept until it is delivered, because the sender has learned of its
    /// arrival.
    pub fn give_up_before(&mut self, oldest: u16) -> Option<Option<T>> {
        let after = self.after_base(oldest).filter(|&after| after > 0)?;
        if after > WINDOW {
            // If no slot holds a message with a seen frame, `base` advances to `oldest` in one step instead of one
            // message per call.
            let seen = self.slots.iter().any(|slot| !matches!(slot, Slot::Unseen));
            if !seen {
                self.base = oldest;
                self.delivered = self.delivered.checked_shl(after.into()).unwrap_or(0);
                return None;
            }
        }
        if let Slot::Placing(placing) = &self.slots[slot(self.base)]
            && placing.missing == placing.frames
        {
            return None;
        }
        Some(match self.advance() {
            Slot::Placing(placing) => Some(placing.matched),
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => None,
        })
    }

    /// Returns the engine's records of the messages that have a receive and of which frames are missing.
    pub fn unfinished(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Placing(placing) if placing.missing < placing.frames => Some(&placing.matched),
            Slot::Placing(_)
            | Slot::Unseen
            | Slot::Unmatched { .. }
            | Slot::Finished
            | Slot::GivenUp => None,
        })
    }

    /// Gives up the oldest message of which frames are missing and whose record `is_over` accepts, and returns the
    /// record. The message is neither delivered nor acknowledged any more, even if the missing frames arrive.
    pub fn give_up_if(&mut self, is_over: impl Fn(&T) -> bool) -> Option<T> {
        let mut messages = (0..WINDOW).map(|after| self.base.wrapping_add(after));
        let (message, matched) = messages.find_map(|message| match &self.slots[slot(message)] {
            Slot::Placing(placing)
                if placing.missing < placing.frames && is_over(&placing.matched) =>
            {
                Some((message, placing.matched))
            }
            Slot::Placing(_)
            | Slot::Unseen
            | Slot::Unmatched { .. }
            | Slot::Finished
            | Slot::GivenUp => None,
        })?;
        self.slots[slot(message)] = Slot::GivenUp;
        self.pass_over();
        Some(matched)
    }

    /// Advances past the oldest message, and remembers whether it was delivered.
    fn advance(&mut self) -> Slot<T> {
        let oldest = core::mem::take(&mut self.slots[slot(self.base)]);
        let was_delivered = matches!(oldest, Slot::Finished);
        self.base = self.base.wrapping_add(1);
        self.delivered = self.delivered << 1 | u64::from(was_delivered);
        oldest
    }

    /// Returns whether a message before the oldest unfinished one was delivered.
    fn was_delivered(&self, message: u16) -> bool {
        let before = self.base.wrapping_sub(message).wrapping_sub(1);
        self.delivered.checked_shr(before.into()).unwrap_or(0) & 1 == 1
    }

    /// Returns what the receiver does with a frame, and why.
    #[must_use]
    pub fn verdict(&self, message: u16, tag: u16, length: u32, frame: u16) -> Verdict {
        let Some(after) = self.after_base(message) else {
            return match self.was_delivered(message) {
                true => Verdict::Finished,
                false => Verdict::GivenUp,
            };
        };
        if after >= WINDOW {
            return Verdict::TooEarly;
        }
        match &self.slots[slot(message)] {
            Slot::Finished => Verdict::Finished,
            Slot::GivenUp => Verdict::GivenUp,
            Slot::Placing(placing) if (placing.tag, placing.length) != (tag, length) => {
                Verdict::Contradicts
            }
            Slot::Placing(placing) => placing.verdict(frame),
            Slot::Unseen | Slot::Unmatched { .. } if self.is_held_up(message, tag) => {
                Verdict::Blocked
            }
            Slot::Unseen | Slot::Unmatched { .. } => Verdict::NeedsMatch,
        }
    }

    /// Returns whether a message must wait until an earlier one is matched.
    fn is_held_up(&self, message: u16, tag: u16) -> bool {
        self.before(message).any(|earlier| match earlier {
            Slot::Unseen => true,
            Slot::Unmatched { tag: earlier } => *earlier == tag,
            Slot::Placing(_) | Slot::Finished | Slot::GivenUp => false,
        })
    }

    /// Returns the slots of the unfinished messages before a message.
    fn before(&self, message: u16) -> impl Iterator<Item = &Slot<T>> {
        let count = message.wrapping_sub(self.base).min(WINDOW);
        (0..count).map(|after| &self.slots[slot(self.base.wrapping_add(after))])
    }

    /// Records that no receive accepts a message that, according to its verdict, needs a match.
    pub fn refuse(&mut self, message: u16, tag: u16) {
        self.slots[slot(message)] = Slot::Unmatched { tag };
    }

    /// Records that a message of `frames` frames, which according to its verdict needs a match, has a receive.
    pub fn begin(&mut self, message: u16, (tag, length, frames): (u16, u32, u16), matched: T) {
        self.slots[slot(message)] = Slot::Placing(Placing {
            tag,
            length,
            frames,
            missing: 0,
            ahead: 0,
            landed: 0,
            asked: None,
            matched,
        });
    }

    fn peek(&self, message: u16) -> Option<&Placing<T>> {
        self.after_base(message).filter(|&after| after < WINDOW)?;
        match &self.slots[slot(message)] {
            Slot::Placing(placing) => Some(placing),
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => None,
        }
    }

    fn placing(&mut self, message: u16) -> Option<&mut Placing<T>> {
        self.after_base(message).filter(|&after| after < WINDOW)?;
        match &mut self.slots[slot(message)] {
            Slot::Placing(placing) => Some(placing),
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => None,
        }
    }

    /// Returns the engine's record of a message that has a receive and is not finished.
    #[must_use]
    pub fn matched(&self, message: u16) -> Option<T> {
        self.peek(message).map(|placing| placing.matched)
    }

    /// Returns the engine's record of a message that has a receive and is not finished, to be changed.
    pub fn matched_mut(&mut self, message: u16) -> Option<&mut T> {
        self.placing(message).map(|placing| &mut placing.matched)
    }

    /// Records a frame. Returns `None` if the frame has arrived before or is too far ahead, or if its message was given
    /// up.
    pub fn record(&mut self, message: u16, frame: u16) -> Option<Recorded> {
        let placing = self.placing(message)?;
        if placing.verdict(frame) != Verdict::Fresh {
            return None;
        }
        placing.ahead |= 1 << (frame - placing.missing);
        while placing.ahead & 1 == 1 {
            placing.ahead >>= 1;
            placing.missing += 1;
        }
        let is_new_gap = frame > placing.missing && placing.asked != Some(placing.missing);
        let gap = is_new_gap.then_some(placing.missing);
        if is_new_gap {
            placing.asked = gap;
        }
        Some(Recorded {
            count: placing.missing,
            gap,
            is_complete: placing.missing == placing.frames,
        })
    }

    /// Returns how many frames of a message have arrived without a gap, if the message has a receive and is not
    /// finished.
    #[must_use]
    pub fn count(&self, message: u16) -> Option<u16> {
        self.peek(message).map(|placing| placing.missing)
    }

    /// Records that a frame, whose arrival is recorded, is in host memory.
    pub fn land(&mut self, message: u16) {
        if let Some(placing) = self.placing(message) {
            placing.landed = placing.landed.saturating_add(1).min(placing.frames);
        }
    }

    /// Takes the next message whose frames are all in host memory and that may be delivered now.
    pub fn take_finished(&mut self) -> Option<Finish<T>> {
        let messages = (0..WINDOW).map(|after| self.base.wrapping_add(after));
        let may_finish = |message: &u16| match &self.slots[slot(*message)] {
            Slot::Placing(placing) => {
                placing.landed == placing.frames && !self.is_delivery_held_up(*message, placing.tag)
            }
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => false,
        };
        let message = messages.into_iter().find(may_finish)?;
        let finished = core::mem::replace(&mut self.slots[slot(message)], Slot::Finished);
        self.pass_over();
        match finished {
            Slot::Placing(Placing {
                length, matched, ..
            }) => Some(Finish {
                message,
                length,
                matched,
            }),
            Slot::Unseen | Slot::Unmatched { .. } | Slot::Finished | Slot::GivenUp => None,
        }
    }

    /// Returns whether a message must wait until an earlier one is delivered.
    fn is_delivery_held_up(&self, message: u16, tag: u16) -> bool {
        self.before(message).any(|earlier| match earlier {
            Slot::Unseen => true,
            Slot::Unmatched { tag: earlier } | Slot::Placing(Placing { tag: earlier, .. }) => {
                *earlier == tag
            }
            Slot::Finished | Slot::GivenUp => false,
        })
    }

    /// Advances past the messages that are over.
    fn pass_over(&mut self) {
        while let Slot::Finished | Slot::GivenUp = self.slots[slot(self.base)] {
            self.advance();
        }
    }
}

impl<T> Placing<T> {
    fn verdict(&self, frame: u16) -> Verdict {
        match frame.checked_sub(self.missing) {
            None => Verdict::Duplicate,
            Some(after) if after >= AHEAD || frame >= self.frames => Verdict::TooEarly,
            Some(after) if self.ahead >> after & 1 == 1 => Verdict::Duplicate,
            Some(_) => Verdict::Fresh,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records a match of a message of `frames` frames, in which the message's number serves as the engine's record.
    fn begin(inbound: &mut Inbound<u16>, message: u16, tag: u16, frames: u16) {
        assert_eq!(
            inbound.verdict(message, tag, 9, 0),
            Verdict::NeedsMatch,
            "{message}"
        );
        inbound.begin(message, (tag, 9, frames), message);
    }

    fn whole(inbound: &mut Inbound<u16>, message: u16, frames: u16) {
        for frame in 0..frames {
            assert!(inbound.record(message, frame).is_some());
            inbound.land(message);
        }
    }

    fn delivered(inbound: &mut Inbound<u16>) -> Vec<u16> {
        core::iter::from_fn(|| inbound.take_finished())
            .map(|finish| finish.message)
            .collect()
    }

    #[test]
    fn frames_are_recorded_once_in_any_order() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 7, 4);
        let recorded = |count, gap, is_complete| {
            Some(Recorded {
                count,
                gap,
                is_complete,
            })
        };
        assert_eq!(inbound.record(0, 2), recorded(0, Some(0), false));
        assert_eq!(inbound.record(0, 3), recorded(0, None, false), "asked once");
        assert_eq!(inbound.record(0, 2), None);
        assert_eq!(inbound.verdict(0, 7, 9, 3), Verdict::Duplicate);
        assert_eq!(inbound.record(0, 0), recorded(1, None, false));
        assert_eq!(inbound.record(0, 0), None);
        assert_eq!(inbound.record(0, 1), recorded(4, None, true));
        assert_eq!(inbound.record(0, 4), None, "beyond the message");
        assert_eq!(delivered(&mut inbound), [], "nothing has landed");
        for _ in 0..4 {
            inbound.land(0);
        }
        assert_eq!(delivered(&mut inbound), [0]);
        assert_eq!(inbound.verdict(0, 7, 9, 0), Verdict::Finished);
    }

    #[test]
    fn every_order_of_frames_completes_a_message_exactly_once() {
        for order in 0..24u16 {
            // The frames arrive in the permutation of four frames that has the number `order`.
            let mut rest = vec![0u16, 1, 2, 3];
            let mut picked = Vec::new();
            let mut code = order;
            for left in (1..=4).rev() {
                picked.push(rest.remove(usize::from(code % left)));
                code /= left;
            }
            let mut inbound = Inbound::<u16>::default();
            begin(&mut inbound, 0, 0, 4);
            let completes = picked
                .iter()
                .map(|&frame| inbound.record(0, frame).unwrap().is_complete);
            assert_eq!(
                completes.collect::<Vec<_>>(),
                [false, false, false, true],
                "{picked:?}"
            );
        }
    }

    #[test]
    fn a_frame_far_ahead_waits() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 0, u16::MAX);
        assert_eq!(inbound.verdict(0, 0, 9, 63), Verdict::Fresh);
        assert_eq!(inbound.verdict(0, 0, 9, 64), Verdict::TooEarly);
        assert!(inbound.record(0, 63).is_some());
        assert!(inbound.record(0, 0).is_some());
        assert_eq!(inbound.record(0, 64).unwrap().gap, Some(1));
        assert_eq!(inbound.verdict(0, 0, 9, u16::MAX), Verdict::TooEarly);
    }

    #[test]
    fn messages_of_one_tag_keep_their_order() {
        let mut inbound = Inbound::default();
        assert_eq!(inbound.verdict(1, 7, 9, 0), Verdict::Blocked, "0 is unseen");
        begin(&mut inbound, 0, 7, 2);
        begin(&mut inbound, 1, 7, 1);
        begin(&mut inbound, 2, 8, 1);
        whole(&mut inbound, 1, 1);
        whole(&mut inbound, 2, 1);
        assert_eq!(delivered(&mut inbound), [2], "another tag need not wait");
        whole(&mut inbound, 0, 2);
        assert_eq!(delivered(&mut inbound), [0, 1]);
        assert_eq!(inbound.verdict(2, 8, 9, 0), Verdict::Finished);
    }

    #[test]
    fn an_unmatched_message_holds_up_its_own_tag() {
        let mut inbound = Inbound::default();
        inbound.refuse(0, 7);
        assert_eq!(inbound.verdict(1, 7, 9, 0), Verdict::Blocked);
        begin(&mut inbound, 1, 8, 1);
        whole(&mut inbound, 1, 1);
        assert_eq!(delivered(&mut inbound), [1]);
        begin(&mut inbound, 0, 7, 1);
        whole(&mut inbound, 0, 1);
        assert_eq!(delivered(&mut inbound), [0]);
        assert_eq!(inbound.verdict(2, 7, 9, 0), Verdict::NeedsMatch);
    }

    #[test]
    fn the_window_goes_round() {
        let mut inbound = Inbound::default();
        for message in 0..=u16::MAX {
            begin(&mut inbound, message, 0, 1);
            assert_eq!(
                inbound.verdict(message.wrapping_add(WINDOW), 0, 9, 0),
                Verdict::TooEarly
            );
            whole(&mut inbound, message, 1);
            assert_eq!(delivered(&mut inbound), [message]);
        }
        assert_eq!(inbound.verdict(0, 0, 9, 0), Verdict::NeedsMatch);
    }

    #[test]
    fn what_the_sender_gave_up_is_given_up() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 7, 2);
        inbound.refuse(1, 8);
        let given_up = |inbound: &mut Inbound<u16>, oldest| {
            core::iter::from_fn(|| inbound.give_up_before(oldest)).collect::<Vec<_>>()
        };
        assert_eq!(given_up(&mut inbound, 0), []);
        assert_eq!(given_up(&mut inbound, 2), [Some(0), None]);
        assert_eq!(inbound.verdict(1, 8, 9, 0), Verdict::GivenUp);
        assert_eq!(inbound.record(0, 0), None);
        begin(&mut inbound, 2, 7, 1);
        // The sender's oldest message is about 30,000 numbers ahead, but giving up takes no more calls than there are
        // slots.
        assert_eq!(given_up(&mut inbound, 30_000)[0], Some(2));
        assert_eq!(inbound.verdict(30_000, 0, 9, 0), Verdict::NeedsMatch);
    }

    #[test]
    fn arrived_message_is_delivered_after_one_is_given_up() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 7, 2);
        begin(&mut inbound, 1, 7, 1);
        whole(&mut inbound, 1, 1);
        assert_eq!(delivered(&mut inbound), []);
        assert_eq!(inbound.give_up_before(2), Some(Some(0)));
        assert_eq!(inbound.give_up_before(2), None);
        assert_eq!(delivered(&mut inbound), [1]);
    }

    #[test]
    fn far_ahead_sender_finishes_delivered_messages_only() {
        let mut inbound = Inbound::default();
        for message in 0..3 {
            begin(&mut inbound, message, 7, 1);
            whole(&mut inbound, message, 1);
        }
        assert_eq!(delivered(&mut inbound), [0, 1, 2]);
        for (oldest, remembers) in [
            (5, true),
            (60, true),
            (66, true),
            (67, false),
            (32_767, false),
        ] {
            let mut ahead = inbound;
            while ahead.give_up_before(oldest).is_some() {}
            let verdicts = [0, 1, 2].map(|message| ahead.verdict(message, 7, 9, 0));
            let last = match remembers {
                true => Verdict::Finished,
                false => Verdict::GivenUp,
            };
            assert_eq!(verdicts[2], last, "{oldest}");
            for message in 3..oldest.min(300) {
                assert_eq!(
                    ahead.verdict(message, 7, 9, 0),
                    Verdict::GivenUp,
                    "{oldest} {message}"
                );
            }
        }
    }

    #[test]
    fn an_unfinished_message_can_be_given_up_between_others() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 7, 2);
        begin(&mut inbound, 1, 7, 2);
        begin(&mut inbound, 2, 7, 2);
        assert!(inbound.record(1, 1).is_some());
        whole(&mut inbound, 2, 2);
        assert!(inbound.unfinished().eq(&[0, 1]));
        assert_eq!(inbound.give_up_if(|&message| message > 0), Some(1));
        assert_eq!(
            inbound.give_up_if(|&message| message > 0),
            None,
            "2 is whole"
        );
        assert_eq!(inbound.verdict(1, 7, 9, 0), Verdict::GivenUp);
        assert_eq!(delivered(&mut inbound), [], "0 holds up its tag");
        whole(&mut inbound, 0, 2);
        assert_eq!(delivered(&mut inbound), [0, 2]);
        let verdicts = [0, 1, 2].map(|message| inbound.verdict(message, 7, 9, 0));
        let expected = [Verdict::Finished, Verdict::GivenUp, Verdict::Finished];
        assert_eq!(verdicts, expected);
        assert_eq!(inbound.verdict(3, 7, 9, 0), Verdict::NeedsMatch);
    }

    #[test]
    fn frames_that_contradict_the_first_are_refused() {
        let mut inbound = Inbound::default();
        begin(&mut inbound, 0, 7, 2);
        assert_eq!(inbound.verdict(0, 8, 9, 1), Verdict::Contradicts);
        assert_eq!(inbound.verdict(0, 7, 10, 1), Verdict::Contradicts);
        assert_eq!(inbound.verdict(0, 7, 9, 1), Verdict::Fresh);
    }
}
