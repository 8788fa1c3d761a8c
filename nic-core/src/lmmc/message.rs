//! The three messages between the ends of a link, and their bytes (S4-06).

use super::names::{Direction, FrameId, PortId};

/// Length of a message's header in bytes. Only a remote write has bytes behind it.
pub const HEADER_BYTES: usize = 16;

/// A message between the two ends of a link.
///
/// Holding one proves nothing but its form: ports, frames and offsets are claims of the peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Path set-up, which traps at the peer.
    SetUp(SetUp),
    /// A remote write, which traps nowhere.
    Write(Write<'a>),
    /// A remote paging request, which traps at the peer.
    Paging(PageRequest),
}

/// Bytes for a frame of the receiver. The write does not name its port: the receiver's frame table does (S4-15).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Write<'a> {
    /// The frame.
    pub frame: FrameId,
    /// Offset in the frame.
    pub offset: u32,
    /// At least one byte.
    pub bytes: &'a [u8],
}

/// The request to give a frame to another port (S4-17, step 4).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The port that comes in.
    pub port: PortId,
    /// The frame that it gets. Whoever has the frame goes out.
    pub frame: FrameId,
}

/// A step of setting up or deleting a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// What the end that made the message is to the port.
    pub by: Direction,
    /// The port's id, or the id that is proposed for it.
    pub port: PortId,
    /// The step.
    pub step: SetUpStep,
}

/// What a set-up message does. The paper leaves the parameters to the operating system (S4-06), and says nothing of how
/// a port is deleted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SetUpStep {
    /// Proposes an id for a new port.
    Offer {
        /// The frame that the sender gives to the port.
        frame: Option<FrameId>,
    },
    /// Agrees to a proposal, if the ids are equal, or answers it with a higher id.
    Answer {
        /// The id that was proposed.
        to: PortId,
        /// The frame that the sender gives to the port.
        frame: Option<FrameId>,
    },
    /// Gives up a set-up, because no higher id is free.
    Refuse,
    /// The receiver asks the sender to delete the port.
    Close,
    /// The sender has deleted the port. No write to it follows.
    Delete,
    /// The receiver has deleted the port too, so its id is free.
    Deleted,
}

/// Why bytes are no message.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The bytes end within the header.
    #[error("expected a header of {HEADER_BYTES} bytes, found {found} bytes")]
    Short {
        /// Number of bytes.
        found: usize,
    },
    /// There is no such kind of message.
    #[error("expected kind 0 (set-up), 1 (write) or 2 (paging) of a message, found {found}")]
    Kind {
        /// The byte in place of the kind.
        found: u8,
    },
    /// There is no such step of a set-up, or not from this side of the port.
    #[error("expected a step of a set-up from this side of the port, found step {found}")]
    Step {
        /// The byte in place of the step.
        found: u8,
    },
    /// The byte for the side of the port is neither of the two.
    #[error("expected 0 (sender) or 1 (receiver) for who made a set-up message, found {found}")]
    Side {
        /// The byte.
        found: u8,
    },
    /// The message names port 0.
    #[error("expected a positive port id, found 0")]
    PortZero,
    /// A part of the header that the message has no use for is not 0.
    #[error("expected 0 in the unused parts of the header, found {found}")]
    Unused {
        /// What was found.
        found: u32,
    },
    /// The header of a write states another length than the message has. A write has at least one byte, and all other
    /// messages have none.
    #[error("expected {stated} bytes behind the header, found {found} bytes")]
    Length {
        /// The length in the header.
        stated: u32,
        /// Number of bytes behind the header.
        found: usize,
    },
    /// A write has no bytes.
    #[error("expected at least one byte to write, found none")]
    Empty,
}

impl MessageError {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            MessageError::Short { .. } => "short",
            MessageError::Kind { .. } => "kind",
            MessageError::Step { .. } => "step",
            MessageError::Side { .. } => "side",
            MessageError::PortZero => "port-zero",
            MessageError::Unused { .. } => "unused",
            MessageError::Length { .. } => "length",
            MessageError::Empty => "empty",
        }
    }
}

