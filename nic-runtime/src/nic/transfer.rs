//! The queued and running DMA transfers of all NICs.

use nic_core::event::{DmaDirection, Trigger};
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;

use crate::ids::{ProcessorId, Table, ids};
use crate::wire::PacketRef;

/// A queued or running transfer.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) endpoint: EndpointId,
    pub(crate) host: HostSpan,
    pub(crate) peer: DmaPeer,
    pub(crate) trigger: Trigger,
}

/// The other side of a transfer: the source or destination within the NIC.
#[derive(Copy, Clone, Debug)]
pub(crate) enum DmaPeer {
    /// The bytes go to an applet's array; the applet's call waits for the transfer.
    IntoArray(ProcessorId),
    /// The bytes go to the end of a packet, which enters the wire afterwards.
    IntoPacket(PacketRef),
    /// The bytes go to the end of a packet that carries a write to remote memory, and enters the wire afterwards.
    IntoWrite(PacketRef),
    /// The bytes go to the end of a packet, to which another transfer adds the rest.
    PartOf(PacketRef),
    /// The bytes go to a packet that entered the wire when its first cell had arrived.
    Passed,
    /// The bytes are in the packet already; the packet enters the wire after all earlier transfers.
    Behind(PacketRef),
    /// The bytes come from the transfer's own staging slot.
    Staged,
    /// The bytes were staged together with those of an earlier transfer, and share its staging slot.
    StagedBeside,
    /// The bytes come from an arrived packet, starting at `offset`.
    FromArrival {
        packet: PacketRef,
        offset: u32,
        then: Then,
    },
}

/// What becomes of an arrived packet at the end of a transfer of its bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Another transfer moves the next share.
    More,
    /// The handling of the packet ends, because the transfer has moved its last share.
    Ends,
    /// A processor handles the packet, which the NIC has received directly into a free buffer.
    Handles,
}

impl DmaPeer {
    pub(crate) fn direction(self) -> DmaDirection {
        match self {
            DmaPeer::IntoArray(_)
            | DmaPeer::IntoPacket(_)
            | DmaPeer::IntoWrite(_)
            | DmaPeer::Behind(_)
            | DmaPeer::PartOf(_)
            | DmaPeer::Passed => DmaDirection::HostToNic,
            DmaPeer::Staged | DmaPeer::StagedBeside | DmaPeer::FromArrival { .. } => {
                DmaDirection::NicToHost
            }
        }
    }
}

/// Index of a transfer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TransferRef(u32);

ids!(TransferRef);

/// All queued and running transfers. The entries of transfers and their buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    pub(crate) entries: Table<TransferRef, Entry>,
    pub(crate) vacant: Vec<TransferRef>,
}

/// A transfer, and the bytes of its staging slot.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) transfer: Transfer,
    pub(crate) staged: Vec<u8>,
}

impl Transfers {
    /// Adds a transfer; `staged` holds the bytes of the transfer's staging slot, if it has one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn add(&mut self, transfer: &Transfer, staged: &[u8]) -> TransferRef {
        let place = match self.vacant.pop() {
            Some(place) => {
                self.entries[place].transfer = *transfer;
                place
            }
            None => self.entries.push(Entry {
                transfer: *transfer,
                staged: Vec::new(),
            }),
        };
        let entry = &mut self.entries[place];
        entry.staged.clear();
        if !staged.is_empty() {
            entry.staged.extend_from_slice(staged);
        }
        place
    }
}
