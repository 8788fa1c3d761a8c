//! Traps: how a call ends that cannot go on.

use core::fmt;

use crate::id::{MethodId, Pc};

/// Why a call ended without returning.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TrapKind {
    /// A division by zero (JVMS §6.5.idiv).
    ArithmeticException,
    /// An index below 0 or not below the array's length.
    ArrayIndexOutOfBoundsException,
    /// An array was to have a negative length.
    NegativeArraySizeException,
    /// A null reference was used as an object or an array.
    NullPointerException,
    /// A call found no room for its frame.
    StackOverflowError,
    /// The heap has no room for an array.
    OutOfMemoryError,
    /// The call's budget of instructions is spent.
    FuelExhausted,
    /// A native was asked for something that the endpoint may not have.
    ProtectionFault,
    /// The call has used all that it may of what natives give out: bytes by DMA, packets.
    QuotaExceeded,
    /// An array that ends with the call was to be stored in a field.
    TransientEscape,
    /// The program breaks what its verification promised: a bug of the virtual machine's own.
    Unverified,
}

impl TrapKind {
    /// Every kind, in the order of declaration.
    pub const ALL: &'static [TrapKind] = &[
        Self::ArithmeticException,
        Self::ArrayIndexOutOfBoundsException,
        Self::NegativeArraySizeException,
        Self::NullPointerException,
        Self::StackOverflowError,
        Self::OutOfMemoryError,
        Self::FuelExhausted,
        Self::ProtectionFault,
        Self::QuotaExceeded,
        Self::TransientEscape,
        Self::Unverified,
    ];

    /// Returns the name, spelled as Java spells it where Java has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ArithmeticException => "ArithmeticException",
            Self::ArrayIndexOutOfBoundsException => "ArrayIndexOutOfBoundsException",
            Self::NegativeArraySizeException => "NegativeArraySizeException",
            Self::NullPointerException => "NullPointerException",
            Self::StackOverflowError => "StackOverflowError",
            Self::OutOfMemoryError => "OutOfMemoryError",
            Self::FuelExhausted => "FuelExhausted",
            Self::ProtectionFault => "ProtectionFault",
            Self::QuotaExceeded => "QuotaExceeded",
            Self::TransientEscape => "TransientEscape",
            Self::Unverified => "Unverified",
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl core::error::Error for TrapKind {}

/// A trap and where it happened.
///
/// The place is that of the innermost frame. For [`TrapKind::StackOverflowError`] it is the call
/// that could not be made, and for a trap of a native the call of the native.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at method {method}, pc {pc}")]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The method whose instruction trapped.
    pub method: MethodId,
    /// The instruction, by its place in the class file.
    pub pc: Pc,
}
