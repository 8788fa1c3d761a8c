//! Events of EMP: matches, acknowledgements and repetitions.

use crate::id::{EndpointId, PacketId};
use crate::report::fields::{FieldSink, Fields, Payload, Value};
use crate::report::roles::{Roles, Step, Track};

/// An event of an EMP endpoint.
#[derive(Copy, Clone, Debug)]
pub enum EmpEvent<'a> {
    /// The user posted a receive for a message.
    RxPost {
        /// Number of the receive.
        receive: u32,
        /// The tag that the receive accepts; `None` if it accepts every tag.
        tag: Option<u16>,
        /// The endpoint from which the receive accepts messages; `None` if it accepts messages from every endpoint.
        source: Option<EndpointId>,
        /// Offset in the buffer area of the bytes of the receive.
        offset: u32,
        /// The receive's length in bytes.
        length: u32,
    },
    /// A message has been matched with a receive.
    Match {
        /// The message.
        packet: PacketId,
        /// The message's tag.
        tag: u16,
        /// Number of the receive.
        receive: u32,
    },
    /// A message is longer than its receive, so the bytes that do not fit are dropped.
    Truncated {
        /// The message.
        packet: PacketId,
        /// The message's length in bytes.
        length: u32,
        /// Length of the receive in bytes.
        room: u32,
    },
    /// Every frame of a message has arrived.
    Complete {
        /// The message.
        packet: PacketId,
        /// The endpoint that sent the message.
        peer: EndpointId,
        /// The message's frames.
        frames: u16,
        /// The bytes of the message that fit in the receive.
        payload: &'a [u8],
    },
    /// The sender received an acknowledgement.
    Ack {
        /// The message.
        packet: PacketId,
        /// Number of the message among those between its two endpoints.
        message: u16,
        /// Number of frames of the message that have arrived without a gap.
        frames: u16,
    },
    /// The sender goes back to an earlier frame of a message, to send from there again.
    Resend {
        /// The message.
        packet: PacketId,
        /// Number of the message among those between its two endpoints.
        message: u16,
        /// The frame.
        frame: u16,
        /// Why.
        reason: ResendReason,
    },
    /// The sender gives up a message after its last repetition.
    GiveUp {
        /// The message.
        packet: PacketId,
        /// The endpoint to which the message went.
        peer: EndpointId,
        /// Number of the message among those between its two endpoints.
        message: u16,
    },
}

/// Why the sender sends frames again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ResendReason {
    /// The receiver reported a missing frame.
    Gap,
    /// No acknowledgement came for too long a time.
    Silence,
}

impl ResendReason {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ResendReason::Gap => "gap",
            ResendReason::Silence => "silence",
        }
    }
}

impl<'a> EmpEvent<'a> {
    /// Returns how outputs treat the event.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match *self {
            EmpEvent::RxPost { .. } => Roles::of("rx-post"),
            EmpEvent::Match { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("match")
            },
            EmpEvent::Truncated { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("truncated")
            },
            EmpEvent::Complete { .. } => Roles {
                track: Track::WireIn,
                step: self.step(),
                ..Roles::of("complete")
            },
            EmpEvent::Ack { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("ack")
            },
            EmpEvent::Resend { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("resend")
            },
            EmpEvent::GiveUp { .. } => Roles {
                track: Track::WireIn,
                step: self.step(),
                ..Roles::of("give-up")
            },
        }
    }

    /// Returns what the event means for a message.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            EmpEvent::Complete {
                packet,
                peer,
                payload,
                ..
            } => Step::Received {
                packet,
                peer,
                payload,
                is_in_frames: true,
            },
            EmpEvent::GiveUp { packet, peer, .. } => Step::GivenUp { packet, peer },
            EmpEvent::RxPost { .. }
            | EmpEvent::Match { .. }
            | EmpEvent::Truncated { .. }
            | EmpEvent::Ack { .. }
            | EmpEvent::Resend { .. } => Step::Other,
        }
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            EmpEvent::RxPost {
                receive,
                tag,
                source,
                offset,
                length,
            } => {
                fields.put("receive", Value::Number(receive.into()))?;
                match tag {
                    Some(tag) => fields.put("tag", Value::Number(tag.into()))?,
                    None => fields.put("tag", Value::Null)?,
                }
                match source {
                    Some(source) => fields.endpoint("source", source)?,
                    None => fields.put("source", Value::Null)?,
                }
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))
            }
            EmpEvent::Match {
                packet,
                tag,
                receive,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("tag", Value::Number(tag.into()))?;
                fields.put("receive", Value::Number(receive.into()))
            }
            EmpEvent::Truncated {
                packet,
                length,
                room,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("room", Value::Number(room.into()))
            }
            EmpEvent::Complete {
                packet,
                peer,
                frames,
                payload,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("frames", Value::Number(frames.into()))?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                fields.payload(Payload::Whole(payload))
            }
            EmpEvent::Ack {
                packet,
                message,
                frames,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("message", Value::Number(message.into()))?;
                fields.put("frames", Value::Number(frames.into()))
            }
            EmpEvent::Resend {
                packet,
                message,
                frame,
                reason,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("message", Value::Number(message.into()))?;
                fields.put("frame", Value::Number(frame.into()))?;
                fields.put("reason", Value::Word(reason.word()))
            }
            EmpEvent::GiveUp {
                packet,
                peer,
                message,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("message", Value::Number(message.into()))
            }
        }
    }
}
