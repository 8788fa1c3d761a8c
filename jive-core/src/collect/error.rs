//! Why a collection cannot be made.

use crate::trap::TrapKind;

/// Why nothing was collected. Neither arrays nor roots have changed, but a stationary collector has forgotten its gaps.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectError {
    /// The arrays that roots name do not fit in the heap, because arrays from buffers are among them.
    #[error("expected arrays that end at {most} at most, found {needed}")]
    OutOfMemory {
        /// The offset after the last array, if they were moved.
        needed: u32,
        /// The greatest offset at which the last array may end.
        most: u32,
    },
    /// A root names no array, or it is not known where the roots are. This happens only if the class was declared
    /// verified wrongly, if the roots are of another program, or if a call is ready to run or frees its own arrays.
    #[error("expected roots that name arrays, found another value")]
    Unverified,
    /// The collector has fewer entries than roots name arrays that it might move.
    #[error("expected {needed} entries for roots, found {found}")]
    Entries {
        /// How many entries the collection needs.
        needed: usize,
        /// How many entries the collector has.
        found: usize,
    },
}

impl CollectError {
    /// Returns the trap of a call that needs the collection.
    #[must_use]
    pub const fn trap(self) -> TrapKind {
        match self {
            Self::OutOfMemory { .. } => TrapKind::OutOfMemoryError,
            Self::Unverified | Self::Entries { .. } => TrapKind::Unverified,
        }
    }
}