impl SetUpStep {
    /// Returns the word that the trace shows for a message with this step.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            SetUpStep::Offer { .. } => "offer",
            SetUpStep::Answer { .. } => "answer",
            SetUpStep::Refuse => "refuse",
            SetUpStep::Close => "close",
            SetUpStep::Delete => "delete",
            SetUpStep::Deleted => "deleted",
        }
    }
}

/// Stands for "no frame" in a set-up message.
const NO_FRAME: u32 = u32::MAX;

const SET_UP: u8 = 0;
const WRITE: u8 = 1;
const PAGING: u8 = 2;

/// The fields of a header as they lie in its bytes. Numbers are big-endian.
#[derive(Copy, Clone)]
struct Header {
    kind: u8,
    step: u8,
    side: u8,
    numbers: [u32; 3],
}

impl Header {
    fn bytes(self) -> [u8; HEADER_BYTES] {
        let [a, b, c] = self.numbers.map(u32::to_be_bytes);
        let [a0, a1, a2, a3] = a;
        let [b0, b1, b2, b3] = b;
        let [c0, c1, c2, c3] = c;
        [
            self.kind, self.step, self.side, 0, a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3,
        ]
    }

    fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Header, MessageError> {
        let &[
            kind,
            step,
            side,
            zero,
            a0,
            a1,
            a2,
            a3,
            b0,
            b1,
            b2,
            b3,
            c0,
            c1,
            c2,
            c3,
        ] = bytes;
        unused(zero.into())?;
        let numbers = [[a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3]];
        Ok(Header {
            kind,
            step,
            side,
            numbers: numbers.map(u32::from_be_bytes),
        })
    }
}

impl Message<'_> {
    /// Returns the word that the trace shows for the message.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Message::SetUp(set_up) => set_up.step.word(),
            Message::Write(_) => "write",
            Message::Paging(_) => "paging",
        }
    }

    /// Returns the message's header as bytes. The [payload](Message::payload) follows it.
    #[must_use]
    pub fn header(&self) -> [u8; HEADER_BYTES] {
        let header = match *self {
            Message::SetUp(set_up) => set_up.header(),
            Message::Write(write) => Header {
                kind: WRITE,
                step: 0,
                side: 0,
                // A write is at most a page, whose length is a 32-bit number.
                numbers: [write.frame.0, write.offset, length(write.bytes)],
            },
            Message::Paging(request) => Header {
                kind: PAGING,
                step: 0,
                side: 0,
                numbers: [request.port.number(), request.frame.0, 0],
            },
        };
        header.bytes()
    }

    /// Returns the bytes behind the header.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        match self {
            Message::Write(write) => write.bytes,
            Message::SetUp(_) | Message::Paging(_) => &[],
        }
    }

    /// Returns the length of the whole message in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        HEADER_BYTES + self.payload().len()
    }

    /// Reads a message, which must be all of `bytes`.
    ///
    /// # Errors
    ///
    /// The [`MessageError`] says which part of the bytes no message has.
    pub fn decode(bytes: &[u8]) -> Result<Message<'_>, MessageError> {
        let short = MessageError::Short { found: bytes.len() };
        let (header, payload) = bytes.split_first_chunk().ok_or(short)?;
        let header = Header::read(header)?;
        let [first, second, third] = header.numbers;
        let stated = match header.kind {
            WRITE => third,
            _ => 0,
        };
        let message = match header.kind {
            SET_UP => Message::SetUp(SetUp::read(header)?),
            WRITE => {
                unused(header.step.into())?;
                unused(header.side.into())?;
                if stated == 0 {
                    return Err(MessageError::Empty);
                }
                Message::Write(Write {
                    frame: FrameId(first),
                    offset: second,
                    bytes: payload,
                })
            }
            PAGING => {
                unused(header.step.into())?;
                unused(header.side.into())?;
                unused(third)?;
                Message::Paging(PageRequest {
                    port: port(first)?,
                    frame: FrameId(second),
                })
            }
            found => return Err(MessageError::Kind { found }),
        };
        match u32::try_from(payload.len()) == Ok(stated) {
            true => Ok(message),
            false => Err(MessageError::Length {
                stated,
                found: payload.len(),
            }),
        }
    }
}

