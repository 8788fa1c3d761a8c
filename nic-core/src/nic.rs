//! Events of the NIC's own resources, which all interfaces share: DMA engines, wires, processors and queues.

use crate::id::{ChannelId, EndpointId, NicId, PacketId, PostNumber};
use crate::report::fields::{FieldSink, Fields, Payload, Value};
use crate::report::roles::{Cause, Dropped, Forwarded, InUse, Roles, Shape, Shown, Step, Track};
use crate::report::{DmaDirection, Levels, Trigger};
use crate::time::{SimDuration, SimTime};

/// A packet's place in its message, for interfaces that send a message in several packets or send packets of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The kind of the packet, as the trace shows it.
    pub kind: &'static str,
    /// The number of the frame in its message or, in an acknowledgement, how many frames have arrived without a gap.
    pub frame: u16,
    /// Packets of the message.
    pub of: u16,
    /// The whole message, if this packet is its first and is sent for the first time; not in the trace.
    pub opens: Option<&'a [u8]>,
}

/// An event of the NIC
#[derive(Copy, Clone, Debug)]
pub enum NicEvent<'a> {
    /// A DMA transfer started.
    Dma {
        /// Direction of the transfer.
        direction: DmaDirection,
        /// Offset of the transferred bytes in the endpoint's buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// Duration of the transfer.
        duration: SimDuration,
        /// What caused the transfer; not in the trace.
        trigger: Trigger,
    },
    /// The first bit of a packet left the NIC.
    WireTx {
        /// The packet.
        packet: PacketId,
        /// The endpoint to which the packet goes.
        peer: EndpointId,
        /// The number by which the sender names the channel.
        channel: ChannelId,
        /// The bytes of the message, or those of the frame that the packet carries.
        payload: &'a [u8],
        /// The place of the packet in its message, if the message is sent in frames.
        part: Option<Part<'a>>,
        /// The post that the packet's message comes from, if it comes from one.
        post: Option<PostNumber>,
        /// Time from the first bit of the packet to its last; not in the trace.
        duration: SimDuration,
        /// What caused the packet; not in the trace.
        trigger: Trigger,
    },
    /// The last bit of a packet arrived at the NIC.
    WireRx {
        /// The packet.
        packet: PacketId,
        /// The endpoint from which the packet came.
        peer: EndpointId,
        /// The number by which the receiver names the channel.
        channel: ChannelId,
        /// The bytes of the message, or those of the frame that the packet carries.
        payload: &'a [u8],
        /// The place of the packet in its message, if the message is sent in frames.
        part: Option<Part<'a>>,
        /// The post that the packet's message comes from, if it comes from one.
        post: Option<PostNumber>,
    },
    /// A switch began to send a packet on. The event's NIC is the switch, and its endpoint the packet's sender.
    Forward(Forwarded<'a>),
    /// The link lost a packet, or the receiver discarded it because of its CRC or for want of a slot.
    WireDrop {
        /// The packet.
        packet: PacketId,
        /// Reason of the drop.
        reason: WireDropReason,
        /// Whether only a frame of the packet was lost, which can be sent again; not in the trace.
        is_frame: bool,
        /// The NIC or switch to which the port leads for which a switch had no room.
        port: Option<NicId>,
    },
    /// The runtime dropped a packet.
    Drop {
        /// The dropped packet, or `None` if a call of `doTx` trapped before the packet existed.
        packet: Option<PacketId>,
        /// Reason of the drop.
        reason: DropReason,
    },
    /// A processor has finished a piece of work.
    Work {
        /// The number of the processor among those of its NIC.
        processor: u32,
        /// Name of the stage that the work belongs to, as in `placement`.
        stage: &'static str,
        /// When the work began.
        begun: SimTime,
        /// Duration of the work.
        duration: SimDuration,
    },
    /// A processor that worked without a pause stops. The trace neither shows nor counts this event, which puts together
    /// what [`Work`](NicEvent::Work) has in pieces.
    Busy {
        /// The number of the processor among those of its NIC.
        processor: u32,
        /// When the processor began to work.
        begun: SimTime,
    },
    /// An endpoint's queues or its applet's heap have grown or shrunk. The trace neither shows nor counts this event.
    Levels(Levels),
}

