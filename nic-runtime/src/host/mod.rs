//! Users: the state of the host program at each endpoint.
//!
//! A program only chooses its reaction to a message ([`nic_core::host::Reaction`]). Polling, upcalls, posts and the
//! return of buffers are the same for all programs, and the simulation does them.

mod due;
mod exchange;
pub mod program;
mod turns;

pub use due::DueSends;
pub use exchange::{Exchange, ExchangePattern, Exchanging};
use nic_core::host::Program;
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
pub use program::{Actions, Happened, HostProgram, Programs};
pub use turns::Turns;

use crate::storage::Growing;

/// The part of a buffer area from which messages are sent.
pub type TransmitRegion = nic_core::host::TransmitRegion<Growing>;

/// The user at an endpoint. A user does one task at a time.
#[derive(Clone, Debug)]
pub struct User {
    /// The program that reacts to messages.
    pub program: Program,
    /// How the user learns of messages.
    pub notify: Notify,
    /// Allocates the places of messages to send.
    pub region: TransmitRegion,
    /// Messages that are due and not posted, oldest first.
    pub due: DueSends,
    /// The current task.
    pub task: Task,
    /// Whether the user has noticed the messages in the receive queue.
    pub notice: Notice,
    /// Whether the next task is to read, if there are both a message to read and a message to send.
    pub reads_next: bool,
    /// Number of messages that the user has handled.
    pub messages: u64,
}

/// How the user learns of received messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The user polls the receive queue at every multiple of this time.
    Poll(SimDuration),
    /// The NIC makes an upcall, which takes this time.
    Upcall(SimDuration),
}

/// The task of a user.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// None: the user waits for a message, a send or room.
    Waiting,
    /// Pays the time of a message that it has just posted.
    Posting,
    /// Reads a message, and then puts its buffers back.
    Reading,
    /// Copies a message to this space, and then sends the copy.
    Replying(HostSpan),
}

/// Whether a user has noticed the messages in the receive queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The queue was empty when the user last looked.
    None,
    /// A poll or an upcall is scheduled.
    Coming,
    /// The user reads messages until the queue is empty.
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
}
