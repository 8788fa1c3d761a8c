//! The kinds of natives: what a table of costs, a chain of applets or an analysis has to know about a native.

use super::need::Need;
use crate::cost_class::CostClass;

/// What a native does. A new native of an existing kind needs no other code than its row and its effect.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NativeKind {
    /// Reads or changes what belongs to the applet alone: its time, its trace, its immediate data. A pure
    /// native costs a call, moves no bytes, counts towards no quota, and does the same within a chain of applets. Its
    /// effect is a [`LocalEffect`](crate::sle::LocalEffect).
    Pure,
    /// Sets the applet's timer; otherwise like [`Pure`](NativeKind::Pure).
    Timer,
    /// Returns where the handled packet lies in the buffer area.
    ArrivalOffset,
    /// Copies from the header of the handled packet into an array.
    Peek,
    /// Makes an array.
    Allocate,
    /// Returns the length of a free buffer.
    BufferLength,
    /// Pops the free queue.
    PopBuffer,
    /// Copies from the buffer area into an array.
    Fetch,
    /// Copies from an array into the buffer area.
    Store,
    /// Sends a packet on a channel.
    Push,
    /// Pushes a receive descriptor that names buffers.
    DescribeBuffers,
    /// Pushes a receive descriptor that carries the message.
    CarryMessage,
    /// Sets or removes watches of a window.
    Watch,
    /// Sends bytes to a window of a peer.
    WriteWindow,
    /// Asks for bytes of a window of a peer.
    ReadWindow,
}

impl NativeKind {
    /// Returns the cost class of the kind's natives.
    #[must_use]
    pub const fn cost(self) -> CostClass {
        match self {
            NativeKind::Pure
            | NativeKind::Timer
            | NativeKind::ArrivalOffset
            | NativeKind::Peek
            | NativeKind::Allocate
            | NativeKind::BufferLength
            | NativeKind::Watch => CostClass::NullCall,
            NativeKind::PopBuffer => CostClass::FreeBuffer,
            NativeKind::Fetch | NativeKind::Store => CostClass::DmaSetup,
            NativeKind::Push | NativeKind::WriteWindow | NativeKind::ReadWindow => {
                CostClass::Transmit
            }
            NativeKind::DescribeBuffers => CostClass::DescriptorBuffers,
            NativeKind::CarryMessage => CostClass::DescriptorInline,
        }
    }

    /// Returns what a NIC must offer for the kind's natives, if not every NIC has it.
    #[must_use]
    pub const fn needs(self) -> Option<Need> {
        match self {
            NativeKind::Fetch | NativeKind::Store => Some(Need::Dma),
            NativeKind::Timer => Some(Need::Timer),
            NativeKind::ArrivalOffset | NativeKind::Peek => Some(Need::Direct),
            NativeKind::Watch | NativeKind::WriteWindow | NativeKind::ReadWindow => {
                Some(Need::Windows)
            }
            NativeKind::Pure
            | NativeKind::Allocate
            | NativeKind::BufferLength
            | NativeKind::PopBuffer
            | NativeKind::Push
            | NativeKind::DescribeBuffers
            | NativeKind::CarryMessage => None,
        }
    }

    /// Returns whether the check of a call needs the packet that the call handles.
    #[must_use]
    pub const fn names_arrival(self) -> bool {
        matches!(self, NativeKind::ArrivalOffset | NativeKind::Peek)
    }

    /// Returns whether the check of a call needs the endpoint's windows.
    #[must_use]
    pub const fn names_windows(self) -> bool {
        matches!(
            self,
            NativeKind::Watch | NativeKind::WriteWindow | NativeKind::ReadWindow
        )
    }
}
