//! The writes of a library, before the NIC carries them out.

use nic_core::memory::HostSpan;
use nic_core::remote::{OrderedMemory, RemoteMemory, WindowError, WindowId};
use nic_core::via::ConnectionId;

use super::outgoing::{Behind, By};
use crate::protocol::EntryNumber;

/// A write that a program or a library has made.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) window: WindowId,
    pub(crate) offset: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) by: By,
    /// The number of a message's entry in the transfer queue, if the write is the first of the message.
    pub(crate) opens: Option<EntryNumber>,
    /// The connection to which the write belongs, once the NIC has it; `None` if it belongs to none.
    pub(crate) connection: Option<ConnectionId>,
}

/// The writes of a library, in the order in which the library made them.
#[derive(Debug, Default)]
pub(crate) struct Writes(pub(crate) Vec<Write>);

impl Writes {
    /// Adds a DMA request that writes bytes of host memory.
    pub(crate) fn request(&mut self, window: WindowId, offset: u32, from: HostSpan) {
        self.0.push(Write {
            window,
            offset,
            bytes: Vec::new(),
            by: By::Dma(from),
            opens: None,
            connection: None,
        });
    }

    /// Marks the write at a position as the first write of the message with this entry in the transfer queue, if a write
    /// has this position.
    pub(crate) fn opens_at(&mut self, position: usize, entry: EntryNumber) {
        if let Some(write) = self.0.get_mut(position) {
            write.opens = Some(entry);
        }
    }
}

impl RemoteMemory for Writes {
    fn write(&mut self, window: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError> {
        self.0.push(Write {
            window,
            offset,
            bytes: bytes.to_vec(),
            by: By::Processor,
            opens: None,
            connection: None,
        });
        Ok(())
    }
}

impl OrderedMemory for Writes {
    type Behind = Behind;

    fn write_behind(
        &mut self,
        window: WindowId,
        offset: u32,
        bytes: &[u8],
        behind: Behind,
    ) -> Result<(), WindowError> {
        self.0.push(Write {
            window,
            offset,
            bytes: bytes.to_vec(),
            by: behind.way(),
            opens: None,
            connection: None,
        });
        Ok(())
    }
}
