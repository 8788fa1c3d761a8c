//! Events of U-Net: descriptors that the user and the NIC exchange.

use crate::id::{ChannelId, PacketId, PostId, PostNumber};
use crate::report::Trigger;
use crate::report::fields::{FieldSink, Fields, Payload, Value};
use crate::report::roles::{Cause, Roles, Step};

/// An event of a U-Net endpoint.
#[derive(Copy, Clone, Debug)]
pub enum UnetEvent<'a> {
    /// The user pushed a transmit descriptor.
    TxPost {
        /// Number of the channel.
        channel: ChannelId,
        /// Offset of the message in the buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// The message's bytes; not in the trace.
        payload: &'a [u8],
        /// Id of the descriptor; not in the trace.
        post: PostId,
        /// The number of the post.
        number: PostNumber,
    },
    /// The NIC has completed a transmit descriptor.
    TxDone {
        /// Number of the channel.
        channel: ChannelId,
        /// Offset of the message in the buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// The completion status.
        status: TxStatus,
        /// Reason of the refusal, if the NIC refused the descriptor.
        refusal: Option<Refusal>,
        /// Id of the descriptor; not in the trace.
        post: PostId,
    },
    /// A receive descriptor became visible to the user.
    RxDescriptor {
        /// The packet that the NIC was handling when the descriptor was pushed; `None` if a `doTx` pushed it.
        packet: Option<PacketId>,
        /// The channel number in the descriptor.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
        /// Location of the message.
        body: RxBody<'a>,
        /// The post that the message comes from, if it comes from one.
        post: Option<PostNumber>,
    },
}

impl<'a> UnetEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        let of = match *self {
            UnetEvent::TxPost { post, .. } => Roles {
                cause: Cause::Of(Trigger::Post(post)),
                ..Roles::of("tx-post")
            },
            UnetEvent::TxDone { post, .. } => Roles {
                cause: Cause::Of(Trigger::Post(post)),
                ..Roles::of("tx-done")
            },
            UnetEvent::RxDescriptor { .. } => Roles::of("rx-descriptor"),
        };
        Roles {
            step: self.step(),
            ..of
        }
    }

    /// Returns what the event means for a message.
    #[inline(always)]
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            UnetEvent::TxPost {
                channel,
                payload,
                post,
                number,
                ..
            } => Step::Posted {
                post,
                number,
                channel,
                payload,
            },
            UnetEvent::TxDone {
                status,
                refusal,
                post,
                ..
            } => Step::Completed {
                post,
                status: status.word(),
                refusal: refusal.map(Refusal::word),
            },
            UnetEvent::RxDescriptor {
                packet,
                channel,
                length,
                body,
                post,
            } => Step::Delivered {
                packet,
                post,
                channel,
                payload: body.payload(length),
            },
        }
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            UnetEvent::TxPost {
                channel,
                offset,
                length,
                number,
                ..
            } => {
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.post(Some(number))
            }
            UnetEvent::TxDone {
                channel,
                offset,
                length,
                status,
                refusal,
                ..
            } => {
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("status", Value::Word(status.word()))?;
                match refusal {
                    Some(refusal) => fields.put("reason", Value::Word(refusal.word())),
                    None => Ok(()),
                }
            }
            UnetEvent::RxDescriptor {
                packet,
                channel,
                length,
                body,
                post,
            } => {
                if let Some(packet) = packet {
                    fields.put("packet", Value::Number(packet.0))?;
                }
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("inline", Value::Flag(matches!(body, RxBody::Inline(_))))?;
                if let RxBody::Buffers { offsets, .. } = body {
                    fields.put("buffers", Value::Offsets(offsets))?;
                }
                fields.post(post)?;
                fields.payload(body.payload(length))
            }
        }
    }
}

/// The status with which a transmit descriptor completes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TxStatus {
    /// Every packet that the descriptor caused has left.
    Ok,
    /// `doTx` trapped.
    Trap,
    /// The endpoint may not send the message, so no applet was called.
    Refused,
    /// The receiver did not acknowledge the message, however often it was sent (EMP). The VI had no connection, or lost
    /// it while the descriptor was under way (VIA).
    Failed,
}

impl TxStatus {
    fn word(self) -> &'static str {
        match self {
            TxStatus::Ok => "ok",
            TxStatus::Trap => "trap",
            TxStatus::Refused => "refused",
            TxStatus::Failed => "failed",
        }
    }
}

/// The reason for which a NIC refuses a transmit descriptor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The endpoint has no channel with this number.
    UnknownChannel,
    /// The bytes of the message lie outside the endpoint's buffer area.
    OutsideArea,
    /// The message is longer than a packet (base path).
    TooLong,
}

impl Refusal {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Refusal::UnknownChannel => "unknown-channel",
            Refusal::OutsideArea => "outside-area",
            Refusal::TooLong => "too-long",
        }
    }
}

/// Location of a received message.
#[derive(Copy, Clone, Debug)]
pub enum RxBody<'a> {
    /// In the descriptor itself.
    Inline(&'a [u8]),
    /// The message is in buffers of the endpoint's buffer area.
    Buffers {
        /// Offset of each share.
        offsets: &'a [u32],
        /// Number of bytes in each share of the message; the last share may hold fewer.
        share: u32,
        /// The endpoint's buffer area.
        area: &'a [u8],
    },
}

impl<'a> RxBody<'a> {
    /// Returns the bytes of a received message, whose length is `length`.
    #[must_use]
    pub fn payload(self, length: u32) -> Payload<'a> {
        match self {
            RxBody::Inline(bytes) => Payload::Whole(bytes),
            RxBody::Buffers {
                offsets,
                share,
                area,
            } => Payload::Shares {
                offsets,
                share,
                area,
                length,
            },
        }
    }
}
