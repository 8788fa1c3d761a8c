//! Why a method cannot be lowered.

/// Why an instruction cannot be lowered. It never happens to an instruction of a verified class.
///
/// One byte, because many steps of lowering return it. `link.rs` makes the full error of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LowerError {
    /// The code does not decode.
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
    /// A count exceeds what a program can represent, or the lent memory.
    Count,
}
