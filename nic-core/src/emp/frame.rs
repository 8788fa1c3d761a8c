//! Frames: their header of 14 bytes, and how a message is cut into frames.

use core::num::NonZeroU32;
use core::ops::Range;

/// Length of a frame's header in bytes: kind, flags, source, tag, message number, frame number and length of the whole
/// message.
pub const HEADER_BYTES: usize = 14;

/// The kind of a frame (EMP §3.1, "classify frame").
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The first frame of a message.
    Header,
    /// Any frame of a message but the first.
    Data,
    /// An acknowledgement, which says how many frames of a message have arrived without a gap.
    Ack,
    /// A negative acknowledgement, which names the first missing frame of a message.
    Nack,
}

impl FrameKind {
    const ALL: [FrameKind; 4] = [Self::Header, Self::Data, Self::Ack, Self::Nack];

    /// Returns the word that the trace shows for the kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            FrameKind::Header => "header",
            FrameKind::Data => "data",
            FrameKind::Ack => "ack",
            FrameKind::Nack => "nack",
        }
    }

    /// Returns whether the frame carries a piece of a message.
    #[must_use]
    pub const fn carries_message(self) -> bool {
        match self {
            FrameKind::Header | FrameKind::Data => true,
            FrameKind::Ack | FrameKind::Nack => false,
        }
    }
}

/// The header of a frame.
///
/// A `Frame` proves nothing about the header but that its kind exists. [`Cut::place`] checks the numbers of the header
/// against each other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What the frame is.
    pub kind: FrameKind,
    /// How many earlier messages of the sender are still outstanding. The receiver gives up all messages of the sender
    /// before the outstanding ones.
    pub pending: u8,
    /// Number of the process that sends the message.
    pub source: u16,
    /// The message's tag.
    pub tag: u16,
    /// Number of the message among those of its sender and receiver, which wraps around.
    pub message: u16,
    /// Number of the frame within the message. In an acknowledgement, the number of frames that have arrived without a
    /// gap, which is the number of the first missing frame.
    pub frame: u16,
    /// Length of the whole message in bytes.
    pub length: u32,
}

/// Why a frame is not part of any message.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The frame has too few bytes for a header.
    #[error("expected a header of {HEADER_BYTES} bytes, found {found}")]
    Short {
        /// Bytes of the frame.
        found: usize,
    },
    /// The header names a kind of frame that does not exist.
    #[error("expected a kind from 0 to 3, found {found}")]
    Kind {
        /// The byte that was found in place of the kind.
        found: u8,
    },
    /// A header frame is not the first frame of its message, or a data frame is.
    #[error("a {} frame cannot have the number {frame}", kind.word())]
    KindOfFirst {
        /// The kind.
        kind: FrameKind,
        /// The number.
        frame: u16,
    },
    /// The frame's message would have more frames than can be numbered.
    #[error("a message of {length} bytes has more frames than 65535")]
    TooLong {
        /// Length of the message in bytes.
        length: u32,
    },
    /// The frame number is beyond the last frame of the message.
    #[error("expected a frame number below {frames}, found {frame}")]
    Beyond {
        /// Frames of the message.
        frames: u16,
        /// The number.
        frame: u16,
    },
    /// The frame has more or fewer bytes of payload than its place in the message requires.
    #[error("expected {expected} bytes of payload, found {found}")]
    Payload {
        /// Number of bytes that the frame's place in the message has.
        expected: u32,
        /// Bytes of the frame.
        found: u32,
    },
}

impl Frame {
    /// Returns the header as bytes, where each number has its most significant byte first.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let [s0, s1] = self.source.to_be_bytes();
        let [t0, t1] = self.tag.to_be_bytes();
        let [m0, m1] = self.message.to_be_bytes();
        let [f0, f1] = self.frame.to_be_bytes();
        let [l0, l1, l2, l3] = self.length.to_be_bytes();
        let kind = self.kind as u8;
        [
            kind,
            self.pending,
            s0,
            s1,
            t0,
            t1,
            m0,
            m1,
            f0,
            f1,
            l0,
            l1,
            l2,
            l3,
        ]
    }

    /// Reads the header at the start of a frame, and returns it with the payload that follows.
    ///
    /// # Errors
    ///
    /// [`FrameError::Short`] or [`FrameError::Kind`]. Returns [`FrameError::Short`] or [`FrameError::Kind`], and checks
    /// no other field of the header.
    pub fn decode(bytes: &[u8]) -> Result<(Frame, &[u8]), FrameError> {
        let short = FrameError::Short { found: bytes.len() };
        let (header, payload) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or(short)?;
        let &[
            kind,
            pending,
            s0,
            s1,
            t0,
            t1,
            m0,
            m1,
            f0,
            f1,
            l0,
            l1,
            l2,
            l3,
        ] = header;
        let known = FrameKind::ALL.get(usize::from(kind));
        let frame = Frame {
            kind: *known.ok_or(FrameError::Kind { found: kind })?,
            pending,
            source: u16::from_be_bytes([s0, s1]),
            tag: u16::from_be_bytes([t0, t1]),
            message: u16::from_be_bytes([m0, m1]),
            frame: u16::from_be_bytes([f0, f1]),
            length: u32::from_be_bytes([l0, l1, l2, l3]),
        };
        Ok((frame, payload))
    }
}

/// How messages are cut into frames: the most bytes of payload in a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cut(NonZeroU32);

/// The place of a frame in its message. A `Place` proves that the numbers of its frame agree with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Frames of the message.
    pub frames: u16,
    /// The range of the frame's bytes within the message.
    pub bytes: Range<u32>,
}

impl Cut {
    /// Returns the rule for cutting messages that gives each frame but the last `payload` bytes.
    #[must_use]
    pub const fn new(payload: NonZeroU32) -> Cut {
        Cut(payload)
    }

