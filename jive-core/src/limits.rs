//! Capacity limits of the freestanding crates. Each limit states its reason and its cost.

// Class files.

/// Longest class file, in bytes. Chosen: a class file of `FILE_BYTES_MAX` bytes is larger than any useful applet. The
/// limit costs no memory, because the parser works in place.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Maximum number of local variables that the parameters of a method take. Set by JVMS §4.3.3.
pub const PARAMETER_SLOTS_MAX: u8 = u8::MAX;

/// Maximum number of dimensions of an array type. Set by JVMS §4.3.2.
pub const ARRAY_DIMENSIONS_MAX: u8 = u8::MAX;

/// Longest code array, in bytes. Set by JVMS §4.7.3.
pub const CODE_BYTES_MAX: u32 = u16::MAX as u32;

// The limits below concern linked programs and their memory.

/// Size of the header before an array's elements, in bytes: length, kind and padding.
///
/// Every array in a heap has a header of `ARRAY_HEADER_BYTES` bytes. The header's size is a multiple of the alignment
/// of elements, so that no padding follows the header.
pub const ARRAY_HEADER_BYTES: u32 = 8;

/// Alignment of an array's elements in the linear memory, in bytes.
///
/// The alignment suffices for the DMA engines in the shipped profiles. The alignment costs at most 7 bytes for each
/// array.
pub const ARRAY_ALIGNMENT: u32 = 8;

const _: () = assert!(ARRAY_HEADER_BYTES.is_multiple_of(ARRAY_ALIGNMENT));

/// Number of registers that an op can name: an op encodes a register in one byte.
///
/// A call stack has `REGISTER_WINDOW` extra slots after its last frame. So every register number is in bounds, and the
/// interpreter needs no bounds check for registers. A method uses fewer registers than an op can name, see
/// [`FRAME_SLOTS_MAX`].
pub const REGISTER_WINDOW: usize = 256;

const _: () = assert!((FRAME_SLOTS_MAX as usize) < REGISTER_WINDOW);

// Verification. JIVE promises to accept classes up to the limits below. No embedded VM has to accept larger classes.

/// Maximum number of local variables and operand stack entries of a method, added together.
///
/// The verifier stores one byte for each local variable and stack entry at each branch target of the method. The depth
/// of the operand stack fits in a byte.
pub const FRAME_SLOTS_MAX: u16 = 255;

/// Maximum number of methods of a class, including `<init>`, `<clinit>` and natives.
///
/// The verifier stores a signature of up to 257 bytes for each method.
pub const METHODS_MAX: u16 = 64;

/// Maximum number of fields of a class. The limit bounds the linear search for a field that an instruction names.
pub const FIELDS_MAX: u16 = 128;

/// Greatest `constant_pool_count`. The verifier stores one or two words for each constant.
pub const CONSTANTS_MAX: u16 = 1024;

/// Verification steps allowed for any method, before [`VERIFY_STEPS_PER_INSTRUCTION`] is added.
pub const VERIFY_STEPS_BASE: u32 = 65_536;

/// Additional verification steps allowed for each instruction of the method.
///
/// Verifying code from a compiler takes one or two steps for each instruction. Only code that was constructed to slow
/// the verifier down takes many more steps. A verification step takes well below 50 ns on a desktop.
pub const VERIFY_STEPS_PER_INSTRUCTION: u32 = 16;

// Operand stack depths and argument counts fit in a byte.
const _: () = assert!(FRAME_SLOTS_MAX <= u8::MAX as u16);
// Offsets into the table of all signatures fit in 16 bits.
const _: () = assert!((METHODS_MAX as u32) * (2 + PARAMETER_SLOTS_MAX as u32) <= u16::MAX as u32);

// Display.

/// Maximum number of characters of a name or descriptor that are displayed. An ellipsis replaces the rest of a longer
/// name.
///
/// Chosen: names in practice are shorter, and so are descriptors of 255 parameters without arrays or classes. A line
/// displays at most three names of a member, so its length is bounded.
pub const NAME_CHARS_MAX: usize = 256;
