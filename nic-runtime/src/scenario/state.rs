//! Reads `state`: values for static fields of an applet, which are stored before any code of the applet runs.

use jive_core::limits as core_limits;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::field::{ClassFields, read_value};
use super::mistake::MistakeKind;
use super::table::{Mistakes, wrong_type};
use crate::spec::FieldState;
use crate::spec::FieldValue;

/// Reads the table `state` of an endpoint whose applet has a heap of `heap` bytes.
///
/// If the bytes are no valid class file, returns no fields. An invalid class file is reported when it is loaded.
pub(super) fn read(
    class: &[u8],
    heap: u64,
    state: &Spanned<DeValue<'_>>,
    mistakes: &mut Mistakes,
) -> Vec<FieldState> {
    let DeValue::Table(table) = state.get_ref() else {
        mistakes.add(state.span(), wrong_type("a table", state.get_ref()));
        return Vec::new();
    };
    let Some(class) = ClassFields::of(class) else {
        return Vec::new();
    };
    mistakes.note(state.span(), class.check_constants());
    let mut fields = Vec::new();
    for (name, value) in table {
        let found = class.find_settable(name.get_ref());
        let Some((field, kind)) = mistakes.note(name.span(), found) else {
            continue;
        };
        let value = read_value(value, kind, mistakes);
        fields.extend(value.map(|value| FieldState { field, kind, value }));
    }
    mistakes.note(state.span(), check_fits(&fields, heap));
    fields
}

/// Checks that the arrays of a state fit in a heap of this many bytes.
pub(super) fn check_fits(state: &[FieldState], heap: u64) -> Result<(), MistakeKind> {
    let needed = state.iter().map(FieldState::heap_bytes).sum();
    if needed > heap {
        return Err(MistakeKind::StateDoesNotFit { heap, needed });
    }
    Ok(())
}

/// Reads the value of one field from a command line argument: `WINDOW=8`, or `KEYS=[1, 2]`. Returns `None` if `class`
/// is no valid class file.
///
/// # Errors
///
/// Returns a message about the mistake in the argument.
pub(super) fn field_state(class: &[u8], given: &str) -> Result<Option<FieldState>, String> {
    let expected = || format!("expected a field and its value, as in `WINDOW=8`, found {given:?}");
    let (name, value) = given.rsplit_once('=').ok_or_else(expected)?;
    let text = format!("value = {value}");
    let (document, errors) = DeTable::parse_recoverable(&text);
    let value = document.get_ref().get("value");
    let value = value.filter(|_| errors.is_empty() && document.get_ref().len() == 1);
    let value = value.ok_or_else(expected)?;
    let Some(class) = ClassFields::of(class) else {
        return Ok(None);
    };
    let message = |kind: &MistakeKind| format!("{kind}, for {given:?}");
    let found = class
        .check_constants()
        .and_then(|()| class.find_settable(name.trim()));
    let (field, kind) = found.map_err(|kind| message(&kind))?;
    let mut mistakes = Mistakes::default();
    match read_value(value, kind, &mut mistakes) {
        Some(value) => Ok(Some(FieldState { field, kind, value })),
        None => Err(mistakes
            .into_sorted()
            .first()
            .map_or_else(expected, |mistake| message(&mistake.kind))),
    }
}

impl FieldState {
    /// Returns how many bytes of heap the field's value needs.
    fn heap_bytes(&self) -> u64 {
        match &self.value {
            FieldValue::One(_) => 0,
            FieldValue::Array(values) => {
                let bytes = values.len() as u64 * u64::from(self.kind.element.width());
                let header = u64::from(core_limits::ARRAY_HEADER_BYTES);
                header + bytes.next_multiple_of(core_limits::ARRAY_ALIGNMENT.into())
            }
        }
    }
}
