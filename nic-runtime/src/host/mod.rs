//! Users: the state of the host program at each endpoint.
//!
//! A host program only chooses its reaction to a message ([`nic_core::host::Reaction`]). The simulation does polling,
//! upcalls, posts and the return of buffers, which are the same for all programs.

pub(crate) mod acting;
mod due;
mod exchange;
pub(crate) mod javia;
pub(crate) mod own;
pub mod pages;
pub(crate) mod port;
pub mod program;
pub(crate) mod replay;
pub mod rings;
mod turns;
mod window;

pub use due::DueSends;
pub use exchange::{Credits, Exchanging};
use nic_core::host::Program;
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
pub use port::{PortName, PortNews, PortRefusal};
pub use program::{
    Actions, ConnectionNews, Descriptor, Happened, HostProgram, Programs, RegionRefusal,
    Unfinished, ViNews,
};
pub(crate) use program::{Asked, Asking, OwnMemory};
pub(crate) use turns::PROCESSORS_WITH_LOOP;
pub use turns::Turns;
pub(crate) use window::WindowAsked;
pub use window::WindowNews;

use crate::storage::Growing;

/// The part of a buffer area from which a user sends messages.
pub type TransmitRegion = nic_core::host::TransmitRegion<Growing>;

/// The user at an endpoint. A user does one task at a time.
#[derive(Clone, Debug)]
pub struct User {
    /// The host program that reacts to messages.
    pub program: Program,
    /// How the user notices received messages.
    pub notify: Notify,
    /// The allocator of places in the transmit region for messages to send.
    pub region: TransmitRegion,
    /// Messages that are due and that the user has not posted, oldest first.
    pub due: DueSends,
    /// The current task.
    pub task: Task,
    /// Whether the user has noticed the messages in the receive queue.
    pub notice: Notice,
    /// Whether the user reads next, if both a received message and a message to send wait.
    pub reads_next: bool,
    /// Number of messages that the user has handled.
    pub messages: u64,
}

/// How the user notices received messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The user polls the receive queue at every multiple of this time.
    Poll(SimDuration),
    /// The NIC makes an upcall to the user, which takes this time.
    Upcall(SimDuration),
}

/// The task of a user.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// No task: the user waits for a message, a due send or room.
    Waiting,
    /// The user is busy for the time of a message that it has just posted.
    Posting,
    /// The user reads a message, and puts the message's buffers back afterwards.
    Reading,
    /// The user copies a message to this span, and sends the copy afterwards.
    Replying(HostSpan),
}

/// Whether a user has noticed the messages in the receive queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The receive queue was empty when the user last looked.
    None,
    /// A poll or an upcall of the user is scheduled.
    Coming,
    /// The user has noticed messages and reads until the receive queue is empty.
    Taken,
}

impl User {
    /// Returns an idle user.
    #[must_use]
    pub fn new(program: Program, notify: Notify, region: TransmitRegion) -> User {
        User {
            program,
            notify,
            region,
            due: DueSends::default(),
            task: Task::Waiting,
            notice: Notice::None,
            reads_next: true,
            messages: 0,
        }
    }

    /// Returns whether a message waits to be read, or one that is due to be posted.
    pub(crate) fn has_work(&self) -> bool {
        self.notice == Notice::Taken || !self.due.is_empty()
    }
}
