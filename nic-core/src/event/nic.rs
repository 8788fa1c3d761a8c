//! Events of the NIC's resources: its DMA engines, its wires, its processors and its queues, whatever interface uses
//! them.

use super::Trigger;
use super::fields::{FieldSink, Fields, Payload, Value};
use super::roles::{Cause, Dropped, Roles, Shape, Shown, Step, Track};
use crate::id::{ChannelId, EndpointId, PacketId};
use crate::time::{SimDuration, SimTime};

/// An event of a resource of a NIC.
#[derive(Copy, Clone, Debug)]
pub enum NicEvent<'a> {
    /// A DMA transfer started.
    Dma {
        /// Which way.
        direction: DmaDirection,
        /// Offset in the endpoint's buffer area.
        offset: u32,
        /// Length in bytes.
        length: u32,
        /// How long it takes.
        duration: SimDuration,
        /// What it is made for; not in the trace.
        trigger: Trigger,
    },
    /// A packet's first bit left on the wire.
    WireTx {
        /// The packet.
        packet: PacketId,
        /// The endpoint it goes to.
        peer: EndpointId,
        /// The sender's number of the channel.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
        /// Time until its last bit has left; not in the trace.
        duration: SimDuration,
        /// What it was made for; not in the trace.
        trigger: Trigger,
    },
    /// A packet's last bit came in.
    WireRx {
        /// The packet.
        packet: PacketId,
        /// The endpoint it came from.
        peer: EndpointId,
        /// The receiver's number of the channel.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
    },
    /// The wire lost a packet, or its CRC gave it away.
    WireDrop {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: WireDropReason,
    },
    /// The runtime dropped a packet.
    Drop {
        /// The packet; `None` where a `doTx` trapped.
        packet: Option<PacketId>,
        /// Why.
        reason: DropReason,
    },
    /// A processor has worked on a stage.
    Work {
        /// The processor's number among those of its NIC.
        processor: u32,
        /// The stage, by its name in `placement`.
        stage: &'static str,
        /// When the work began.
        begun: SimTime,
        /// How long it took.
        duration: SimDuration,
    },
    /// An endpoint's queues or its applet's heap hold more or less than before. The trace does not
    /// show it, and it is not counted among its events.
    Levels(Levels),
}

impl<'a> NicEvent<'a> {
    /// Returns what the event is to the outputs.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match *self {
            NicEvent::Dma {
                direction,
                duration,
                trigger,
                ..
            } => {
                // While applets are loaded no time passes.
                let duration = match trigger {
                    Trigger::Load => SimDuration::ZERO,
                    Trigger::Post(_) | Trigger::Arrival(_) | Trigger::Timer | Trigger::Refill => {
                        duration
                    }
                };
                Roles {
                    track: Track::Dma(direction),
                    shape: Shape::From("dma", duration),
                    cause: Cause::Of(trigger),
                    ..Roles::of("dma")
                }
            }
            NicEvent::WireTx {
                packet,
                peer,
                payload,
                duration,
                trigger,
                ..
            } => Roles {
                track: Track::WireTo(peer),
                shape: Shape::From("wire-tx", duration),
                cause: Cause::Of(trigger),
                step: Step::Sent {
                    packet,
                    peer,
                    payload,
                },
                ..Roles::of("wire-tx")
            },
            NicEvent::WireRx {
                packet,
                peer,
                payload,
                ..
            } => Roles {
                track: Track::WireIn,
                step: Step::Received {
                    packet,
                    peer,
                    payload,
                },
                ..Roles::of("wire-rx")
            },
            NicEvent::WireDrop { packet, reason } => Roles {
                track: Track::WireIn,
                step: Step::Lost {
                    packet,
                    reason: reason.word(),
                },
                ..Roles::of("wire-drop")
            },
            NicEvent::Drop { packet, reason } => Roles {
                // A trap in `doTx` drops whatever it was about to send.
                cause: match packet {
                    None => Cause::OfCall,
                    Some(_) => Cause::None,
                },
                step: Step::Dropped {
                    packet,
                    reason: reason.word(),
                    what: reason.what(),
                },
                ..Roles::of("drop")
            },
            NicEvent::Work {
                processor,
                stage,
                begun,
                ..
            } => Roles {
                shown: Shown::WithWork,
                track: Track::Work(processor),
                shape: Shape::Since(stage, begun),
                ..Roles::of("work")
            },
            NicEvent::Levels(levels) => Roles {
                shown: Shown::Never,
                shape: Shape::Counters(levels),
                ..Roles::of("levels")
            },
        }
    }

    /// Gives the event's fields to a sink.
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
                ..
            }
            | NicEvent::WireRx {
                packet,
                peer,
                channel,
                payload,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("channel", Value::Signed(channel.0))?;
                fields.put("length", Value::Number(payload.len() as u64))?;
                fields.payload(Payload::Whole(payload))
            }
            NicEvent::WireDrop { packet, reason } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.put("reason", Value::Word(reason.word()))
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
            NicEvent::Levels(levels) => {
                fields.put("transmit", Value::Number(levels.transmit.into()))?;
                fields.put("receive", Value::Number(levels.receive.into()))?;
                fields.put("free", Value::Number(levels.free.into()))?;
                fields.put("heap", Value::Number(levels.heap.into()))
            }
        }
    }
}

