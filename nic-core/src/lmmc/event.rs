//! Events of LMMC: ports, faults, the steps of remote paging, what leaves and what is refused, and who waits.

use super::names::{Direction, FrameId, PortId};
use crate::id::{EndpointId, PacketId};
use crate::report::fields::{FieldSink, Fields, Value};
use crate::report::roles::{Roles, Step, Track};

/// An event of an endpoint of LMMC, which is the place of its process at the interface.
///
/// Stores that leave and writes that land are events of [remote memory](crate::event::RemoteEvent), whose window is the
/// port's id. On the wire, remote writes are packets with a message, and the other two kinds of messages are [control
/// packets](crate::event::ViaEvent::ControlTx). The channel of all three is the port's id.
#[derive(Copy, Clone, Debug)]
pub enum LmmcEvent<'a> {
    /// Something happened to a port: a process asked for it, or its set-up or deletion went on.
    Port {
        /// What happened.
        action: PortAction,
        /// The id, unless there is none: a set-up that failed has none.
        id: Option<PortId>,
        /// What the event's node is to the port.
        direction: Direction,
    },
    /// A process's request was refused: a call that the port does not allow, or an access that the page does not allow.
    Refused {
        /// What the process asked for.
        request: &'static str,
        /// Why not.
        reason: &'static str,
        /// The port, if the process named one.
        port: Option<PortId>,
    },
    /// A store went to a port that is out, and traps (S4-17).
    Fault {
        /// The port that comes in.
        port: PortId,
        /// The port that goes out, unless the frame was empty.
        victim: Option<PortId>,
        /// The frame that changes its port.
        frame: FrameId,
    },
    /// A side has done one of its seven steps (S4-17, S4-18).
    Paging {
        /// The side.
        side: PagingSide,
        /// Number of the step, from 1 to 7.
        step: u8,
        /// The port that comes in.
        port: PortId,
    },
    /// The controller takes no message from now on, because a paging request is served (S4-08).
    Stop,
    /// The controller takes messages again.
    Go,
    /// Gathered writes leave as one message (S4-21).
    Flush {
        /// The port.
        port: PortId,
        /// Why they leave.
        reason: FlushReason,
        /// Number of bytes.
        length: u32,
    },
    /// A process waits for a word of a port, and holds no processor (S4-22).
    Sleep {
        /// The port.
        port: PortId,
    },
    /// A process that has slept goes on, because its port was written or paged in.
    Wake {
        /// The port.
        port: PortId,
    },
    /// A message was refused that no honest peer sends. A [drop](crate::event::NicEvent::Drop) of the packet follows.
    MessageRefused {
        /// The packet.
        packet: PacketId,
        /// The endpoint from which the packet came.
        peer: EndpointId,
        /// Why.
        reason: &'a str,
    },
}

/// What happened to a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PortAction {
    /// A process creates the port, and its node has proposed an id.
    Create,
    /// The id was in use at one of the ends, so another one is proposed.
    Propose,
    /// Both ends agree on the id.
    Open,
    /// No id was free, so there is no port.
    Fail,
    /// A process maps the port.
    Map,
    /// Each write leaves at once from now on.
    Immediate,
    /// Writes are gathered from now on.
    Late,
    /// A process deletes the port, or a receiver asks its sender to.
    Delete,
    /// The sender has deleted the port, and its readers keep what was written last.
    Deleted,
    /// Both ends have deleted the port, so its id is free.
    Free,
}

impl PortAction {
    /// Every action.
    pub const ALL: &'static [PortAction] = &[
        PortAction::Create,
        PortAction::Propose,
        PortAction::Open,
        PortAction::Fail,
        PortAction::Map,
        PortAction::Immediate,
        PortAction::Late,
        PortAction::Delete,
        PortAction::Deleted,
        PortAction::Free,
    ];

    /// Returns the word that the trace shows for the action.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            PortAction::Create => "create",
            PortAction::Propose => "propose",
            PortAction::Open => "open",
            PortAction::Fail => "fail",
            PortAction::Map => "map",
            PortAction::Immediate => "immediate",
            PortAction::Late => "late",
            PortAction::Delete => "delete",
            PortAction::Deleted => "deleted",
            PortAction::Free => "free",
        }
    }
}

/// A side of a remote paging.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PagingSide {
    /// The side whose store trapped.
    Faulting,
    /// The side that received the request.
    Receiving,
}

impl PagingSide {
    /// Returns the word that the trace shows for the side.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            PagingSide::Faulting => "faulting",
            PagingSide::Receiving => "receiving",
        }
    }
}

