//! Why an applet's call trapped: the values of the instruction, or the bound that a native's argument breaks.

use core::fmt;

use jive_core::{ArrayKind, Heap, TrapKind, TrapValues};

use super::breach::Breach;
use super::natives::{Effect, NicNative, Rights, examine};
use crate::storage::Storage;

/// Why an applet's call trapped, as far as it is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TrapCause<'a> {
    /// The instruction trapped because of the values that it was given.
    Values(TrapValues<'a>),
    /// The native trapped because of the arguments that it was given.
    Breach(Breach),
}

impl<'a> TrapCause<'a> {
    /// Explains a trap of an endpoint's applet by the values of the instruction. If a native trapped, `of` checks the
    /// native's arguments again. `heap` is the applet's heap at the time of the trap.
    #[must_use]
    pub fn of<S: Storage>(
        kind: TrapKind,
        values: TrapValues<'a>,
        heap: &Heap<'_>,
        rights: &Rights<'_, S>,
    ) -> TrapCause<'a> {
        let TrapValues::Native { id, args } = values else {
            return TrapCause::Values(values);
        };
        let Some(native) = NicNative::from_id(id) else {
            return TrapCause::Values(values);
        };
        match examine(native, args, heap, rights) {
            Err(Some(bound)) => TrapCause::Breach(Breach { native, bound }),
            Ok(Effect::NewArray { length }) if kind == TrapKind::OutOfMemoryError => {
                // The cast is lossless, because `examine` has proved that the length is not negative.
                TrapCause::Values(TrapValues::Heap {
                    asked: Heap::bytes_of_array(ArrayKind::Byte, length.cast_unsigned()),
                    free: heap.free(),
                })
            }
            Ok(_) | Err(None) => TrapCause::Values(values),
        }
    }

    /// Calls `each` with the name and the value of every number in the cause.
    pub fn values(&self, each: &mut dyn FnMut(&'static str, i64)) {
        let values = match self {
            TrapCause::Values(values) => values,
            TrapCause::Breach(breach) => return breach.values(each),
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
            TrapCause::Breach(breach) => breach.fmt(f),
        }
    }
}
