//! Every capacity of the freestanding crates, each with its reason and its cost.

// Class files.

/// Longest class file, in bytes. The contract's limit; parsing works in place, so it costs no memory.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Most local variables that parameters take, as JVMS §4.3.3 has it.
pub const PARAMETER_SLOTS_MAX: u8 = u8::MAX;

/// Most dimensions of an array type, as JVMS §4.3.2 has it.
pub const ARRAY_DIMENSIONS_MAX: u8 = u8::MAX;

/// Longest code array, in bytes, as JVMS §4.7.3 has it.
pub const CODE_BYTES_MAX: u32 = u16::MAX as u32;

// Linked programs and their memory.

/// Bytes in front of an array's elements: length, kind and padding.
///
/// Costs each array as much; a multiple of the alignment, so that elements need no padding.
pub const ARRAY_HEADER_BYTES: u32 = 8;

/// Alignment of an array's elements in the linear memory, in bytes.
///
/// Enough for the DMA engines that profiles describe; costs each array 7 bytes at most.
pub const ARRAY_ALIGNMENT: u32 = 8;

const _: () = assert!(ARRAY_HEADER_BYTES.is_multiple_of(ARRAY_ALIGNMENT));