    /// Returns how many frames a message has. A message without bytes has one frame.
    #[must_use]
    pub fn frames(self, length: u32) -> Option<u16> {
        let frames = length.div_ceil(self.0.get()).max(1);
        u16::try_from(frames).ok()
    }

    /// Returns the bytes of a message that a frame carries, or `None` if the message has no such frame.
    #[must_use]
    pub fn bytes(self, frame: u16, length: u32) -> Option<Range<u32>> {
        if frame >= self.frames(length)? {
            return None;
        }
        // The start of the frame cannot overflow, because the frame exists and so starts within the message.
        let start = u32::from(frame) * self.0.get();
        Some(start..length.min(start.saturating_add(self.0.get())))
    }

    /// Returns the place of a frame that carries `payload` bytes of a message.
    ///
    /// # Errors
    ///
    /// The [`FrameError`] says which numbers of the frame contradict each other.
    pub fn place(self, frame: &Frame, payload: u32) -> Result<Place, FrameError> {
        let Frame {
            kind,
            frame,
            length,
            ..
        } = *frame;
        if (kind == FrameKind::Header) != (frame == 0) {
            return Err(FrameError::KindOfFirst { kind, frame });
        }
        let frames = self.frames(length).ok_or(FrameError::TooLong { length })?;
        let bytes = self.bytes(frame, length);
        let bytes = bytes.ok_or(FrameError::Beyond { frames, frame })?;
        let expected = bytes.end - bytes.start;
        if payload != expected {
            return Err(FrameError::Payload {
                expected,
                found: payload,
            });
        }
        Ok(Place { frames, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: Cut = Cut::new(NonZeroU32::new(1_486).unwrap());

    fn frame(kind: FrameKind, frame: u16, length: u32) -> Frame {
        Frame {
            kind,
            pending: 0,
            source: 0,
            tag: 0,
            message: 0,
            frame,
            length,
        }
    }

    #[test]
    fn a_header_is_these_14_bytes() {
        let header = Frame {
            kind: FrameKind::Data,
            pending: 2,
            source: 0x0304,
            tag: 0x0506,
            message: 0x0708,
            frame: 0x090a,
            length: 0x0b0c_0d0e,
        };
        let bytes = header.encode();
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(Frame::decode(&bytes), Ok((header, &[][..])));
    }

    #[test]
    fn every_field_survives_at_its_limits() {
        for kind in FrameKind::ALL {
            for ones in 0..1u32 << 6 {
                let field = |bit: u32| {
                    if ones >> bit & 1 == 1 { u16::MAX } else { 0 }
                };
                let header = Frame {
                    kind,
                    pending: field(0).to_be_bytes()[0],
                    source: field(1),
                    tag: field(2),
                    message: field(3),
                    frame: field(4),
                    length: u32::from(field(5)) * 0x1_0001,
                };
                let mut bytes = [0xee; HEADER_BYTES + 2];
                bytes[..HEADER_BYTES].copy_from_slice(&header.encode());
                assert_eq!(Frame::decode(&bytes), Ok((header, &[0xee, 0xee][..])));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_header_are_refused() {
        assert_eq!(Frame::decode(&[]), Err(FrameError::Short { found: 0 }));
        assert_eq!(
            Frame::decode(&[0; 13]),
            Err(FrameError::Short { found: 13 })
        );
        for found in [4, 255] {
            let mut bytes = [0; HEADER_BYTES];
            bytes[0] = found;
            assert_eq!(Frame::decode(&bytes), Err(FrameError::Kind { found }));
        }
    }

    #[test]
    fn a_message_is_cut_without_gaps() {
        for (length, frames) in [(0, 1), (1, 1), (1_486, 1), (1_487, 2), (14_860, 10)] {
            assert_eq!(CUT.frames(length), Some(frames), "{length}");
            let mut end = 0;
            for number in 0..frames {
                let bytes = CUT.bytes(number, length).unwrap();
                assert_eq!(bytes.start, end);
                end = bytes.end;
            }
            assert_eq!((end, CUT.bytes(frames, length)), (length, None));
        }
        assert_eq!(CUT.frames(65_535 * 1_486), Some(65_535));
        assert_eq!(CUT.frames(65_535 * 1_486 + 1), None);
    }

    #[test]
    fn numbers_that_contradict_each_other_are_refused() {
        use FrameKind::{Data, Header};
        let place =
            |kind, number, length, payload| CUT.place(&frame(kind, number, length), payload);
        let place_of = |frames, bytes| Ok(Place { frames, bytes });
        assert_eq!(place(Header, 0, 0, 0), place_of(1, 0..0));
        assert_eq!(place(Data, 1, 1_500, 14), place_of(2, 1_486..1_500));
        assert_eq!(
            place(Header, 1, 1_500, 14),
            Err(FrameError::KindOfFirst {
                kind: Header,
                frame: 1
            })
        );
        assert_eq!(
            place(Data, 0, 5, 5),
            Err(FrameError::KindOfFirst {
                kind: Data,
                frame: 0
            })
        );
        assert_eq!(
            place(Data, 2, 1_500, 14),
            Err(FrameError::Beyond {
                frames: 2,
                frame: 2
            })
        );
        assert_eq!(
            place(Data, u16::MAX, 1_500, 14),
            Err(FrameError::Beyond {
                frames: 2,
                frame: u16::MAX
            })
        );
        let length = u32::MAX;
        assert_eq!(
            place(Data, 1, length, 1_486),
            Err(FrameError::TooLong { length })
        );
        for found in [0, 13, 15, u32::MAX] {
            assert_eq!(
                place(Data, 1, 1_500, found),
                Err(FrameError::Payload {
                    expected: 14,
                    found
                })
            );
        }
    }
}
