//! The descriptors that programs post themselves, as values.

use std::collections::{BTreeMap, VecDeque};

use nic_core::id::PacketId;
use nic_core::memory::HostSpan;
use nic_core::remote::WindowId;
use nic_core::via::{Handle, Status};

/// The memory that a descriptor names.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// The program's own number for the descriptor.
    pub(super) ticket: u64,
    /// The pieces of memory, in order.
    pub(super) spans: Vec<HostSpan>,
    /// The handle of each piece, and the offset in its registered memory.
    pub(super) places: Vec<(Handle, u32)>,
    /// The number of bytes.
    pub(super) length: u32,
    /// The status with which the descriptor completes because it may not name its memory.
    pub(super) error: Option<Status>,
}

impl Named {
    /// Returns the offset that outputs show for the descriptor: that of its first piece, in its region.
    pub(super) fn offset(&self) -> u32 {
        self.spans.first().map_or(0, |span| span.offset())
    }
}

/// The receive descriptors of a program.
#[derive(Debug, Default)]
pub(super) struct Receives {
    /// The posted descriptors, oldest first.
    pub(super) posted: VecDeque<Named>,
    /// What has completed and is not visible, oldest first.
    pub(super) filling: VecDeque<Completed>,
    /// What is visible and the program has not asked for, oldest first.
    pub(super) done: VecDeque<Completed>,
    /// Whether the program waits for a message.
    pub(super) waits: bool,
    /// How often the program has begun or ended to wait. A time-out for another turn is void.
    pub(super) turn: u32,
    /// Over remote memory, the windows of the peer to registered memory.
    pub(super) windows: BTreeMap<Handle, WindowId>,
    /// With `strict`, the windows of each posted descriptor that the peer knows, oldest first.
    pub(super) strict: VecDeque<Vec<WindowId>>,
}

/// Receive descriptors that have completed with one message, or one that has completed without.
#[derive(Debug)]
pub(super) struct Completed {
    pub(super) tickets: Vec<u64>,
    /// The places of the message, and those of the descriptors' first pieces.
    pub(super) spans: Vec<HostSpan>,
    pub(super) offsets: Vec<u32>,
    pub(super) held: Vec<Handle>,
    pub(super) packet: Option<PacketId>,
    pub(super) length: u32,
    pub(super) status: Status,
    pub(super) immediate: Option<u32>,
}
