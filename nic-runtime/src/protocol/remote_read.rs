//! The header of reads of windows.

use nic_core::remote::WindowId;

/// The header of a packet of a read: the request, or its answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RemoteRead {
    /// The window.
    pub window: WindowId,
    /// Offset in it.
    pub offset: u32,
    /// Number of bytes to read.
    pub length: u32,
    /// The number of the read among those of the reader.
    pub number: u32,
    /// What the packet is.
    pub kind: ReadKind,
}

/// The packets of a read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReadKind {
    /// The reader asks for the bytes.
    Request,
    /// The owner of the window sends the bytes.
    Data,
    /// The owner of the window refuses the read.
    Refusal,
}

impl ReadKind {
    /// Returns the word that the trace shows for the packet.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ReadKind::Request => "read",
            ReadKind::Data => "read-data",
            ReadKind::Refusal => "read-refused",
        }
    }
}
