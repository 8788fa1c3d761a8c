//! The cost classes of natives: a profile has one cost for each class.

/// The cost class of a native: a key of a profile's `[native]` table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CostClass {
    /// The class of each native without a cost of its own.
    NullCall,
    /// Pops the free queue.
    FreeBuffer,
    /// The class of natives that set up a DMA transfer.
    DmaSetup,
    /// The class of natives that pass a packet to the wire.
    Transmit,
    /// The class of natives that push a receive descriptor that carries the message.
    DescriptorInline,
    /// The class of natives that push a receive descriptor that names buffers.
    DescriptorBuffers,
}

impl CostClass {
    /// Every cost class, in the order of declaration.
    pub const ALL: &'static [CostClass] = &[
        CostClass::NullCall,
        CostClass::FreeBuffer,
        CostClass::DmaSetup,
        CostClass::Transmit,
        CostClass::DescriptorInline,
        CostClass::DescriptorBuffers,
    ];

    /// Returns the key of the cost class in a profile's `[native]` table.
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

    /// Returns how many class-file instructions the profile's cost of this class includes: the call and the pushes of
    /// its arguments. `null_call` covers natives with different numbers of arguments, so it includes the call alone.
    #[must_use]
    pub const fn instructions(self) -> u64 {
        match self {
            CostClass::NullCall | CostClass::FreeBuffer => 1,
            CostClass::DmaSetup | CostClass::Transmit => 5,
            CostClass::DescriptorInline | CostClass::DescriptorBuffers => 4,
        }
    }
}