impl<'a> NicEvent<'a> {
    /// Returns how outputs treat the event.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        let of = match *self {
            NicEvent::Dma {
                direction, trigger, ..
            } => Roles {
                track: Track::Dma(direction),
                shape: Shape::From("dma", self.dma_time().unwrap_or_default()),
                cause: Cause::Of(trigger),
                ..Roles::of("dma")
            },
            NicEvent::WireTx {
                peer,
                part,
                duration,
                trigger,
                ..
            } => Roles {
                track: Track::WireTo(peer),
                shape: Shape::From(part.map_or("wire-tx", |part| part.kind), duration),
                cause: Cause::Of(trigger),
                ..Roles::of("wire-tx")
            },
            NicEvent::WireRx { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("wire-rx")
            },
            NicEvent::Forward(Forwarded { next, duration, .. }) => Roles {
                track: Track::WireToNode(next),
                shape: Shape::From("forward", duration),
                ..Roles::of("forward")
            },
            NicEvent::WireDrop { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("wire-drop")
            },
            NicEvent::Drop { packet, .. } => Roles {
                // A trap in `doTx` drops the packet that the call was about to send.
                cause: match packet {
                    None => Cause::OfCall,
                    Some(_) => Cause::None,
                },
                ..Roles::of("drop")
            },
            NicEvent::Work {
                processor,
                stage,
                begun,
                ..
            } => Roles {
                track: Track::Work(processor),
                shape: Shape::Since(stage, begun),
                ..Roles::of("work")
            },
            NicEvent::Busy { processor, begun } => Roles {
                track: Track::Work(processor),
                shape: Shape::Since("busy", begun),
                ..Roles::of("busy")
            },
            NicEvent::Levels(levels) => Roles {
                shape: Shape::Counters(levels),
                ..Roles::of("levels")
            },
        };
        Roles {
            shown: self.shown(),
            step: self.step(),
            ..of
        }
    }

    /// Returns whether the trace shows the event.
    #[inline]
    #[must_use]
    pub fn shown(&self) -> Shown {
        match self {
            NicEvent::Work { .. } => Shown::WithWork,
            NicEvent::Busy { .. } => Shown::AsBusy,
            NicEvent::Levels(_) => Shown::Never,
            NicEvent::Dma { .. }
            | NicEvent::WireTx { .. }
            | NicEvent::WireRx { .. }
            | NicEvent::Forward(_)
            | NicEvent::WireDrop { .. }
            | NicEvent::Drop { .. } => Shown::Always,
        }
    }

    /// Returns what the event means for a packet.
    #[inline(always)]
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        match *self {
            // A message in frames counts as sent with its first frame, and its other frames mean nothing to outputs.
            NicEvent::WireTx {
                packet,
                peer,
                payload,
                part,
                ..
            } => match part.map_or(Some(payload), |part| part.opens) {
                Some(payload) => Step::Sent {
                    packet,
                    peer,
                    payload,
                    is_in_frames: part.is_some(),
                },
                None => Step::Other,
            },
            NicEvent::WireRx {
                packet,
                peer,
                payload,
                part,
                ..
            } => match part {
                None => Step::Received {
                    packet,
                    peer,
                    payload,
                    is_in_frames: false,
                },
                Some(_) => Step::Other,
            },
            NicEvent::Forward(forwarded) => Step::Forwarded(forwarded),
            NicEvent::WireDrop {
                packet,
                reason,
                is_frame,
                port: _,
            } => match is_frame {
                false => Step::Lost {
                    packet,
                    reason: reason.word(),
                },
                true => Step::Dropped {
                    packet: Some(packet),
                    reason: reason.word(),
                    what: Dropped::Frame,
                },
            },
            NicEvent::Drop { packet, reason } => Step::Dropped {
                packet,
                reason: reason.word(),
                what: reason.what(),
            },
            NicEvent::Dma { .. }
            | NicEvent::Work { .. }
            | NicEvent::Busy { .. }
            | NicEvent::Levels(_) => Step::Other,
        }
    }

    /// Returns which part of the NIC the event shows in use. Pieces of work are left out, since `Busy` has them together.
    #[inline]
    #[must_use]
    pub fn in_use(&self) -> Option<InUse> {
        match *self {
            NicEvent::Dma { direction, .. } => Some(InUse::Dma(direction, self.dma_time()?)),
            NicEvent::WireTx { duration, .. } => Some(InUse::Wire(duration)),
            NicEvent::Busy { processor, begun } => Some(InUse::Processor(processor, begun)),
            NicEvent::Work { .. }
            | NicEvent::WireRx { .. }
            | NicEvent::Forward(_)
            | NicEvent::WireDrop { .. }
            | NicEvent::Drop { .. }
            | NicEvent::Levels(_) => None,
        }
    }

    /// Returns how long a DMA transfer occupies its engine. No virtual time passes while applets are loaded.
    fn dma_time(&self) -> Option<SimDuration> {
        match *self {
            NicEvent::Dma {
                trigger: Trigger::Load,
                ..
            } => Some(SimDuration::ZERO),
            NicEvent::Dma { duration, .. } => Some(duration),
            NicEvent::WireTx { .. }
            | NicEvent::WireRx { .. }
            | NicEvent::Forward(_)
            | NicEvent::WireDrop { .. }
            | NicEvent::Drop { .. }
            | NicEvent::Work { .. }
            | NicEvent::Busy { .. }
            | NicEvent::Levels(_) => None,
        }
    }

    /// Writes the event's fields to a sink.
    pub(super) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            NicEvent::Dma {
                direction,
                offset,
                length,
                duration,
                ..
            } => {
                fields.put("direction", Value::Word(direction.word()))?;
                fields.put("offset", Value::Number(offset.into()))?;
                fields.put("length", Value::Number(length.into()))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
            NicEvent::WireTx {
                packet,
                peer,
                channel,
                payload,
                part,
                post,
                ..
            }
            | NicEvent::WireRx {
                packet,
                peer,
                channel,
                payload,
                part,
                post,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                if let Some(part) = part {
                    fields.put("frame", Value::Number(part.frame.into()))?;
                    fields.put("of", Value::Number(part.of.into()))?;
                    fields.put("kind", Value::Word(part.kind))?;
                }
                fields.post(post)?;
                fields.payload(Payload::Whole(payload))
            }
            NicEvent::Forward(Forwarded {
                packet,
                peer,
                next,
                payload,
                carries: _,
                is_copy,
                behind,
                waited,
                duration,
            }) => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.node("to", next)?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                if is_copy {
                    fields.put("copy", Value::Flag(true))?;
                }
                fields.put("behind", Value::Number(behind.into()))?;
                fields.put("waited_ns", Value::Cost(waited.as_ns()))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
            NicEvent::WireDrop {
                packet,
                reason,
                port,
                is_frame: _,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("reason", Value::Word(reason.word()))?;
                match port {
                    Some(next) => fields.node("to", next),
                    None => Ok(()),
                }
            }
            NicEvent::Drop { packet, reason } => {
                if let Some(packet) = packet {
                    fields.put("packet", Value::Number(packet.0))?;
                }
                fields.put("reason", Value::Word(reason.word()))
            }
            NicEvent::Work {
                processor,
                stage,
                duration,
                ..
            } => {
                fields.put("processor", Value::Number(processor.into()))?;
                fields.put("stage", Value::Word(stage))?;
                fields.put("dur_ns", Value::Cost(duration.as_ns()))
            }
            NicEvent::Busy { processor, begun } => {
                fields.put("processor", Value::Number(processor.into()))?;
                fields.put("since_ns", Value::Cost(begun.as_ns()))
            }
            NicEvent::Levels(levels) => {
                fields.put("transmit", Value::Number(levels.transmit.into()))?;
                fields.put("receive", Value::Number(levels.receive.into()))?;
                fields.put("free", Value::Number(levels.free.into()))?;
                fields.put("heap", Value::Number(levels.heap.into()))
            }
        }
    }
}