impl SetUp {
    fn header(self) -> Header {
        let (step, to, frame) = match self.step {
            SetUpStep::Offer { frame } => (0, 0, number(frame)),
            SetUpStep::Answer { to, frame } => (1, to.number(), number(frame)),
            SetUpStep::Refuse => (2, 0, 0),
            SetUpStep::Close => (3, 0, 0),
            SetUpStep::Delete => (4, 0, 0),
            SetUpStep::Deleted => (5, 0, 0),
        };
        Header {
            kind: SET_UP,
            step,
            side: match self.by {
                Direction::Send => 0,
                Direction::Receive => 1,
            },
            numbers: [self.port.number(), to, frame],
        }
    }

    fn read(header: Header) -> Result<SetUp, MessageError> {
        let [first, second, third] = header.numbers;
        let by = match header.side {
            0 => Direction::Send,
            1 => Direction::Receive,
            found => return Err(MessageError::Side { found }),
        };
        let step = match (header.step, by) {
            (0, _) => SetUpStep::Offer {
                frame: frame(third, by)?,
            },
            (1, _) => SetUpStep::Answer {
                to: port(second)?,
                frame: frame(third, by)?,
            },
            (2, _) => SetUpStep::Refuse,
            (3, Direction::Receive) => SetUpStep::Close,
            (4, Direction::Send) => SetUpStep::Delete,
            (5, Direction::Receive) => SetUpStep::Deleted,
            (found, _) => return Err(MessageError::Step { found }),
        };
        match step {
            SetUpStep::Offer { .. } => unused(second)?,
            SetUpStep::Answer { .. } => {}
            SetUpStep::Refuse | SetUpStep::Close | SetUpStep::Delete | SetUpStep::Deleted => {
                unused(second)?;
                unused(third)?;
            }
        }
        Ok(SetUp {
            by,
            port: port(first)?,
            step,
        })
    }
}

/// Returns the number of bytes of a write. More than a 32-bit number of bytes fit in no page, so no peer takes them.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

fn number(frame: Option<FrameId>) -> u32 {
    frame.map_or(NO_FRAME, |frame| frame.0)
}

/// Reads the frame of a set-up message. Only the sender gives frames to ports (S4-10).
fn frame(number: u32, by: Direction) -> Result<Option<FrameId>, MessageError> {
    match (number, by) {
        (NO_FRAME, _) => Ok(None),
        (number, Direction::Send) => Ok(Some(FrameId(number))),
        (found, Direction::Receive) => Err(MessageError::Unused { found }),
    }
}

fn port(number: u32) -> Result<PortId, MessageError> {
    PortId::new(number).ok_or(MessageError::PortZero)
}

