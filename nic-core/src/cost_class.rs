//! The classes of natives by what they cost: the rows of a profile.

/// Which row of a profile's `[native]` a native is charged by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CostClass {
    /// A native without a row of its own.
    NullCall,
    /// Pops the free queue.
    FreeBuffer,
    /// Sets up a DMA transfer.
    DmaSetup,
    /// Hands a packet to the wire.
    Transmit,
    /// Pushes a receive descriptor that carries the message.
    DescriptorInline,
    /// Pushes a receive descriptor that names buffers.
    DescriptorBuffers,
}

impl CostClass {
    /// Every class, in the order of declaration.
    pub const ALL: &'static [CostClass] = &[
        CostClass::NullCall,
        CostClass::FreeBuffer,
        CostClass::DmaSetup,
        CostClass::Transmit,
        CostClass::DescriptorInline,
        CostClass::DescriptorBuffers,
    ];

    /// Returns the key of the class's row in a profile.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            CostClass::NullCall => "null_call",
            CostClass::FreeBuffer => "free_buffer",
            CostClass::DmaSetup => "dma_setup",
            CostClass::Transmit => "transmit",
            CostClass::DescriptorInline => "descriptor_inline",
            CostClass::DescriptorBuffers => "descriptor_buffers",
        }
    }

    /// Returns how many class-file instructions the row holds: the call itself and the pushes of its arguments.
    /// `null_call` is a row for natives of several counts, and holds the call alone.
    #[must_use]
    pub const fn instructions(self) -> u64 {
        match self {
            CostClass::NullCall | CostClass::FreeBuffer => 1,
            CostClass::DmaSetup | CostClass::Transmit => 5,
            CostClass::DescriptorInline | CostClass::DescriptorBuffers => 4,
        }
    }
}
