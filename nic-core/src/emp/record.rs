//! Transmit records: how far the frames of a message have been sent and acknowledged (EMP §3.1).

/// The sender's record of a message, from its first frame until all frames are acknowledged or the message has failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TransmitRecord {
    frames: u16,
    /// Number of frames, counted from the first, that have been acknowledged.
    acknowledged: u16,
    /// The highest number of a sent frame, plus one.
    sent: u16,
    /// Number of the next frame to send.
    next: u16,
    /// The frame before which sending pauses: the end of the message, or of the group that is sent again.
    until: u16,
    /// Number of silences (periods without an acknowledgement) since the last acknowledgement of a new frame.
    silences: u32,
}

/// What an acknowledgement changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// Nothing: it is known.
    Nothing,
    /// More frames have arrived.
    More,
    /// Every frame has arrived.
    All,
}

/// The error for an acknowledgement of a frame that was not sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("acknowledges {acknowledged} frames, of which {sent} were sent")]
pub struct Unsent {
    /// Number of frames that the acknowledgement names.
    pub acknowledged: u16,
    /// Frames that were sent.
    pub sent: u16,
}

/// What the sender does when no acknowledgement has come for too long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The sender sends the group that begins with this frame again.
    SendAgain {
        /// The first unacknowledged frame.
        from: u16,
    },
    /// The message has failed.
    Failed,
}

impl TransmitRecord {
    /// Returns the record of a message of `frames` frames, none of which has been sent.
    #[must_use]
    pub fn new(frames: u16) -> TransmitRecord {
        TransmitRecord {
            frames,
            acknowledged: 0,
            sent: 0,
            next: 0,
            until: frames,
            silences: 0,
        }
    }

    /// Returns the number of the message's frames.
    #[must_use]
    pub fn frames(&self) -> u16 {
        self.frames
    }

