//! EMP: messages between processes, cut into frames and made reliable by the NICs (Shivam, Wyckoff, Panda: "Can
//! User-Level Protocols Take Advantage of Multi-CPU NICs?").
//!
//! The sender's NIC cuts a message into frames and keeps a [`TransmitRecord`] until all frames are acknowledged. The
//! receiver's NIC [matches](Receives) each message with a receive that its user posted, places the frames, and
//! acknowledges them in groups. [`Inbound`] is the receiver's record of one sender.
//!
//! The code of this module uses neither time nor memory of the host. An engine decides when each step of the protocol
//! happens, and moves the bytes.

mod event;
mod frame;
mod inbound;
mod matching;
mod record;

pub use event::{EmpEvent, ResendReason};
pub use frame::{Cut, Frame, FrameError, FrameKind, HEADER_BYTES, Place};
pub use inbound::{Finish, Inbound, Recorded, Verdict, WINDOW};
pub use matching::{Filter, PostedReceive, Receives};
pub use record::{Acknowledged, Silence, TransmitRecord, Unsent};