fn unused(found: u32) -> Result<(), MessageError> {
    match found {
        0 => Ok(()),
        _ => Err(MessageError::Unused { found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(message: &Message<'_>) -> Vec<u8> {
        [&message.header(), message.payload()].concat()
    }

    #[test]
    fn headers_are_laid_out_as_documented() {
        let port = PortId::new(0x0102).unwrap();
        let write = Write {
            frame: FrameId(7),
            offset: 0x0a0b,
            bytes: &[9, 8, 7],
        };
        let offer = SetUpStep::Offer { frame: None };
        let answer = SetUpStep::Answer {
            to: PortId::FIRST,
            frame: Some(FrameId(3)),
        };
        let cases = [
            (
                Message::Write(write),
                &[1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 10, 11, 0, 0, 0, 3, 9, 8, 7][..],
            ),
            (
                Message::Paging(PageRequest {
                    port,
                    frame: FrameId(5),
                }),
                &[2, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 5, 0, 0, 0, 0],
            ),
            (
                Message::SetUp(SetUp {
                    by: Direction::Receive,
                    port,
                    step: offer,
                }),
                &[0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 255, 255, 255, 255],
            ),
            (
                Message::SetUp(SetUp {
                    by: Direction::Send,
                    port,
                    step: answer,
                }),
                &[0, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 3],
            ),
            (
                Message::SetUp(SetUp {
                    by: Direction::Send,
                    port,
                    step: SetUpStep::Delete,
                }),
                &[0, 4, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0],
            ),
        ];
        for (message, expected) in cases {
            assert_eq!(bytes(&message), expected, "{message:?}");
            assert_eq!(message.length(), expected.len());
            assert_eq!(Message::decode(expected), Ok(message));
        }
    }

    #[test]
    fn what_is_decoded_is_encoded_to_the_same_bytes() {
        // Mostly small bytes, so that many of the random bytes are messages.
        let mut generator = crate::random::Generator::named(1, &["lmmc", "messages"]);
        let mut kinds = [0; 3];
        for _ in 0..200_000 {
            let mut random = vec![0; HEADER_BYTES + (generator.draw() % 3) as usize];
            for byte in [0, 1, 2, 7, 11, 15] {
                let drawn = (generator.draw() % 14) as u8;
                random[byte] = drawn.saturating_sub(7);
            }
            if generator.draw().is_multiple_of(2) {
                random[12..16].fill(255);
            }
            if let Ok(message) = Message::decode(&random) {
                kinds[usize::from(random[0])] += 1;
                assert_eq!(bytes(&message), random);
            }
        }
        assert!(kinds.iter().all(|count| *count > 50), "{kinds:?}");
    }

    #[test]
    fn what_no_message_has_is_named() {
        let paging = [2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0];
        let with = |place: usize, byte: u8| {
            let mut bytes = paging;
            bytes[place] = byte;
            Message::decode(&bytes).map(|_| ()).unwrap_err()
        };
        let refused = [
            (
                Message::decode(&paging[..15]).unwrap_err(),
                "expected a header of 16 bytes, found 15 bytes",
            ),
            (
                with(0, 3),
                "expected kind 0 (set-up), 1 (write) or 2 (paging) of a message, found 3",
            ),
            (with(7, 0), "expected a positive port id, found 0"),
            (
                with(3, 1),
                "expected 0 in the unused parts of the header, found 1",
            ),
            (
                with(15, 2),
                "expected 0 in the unused parts of the header, found 2",
            ),
            (
                with(0, 1),
                "expected at least one byte to write, found none",
            ),
        ];
        for (error, text) in refused {
            assert_eq!(error.to_string(), text);
        }
        for (side, step) in [(0, 3), (1, 4), (0, 5), (1, 6)] {
            let mut bytes = [0; HEADER_BYTES];
            bytes[1] = step;
            bytes[2] = side;
            bytes[7] = 1;
            let refused = Message::decode(&bytes);
            assert_eq!(refused, Err(MessageError::Step { found: step }));
        }
        let side = [0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(Message::decode(&side), Err(MessageError::Side { found: 2 }));
        // Only the sender gives frames.
        let from_receiver = [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4];
        assert_eq!(
            Message::decode(&from_receiver),
            Err(MessageError::Unused { found: 4 })
        );
        let longer = [1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 9, 9];
        let length = MessageError::Length {
            stated: 1,
            found: 2,
        };
        assert_eq!(Message::decode(&longer), Err(length));
        let behind = [paging.as_slice(), &[0]].concat();
        let length = MessageError::Length {
            stated: 0,
            found: 1,
        };
        assert_eq!(Message::decode(&behind), Err(length));
    }
}