    /// Returns how many frames of the message have been acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u16 {
        self.acknowledged
    }

    /// Returns whether every frame of the message has been acknowledged.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.acknowledged == self.frames
    }

    /// Returns whether a frame of the message may be sent now.
    #[must_use]
    pub fn has_next(&self) -> bool {
        self.next < self.until
    }

    /// Returns the number of the next frame to send, if one may be sent now.
    #[must_use]
    pub fn peek_next(&self) -> Option<u16> {
        self.has_next().then_some(self.next)
    }

    /// Advances past the next frame to send. Returns the number of the frame to send, and whether the frame is sent for
    /// the first time.
    pub fn take_next(&mut self) -> Option<(u16, bool)> {
        let frame = self.next;
        if frame >= self.until {
            return None;
        }
        self.next += 1;
        let is_first = frame >= self.sent;
        self.sent = self.sent.max(self.next);
        Some((frame, is_first))
    }

    /// Records an acknowledgement of the first `count` frames.
    ///
    /// # Errors
    ///
    /// Returns [`Unsent`] if not all of the acknowledged frames were sent, and leaves the record unchanged.
    pub fn acknowledge(&mut self, count: u16) -> Result<Acknowledged, Unsent> {
        if count > self.sent {
            return Err(Unsent {
                acknowledged: count,
                sent: self.sent,
            });
        }
        if count <= self.acknowledged {
            return Ok(Acknowledged::Nothing);
        }
        self.acknowledged = count;
        self.silences = 0;
        self.next = self.next.max(count);
        if self.is_complete() {
            return Ok(Acknowledged::All);
        }
        // The acknowledged group was sent again, and the frames after it may be lost too, so sending continues with
        // them.
        if count >= self.until {
            self.until = self.frames;
        }
        Ok(Acknowledged::More)
    }

    /// Goes back to the frame that a negative acknowledgement names as the first missing one.
    ///
    /// # Errors
    ///
    /// Returns [`Unsent`] if the missing frame was not sent.
    pub fn go_back(&mut self, missing: u16) -> Result<Acknowledged, Unsent> {
        if missing >= self.sent {
            return Err(Unsent {
                acknowledged: missing,
                sent: self.sent,
            });
        }
        let acknowledged = self.acknowledge(missing)?;
        // An old negative acknowledgement is ignored, because it names a frame that has arrived since.
        if missing >= self.acknowledged {
            self.next = missing;
            self.until = self.frames;
        }
        Ok(acknowledged)
    }

    /// Decides what follows a silence of the receiver: sends the first unacknowledged group again, or fails after
    /// `retries` silences in a row.
    pub fn silence(&mut self, group: u16, retries: u32) -> Silence {
        if self.silences >= retries {
            return Silence::Failed;
        }
        self.silences += 1;
        let from = self.acknowledged;
        // Groups begin at multiples of their length, so that the receiver acknowledges the last frame of a group.
        let group = group.max(1);
        let end = (from / group).saturating_add(1).saturating_mul(group);
        self.next = from;
        self.until = end.min(self.frames);
        Silence::SendAgain { from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(record: &mut TransmitRecord) -> Vec<u16> {
        core::iter::from_fn(|| record.take_next())
            .map(|(frame, _)| frame)
            .collect()
    }

    #[test]
    fn frames_leave_in_order_and_are_acknowledged_in_groups() {
        let mut record = TransmitRecord::new(10);
        assert_eq!(taken(&mut record), (0..10).collect::<Vec<_>>());
        assert_eq!(record.acknowledge(4), Ok(Acknowledged::More));
        assert_eq!(record.acknowledge(4), Ok(Acknowledged::Nothing));
        assert_eq!(record.acknowledge(3), Ok(Acknowledged::Nothing));
        assert_eq!(record.acknowledge(10), Ok(Acknowledged::All));
        assert!(record.is_complete() && !record.has_next());
    }

    #[test]
    fn what_was_not_sent_cannot_be_acknowledged() {
        let mut record = TransmitRecord::new(u16::MAX);
        let before = record;
        let unsent = |acknowledged, sent| Err(Unsent { acknowledged, sent });
        assert_eq!(record.acknowledge(1), unsent(1, 0));
        assert_eq!(record.go_back(0), unsent(0, 0));
        assert_eq!(record, before);
        assert_eq!(record.take_next(), Some((0, true)));
        assert_eq!(record.acknowledge(u16::MAX), unsent(u16::MAX, 1));
        assert_eq!(record.go_back(1), unsent(1, 1));
        assert_eq!(record.acknowledge(1), Ok(Acknowledged::More));
    }

    #[test]
    fn a_gap_is_sent_again_from_its_first_frame_on() {
        let mut record = TransmitRecord::new(10);
        for _ in 0..7 {
            record.take_next();
        }
        assert_eq!(record.go_back(2), Ok(Acknowledged::More));
        assert_eq!(record.take_next(), Some((2, false)));
        assert_eq!(taken(&mut record), (3..10).collect::<Vec<_>>());
        assert_eq!(record.acknowledge(8), Ok(Acknowledged::More));
        assert_eq!(record.go_back(2), Ok(Acknowledged::Nothing), "an old one");
        assert!(!record.has_next());
    }

    #[test]
    fn silence_sends_one_group_and_then_the_rest() {
        let mut record = TransmitRecord::new(10);
        taken(&mut record);
        record.acknowledge(5).unwrap();
        assert_eq!(record.silence(4, 3), Silence::SendAgain { from: 5 });
        assert_eq!(taken(&mut record), [5, 6, 7]);
        assert_eq!(record.acknowledge(8), Ok(Acknowledged::More));
        assert_eq!(taken(&mut record), [8, 9]);
    }

    #[test]
    fn a_message_fails_after_its_retries() {
        let mut record = TransmitRecord::new(2);
        taken(&mut record);
        let again = |from| Silence::SendAgain { from };
        assert_eq!([record.silence(4, 2), record.silence(4, 2)], [again(0); 2]);
        assert_eq!(record.silence(4, 2), Silence::Failed);
        record.acknowledge(1).unwrap();
        assert_eq!(record.silence(4, 2), again(1), "an answer counts");
        assert_eq!(record.silence(0, 0), Silence::Failed);
        assert_eq!(TransmitRecord::new(u16::MAX).silence(u16::MAX, 1), again(0));
    }
}
