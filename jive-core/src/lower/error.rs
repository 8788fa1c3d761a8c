//! Why a method cannot be lowered.

/// Why an instruction cannot be lowered. Lowering never fails for an instruction of a verified class.
///
/// A `LowerError` has one byte, because many steps of lowering return it. From a `LowerError` and its place, `link.rs`
/// makes the full error.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LowerError {
    /// The bytes of the code cannot be decoded.
    Code,
    /// The instruction is outside the subset.
    Opcode,
    /// A branch target is not the beginning of an instruction.
    Target,
    /// A constant has another kind than the instruction needs.
    Constant,
    /// A name is neither that of a member of the class nor that of a native.
    Member,
    /// A type is outside the subset.
    Descriptor,
    /// The operand stack has too few values for the instruction, or too many.
    Stack,
    /// A count exceeds what a program can represent, or what the lent memory can hold.
    Count,
}
