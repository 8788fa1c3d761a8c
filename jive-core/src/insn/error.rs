//! Why bytes are not an instruction.

use crate::id::Pc;

/// Why the bytes at a pc are not an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (pc {pc})")]
pub struct DecodeError {
    /// Where the instruction starts.
    pub pc: Pc,
    /// The rule that the bytes at the pc break.
    pub kind: DecodeErrorKind,
}

/// The rule that the bytes of an instruction break (JVMS §4.9.1, §6.5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The code array ends inside the instruction.
    #[error("expected the rest of the instruction, found the end of the code")]
    Truncated,
    /// No opcode has this byte.
    #[error("expected an opcode, found byte {0:#04x}")]
    UnknownOpcode(u8),
    /// `wide` precedes a byte that is not an opcode with a wide form.
    #[error("expected an instruction with a wide form after `wide`, found byte {0:#04x}")]
    WideOperand(u8),
    /// The lowest key of a `tableswitch` is greater than the highest.
    #[error("expected `low` to be at most `high`, found {low} and {high}")]
    TableBounds {
        /// The first key.
        low: i32,
        /// The last key.
        high: i32,
    },
    /// A `lookupswitch` has a negative count of pairs.
    #[error("expected a count of pairs of 0 or more, found {count}")]
    NegativePairs {
        /// The count.
        count: i32,
    },
    /// The keys of a `lookupswitch` are not in ascending order.
    #[error("expected keys in ascending order, found {key} after {previous}")]
    UnsortedKeys {
        /// The earlier key, which is greater than or equal to `key`.
        previous: i32,
        /// The key that follows `previous`.
        key: i32,
    },
    /// A byte that must be 0 has another value.
    #[error("expected a byte of 0 behind the operands, found {found:#04x}")]
    NonZeroByte {
        /// The byte.
        found: u8,
    },
    /// The count of `invokeinterface` or the number of dimensions of `multianewarray` is 0.
    #[error("expected a count of at least 1, found 0")]
    ZeroCount,
}
