//! Why a message of the peer is refused.

use super::names::{FrameId, PortId};
use super::pages::ProtectionFault;

/// Why an end of a link refuses a message. Nothing has changed. A peer that sends such a message does not follow the
/// protocol, or has other [sizes](super::Sizes).
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The controller is stopped: the link should have held the message (S4-08).
    #[error("expected no message while a paging request is served")]
    Stopped,
    /// The link has no such frame.
    #[error("expected a frame below {frames}, found {}", frame.0)]
    NoFrame {
        /// The frame.
        frame: FrameId,
        /// Number of frames.
        frames: u32,
    },
    /// A write goes to a frame without a port.
    #[error("expected a frame that holds a port, found frame {}", frame.0)]
    EmptyFrame {
        /// The frame.
        frame: FrameId,
    },
    /// A new port is given a frame that another port has.
    #[error("expected an empty frame for a new port, found frame {} with port {}", frame.0, port.number())]
    FrameTaken {
        /// The frame.
        frame: FrameId,
        /// The port in it.
        port: PortId,
    },
    /// A write goes beyond its frame.
    #[error(transparent)]
    Beyond(#[from] ProtectionFault),
    /// The id is too high.
    #[error("expected a port id up to {ports}, found {}", port.number())]
    NoId {
        /// The id.
        port: PortId,
        /// The highest id.
        ports: u32,
    },
    /// There is no such port, or what the message does to it was done before.
    #[error("expected an open port, found id {}", port.number())]
    NoPort {
        /// The id.
        port: PortId,
    },
    /// A paging request brings in a port that is in.
    #[error("expected a port that is out, found port {} in frame {}", port.number(), frame.0)]
    Resident {
        /// The port.
        port: PortId,
        /// The frame in which the port lies.
        frame: FrameId,
    },
    /// An answer to a proposal that was not made.
    #[error("expected an answer to a proposed port id, found one to id {}", port.number())]
    NotOffered {
        /// The id.
        port: PortId,
    },
    /// An answer with a lower id, which could go on without end.
    #[error("expected a port id above {}, found {}", offered.number(), port.number())]
    NotAbove {
        /// The id that was proposed.
        offered: PortId,
        /// The id of the answer.
        port: PortId,
    },
    /// The receiver says that it has deleted a port that this end has not.
    #[error("expected the id of a port that the sender has deleted, found {}", port.number())]
    NotDeleted {
        /// The id.
        port: PortId,
    },
}

impl Refused {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Refused::Stopped => "stopped",
            Refused::NoFrame { .. } => "no-frame",
            Refused::EmptyFrame { .. } => "empty-frame",
            Refused::FrameTaken { .. } => "frame-taken",
            Refused::Beyond(fault) => fault.word(),
            Refused::NoId { .. } => "no-id",
            Refused::NoPort { .. } => "no-port",
            Refused::Resident { .. } => "resident",
            Refused::NotOffered { .. } => "not-offered",
            Refused::NotAbove { .. } => "not-above",
            Refused::NotDeleted { .. } => "not-deleted",
        }
    }
}
