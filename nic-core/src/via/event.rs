//! Events of VIA: descriptors, states of VIs, registered regions and completion queues.

use super::{Reason, Side, Status, ViState};
use crate::id::{ChannelId, EndpointId, PacketId, PostId, PostNumber};
use crate::report::Trigger;
use crate::report::fields::{FieldSink, Fields, Payload, Value};
use crate::report::roles::{Cause, Dropped, InUse, Roles, Shape, Step, Track};
use crate::time::SimDuration;

/// An event of a VI.
#[derive(Copy, Clone, Debug)]
pub enum ViaEvent<'a> {
    /// The user posted a send descriptor.
    TxPost {
        /// Number of the connection.
        channel: ChannelId,
        /// Offset of the message in the registered region.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// The immediate data, if the descriptor has any.
        immediate: Option<u32>,
        /// The message's bytes; not in the trace.
        payload: &'a [u8],
        /// Id of the descriptor; not in the trace.
        post: PostId,
        /// The number of the post.
        number: PostNumber,
    },
    /// A send descriptor has completed.
    TxDone {
        /// Number of the connection.
        channel: ChannelId,
        /// Offset of the message in the registered region.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// How it completed.
        status: Status,
        /// Id of the descriptor; not in the trace.
        post: PostId,
    },
    /// The user posted a receive descriptor.
    RxPost {
        /// Offset of the descriptor's buffer in the registered region.
        offset: u32,
        /// Length of the descriptor's buffer in bytes.
        length: u32,
    },
    /// A receive descriptor has completed, and so have the descriptors in which its message continues.
    RxDescriptor {
        /// The packet that brought the message; `None` if a `doTx` completed the descriptor, or if no message did.
        packet: Option<PacketId>,
        /// Number of the connection.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
        /// How it completed.
        status: Status,
        /// The immediate data, if the message has any.
        immediate: Option<u32>,
        /// Offsets of the buffers.
        offsets: &'a [u32],
        /// Number of the message's bytes in each buffer; the last buffer may hold fewer.
        share: u32,
        /// The registered region.
        area: &'a [u8],
        /// The message, if its bytes are not in such shares.
        whole: Option<&'a [u8]>,
        /// The post that the message comes from, if it comes from one.
        post: Option<PostNumber>,
    },
    /// The VI changed its state.
    ViState {
        /// The new state.
        state: ViState,
        /// The reason.
        reason: Reason,
    },
    /// The user registered or deregistered a region.
    Region {
        /// Which of the two.
        action: RegionAction,
        /// Number of the region.
        region: u32,
        /// Length of the region in bytes.
        length: u32,
    },
    /// The first bit of a control packet left the NIC.
    ControlTx {
        /// The packet.
        packet: PacketId,
        /// The VI to which the packet goes.
        peer: EndpointId,
        /// The number by which the sender names the connection.
        channel: ChannelId,
        /// What it is.
        kind: &'static str,
        /// The packet's length in bytes.
        length: u32,
        /// Time from the first bit of the packet to its last; not in the trace.
        duration: SimDuration,
        /// What caused the control packet; not in the trace.
        trigger: Trigger,
    },
    /// The last bit of a control packet arrived at the NIC.
    ControlRx {
        /// The packet.
        packet: PacketId,
        /// The VI from which the packet came.
        peer: EndpointId,
        /// The number by which the receiver names the connection.
        channel: ChannelId,
        /// What it is.
        kind: &'static str,
        /// The packet's length in bytes.
        length: u32,
    },
    /// An entry was added to a completion queue.
    Completion {
        /// Name of the completion queue in the scenario.
        queue: &'a str,
        /// The work queue whose descriptor completed.
        side: Side,
    },
}

/// What happened to a registered region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RegionAction {
    /// The region was registered.
    Registered,
    /// The region was deregistered.
    Deregistered,
    /// The user wanted to deregister the region, which descriptors under way forbid, or to register it again.
    Refused,
}

impl RegionAction {
    /// Returns the word that the trace shows for the action.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            RegionAction::Registered => "registered",
            RegionAction::Deregistered => "deregistered",
            RegionAction::Refused => "refused",
        }
    }
}

