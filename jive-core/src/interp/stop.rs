//! Why the interpreter stops between two ops.

use crate::trap::TrapKind;

/// Why a slice ended. A `Stop` has one byte, so that it is passed in a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The slice ran out of budget or of code. The run continues with another slice, if fuel is left.
    Pause,
    /// The outermost call returned, and its method is void.
    Returned,
    /// The outermost call returned a value.
    ReturnedValue,
    /// The caller must perform a native.
    Native,
    /// A load or store found no array, or no element with the given index. `Machine::fault` finds the trap of the load
    /// or store that failed.
    NoElement,
    /// The op trapped.
    Trap(TrapKind),
}
