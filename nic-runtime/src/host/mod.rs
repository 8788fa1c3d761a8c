//! The user at an endpoint: what it does, knows and has to send.
//!
//! A program says what to do with a message ([`nic_core::host::Reaction`]). The simulation does the rest, the same for
//! all programs: polling, upcalls, posts and the return of buffers.

mod due;
pub mod program;
mod turns;

pub use due::DueSends;
use nic_core::host::Program;
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
pub use program::{Actions, Happened, HostProgram, Programs};
pub use turns::Turns;

use crate::storage::Growing;

/// The part of a buffer area that messages are sent from.
pub type TransmitRegion = nic_core::host::TransmitRegion<Growing>;

/// The user at one endpoint, who does one thing at a time.
#[derive(Clone, Debug)]
pub struct User {
    /// The program that messages go to.
    pub program: Program,
    /// How the user learns of messages.
    pub notify: Notify,
    /// Where messages that are sent lie.
    pub region: TransmitRegion,
    /// Sends that are due and not posted, oldest first.
    pub due: DueSends,
    /// What the user is doing.
    pub task: Task,
    /// Whether the user knows of the messages in the receive queue.
    pub notice: Notice,
    /// Whether the user, having a message to read and one to send, reads next.
    pub reads_next: bool,
    /// How many messages the user has done with.
    pub messages: u64,
}

/// How the user learns of received messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The user looks at every multiple of this time.
    Poll(SimDuration),
    /// The NIC calls the user, which takes this time.
    Upcall(SimDuration),
}

/// What a user is doing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing: waits for a message, a send or room.
    Waiting,
    /// Composed and posted a message.
    Posting,
    /// Reads a message and puts its buffers back afterwards.
    Reading,
    /// Copies a message to this place and sends it from there afterwards.
    Replying(HostSpan),
}

/// Whether a user knows of the messages in the receive queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// There was none when the user last looked.
    None,
    /// There is one, and the user will look.
    Coming,
    /// The user looks until there is none left.
    Taken,
}

impl User {
    /// Returns a user that has nothing to do yet.
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