/// Reason for which a packet was lost on the wire or at the wire's receiving end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WireDropReason {
    /// The link lost it.
    Loss,
    /// The CRC of the packet revealed a flipped bit.
    Crc,
    /// The receiver had no free slot for the packet, on a wire without flow control.
    Overrun,
    /// The buffer of a switch was full.
    SwitchFull,
}

impl WireDropReason {
    /// Every reason.
    pub const ALL: &'static [WireDropReason] =
        &[Self::Loss, Self::Crc, Self::Overrun, Self::SwitchFull];

    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            WireDropReason::Loss => "loss",
            WireDropReason::Crc => "crc",
            WireDropReason::Overrun => "overrun",
            WireDropReason::SwitchFull => "switch-full",
        }
    }
}

/// Reason for which the runtime dropped a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The free queue has too few buffers for the message.
    NoFreeBuffer,
    /// The receive queue is full.
    RxQueueFull,
    /// The applet trapped while it handled the packet.
    AppletTrap,
    /// The message needs more buffers than a descriptor can name (base path), or is longer than the buffer into which
    /// the NIC receives directly.
    TooLong,
    /// The sender cannot wait for a slot. The endpoints of a circle may all push packets to the next one, so that a
    /// wait for a slot would never end. The heap may also have no room left to suspend the call that would wait for a
    /// slot.
    NicFull,
    /// The message is longer than the whole transmit region, so the user cannot send it on (`echo`).
    NoTransmitRoom,
    /// A chain of applets has no room for a message between two of its applets, or has made too many calls for a
    /// packet.
    ChainFull,
    /// A frame matches no posted receive (EMP).
    NoDescriptor,
    /// The frame has arrived before (EMP).
    DuplicateFrame,
    /// The frame came before the frames or messages that must precede it (EMP).
    EarlyFrame,
    /// The numbers of the frame contradict each other, or name frames that were not sent (EMP).
    BadFrame,
    /// The VI has no connection (VIA).
    NotConnected,
    /// The message, or a later one, has arrived before (VIA).
    Duplicate,
    /// An earlier message was lost, which the VI's level of reliability does not permit (VIA).
    Gap,
    /// The window is closed, or the bytes are not inside it (remote memory).
    WindowRefused,
    /// The bytes are no message of LMMC, or the message contradicts what both ends of the link have agreed on (LMMC).
    BadMessage,
}

