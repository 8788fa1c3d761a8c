//! Why a call trapped: the check of a native's arguments, made again for its reason.

use jive_core::{ArrayKind, Heap, TrapKind, TrapValues};

use super::check::examine;
use super::effect::Effect;
use super::local::LocalEffect;
use super::rights::Rights;
use super::span::ArraySpan;
use crate::native::{Bound, NativeViolation, NicNative, TrapCause};
use crate::storage::Storage;

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
            Err(Some(bound)) => TrapCause::Violation(NativeViolation { native, bound }),
            Ok(Effect::Local(LocalEffect::NewArray { length }))
                if kind == TrapKind::OutOfMemoryError =>
            {
                // The cast is lossless, because `examine` has proved that the length is not negative.
                TrapCause::Values(TrapValues::Heap {
                    asked: Heap::bytes_of_array(ArrayKind::Byte, length.cast_unsigned()),
                    free: heap.free(),
                })
            }
            // The arrays of the call were freed at the trap, so the check no longer sees that the array was transient.
            Ok(Effect::ReadWindow { into, .. }) if kind == TrapKind::TransientEscape => {
                let array = ArraySpan::whole(heap, into.array());
                let elements = array.map_or(0, ArraySpan::length);
                let bound = Bound::Transient { elements };
                TrapCause::Violation(NativeViolation { native, bound })
            }
            Ok(_) | Err(None) => TrapCause::Values(values),
        }
    }
}
