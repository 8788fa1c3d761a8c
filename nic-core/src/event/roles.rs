//! What an event means to the code that shows, counts and joins events, whichever interface it is of.
//!
//! An interface describes each of its events once, by its [`Roles`]. Traces, timelines, captures, stories and summaries
//! read the roles, and so know no interface.

use jive_core::{MethodId, Pc, TrapKind};

use super::fields::Payload;
use super::{DmaDirection, Levels, Made, Trigger};
use crate::id::{ChannelId, EndpointId, PacketId, PostId};
use crate::time::{SimDuration, SimTime};

/// The roles of an event.
#[derive(Copy, Clone, Debug)]
pub struct Roles<'a> {
    /// Its name in the trace.
    pub name: &'static str,
    /// Whether the trace shows it.
    pub shown: Shown,
    /// Where a timeline shows it.
    pub track: Track,
    /// How a timeline shows it there.
    pub shape: Shape,
    /// What it happened for.
    pub cause: Cause,
    /// What it means for a message, a packet or a call.
    pub step: Step<'a>,
}

impl Roles<'_> {
    /// Returns the roles of an event that is a moment at its endpoint and means nothing else: what an interface starts
    /// from.
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
    /// It does.
    Always,
    /// It does where the work of processors was asked for.
    WithWork,
    /// It does not.
    Never,
}

/// A line of a timeline, at the event's NIC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Track {
    /// What the user of the event's endpoint does and sees.
    Host,
    /// Whether the applet of the event's endpoint takes what comes.
    Applet,
    /// The processor that runs the call of the event's endpoint.
    Call,
    /// What the processor of this number works on.
    Work(u32),
    /// The DMA engine, in one direction.
    Dma(DmaDirection),
    /// The wire to the NIC of this endpoint.
    WireTo(EndpointId),
    /// What comes in.
    WireIn,
}

/// How a timeline shows an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As a point in time with this label.
    Moment(&'static str),
    /// As a span that starts with the event.
    From(&'static str, SimDuration),
    /// As a span that ends with the event.
    Since(&'static str, SimTime),
    /// As values of counters.
    Counters(Levels),
}

/// What an event happened for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// For nothing in particular.
    None,
    /// For this.
    Of(Trigger),
    /// For what the call handles that runs at the event's endpoint.
    OfCall,
}

/// What an event means for a message, a packet or a call.
#[derive(Copy, Clone, Debug)]
pub enum Step<'a> {
    /// Nothing that outputs join or count.
    Other,
    /// The user asked for a message to be sent.
    Posted {
        /// The request.
        post: PostId,
        /// The channel that it names.
        channel: ChannelId,
        /// The message's bytes.
        payload: &'a [u8],
    },
    /// The NIC is done with such a request.
    Completed {
        /// The request.
        post: PostId,
        /// How it ended: `ok`, or what else the trace calls it.
        status: &'static str,
        /// Why the NIC refused it, where it did.
        refusal: Option<&'static str>,
    },
    /// A call of an applet begins.
    CallBegan {
        /// The method.
        method: MethodId,
        /// The number of the processor that runs it, among those of its NIC.
        processor: u32,
    },
    /// The call waits, and its processor does something else.
    CallSuspended,
    /// The call goes on.
    CallResumed,
    /// The call went through a native.
    Made(Made),
    /// The call has returned.
    CallReturned {
        /// The method.
        method: MethodId,
        /// Instructions executed.
        bytecodes: u64,
    },
    /// The call ended in a trap.
    CallTrapped {
        /// Which trap.
        kind: TrapKind,
        /// Where.
        pc: Pc,
        /// The source line, where it is known.
        line: Option<u16>,
    },
    /// The endpoint does without its applet for a while.
    Detached,
    /// The applet is about to get calls again.
    Attached,
    /// A packet went onto the wire.
    Sent {
        /// The packet.
        packet: PacketId,
        /// The endpoint that it goes to.
        peer: EndpointId,
        /// Its message.
        payload: &'a [u8],
    },
    /// A packet came off the wire.
    Received {
        /// The packet.
        packet: PacketId,
        /// The endpoint that it came from.
        peer: EndpointId,
        /// Its message.
        payload: &'a [u8],
    },
    /// The wire lost a packet.
    Lost {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: &'static str,
    },
    /// The user is shown a message.
    Delivered {
        /// The packet that brought it, where it was one.
        packet: Option<PacketId>,
        /// The channel that it came on.
        channel: ChannelId,
        /// The message's bytes.
        payload: Payload<'a>,
    },
    /// Something was dropped.
    Dropped {
        /// The packet, where it was one.
        packet: Option<PacketId>,
        /// Why.
        reason: &'static str,
        /// What.
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
            | Step::Attached => None,
        }
    }
}

/// What was dropped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A packet that arrived; while a call runs, a descriptor that the call pushed.
    Arrival,
    /// What an applet trapped on.
    Trapped,
    /// A packet that was to be sent.
    Outgoing,
    /// The answer to a message that the user was shown.
    Answer,
}
