//! Static fields that a scenario sets before the static initializer runs. `jive_embed::preset` explains how.

use bumpalo::Bump;
use jive_core::{AppletMembers, ArrayKind, FieldId, Heap, Instance, LinkedClass, NativeId};
use jive_embed::LoadError;
use jive_embed::preset::{self, Stores};
use nic_core::sle::NicNative;

use crate::profile::Receive;
use crate::spec::FieldState;
use crate::spec::FieldValue;

/// Returns the field that a native stores to, or `None` for a native of the NIC.
pub(crate) fn stored_field(native: NativeId) -> Option<FieldId> {
    preset::stored_field(native, NicNative::TABLE.len())
}

/// Loads a class once more for applets whose fields the scenario sets.
///
/// # Errors
///
/// Returns an error if the rewritten class is refused. A rewritten class is never refused: the scenario's reader has
/// checked that the class has room for the constants of the natives.
pub(crate) fn reload<'a>(
    arena: &'a Bump,
    bytes: &[u8],
    loaded: &LinkedClass<'a>,
) -> Result<LinkedClass<'a>, LoadError> {
    let receive = match loaded.program.applet() {
        Some(AppletMembers { rx_buf: None, .. }) => Receive::Direct,
        Some(_) | None => Receive::Staged,
    };
    let policy = receive.policy();
    preset::load_preset(arena, bytes, loaded, policy, NicNative::TABLE)
}

/// Returns the stores of the initializer of an applet whose fields the scenario sets.
pub(crate) fn stores(state: &[FieldState]) -> Stores {
    Stores::new(state.iter().map(|state| state.field))
}

/// Stores the field values that a scenario sets, before any code of the class runs. The arrays that a scenario sets
/// live as long as the applet. Arrays that a scenario sets fit in the heap, because the scenario's reader has checked
/// their size.
pub(crate) fn set(instance: &mut Instance<'_>, state: &[FieldState]) {
    for FieldState { field, kind, value } in state {
        let value = match value {
            FieldValue::One(value) => Some(*value),
            FieldValue::Array(values) => array(instance.heap_mut(), kind.element, values),
        };
        if let Some(value) = value {
            instance.set_field(*field, value);
        }
    }
}

fn array(heap: &mut Heap<'_>, kind: ArrayKind, values: &[i32]) -> Option<i32> {
    let array = heap
        .allocate(kind, i32::try_from(values.len()).ok()?)
        .ok()?;
    let width = usize::from(kind.width());
    let elements = heap.bytes_mut(array)?.chunks_exact_mut(width);
    for (element, value) in elements.zip(values) {
        // Array elements are little-endian, and the value fits the element's type.
        element.copy_from_slice(value.to_le_bytes().get(..width)?);
    }
    Some(array)
}
