//! Reads `state`: values for static fields of an applet, which are stored before any code of the applet runs.

use jive_core::{ArrayKind, ClassFile, ElementType, Field, FieldAccess, FieldType, parse_field};
use jive_core::{FieldId, limits as core_limits};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{MistakeKind, closest};
use super::model::{FieldState, FieldValue};
use super::table::{Mistakes, boolean, wrong_type};

/// The field that the runtime sets itself.
const RX_BUF: &str = "RxBuf";

/// The type of a field that a state may set.
#[derive(Copy, Clone)]
enum Kind {
    Scalar(Element),
    Array(Element),
}

/// The type of a field or of an array's elements.
#[derive(Copy, Clone)]
enum Element {
    Boolean,
    Byte,
    Short,
    Int,
}

/// Reads the table `state` of an endpoint whose applet has a heap of `heap` bytes.
///
/// If the bytes are no class file, returns no fields. The class file is reported when it is loaded.
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
    let mut index = vec![0; ClassFile::index_len(class)];
    let Ok(class) = ClassFile::parse(class, &mut index) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (name, value) in table {
        let found = find(&class, name.get_ref());
        let Some((id, kind)) = mistakes.note(name.span(), found).flatten() else {
            continue;
        };
        if let Some(value) = mistakes.note(value.span(), read_value(kind, value.get_ref())) {
            fields.push(FieldState { field: id, value });
        }
    }
    mistakes.note(state.span(), check_fits(&fields, heap));
    fields
}

/// Checks that the arrays of a state fit in a heap of this many bytes.
pub(super) fn check_fits(state: &[FieldState], heap: u64) -> Result<(), MistakeKind> {
    let needed = state.iter().map(|field| field.value.heap_bytes()).sum();
    if needed > heap {
        return Err(MistakeKind::StateDoesNotFit { heap, needed });
    }
    Ok(())
}

/// Reads the value of one field from a command line argument: `WINDOW=8`, or `KEYS=[1, 2]`. Returns `None` if the class
/// is no class file.
///
/// # Errors
///
/// Returns a message about the mistake.
pub(super) fn field_state(class: &[u8], given: &str) -> Result<Option<FieldState>, String> {
    let expected = || format!("expected a field and its value, as in `WINDOW=8`, found {given:?}");
    let (name, value) = given.split_once('=').ok_or_else(expected)?;
    let name = name.trim();
    let text = format!("value = {value}");
    let (document, errors) = DeTable::parse_recoverable(&text);
    let value = document.get_ref().get("value");
    let value = value.filter(|_| errors.is_empty() && document.get_ref().len() == 1);
    let value = value.ok_or_else(expected)?;
    let mut index = vec![0; ClassFile::index_len(class)];
    let Ok(class) = ClassFile::parse(class, &mut index) else {
        return Ok(None);
    };
    let read = find(&class, name).and_then(|found| match found {
        Some((field, kind)) => {
            let value = read_value(kind, value.get_ref())?;
            Ok(Some(FieldState { field, value }))
        }
        None => Ok(None),
    });
    read.map_err(|kind| format!("{kind}, for {given:?}"))
}

/// Finds a field that a state may set. Returns `None` if no applet may have a field of its type.
fn find(class: &ClassFile<'_>, name: &str) -> Result<Option<(FieldId, Kind)>, MistakeKind> {
    let is_static = |field: &Field<'_>| field.access.contains(FieldAccess::STATIC);
    let Some(field) = class.fields().find(|field| field.name == name) else {
        let names = class.fields().filter(is_static);
        let names: Vec<String> = names.map(|field| field.name.to_string()).collect();
        let names = names.iter().map(String::as_str);
        let suggestion = closest(name, names.filter(|name| *name != RX_BUF));
        return Err(MistakeKind::UnknownStateField {
            suggestion: suggestion.map(str::to_owned),
        });
    };
    if name == RX_BUF {
        return Err(MistakeKind::FieldOfRuntime);
    }
    if !is_static(&field) {
        return Err(MistakeKind::FieldNotStatic);
    }
    if field.access.contains(FieldAccess::FINAL) && field.constant_value().is_some() {
        return Err(MistakeKind::FieldConstant);
    }
    let kind = parse_field(field.descriptor.as_bytes()).ok();
    Ok(kind.and_then(settable).map(|kind| (field.id, kind)))
}

fn settable(kind: FieldType<'_>) -> Option<Kind> {
    match kind {
        FieldType::Boolean => Some(Kind::Scalar(Element::Boolean)),
        FieldType::Byte => Some(Kind::Scalar(Element::Byte)),
        FieldType::Short => Some(Kind::Scalar(Element::Short)),
        FieldType::Int => Some(Kind::Scalar(Element::Int)),
        FieldType::Array {
            dimensions: 1,
            element,
        } => match element {
            ElementType::Boolean => Some(Kind::Array(Element::Boolean)),
            ElementType::Byte => Some(Kind::Array(Element::Byte)),
            ElementType::Short => Some(Kind::Array(Element::Short)),
            ElementType::Int => Some(Kind::Array(Element::Int)),
            ElementType::Char
            | ElementType::Double
            | ElementType::Float
            | ElementType::Long
            | ElementType::Object(_) => None,
        },
        FieldType::Array { .. }
        | FieldType::Char
        | FieldType::Double
        | FieldType::Float
        | FieldType::Long
        | FieldType::Object(_) => None,
    }
}

fn read_value(kind: Kind, value: &DeValue<'_>) -> Result<FieldValue, MistakeKind> {
    match (kind, value) {
        (Kind::Scalar(element), value) => Ok(FieldValue::Scalar(element.read(value)?)),
        (Kind::Array(element), DeValue::Array(values)) => {
            let values = values.iter().map(|value| element.read(value.get_ref()));
            let values = values.collect::<Result<_, _>>()?;
            Ok(FieldValue::Array(element.array(), values))
        }
        (Kind::Array(_), other) => Err(wrong_type("an array", other)),
    }
}

impl Element {
    fn array(self) -> ArrayKind {
        match self {
            Element::Boolean => ArrayKind::Boolean,
            Element::Byte => ArrayKind::Byte,
            Element::Short => ArrayKind::Short,
            Element::Int => ArrayKind::Int,
        }
    }

    fn read(self, value: &DeValue<'_>) -> Result<i32, MistakeKind> {
        let (minimum, maximum) = match self {
            Element::Boolean => return boolean(value).map(i32::from),
            Element::Byte => (i8::MIN.into(), i8::MAX.into()),
            Element::Short => (i16::MIN.into(), i16::MAX.into()),
            Element::Int => (i32::MIN, i32::MAX),
        };
        let DeValue::Integer(digits) = value else {
            return Err(wrong_type("an integer", value));
        };
        i32::from_str_radix(digits.as_str(), digits.radix())
            .ok()
            .filter(|value| (minimum..=maximum).contains(value))
            .ok_or(MistakeKind::StateRange { minimum, maximum })
    }
}

impl FieldValue {
    /// Returns how many bytes of heap the value needs.
    fn heap_bytes(&self) -> u64 {
        match self {
            FieldValue::Scalar(_) => 0,
            FieldValue::Array(kind, values) => {
                let bytes = values.len() as u64 * u64::from(kind.width());
                let header = u64::from(core_limits::ARRAY_HEADER_BYTES);
                header + bytes.next_multiple_of(core_limits::ARRAY_ALIGNMENT.into())
            }
        }
    }
}
