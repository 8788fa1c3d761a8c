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

/// Registers that an op can name: its operands are bytes.
///
/// Costs a call stack as many slots behind its last frame, so that whatever an op names is there. A
/// method uses fewer, since [`FRAME_SLOTS_MAX`] is smaller.
pub const REGISTER_WINDOW: usize = 256;

const _: () = assert!((FRAME_SLOTS_MAX as usize) < REGISTER_WINDOW);

// Verification. The contract's least limits, which an embedded VM need not pass.

/// Most local variables and operand stack entries of a method, together.
///
/// Costs the verifier a byte for each of them at each branch target of the method. Lets the depth of an operand stack
/// be one byte.
pub const FRAME_SLOTS_MAX: u16 = 255;

/// Most methods of a class, `<init>`, `<clinit>` and natives counted.
///
/// Costs the verifier up to 257 bytes of signature for each.
pub const METHODS_MAX: u16 = 64;

/// Most fields of a class. Bounds the search for the field that an instruction names.
pub const FIELDS_MAX: u16 = 128;

/// Greatest `constant_pool_count`. Costs the verifier a word or two for each constant.
pub const CONSTANTS_MAX: u16 = 1024;

/// Steps that verification of any method may take: see [`VERIFY_STEPS_PER_INSTRUCTION`].
pub const VERIFY_STEPS_BASE: u32 = 65_536;

/// Steps more for each instruction of the method.
///
/// What compilers write takes one or two steps an instruction; only a class made to be slow takes
/// more than a handful. A step is well below 50 ns on a desktop.
pub const VERIFY_STEPS_PER_INSTRUCTION: u32 = 16;

// The depth of an operand stack, and a count of arguments, fit in a byte.
const _: () = assert!(FRAME_SLOTS_MAX <= u8::MAX as u16);
// Where a signature begins among the methods' fits in 16 bits.
const _: () = assert!((METHODS_MAX as u32) * (2 + PARAMETER_SLOTS_MAX as u32) <= u16::MAX as u32);

// Displays.

/// Characters of a name or descriptor that a display shows; an ellipsis stands in place of the rest.
///
/// Chosen: people write shorter names, and every descriptor without classes is shorter, whatever its 255
/// parameters, but for arrays. A line that names a member shows three names, so its length is bounded.
pub const NAME_CHARS_MAX: usize = 256;
