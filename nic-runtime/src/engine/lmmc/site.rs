//! One end of a link: the core's tables, the frames' bytes, and what is under way.

use std::collections::{BTreeMap, VecDeque};

use nic_core::id::{EndpointId, NicId, PacketId};
use nic_core::lmmc::{
    Chosen, CreationId, Invalidated, LinkEnd, Outgoing, PagedIn, PagedOut, PortId, Requested,
    Restored, Saved, Stopped, Trapped, Validated,
};
use nic_core::memory::HostSpan;
use nic_core::unet::Channel;

use crate::host::WindowAsked;
use crate::ids::ids;
use crate::storage::Growing;
use crate::wire::PacketRef;

/// Number of one end of a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SiteId(pub(super) u32);

ids!(SiteId);

/// One end of a link.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) nic: NicId,
    pub(super) peer_nic: NicId,
    /// The endpoint to which outputs attribute what no process does, and the way to the one at the other end.
    pub(super) home: EndpointId,
    pub(super) way: Channel,
    pub(super) end: LinkEnd<Growing>,
    /// The receiver's side of the dual-port memory.
    pub(super) frames: Vec<Box<[u8]>>,
    /// The backing memory of the ports on which this end receives.
    pub(super) backing: BTreeMap<PortId, Box<[u8]>>,
    /// The host memory of the receive ports that somebody maps.
    pub(super) memory: BTreeMap<PortId, HostSpan>,
    /// Who has begun the set-ups of this end.
    pub(super) creations: Vec<(CreationId, Creator)>,
    pub(super) fault: Option<Fault>,
    /// The trap of the interface that is served, or not yet raised.
    pub(super) trap: Option<Trap>,
    /// Messages that have arrived and that the controller has not taken.
    pub(super) inbox: VecDeque<PacketRef>,
    /// Whether the controller takes messages now, so that those which come meanwhile need nobody else.
    pub(super) takes: bool,
    /// How many messages the interface has handed to the link that have not left.
    pub(super) outgoing: usize,
    /// Messages of the operating system that wait for room in the interface.
    pub(super) unsent: VecDeque<Unsent>,
    /// What waits for room, in the order in which it began to wait.
    pub(super) for_room: VecDeque<Waiter>,
    /// Processes that wait until no fault of this end is under way.
    pub(super) for_fault: Vec<EndpointId>,
    /// How many lines each send port has begun. A line that has left needs no timer.
    pub(super) lines: BTreeMap<PortId, u32>,
}

/// A message that waits for room.
#[derive(Clone, Debug)]
pub(super) struct Unsent {
    pub(super) by: EndpointId,
    pub(super) port: Option<PortId>,
    pub(super) bytes: Vec<u8>,
}

/// What waits for room in the interface.
#[derive(Clone, Debug)]
pub(super) enum Waiter {
    /// The store of a process, which holds its processor: its number for the action, the page and the offset, and the
    /// bytes.
    Store(EndpointId, (u64, i32, u32), Vec<u8>),
    /// The request of the fault that is under way.
    Request,
}

/// Who creates a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Creator {
    /// A port of the scenario.
    Scenario(u32),
    /// A program, with its number for the action.
    Program(EndpointId, u64),
}

/// A fault of this end.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) of: Faulted,
    pub(super) step: Faulting,
}

/// What a fault is about.
#[derive(Debug)]
pub(super) struct Faulted {
    /// The process that has made the store, and what it does when the port is in.
    pub(super) by: EndpointId,
    pub(super) again: WindowAsked,
    /// The port that comes in, and the one that goes out once it is chosen.
    pub(super) port: PortId,
    pub(super) victim: Option<PortId>,
}

/// Which step of a fault takes its time, with what the step before it has returned.
#[derive(Debug)]
pub(super) enum Faulting {
    Trap(Trapped),
    Find(Trapped),
    Choose(nic_core::lmmc::Faulted),
    Request(Chosen),
    /// The request waits for room, and with it step 4. The process still may write to the port that goes out.
    WaitForRoom(Chosen),
    Invalidate(Requested),
    Validate(Invalidated),
    Return(Validated),
}

/// A trap of the interface.
#[derive(Debug)]
pub(super) enum Trap {
    /// A set-up message, which stays in its slot until it is served.
    SetUp(PacketRef),
    /// A paging request.
    Paging(Paging),
}

/// A paging request that is served.
#[derive(Debug)]
pub(super) struct Paging {
    /// The request's packet, and who has sent it.
    pub(super) packet: PacketId,
    pub(super) peer: EndpointId,
    /// The port that comes in, and the one that goes out once it is found.
    pub(super) port: PortId,
    pub(super) outgoing: Option<PortId>,
    pub(super) step: Serving,
}

/// Which step of the receiver takes its time, with what the step before it has returned.
#[derive(Debug)]
pub(super) enum Serving {
    Trap(Stopped),
    Read(Stopped),
    PageOut(Outgoing),
    Save(PagedOut),
    PageIn(Saved),
    Restore(PagedIn),
    Return(Restored),
}
