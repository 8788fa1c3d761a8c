//! Why an applet's call trapped: the values of the instruction, or the bound that a native's argument breaks.

use core::fmt;

use jive_core::{MethodId, Pc, TrapValues};

use super::violation::NativeViolation;

/// Why an applet's call trapped, as far as it is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TrapCause<'a> {
    /// The instruction trapped because of the values that it was given.
    Values(TrapValues<'a>),
    /// The native trapped because of the arguments that it was given.
    Violation(NativeViolation),
}

impl TrapCause<'_> {
    /// Calls `each` with the name and the value of every number in the cause.
    pub fn values(&self, each: &mut dyn FnMut(&'static str, i64)) {
        let values = match self {
            TrapCause::Values(values) => values,
            TrapCause::Violation(violation) => return violation.values(each),
        };
        match *values {
            TrapValues::Division { dividend } => {
                each("dividend", dividend.into());
                each("divisor", 0);
            }
            TrapValues::Index { index, length } => {
                each("index", index.into());
                each("length", length.into());
            }
            TrapValues::Length { length } => each("length", length.into()),
            TrapValues::Null | TrapValues::Native { .. } => {}
            TrapValues::Frames { nested, most } => {
                each("nested_calls", nested.into());
                each("most", most.into());
            }
            TrapValues::Slots { nested, most } => {
                each("nested_calls", nested.into());
                each("slots", most.into());
            }
            TrapValues::Heap { asked, free } => {
                each("asked", i64::try_from(asked).unwrap_or(i64::MAX));
                each("free", free.into());
            }
            TrapValues::Fuel { executed } => {
                each("executed", i64::try_from(executed).unwrap_or(i64::MAX));
            }
            TrapValues::Transient { length, .. } => each("length", length.into()),
        }
    }
}

impl fmt::Display for TrapCause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapCause::Values(values) => values.fmt(f),
            TrapCause::Violation(violation) => violation.fmt(f),
        }
    }
}

/// The cause of a trap, and the nested calls that led to it.
///
/// The default is empty. Firmware emits the empty default, because finding out the cause and the calls would need more
/// code.
#[derive(Copy, Clone, Debug, Default)]
pub struct TrapDetails<'a> {
    /// Why the instruction trapped.
    pub cause: Option<TrapCause<'a>>,
    /// The calls that were nested at the trap, from the innermost, in which the trap occurred, to the outermost.
    pub calls: &'a [TracedCall],
    /// Number of nested calls that `calls` leaves out, because there were too many.
    pub omitted: u32,
}

/// A call that was nested when the instruction of the innermost call trapped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TracedCall {
    /// The method.
    pub method: MethodId,
    /// The pc of the instruction that the call was executing.
    pub pc: Pc,
    /// Source line of the instruction at `pc`, if the class has line numbers.
    pub line: Option<u16>,
}
