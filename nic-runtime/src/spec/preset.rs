//! Static fields that a scenario sets before the static initializer of a class runs.

use jive_core::{ArrayKind, Heap, Instance};
use jive_embed::preset::Stores;

use super::{FieldState, FieldValue};

/// Returns the stores of the initializer of a class whose fields the scenario sets.
pub(crate) fn stores(state: &[FieldState]) -> Stores {
    Stores::new(state.iter().map(|state| state.field))
}

/// Stores the field values that a scenario sets, before any code of the class runs. The arrays that a scenario sets
/// live as long as the instance. Arrays that a scenario sets fit in the heap, because the scenario's reader has checked
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
