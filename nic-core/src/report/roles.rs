//! The roles of an event: how outputs show, count and join it, independent of its interface.
//!
//! An interface describes each of its events once, by [`Roles`]. Traces, timelines, captures, stories and summaries
//! read only the roles, so they need no code for an interface.

use jive_core::{MethodId, Pc, TrapKind};

use super::fields::Payload;
use super::levels::{DmaDirection, Levels};
use super::trigger::{Made, Trigger};
use crate::id::{ChannelId, EndpointId, NicId, PacketId, PostId, PostNumber};
use crate::native::TrapDetails;
use crate::time::{SimDuration, SimTime};

/// How outputs treat an event.
#[derive(Copy, Clone, Debug)]
pub struct Roles<'a> {
    /// Name of the event in the trace.
    pub name: &'static str,
    /// Whether the trace shows the event.
    pub shown: Shown,
    /// The timeline track that shows the event.
    pub track: Track,
    /// The shape as which the timeline draws the event.
    pub shape: Shape,
    /// What caused the event.
    pub cause: Cause,
    /// What the event means for a message, a packet or a call.
    pub step: Step<'a>,
}

impl Roles<'_> {
    /// Returns the roles of an event that is a moment at its endpoint, with no meaning for messages, packets or calls.
    /// Interfaces override the fields that differ from these roles.
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
    /// The trace always shows the event.
    Always,
    /// The trace always shows the event, which means nothing that outputs join or count. Most events of a run are such
    /// events, so an output that only counts does without them.
    InDetail,
    /// The trace shows the event if the user wants to see the work of processors.
    WithWork,
    /// The trace never shows the event, which says how long a processor has worked without a pause.
    AsBusy,
    /// The trace never shows the event.
    Never,
}

/// A track of a timeline, within the event's NIC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Track {
    /// The track of the user's actions at the event's endpoint.
    Host,
    /// The track that shows whether the applet of the event's endpoint is attached.
    Applet,
    /// The track of the processor that runs the endpoint's call.
    Call,
    /// The track of the processor with this number.
    Work(u32),
    /// The track of the DMA engine for this direction.
    Dma(DmaDirection),
    /// The track of the wire to the NIC of this endpoint.
    WireTo(EndpointId),
    /// The track of the wire to this NIC or switch.
    WireToNode(NicId),
    /// The track of the wire from which the NIC receives.
    WireIn,
}

/// How a timeline shows an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The timeline shows a point in time with this label.
    Moment(&'static str),
    /// The timeline shows a span that starts with the event and has this duration.
    From(&'static str, SimDuration),
    /// The timeline shows a span that ends with the event and began at this time.
    Since(&'static str, SimTime),
    /// New values of counters.
    Counters(Levels),
}

/// What caused an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The event has no cause that outputs could show.
    None,
    /// This trigger.
    Of(Trigger),
    /// The cause is the trigger of the call that runs at the event's endpoint.
    OfCall,
}

/// What a packet carries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carries {
    /// A whole message.
    Message,
    /// A frame of a message.
    Frame,
    /// What NICs tell each other, such as an acknowledgement.
    Control,
}

/// A packet that leaves a switch.
#[derive(Copy, Clone, Debug)]
pub struct Forwarded<'a> {
    /// The packet.
    pub packet: PacketId,
    /// The endpoint to which the packet goes.
    pub peer: EndpointId,
    /// The NIC or switch to which the packet goes next.
    pub next: NicId,
    /// The bytes of the message, or those of the frame that the packet carries. Traces show their number alone.
    pub payload: &'a [u8],
    /// What the packet carries.
    pub carries: Carries,
    /// Whether this is a copy that the link has made of a packet, and the copy counts on its own.
    pub is_copy: bool,
    /// How many packets then wait for the same port.
    pub behind: u32,
    /// How long the packet has waited at the switch.
    pub waited: SimDuration,
    /// Time from the first bit of the packet to its last.
    pub duration: SimDuration,
}

