//! Fill levels and directions that events show.

/// Fill levels of an endpoint's queues and of its applet's heap.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Number of transmit descriptors that have not completed.
    pub transmit: u32,
    /// Number of receive descriptors that the user sees and has not taken.
    pub receive: u32,
    /// Number of free buffers in the free queue.
    pub free: u32,
    /// Number of bytes that arrays take in the applet's heap, or 0 for an endpoint without an applet.
    pub heap: u32,
}

/// Direction of a DMA transfer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DmaDirection {
    /// The transfer copies bytes from the buffer area into NIC memory.
    HostToNic,
    /// The transfer copies bytes from NIC memory into the buffer area.
    NicToHost,
}

impl DmaDirection {
    /// Returns the word that the trace shows for the direction.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            DmaDirection::HostToNic => "host-to-nic",
            DmaDirection::NicToHost => "nic-to-host",
        }
    }
}
