//! Traps: why and where the interpreter aborts a call.

use core::fmt;

use crate::id::{MethodId, Pc};

/// Why the interpreter aborted a call.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TrapKind {
    /// A division by zero (JVMS §6.5.idiv).
    ArithmeticException,
    /// An index is negative, or at least the array's length.
    ArrayIndexOutOfBoundsException,
    /// The length of a new array is negative.
    NegativeArraySizeException,
    /// A null reference is used as an object or an array.
    NullPointerException,
    /// The call stack has no room for another frame.
    StackOverflowError,
    /// The heap has no room for a new array.
    OutOfMemoryError,
    /// The call has used up its fuel, a budget of instructions.
    FuelExhausted,
    /// A native is called with an argument that the endpoint has no right to use.
    ProtectionFault,
    /// The call has used up its quota of DMA bytes or packets.
    QuotaExceeded,
    /// The applet stores a reference to a transient array in a field. The array would not outlive the call.
    TransientEscape,
    /// The program violates a property that verification guarantees. This is a bug in JIVE.
    Unverified,
}

impl TrapKind {
    /// Every kind, in declaration order.
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

    /// Returns the name. Kinds that exist in Java have the simple name of the Java class.
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
/// The location belongs to the innermost frame. For [`TrapKind::StackOverflowError`] it is the call instruction that
/// failed. For a trap in a native it is the instruction that called the native.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at method {method}, pc {pc}")]
pub struct Trap {
    /// Why the call was aborted.
    pub kind: TrapKind,
    /// The method that contains the trapping instruction.
    pub method: MethodId,
    /// The trapping instruction, as its offset in the class file's code array.
    pub pc: Pc,
}
