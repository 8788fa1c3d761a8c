//! What programs do with the ports of LMMC: what they ask for, and what they learn.
//!
//! A mapped port is a page of its process. The page has a number, by which the process stores, loads and waits for a word,
//! as it does at a window of remote memory.

use nic_core::id::NicId;
use nic_core::lmmc::{Direction, Policy, PortError, PortId};

/// A port, as a process at one of its ends names it (S4-11).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// The NIC at the other end.
    pub peer: NicId,
    /// What this end is to the port.
    pub direction: Direction,
    /// The id, which is equal at both ends.
    pub id: PortId,
}

/// What a program learns of a port (LMMC).
#[derive(Copy, Clone, Debug)]
pub enum PortNews {
    /// The port exists at both ends, or why it does not.
    Created {
        /// The number that the program gave the action.
        ticket: u64,
        /// The port.
        created: Result<PortName, PortRefusal>,
    },
    /// The port is mapped, or why it is not.
    Mapped {
        /// The number that the program gave the action.
        ticket: u64,
        /// The number of the page.
        mapped: Result<i32, PortRefusal>,
    },
    /// The page is no longer mapped, or why it still is.
    Unmapped {
        /// The number that the program gave the action.
        ticket: u64,
        /// The refusal.
        unmapped: Result<(), PortRefusal>,
    },
    /// The port has the policy, or why it does not.
    Policy {
        /// The number that the program gave the action.
        ticket: u64,
        /// The refusal.
        set: Result<(), PortRefusal>,
    },
    /// This end has deleted the port, or why it has not.
    Deleted {
        /// The number that the program gave the action.
        ticket: u64,
        /// The refusal.
        deleted: Result<(), PortRefusal>,
    },
}

/// Why a process cannot do something with a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortRefusal {
    /// The tables of this end do not allow it.
    #[error(transparent)]
    Here(#[from] PortError),
    /// The peer has no free id for the port.
    #[error("expected a port id that is free at both ends, found none")]
    NoId,
    /// No link of LMMC leads to the peer.
    #[error("expected a NIC to which a link of LMMC leads, found NIC {}", peer.0)]
    NoLink {
        /// The peer.
        peer: NicId,
    },
}

impl PortRefusal {
    /// Returns the word that the trace shows for the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            PortRefusal::Here(error) => error.word(),
            PortRefusal::NoId => "no-id",
            PortRefusal::NoLink { .. } => "no-link",
        }
    }
}

/// What a process asks the operating system for (S4-20).
#[derive(Clone, Debug)]
pub(crate) enum PortAsked {
    /// Sets up a port to a peer.
    Create {
        ticket: u64,
        peer: NicId,
        direction: Direction,
    },
    /// Maps a port.
    Map { ticket: u64, port: PortName },
    /// Takes a page out of the address space of the process.
    Unmap { ticket: u64, page: i32 },
    /// Changes when stores leave.
    Policy {
        ticket: u64,
        port: PortName,
        policy: Policy,
    },
    /// Deletes a port.
    Delete { ticket: u64, port: PortName },
    /// Puts bytes on the link to a peer as a message, below the operating system.
    Message { peer: NicId, bytes: Vec<u8> },
}
