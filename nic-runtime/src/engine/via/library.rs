//! The state of a library over remote memory.

use std::collections::{BTreeMap, VecDeque};

use nic_core::id::{EndpointId, PacketId, PostId};
use nic_core::memory::Region;
use nic_core::remote::WindowId;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{ControlLayout, Library, Reason, Status};

use crate::engine::remote::{self, Moving};
use crate::profile::ViaCosts;
use crate::protocol::EntryNumber;
use crate::spec::{OnEmpty, TransferMode};

/// Descriptors that are posted before the connection ends, or after it. The end flushes those that were posted before.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SendTurn(pub(super) u32);

/// The state of a VI's library.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) library: Library,
    pub(super) layout: ControlLayout,
    /// The memory of the VI's rings, which the peer writes.
    pub(super) control: Region,
    /// The window of the rings; `None` while the VI has no connection and is not making one.
    pub(super) control_window: Option<WindowId>,
    /// For how many bytes the peer has receive descriptors, if it has posted all.
    pub(super) room: u64,
    /// How many of the posted receive descriptors the peer knows. The set-up of a connection announces the first ones.
    pub(super) announced: usize,
    pub(super) opened: Opened,
    pub(super) costs: (ViaCosts, remote::Costs),
    pub(super) transfer: TransferMode,
    pub(super) on_empty: OnEmpty,
    pub(super) strict: bool,
    /// The first endpoint of the process that runs the library. A process runs its libraries one after the other.
    pub(super) home: EndpointId,
    /// How long the host is busy with an interrupt before the library sees a pointer that announces what completes
    /// sends, and what completes receives; `None` if the library compares the pointer.
    pub(super) interrupts: [Option<SimDuration>; 2],
    pub(super) turn: SendTurn,
    /// Number of posted descriptors whose time in the library is over, and that wait for receive descriptors of the
    /// peer.
    pub(super) due: u32,
    /// Statuses of send descriptors that complete with an error.
    pub(super) failed: BTreeMap<PostId, Status>,
    pub(super) moving: Moving,
    /// Why the connection ends once all earlier messages have left, if a message has failed for which it must end. The
    /// library sends no further message.
    pub(super) ends: Option<Reason>,
    /// The peer's pointers for which an interrupt of the host is pending.
    pub(super) coming: Coming,
    /// The numbers of this end's writes and of the peer's writes.
    pub(super) order: Order,
    /// Packets of messages that have arrived and whose entries in the transfer queue have not been read, by the numbers of
    /// these entries. A message without bytes comes before those that DMA still moves.
    pub(super) came: BTreeMap<EntryNumber, PacketId>,
}

/// What the peer may write of this end's buffer area.
#[derive(Debug)]
pub(super) enum Opened {
    /// Everything, through one window.
    Area(WindowId),
    /// With `strict`, the posted receive descriptors: each has a window. Oldest first.
    Descriptors(VecDeque<WindowId>),
    /// Nothing, because the buffer area is not registered. Only its registration opens a window again.
    Nothing,
}

impl Opened {
    /// Takes the windows of the oldest receive descriptors, which have completed.
    pub(super) fn completed(&mut self, descriptors: usize) -> Vec<WindowId> {
        match self {
            Opened::Descriptors(windows) => {
                windows.drain(..descriptors.min(windows.len())).collect()
            }
            Opened::Area(_) | Opened::Nothing => Vec::new(),
        }
    }

    /// Takes all windows, because the buffer area is not registered any more.
    pub(super) fn withdraw(&mut self) -> Vec<WindowId> {
        match std::mem::replace(self, Opened::Nothing) {
            Opened::Area(window) => vec![window],
            Opened::Descriptors(windows) => windows.into(),
            Opened::Nothing => Vec::new(),
        }
    }
}

impl Over {
    /// Returns whether the processor, and not DMA, moves a message of this length.
    pub(super) fn goes_by_pio(&self, length: u32) -> bool {
        match self.transfer {
            TransferMode::Pio => true,
            TransferMode::Dma => false,
            TransferMode::Auto => length < self.costs.0.pio_max,
        }
    }

    /// Returns how long the library needs for a message, including the processor's writes.
    pub(super) fn takes(&self, length: u32) -> SimDuration {
        let (via, memory) = &self.costs;
        let mut takes = via.library;
        if length > 0 {
            takes += via.cookie;
            if self.goes_by_pio(length) {
                takes += memory.write_takes(length);
            }
        }
        takes
    }

    /// Returns how long the host is busy with an interrupt before the library sees a pointer; `None` if the library
    /// compares the pointer.
    pub(super) fn interrupt_takes(&self, pointer: Pointer) -> Option<SimDuration> {
        let [of_sends, of_receives] = self.interrupts;
        match pointer {
            Pointer::Transfers => of_receives,
            Pointer::Cookies | Pointer::Read => of_sends,
        }
    }
}

/// A pointer that the peer writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// The write pointer of the transfer queue; a new value means that messages have arrived.
    Transfers,
    /// The write pointer of the cookie queue; a new value means that the peer has posted receive descriptors.
    Cookies,
    /// The read pointer of the transfer queue; a new value means that the peer has received messages.
    Read,
}

/// The pointers for which an interrupt of the host is pending.
#[derive(Debug, Default)]
pub(super) struct Coming {
    pub(super) transfers: bool,
    pub(super) cookies: bool,
    pub(super) read: bool,
}

impl Coming {
    pub(super) fn of(&mut self, pointer: Pointer) -> &mut bool {
        match pointer {
            Pointer::Transfers => &mut self.transfers,
            Pointer::Cookies => &mut self.cookies,
            Pointer::Read => &mut self.read,
        }
    }
}

/// The numbers of the writes at one end of a connection.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Writes so far.
    pub(super) next: u64,
    /// Number of writes that have arrived from the peer so far.
    pub(super) expected: u64,
    /// The time at which this end's newest write left.
    pub(super) left: SimTime,
    /// Whether a check is scheduled that looks for a time without writes.
    pub(super) is_watched: bool,
}