impl DropReason {
    /// Every reason for which the runtime drops packets, in the order of declaration.
    pub const ALL: &'static [DropReason] = &[
        Self::NoFreeBuffer,
        Self::RxQueueFull,
        Self::AppletTrap,
        Self::TooLong,
        Self::NicFull,
        Self::NoTransmitRoom,
        Self::ChainFull,
        Self::NoDescriptor,
        Self::DuplicateFrame,
        Self::EarlyFrame,
        Self::BadFrame,
        Self::NotConnected,
        Self::Duplicate,
        Self::Gap,
        Self::WindowRefused,
        Self::BadMessage,
    ];

    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            DropReason::NoFreeBuffer => "no-free-buffer",
            DropReason::RxQueueFull => "rx-queue-full",
            DropReason::AppletTrap => "applet-trap",
            DropReason::TooLong => "too-long",
            DropReason::NicFull => "nic-full",
            DropReason::NoTransmitRoom => "no-transmit-room",
            DropReason::ChainFull => "chain-full",
            DropReason::NoDescriptor => "no-descriptor",
            DropReason::DuplicateFrame => "duplicate-frame",
            DropReason::EarlyFrame => "early-frame",
            DropReason::BadFrame => "bad-frame",
            DropReason::NotConnected => "not-connected",
            DropReason::Duplicate => "duplicate",
            DropReason::Gap => "gap",
            DropReason::WindowRefused => "window-refused",
            DropReason::BadMessage => "bad-message",
        }
    }

    fn what(self) -> Dropped {
        match self {
            DropReason::NoFreeBuffer | DropReason::RxQueueFull | DropReason::TooLong => {
                Dropped::Arrival
            }
            DropReason::NotConnected
            | DropReason::Gap
            | DropReason::WindowRefused
            | DropReason::BadMessage => Dropped::Unread,
            DropReason::Duplicate => Dropped::Copy,
            DropReason::AppletTrap => Dropped::Trapped,
            DropReason::NicFull | DropReason::ChainFull => Dropped::Outgoing,
            DropReason::NoTransmitRoom => Dropped::Answer,
            DropReason::NoDescriptor
            | DropReason::DuplicateFrame
            | DropReason::EarlyFrame
            | DropReason::BadFrame => Dropped::Frame,
        }
    }
}