/// What an event means for a message, a packet or a call.
#[derive(Copy, Clone, Debug)]
pub enum Step<'a> {
    /// The event means nothing that outputs join or count.
    Other,
    /// The user posted a message to send.
    Posted {
        /// The descriptor.
        post: PostId,
        /// The number of the post.
        number: PostNumber,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
    },
    /// The NIC has completed a transmit descriptor.
    Completed {
        /// The descriptor.
        post: PostId,
        /// The status of the descriptor that the trace shows, such as `ok`.
        status: &'static str,
        /// Reason of the refusal, if the NIC refused the descriptor.
        refusal: Option<&'static str>,
    },
    /// An applet's call begins.
    CallBegan {
        /// The method.
        method: MethodId,
        /// Number of the processor that runs the call, among those of its NIC.
        processor: u32,
        /// What caused the call.
        trigger: Trigger,
    },
    /// The applet's call is suspended, and its processor serves others.
    CallSuspended,
    /// A suspended call continues.
    CallResumed,
    /// The applet's call has completed a native.
    Made(Made),
    /// The call has returned.
    CallReturned {
        /// The method.
        method: MethodId,
        /// Number of instructions that the call executed, including those of callees.
        bytecodes: u64,
        /// The result of the call, or `None` for a `void` method.
        value: Option<i32>,
    },
    /// The applet's call ended in a trap.
    CallTrapped {
        /// Kind of the trap.
        kind: TrapKind,
        /// The pc of the instruction that trapped.
        pc: Pc,
        /// Source line of the instruction that trapped, if the class has line numbers.
        line: Option<u16>,
        /// The innermost method.
        method: MethodId,
        /// The cause of the trap, and the nested calls that led to it.
        details: TrapDetails<'a>,
        /// Number of instructions that the call executed.
        bytecodes: u64,
    },
    /// The applet of the endpoint is detached for a while.
    Detached,
    /// The applet of the endpoint is attached again.
    Attached,
    /// The first bit of a control packet, which carries no message, left the NIC. Outputs count a control packet, but
    /// do not follow it.
    ControlSent {
        /// The endpoint to which the packet goes.
        peer: EndpointId,
        /// The packet's length in bytes.
        length: u32,
    },
    /// The last bit of a control packet, which carries no message, arrived at the NIC.
    ControlReceived {
        /// What it is.
        kind: &'static str,
        /// The packet's length in bytes.
        length: u32,
    },
    /// The host mapped a window of another node.
    Mapped {
        /// Whether another window lost its mapping to make room.
        evicts: bool,
    },
    /// The NIC sent a packet onto the wire.
    Sent {
        /// The packet.
        packet: PacketId,
        /// The endpoint to which the packet goes.
        peer: EndpointId,
        /// The message.
        payload: &'a [u8],
        /// Whether the packet goes in several frames, each of which may be lost or copied on its own.
        is_in_frames: bool,
    },
    /// The NIC received a packet from the wire.
    Received {
        /// The packet.
        packet: PacketId,
        /// The endpoint from which the packet came.
        peer: EndpointId,
        /// The message.
        payload: &'a [u8],
        /// Whether the packet came in several frames.
        is_in_frames: bool,
    },
    /// A switch began to send a packet on. The event's NIC is the switch.
    Forwarded(Forwarded<'a>),
    /// The sender sends no more frames of a packet, although it has not heard that the packet arrived.
    GivenUp {
        /// The packet.
        packet: PacketId,
        /// The endpoint to which the packet went.
        peer: EndpointId,
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
        /// The post that the message comes from, if it comes from one.
        post: Option<PostNumber>,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's bytes.
        payload: Payload<'a>,
    },
    /// The NIC or the user dropped a packet, a descriptor or an answer.
    Dropped {
        /// The packet that was dropped, if it was a packet.
        packet: Option<PacketId>,
        /// Reason of the drop.
        reason: &'static str,
        /// Whether a packet, a descriptor, an answer or a frame was dropped.
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
            | Step::Forwarded(Forwarded { packet, .. })
            | Step::GivenUp { packet, .. }
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

/// A part of a NIC that an event shows in use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum InUse {
    /// The DMA engine of this direction, for this time from the event on.
    Dma(DmaDirection, SimDuration),
    /// A wire that leaves the NIC, for this time from the event on.
    Wire(SimDuration),
    /// The processor with this number, from this time to the event.
    Processor(u32, SimTime),
}

/// What was dropped: a packet, a descriptor, an answer or a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A packet that arrived. While a call runs, a descriptor that the call pushed.
    Arrival,
    /// A packet that the NIC dropped as soon as it had arrived, whatever call runs.
    Unread,
    /// A copy of a packet, dropped as soon as it had arrived. The packet itself may still be handled.
    Copy,
    /// The packet or descriptor on which an applet trapped.
    Trapped,
    /// A packet that was to be sent.
    Outgoing,
    /// The user's answer to a message.
    Answer,
    /// A frame of a packet. The packet of a dropped frame may still arrive.
    Frame,
}
