//! Why a method cannot be lowered.

/// Why an instruction cannot be lowered. No instruction of a verified class has such an error.
///
/// It is one byte, because every step of lowering may return it. The linker looks up the rest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LowerError {
    /// The code does not decode.
    Code,
    /// The instruction is outside the subset.
    Opcode,
    /// A branch goes to what is no instruction.
    Target,
    /// A constant is not what the instruction needs.
    Constant,
    /// A name means nothing.
    Member,
    /// A type is outside the subset.
    Descriptor,
    /// The operand stack is not what the instruction needs.
    Stack,
    /// A count passes what a program can hold.
    Count,
}