impl<'a> ViaEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        let of = match *self {
            ViaEvent::TxPost { post, .. } => Roles {
                cause: Cause::Of(Trigger::Post(post)),
                ..Roles::of("tx-post")
            },
            ViaEvent::TxDone { post, .. } => Roles {
                cause: Cause::Of(Trigger::Post(post)),
                ..Roles::of("tx-done")
            },
            ViaEvent::RxPost { .. } => Roles::of("rx-post"),
            ViaEvent::RxDescriptor { .. } => Roles::of("rx-descriptor"),
            // Control packets carry no message, so outputs that follow messages only count them.
            ViaEvent::ControlTx {
                peer,
                kind,
                duration,
                trigger,
                ..
            } => Roles {
                track: Track::WireTo(peer),
                shape: Shape::From(kind, duration),
                cause: Cause::Of(trigger),
                ..Roles::of("wire-tx")
            },
            ViaEvent::ControlRx { kind, .. } => Roles {
                track: Track::WireIn,
                shape: Shape::Moment(kind),
                ..Roles::of("wire-rx")
            },
            ViaEvent::ViState { .. } => Roles::of("vi-state"),
            ViaEvent::Region { .. } => Roles::of("region"),
            ViaEvent::Completion { .. } => Roles::of("completion"),
        };
        Roles {
            step: self.step(),
            ..of
        }
    }

    /// Returns what the event means for a message or a packet.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            ViaEvent::TxPost {
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
            ViaEvent::TxDone { status, post, .. } => Step::Completed {
                post,
                status: status.word(),
                refusal: None,
            },
            ViaEvent::RxDescriptor {
                packet,
                channel,
                status,
                post,
                ..
            } => match (status, packet) {
                (Status::Ok, _) => Step::Delivered {
                    packet,
                    post,
                    channel,
                    payload: self.received(),
                },
                (_, None) => Step::Other,
                (_, Some(_)) => Step::Dropped {
                    packet,
                    reason: status.word(),
                    what: Dropped::Arrival,
                },
            },
            ViaEvent::ControlTx { peer, length, .. } => Step::ControlSent { peer, length },
            ViaEvent::ControlRx { kind, length, .. } => Step::ControlReceived { kind, length },
            ViaEvent::RxPost { .. }
            | ViaEvent::ViState { .. }
            | ViaEvent::Region { .. }
            | ViaEvent::Completion { .. } => Step::Other,
        }
    }

    /// Returns which part of the NIC the event shows in use.
    #[must_use]
    pub fn in_use(&self) -> Option<InUse> {
        match *self {
            ViaEvent::ControlTx { duration, .. } => Some(InUse::Wire(duration)),
            ViaEvent::ControlRx { .. }
            | ViaEvent::TxPost { .. }
            | ViaEvent::TxDone { .. }
            | ViaEvent::RxDescriptor { .. }
            | ViaEvent::RxPost { .. }
            | ViaEvent::ViState { .. }
            | ViaEvent::Region { .. }
            | ViaEvent::Completion { .. } => None,
        }
    }

    /// Returns the bytes of a received message. Other events have none.
    fn received(&self) -> Payload<'a> {
        match *self {
            ViaEvent::RxDescriptor {
                whole: Some(whole), ..
            } => Payload::Whole(whole),
            ViaEvent::RxDescriptor {
                offsets,
                share,
                area,
                length,
                ..
            } => Payload::Shares {
                offsets,
                share,
                area,
                length,
            },
            ViaEvent::TxPost { .. }
            | ViaEvent::TxDone { .. }
            | ViaEvent::RxPost { .. }
            | ViaEvent::ViState { .. }
            | ViaEvent::Region { .. }
            | ViaEvent::ControlTx { .. }
            | ViaEvent::ControlRx { .. }
            | ViaEvent::Completion { .. } => Payload::Whole(&[]),
        }
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            ViaEvent::TxPost {
                channel,
                offset,
                length,
                immediate,
                number,
                ..
            } => {
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))?;
                put_immediate(fields, immediate)?;
                fields.post(Some(number))
            }
            ViaEvent::TxDone {
                channel,
                offset,
                length,
                status,
                ..
            } => {
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("status", Value::Word(status.word()))
            }
            ViaEvent::RxPost { offset, length } => {
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))
            }
            ViaEvent::RxDescriptor {
                packet,
                channel,
                length,
                status,
                immediate,
                offsets,
                post,
                ..
            } => {
                if let Some(packet) = packet {
                    fields.put("packet", Value::Number(packet.0))?;
                }
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("inline", Value::Flag(false))?;
                fields.put("buffers", Value::Offsets(offsets))?;
                fields.put("status", Value::Word(status.word()))?;
                put_immediate(fields, immediate)?;
                fields.post(post)?;
                fields.payload(self.received())
            }
            ViaEvent::ControlTx {
                packet,
                peer,
                channel,
                kind,
                length,
                ..
            }
            | ViaEvent::ControlRx {
                packet,
                peer,
                channel,
                kind,
                length,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("kind", Value::Word(kind))?;
                fields.payload(Payload::Whole(&[]))
            }
            ViaEvent::ViState { state, reason } => {
                fields.put("state", Value::Word(state.word()))?;
                fields.put("reason", Value::Word(reason.word()))
            }
            ViaEvent::Region {
                action,
                region,
                length,
            } => {
                fields.put("action", Value::Word(action.word()))?;
                fields.put("region", Value::Number(region.into()))?;
                fields.put("length", Value::Number(length.into()))
            }
            ViaEvent::Completion { queue, side } => {
                fields.put("queue", Value::Name(queue))?;
                fields.put("side", Value::Word(side.word()))
            }
        }
    }
}

fn put_immediate<S: FieldSink>(
    fields: &mut Fields<'_, S>,
    immediate: Option<u32>,
) -> Result<(), S::Error> {
    match immediate {
        Some(immediate) => fields.put("immediate", Value::Number(immediate.into())),
        None => Ok(()),
    }
}