/// Why gathered writes leave.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FlushReason {
    /// A write fell outside of the line.
    Outside,
    /// The port is paged out.
    PageOut,
    /// The port's policy changes.
    Policy,
    /// The port is deleted.
    Delete,
    /// The first of the writes is old enough.
    Time,
}

impl FlushReason {
    /// Every reason.
    pub const ALL: &'static [FlushReason] = &[
        FlushReason::Outside,
        FlushReason::PageOut,
        FlushReason::Policy,
        FlushReason::Delete,
        FlushReason::Time,
    ];

    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            FlushReason::Outside => "outside",
            FlushReason::PageOut => "page-out",
            FlushReason::Policy => "policy",
            FlushReason::Delete => "delete",
            FlushReason::Time => "time",
        }
    }
}

impl Direction {
    /// Returns the word that the trace shows for the direction.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Direction::Send => "send",
            Direction::Receive => "receive",
        }
    }
}

impl<'a> LmmcEvent<'a> {
    /// Returns the roles of the event, by which outputs treat it.
    #[must_use]
    pub fn roles(&self) -> Roles<'a> {
        match *self {
            LmmcEvent::Port { .. } => Roles::of("port"),
            LmmcEvent::Refused { .. } => Roles::of("port-refused"),
            LmmcEvent::Fault { .. } => Roles::of("fault"),
            LmmcEvent::Paging {
                side: PagingSide::Faulting,
                ..
            } => Roles::of("paging"),
            LmmcEvent::Paging {
                side: PagingSide::Receiving,
                ..
            } => Roles {
                track: Track::WireIn,
                ..Roles::of("paging")
            },
            LmmcEvent::Stop => Roles {
                track: Track::WireIn,
                ..Roles::of("stop")
            },
            LmmcEvent::Go => Roles {
                track: Track::WireIn,
                ..Roles::of("go")
            },
            LmmcEvent::Flush { .. } => Roles::of("flush"),
            LmmcEvent::Sleep { .. } => Roles::of("sleep"),
            LmmcEvent::Wake { .. } => Roles::of("wake"),
            LmmcEvent::MessageRefused { .. } => Roles {
                track: Track::WireIn,
                ..Roles::of("message-refused")
            },
        }
    }

    /// Returns what the event means for messages, packets and calls of applets: nothing. A refused message is dropped,
    /// which is an event of the NIC.
    #[must_use]
    pub const fn step(&self) -> Step<'a> {
        Step::Other
    }

    /// Writes the event's fields to a sink.
    pub(crate) fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
        match *self {
            LmmcEvent::Port {
                action,
                id,
                direction,
            } => {
                fields.put("action", Value::Word(action.word()))?;
                fields.put("id", shown(id))?;
                fields.put("direction", Value::Word(direction.word()))
            }
            LmmcEvent::Refused {
                request,
                reason,
                port,
            } => {
                fields.put("request", Value::Word(request))?;
                fields.put("reason", Value::Word(reason))?;
                fields.put("port", shown(port))
            }
            LmmcEvent::Fault {
                port,
                victim,
                frame,
            } => {
                fields.put("port", shown(Some(port)))?;
                fields.put("victim", shown(victim))?;
                fields.put("frame", Value::Number(frame.0.into()))
            }
            LmmcEvent::Paging { side, step, port } => {
                fields.put("side", Value::Word(side.word()))?;
                fields.put("step", Value::Number(step.into()))?;
                fields.put("port", shown(Some(port)))
            }
            LmmcEvent::Stop | LmmcEvent::Go => Ok(()),
            LmmcEvent::Flush {
                port,
                reason,
                length,
            } => {
                fields.put("port", shown(Some(port)))?;
                fields.put("reason", Value::Word(reason.word()))?;
                fields.put("length", Value::Number(length.into()))
            }
            LmmcEvent::Sleep { port } | LmmcEvent::Wake { port } => {
                fields.put("port", shown(Some(port)))
            }
            LmmcEvent::MessageRefused {
                packet,
                peer,
                reason,
            } => {
                fields.put("packet", Value::Number(packet.0))?;
                fields.endpoint("peer", peer)?;
                fields.put("reason", Value::Name(reason))
            }
        }
    }
}

/// Shows a port's id, or that there is none.
fn shown(port: Option<PortId>) -> Value<'static> {
    port.map_or(Value::Null, |port| Value::Number(port.number().into()))
}
