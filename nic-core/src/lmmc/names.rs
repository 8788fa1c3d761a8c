//! Names of links, ports, frames, processes and pages, and the two choices that a page has: its direction and its policy.

use core::num::NonZeroU32;

/// Number of a link among those of its node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// The id of a port: a positive integer, equal at both ends of the link (S4-11). Each direction of a link has ids of its
/// own, so a port of the whole network is named by its sender, its receiver and this id.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortId(NonZeroU32);

impl PortId {
    /// The lowest id.
    pub const FIRST: PortId = PortId(NonZeroU32::MIN);

    /// Returns the id with this number, or `None` for 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<PortId> {
        match NonZeroU32::new(number) {
            Some(number) => Some(PortId(number)),
            None => None,
        }
    }

    /// Returns the id's number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// Number of a link page frame, counted from 0 for each direction of a link (S4-12).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// Number of a process among those of its node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// Number of a virtual page in the address space of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageNumber(pub u32);

/// A page of a process.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VirtualPage {
    /// The process.
    pub process: ProcessId,
    /// The page in its address space.
    pub number: PageNumber,
}

/// Number of a `port_create` at one end of a link. It stays the same while both ends still look for an id.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CreationId(pub u32);

/// Which way a port or a page goes, as one end of the link sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The end's processes write.
    Send,
    /// The end's processes read.
    Receive,
}

impl Direction {
    /// Returns the direction of the same port at the other end.
    #[must_use]
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Send => Direction::Receive,
            Direction::Receive => Direction::Send,
        }
    }
}

/// When writes to a send page leave the node (S4-21).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Each write is a message.
    #[default]
    Immediate,
    /// Writes are gathered in a [`Line`](super::Line).
    Late,
}