/// How much an endpoint's queues and its applet's heap hold.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Transmit descriptors that are not done.
    pub transmit: u32,
    /// Receive descriptors that the user sees and has not taken.
    pub receive: u32,
    /// Free buffers in the free queue.
    pub free: u32,
    /// Bytes of the applet's heap that arrays take; 0 without an applet.
    pub heap: u32,
}

/// Which way a DMA transfer goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaDirection {
    /// From the buffer area into NIC memory.
    HostToNic,
    /// From NIC memory into the buffer area.
    NicToHost,
}

impl DmaDirection {
    /// Returns the word that the trace has for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            DmaDirection::HostToNic => "host-to-nic",
            DmaDirection::NicToHost => "nic-to-host",
        }
    }
}

/// Why the wire dropped a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WireDropReason {
    /// The link lost it.
    Loss,
    /// A bit was flipped and the CRC caught it.
    Crc,
    /// The receiver had no place for it, and its sender had not asked.
    Overrun,
}

impl WireDropReason {
    /// Every reason.
    pub const ALL: &'static [WireDropReason] = &[Self::Loss, Self::Crc, Self::Overrun];

    /// Returns the word that the trace has for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            WireDropReason::Loss => "loss",
            WireDropReason::Crc => "crc",
            WireDropReason::Overrun => "overrun",
        }
    }
}

/// Why the runtime dropped a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The free queue does not hold the buffers that the message needs.
    NoFreeBuffer,
    /// The receive queue is full.
    RxQueueFull,
    /// The applet trapped on it.
    AppletTrap,
    /// The message needs more buffers than a descriptor names (base path).
    TooLong,
    /// Its sender would wait for itself: the applets of a circle of endpoints all push packets to the next.
    /// Or the sender could not wait: its call needs more memory than its heap has left.
    NicFull,
    /// The user has no room to send it on: it is longer than the whole transmit region (`echo`).
    NoTransmitRoom,
}

impl DropReason {
    /// Every reason, in the order of declaration.
    pub const ALL: &'static [DropReason] = &[
        Self::NoFreeBuffer,
        Self::RxQueueFull,
        Self::AppletTrap,
        Self::TooLong,
        Self::NicFull,
        Self::NoTransmitRoom,
    ];

    /// Returns the word that the trace has for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            DropReason::NoFreeBuffer => "no-free-buffer",
            DropReason::RxQueueFull => "rx-queue-full",
            DropReason::AppletTrap => "applet-trap",
            DropReason::TooLong => "too-long",
            DropReason::NicFull => "nic-full",
            DropReason::NoTransmitRoom => "no-transmit-room",
        }
    }

    fn what(self) -> Dropped {
        match self {
            DropReason::NoFreeBuffer | DropReason::RxQueueFull | DropReason::TooLong => {
                Dropped::Arrival
            }
            DropReason::AppletTrap => Dropped::Trapped,
            DropReason::NicFull => Dropped::Outgoing,
            DropReason::NoTransmitRoom => Dropped::Answer,
        }
    }
}
