//! Limits of the formats that endpoints share.

/// Maximum number of buffers that a receive descriptor names (U-Net/SLE Figure 2).
pub const MESSAGE_BUFFERS_MAX: usize = 14;
/// Length of the longest message that a receive descriptor holds itself, in bytes (U-Net/SLE §4.2).
pub const INLINE_MAX: usize = 56;

// The check ensures that the offsets of buffers and an inline message fit in the same space of a descriptor.
const _: () = assert!(INLINE_MAX == MESSAGE_BUFFERS_MAX * size_of::<u32>());
