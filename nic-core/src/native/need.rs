//! What natives need of a NIC: NICs differ in what they offer.

/// A facility of NICs that a native needs, or the field `RxBuf`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A DMA engine that moves bytes between the buffer area and arrays.
    Dma,
    /// A timer.
    Timer,
    /// Windows: memory that other nodes write to and read.
    Windows,
    /// Reception into NIC memory, where `RxBuf` is.
    Staged,
    /// Reception into free buffers: the NIC keeps only the header of a packet.
    Direct,
}

impl Need {
    /// Every facility.
    pub const ALL: &'static [Need] = &[
        Need::Dma,
        Need::Timer,
        Need::Windows,
        Need::Staged,
        Need::Direct,
    ];

    /// Returns the word for the facility in a profile.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Need::Dma => "dma",
            Need::Timer => "timer",
            Need::Windows => "windows",
            Need::Staged => "staged",
            Need::Direct => "direct",
        }
    }
}
