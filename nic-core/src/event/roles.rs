//! The roles of an event: how outputs show, count and join it, independent of its interface.
//!
//! An interface describes each of its events once, by [`Roles`]. Traces, timelines, captures, stories and summaries
//! read only the roles, so they need no code for an interface.

use jive_core::{MethodId, Pc, TrapKind};

use super::fields::Payload;
use super::{DmaDirection, Levels, Made, TrapDetails, Trigger};
use crate::id::{ChannelId, EndpointId, PacketId, PostId};
use crate::time::{SimDuration, SimTime};

/// How outputs treat an event.
#[derive(Copy, Clone, Debug)]
pub struct Roles<'a> {
    /// Name of the event in the trace.
    pub name: &'static str,
    /// Whether the trace shows it.
    pub shown: Shown,
    /// The timeline track that shows the event.
    pub track: Track,
    /// The shape that the timeline draws.
    pub shape: Shape,
    /// What caused the event.
    pub cause: Cause,
    /// What the event means for a message, a packet or a call.
    pub step: Step<'a>,
}

impl Roles<'_> {
    /// Returns the roles of an event that is a moment at its endpoint and means nothing else. Interfaces override the
    /// fields that differ.
    #[must_use]
    pub const fn of(name: &'static str) -> Roles<'static> {
        Roles {
            name,
            shown: Shown::Always,
            track: Track::Host,
            shape: Shape::Moment(name),
            cause: Cause::None,
            step: Step::Other,
        }
    }
}

/// Whether the trace shows an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The trace always shows it.
    Always,
    /// The trace shows it if the work of processors was asked for.
    WithWork,
    /// The trace never shows it.
    Never,
}

/// A track of a timeline, within the event's NIC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Track {
    /// Actions of the user at the event's endpoint.
    Host,
    /// Whether the applet of the event's endpoint is attached.
    Applet,
    /// The processor that runs the endpoint's call.
    Call,
    /// The processor with this number.
    Work(u32),
    /// The DMA engine for this direction.
    Dma(DmaDirection),
    /// The wire to the NIC of this endpoint.
    WireTo(EndpointId),
    /// The wire from which the NIC receives.
    WireIn,
}

/// How a timeline shows an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A point in time with this label.
    Moment(&'static str),
    /// A span that starts with the event.
    From(&'static str, SimDuration),
    /// A span that ends with the event.
    Since(&'static str, SimTime),
    /// New values of counters.
    Counters(Levels),
}

/// What caused an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing that outputs could show.
    None,
    /// This trigger.
    Of(Trigger),
    /// The trigger of the call that runs at the event's endpoint.
    OfCall,
}

/// What an event means for a message, a packet or a call.
#[derive(Copy, Clone, Debug)]
pub enum Step<'a> {
    /// Nothing that outputs join or count.
    Other,
    /// The user posted a message to send.
    Posted {
        /// The descriptor.
        post: PostId,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
    },
    /// The NIC has completed a transmit descriptor.
    Completed {
        /// The descriptor.
        post: PostId,
        /// The status that the trace shows, such as `ok`.
        status: &'static str,
        /// Reason of a refusal, if the NIC refused the descriptor.
        refusal: Option<&'static str>,
    },
    /// An applet's call begins.
    CallBegan {
        /// The method.
        method: MethodId,
        /// Number of the processor that runs the call, among those of its NIC.
        processor: u32,
    },
    /// The call is suspended; its processor serves others.
    CallSuspended,
    /// A suspended call continues.
    CallResumed,
    /// The call has completed a native.
    Made(Made),
    /// The call has returned.
    CallReturned {
        /// The method.
        method: MethodId,
        /// Instructions executed, those of callees included.
        bytecodes: u64,
        /// The result of the call; `None` for `void`.
        value: Option<i32>,
    },
    /// The call ended in a trap.
    CallTrapped {
        /// Kind of the trap.
        kind: TrapKind,
        /// Position of the instruction that trapped.
        pc: Pc,
        /// Source line of that instruction, if the class has line numbers.
        line: Option<u16>,
        /// The innermost method.
        method: MethodId,
        /// Why it trapped and through which calls.
        details: TrapDetails<'a>,
        /// Instructions that the call executed.
        bytecodes: u64,
    },
    /// The endpoint's applet is detached for a while.
    Detached,
    /// The applet is attached again.
    Attached,
    /// The first bit of a packet without a message left. It is counted, and no output follows it.
    ControlSent {
        /// The endpoint that it goes to.
        peer: EndpointId,
        /// The packet's length in bytes.
        length: u32,
    },
    /// The last bit of a packet without a message arrived.
    ControlReceived {
        /// What it is.
        kind: &'static str,
        /// The packet's length in bytes.
        length: u32,
    },
    /// The host mapped a window of another node.
    Mapped {
        /// Whether another window lost its mapping.
        evicts: bool,
    },
    /// A packet went onto the wire.
    Sent {
        /// The packet.
        packet: PacketId,
        /// The endpoint that it goes to.
        peer: EndpointId,
        /// The message.
        payload: &'a [u8],
    },
    /// A packet came off the wire.
    Received {
        /// The packet.
        packet: PacketId,
        /// The endpoint that it came from.
        peer: EndpointId,
        /// The message.
        payload: &'a [u8],
    },
    /// The wire lost a packet.
    Lost {
        /// The packet.
        packet: PacketId,
        /// Reason of the loss.
        reason: &'static str,
    },
    /// The NIC itself used a packet that arrived.
    Consumed {
        /// The packet.
        packet: PacketId,
        /// What used it.
        by: &'static str,
    },
    /// A receive descriptor became visible to the user.
    Delivered {
        /// The packet that brought the message, if one did.
        packet: Option<PacketId>,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's bytes.
        payload: Payload<'a>,
    },
    /// A packet, a descriptor or an answer was dropped.
    Dropped {
        /// The packet, if it was one.
        packet: Option<PacketId>,
        /// Reason of the drop.
        reason: &'static str,
        /// The kind of thing that was dropped.
        what: Dropped,
    },
}

impl Step<'_> {
    /// Returns the packet that the event names.
    #[must_use]
    pub fn packet(&self) -> Option<PacketId> {
        match *self {
            Step::Sent { packet, .. }
            | Step::Received { packet, .. }
            | Step::Lost { packet, .. }
            | Step::Consumed { packet, .. }
            | Step::Made(Made::Packet(packet)) => Some(packet),
            Step::Delivered { packet, .. } | Step::Dropped { packet, .. } => packet,
            Step::Made(Made::Nothing | Made::Descriptor)
            | Step::Other
            | Step::Posted { .. }
            | Step::Completed { .. }
            | Step::CallBegan { .. }
            | Step::CallSuspended
            | Step::CallResumed
            | Step::CallReturned { .. }
            | Step::CallTrapped { .. }
            | Step::Detached
            | Step::Attached
            | Step::Mapped { .. }
            | Step::ControlSent { .. }
            | Step::ControlReceived { .. } => None,
        }
    }
}

/// The kind of thing that was dropped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A packet that arrived. While a call runs: a descriptor that the call pushed.
    Arrival,
    /// The packet or descriptor on which an applet trapped.
    Trapped,
    /// A packet that was to be sent.
    Outgoing,
    /// The user's answer to a message.
    Answer,
    /// A frame of a packet. The packet itself may still arrive.
    Frame,
}
