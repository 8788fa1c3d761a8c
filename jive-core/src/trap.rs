//! Traps: why and where the interpreter aborts a call.

use core::fmt;

use crate::array_kind::ArrayKind;
use crate::id::{FieldId, MethodId, NativeId, Pc};

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
    /// The applet stores a reference to a transient array in a field. The transient array would not outlive the call.
    TransientEscape,
    /// A program on the host asks for something that the state of its buffer forbids.
    BufferState,
    /// The program violates a property that verification guarantees. A trap of the kind `Unverified` is a bug in JIVE.
    Unverified,
}

impl TrapKind {
    /// Every kind of trap, in declaration order.
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
        Self::BufferState,
        Self::Unverified,
    ];

    /// Returns the name. A kind of trap that exists in Java has the simple name of the Java class.
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
            Self::BufferState => "BufferState",
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
/// The location of a trap is in the method of the innermost frame. For [`TrapKind::StackOverflowError`], the location
/// is the call instruction that failed. For a trap in a native, the location is the instruction that called the native.
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

/// The place of an instruction that has called a method, or that has trapped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The method that contains the instruction.
    pub method: MethodId,
    /// The instruction, as its offset in the class file's code array.
    pub pc: Pc,
}

/// The values that made an instruction trap.
///
/// [`Instance::trap_values`](crate::Instance::trap_values) finds the values that made an instruction trap, after the
/// trap. The text of the values is a part of a sentence, such as `index 16, length 16`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TrapValues<'s> {
    /// A division by zero.
    Division {
        /// The number that the instruction tried to divide.
        dividend: i32,
    },
    /// An index outside of an array.
    Index {
        /// The index.
        index: i32,
        /// The array's length in elements.
        length: u32,
    },
    /// A negative length of a new array.
    Length {
        /// The length.
        length: i32,
    },
    /// A null reference.
    Null,
    /// The call stack has no frame left, because as many calls are nested as it has frames.
    Frames {
        /// The count of nested calls, without the call that failed.
        nested: u32,
        /// Maximum number of calls that the stack has room for.
        most: u32,
    },
    /// The registers of the nested calls take all slots of the call stack.
    Slots {
        /// The count of nested calls, without the call that failed.
        nested: u32,
        /// Maximum number of slots that the calls may take.
        most: u32,
    },
    /// A heap without room for a new array.
    Heap {
        /// How many bytes the new array would take, its header included.
        asked: u64,
        /// How many bytes of the heap are free.
        free: u32,
    },
    /// A call that has used up its fuel.
    Fuel {
        /// How many instructions the call has executed, without the extra fuel of natives.
        executed: u64,
    },
    /// A transient array whose reference the instruction tried to store in a field.
    Transient {
        /// Type of its elements.
        kind: ArrayKind,
        /// The array's length in elements.
        length: u32,
        /// The field.
        field: FieldId,
    },
    /// The arguments of a native that trapped. The runtime that implements the native can find which bound the
    /// arguments break.
    Native {
        /// The native.
        id: NativeId,
        /// The native's arguments. An array argument of a native is a reference.
        args: &'s [i32],
    },
}

impl fmt::Display for TrapValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Division { dividend } => write!(f, "dividend {dividend}, divisor 0"),
            Self::Index { index, length } => write!(f, "index {index}, length {length}"),
            Self::Length { length } => write!(f, "length {length}"),
            Self::Null => f.write_str("the reference is null"),
            Self::Frames { nested, most } => {
                write!(f, "{nested} nested calls, room for {most}")
            }
            Self::Slots { nested, most } => {
                write!(
                    f,
                    "{nested} nested calls, whose registers fill {most} slots"
                )
            }
            Self::Heap { asked, free } => write!(f, "{asked} bytes asked, {free} free"),
            Self::Fuel { executed } => write!(f, "{executed} instructions executed"),
            Self::Transient { kind, length, .. } => {
                write!(f, "{}[{length}] of this call", kind.element_name())
            }
            Self::Native { args, .. } => write!(f, "arguments {args:?}"),
        }
    }
}
