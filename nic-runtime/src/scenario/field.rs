//! Finds fields of an applet's class by name, and reads values for them.

use jive_core::limits::{CONSTANTS_MAX, FIELDS_MAX};
use jive_core::{ArrayKind, ClassFile, Cut, Escaped, FieldAccess, FieldId, FieldType, parse_field};
use jive_embed::fields::{self, NameError};
use toml::Spanned;
use toml::de::DeValue;

use super::mistake::MistakeKind;
use super::table::{Mistakes, wrong_type};
use super::words::closest;
use crate::spec::{FieldKind, FieldName, FieldValue};

/// The longest name of a field in a scenario, in bytes.
const FIELD_NAME_BYTES_MAX: usize = 256;

/// Maximum number of field names that a mistake about an unknown name lists.
const NAMES_LISTED: usize = 8;

/// The name and the descriptor of the field of an applet that the runtime itself sets.
const RX_BUF: (&[u8], &[u8]) = (b"RxBuf", b"[B");

/// The place of `constant_pool_count` in a class file (JVMS §4.1).
const CONSTANT_POOL_COUNT: usize = 8;

/// Number of constants added once to a class with a state: a class and its name, and a descriptor for each of five
/// types.
const CONSTANTS_SHARED: u16 = 7;

/// Number of constants added for each field that the static initializer sets: a name, a name and type, and a method.
const CONSTANTS_PER_FIELD: u16 = 3;
const _: () = assert!(CONSTANTS_SHARED + CONSTANTS_PER_FIELD * FIELDS_MAX < CONSTANTS_MAX);

/// The fields of a class that a scenario may name.
#[derive(Debug)]
pub(super) struct ClassFields {
    class: String,
    /// The class file's `constant_pool_count`.
    constants: u16,
    /// The greatest `constant_pool_count` with which a scenario may set fields of the class.
    constants_max: u16,
    fields: Vec<NamedField>,
}

#[derive(Debug)]
struct NamedField {
    name: Vec<u8>,
    descriptor: Vec<u8>,
    id: FieldId,
    /// The field's type; `None` if a scenario cannot give a value of this type.
    kind: Option<FieldKind>,
    is_static: bool,
    /// Whether the field is `final` with a `ConstantValue`. Compilers copy the value of a constant field to each use.
    is_constant: bool,
}

impl NamedField {
    /// Returns whether the runtime itself sets the field.
    fn is_rx_buf(&self) -> bool {
        (self.name.as_slice(), self.descriptor.as_slice()) == RX_BUF
    }
}

impl ClassFields {
    /// Returns the fields of a class, or `None` if the bytes are no valid class file.
    pub(super) fn of(bytes: &[u8]) -> Option<ClassFields> {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok()?;
        // The class file is untrusted, and may have tens of thousands of fields with names of 64 KiB.
        let count = u16::try_from(class.fields().len()).ok()?;
        if count > FIELDS_MAX {
            return None;
        }
        let fields = class
            .fields()
            .filter(|field| field.name.as_bytes().len() <= FIELD_NAME_BYTES_MAX);
        let fields = fields.map(|field| NamedField {
            name: field.name.as_bytes().to_vec(),
            descriptor: field.descriptor.as_bytes().to_vec(),
            id: field.id,
            kind: kind_of(field.descriptor.as_bytes()),
            is_static: field.access.contains(FieldAccess::STATIC),
            is_constant: field.access.contains(FieldAccess::FINAL)
                && field.constant_value().is_some(),
        });
        Some(ClassFields {
            class: Cut(class.name()).to_string(),
            constants: u16::from_be_bytes(*bytes.get(CONSTANT_POOL_COUNT..)?.first_chunk()?),
            constants_max: CONSTANTS_MAX - CONSTANTS_SHARED - CONSTANTS_PER_FIELD * count,
            fields: fields.collect(),
        })
    }

    /// Returns the name of the class.
    pub(super) fn class(&self) -> &str {
        &self.class
    }

    /// Finds a field by its name, or by its name and type.
    ///
    /// # Errors
    ///
    /// Returns an error if no single field has the name, or if a scenario cannot give a value of the field's type.
    pub(super) fn find(&self, name: &str) -> Result<(FieldName, FieldKind), MistakeKind> {
        let found = self.named(name)?;
        let found = found.ok_or_else(|| self.unknown(name))?;
        let kind = found.kind.ok_or(MistakeKind::FieldType)?;
        let (name, descriptor) = (found.name.clone(), found.descriptor.clone());
        Ok((FieldName { name, descriptor }, kind))
    }

    /// Finds the field that a text names. Returns `None` if there is none.
    fn named(&self, text: &str) -> Result<Option<&NamedField>, MistakeKind> {
        let fields = self.fields.iter();
        let pairs = fields.map(|field| (field.name.as_slice(), field.descriptor.as_slice()));
        match fields::find(pairs, text) {
            Ok(position) => Ok(self.fields.get(position)),
            Err(NameError::Unknown) => Ok(None),
            Err(NameError::Ambiguous(candidates)) => {
                let class = self.class.clone();
                Err(MistakeKind::AmbiguousField { class, candidates })
            }
        }
    }

    /// Checks that the simulator can add the constants with which the static initializer is rewritten
    /// (`applet/state.rs`).
    pub(super) fn check_constants(&self) -> Result<(), MistakeKind> {
        let (constants, limit) = (self.constants, self.constants_max);
        if constants > limit {
            return Err(MistakeKind::StateConstants { constants, limit });
        }
        Ok(())
    }

    /// Finds a static field that a state may set.
    ///
    /// # Errors
    ///
    /// Returns an error if the class has no such static field, or if the field cannot be set before code of the class
    /// runs.
    pub(super) fn find_settable(&self, name: &str) -> Result<(FieldId, FieldKind), MistakeKind> {
        let Some(field) = self.named(name)? else {
            let settable = |field: &&NamedField| field.is_static && !field.is_rx_buf();
            let names = self.fields.iter().filter(settable);
            let names = Vec::from_iter(names.map(|field| Escaped(&field.name).to_string()));
            let suggestion = closest(name, names.iter().map(String::as_str));
            return Err(MistakeKind::UnknownStateField {
                suggestion: suggestion.map(str::to_owned),
            });
        };
        if field.is_rx_buf() {
            return Err(MistakeKind::FieldOfRuntime);
        }
        if !field.is_static {
            return Err(MistakeKind::FieldNotStatic);
        }
        if field.is_constant {
            return Err(MistakeKind::FieldConstant);
        }
        let kind = field.kind.ok_or(MistakeKind::FieldType)?;
        Ok((field.id, kind))
    }

    /// Returns the error for an unknown field, with the names of the class's fields.
    fn unknown(&self, name: &str) -> MistakeKind {
        let names = self.fields.iter().map(|field| Escaped(&field.name));
        let mut names = names.map(|name| name.to_string()).collect::<Vec<_>>();
        let suggestion = closest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let more = names.len().saturating_sub(NAMES_LISTED);
        names.truncate(NAMES_LISTED);
        MistakeKind::UnknownField {
            class: self.class.clone(),
            names,
            more,
            suggestion,
        }
    }
}

/// Returns the type that a field's descriptor gives, if a scenario can give a value of that type.
fn kind_of(descriptor: &[u8]) -> Option<FieldKind> {
    let (is_array, element) = match parse_field(descriptor).ok()? {
        FieldType::Byte => (false, ArrayKind::Byte),
        FieldType::Short => (false, ArrayKind::Short),
        FieldType::Int => (false, ArrayKind::Int),
        FieldType::Boolean => (false, ArrayKind::Boolean),
        array @ FieldType::Array { .. } => (true, array.array_kind()?),
        FieldType::Char
        | FieldType::Double
        | FieldType::Float
        | FieldType::Long
        | FieldType::Object(_) => return None,
    };
    Some(FieldKind { is_array, element })
}

/// Reads a value for a field of this type, and reports each mistake with its place.
pub(super) fn read_value(
    value: &Spanned<DeValue<'_>>,
    kind: FieldKind,
    mistakes: &mut Mistakes,
) -> Option<FieldValue> {
    if !kind.is_array {
        let number = scalar(value.get_ref(), kind.element);
        return mistakes.note(value.span(), number).map(FieldValue::One);
    }
    let DeValue::Array(elements) = value.get_ref() else {
        let expected = match kind.element {
            ArrayKind::Boolean => "an array of booleans",
            ArrayKind::Byte | ArrayKind::Short | ArrayKind::Int => "an array of integers",
        };
        mistakes.add(value.span(), wrong_type(expected, value.get_ref()));
        return None;
    };
    let mut numbers = Vec::with_capacity(elements.len());
    for element in elements {
        let number = scalar(element.get_ref(), kind.element);
        numbers.extend(mistakes.note(element.span(), number));
    }
    (numbers.len() == elements.len()).then_some(FieldValue::Array(numbers))
}

/// Reads a value of a type other than an array.
fn scalar(value: &DeValue<'_>, kind: ArrayKind) -> Result<i32, MistakeKind> {
    let (minimum, maximum) = match kind {
        ArrayKind::Boolean => {
            return match value {
                DeValue::Boolean(flag) => Ok(i32::from(*flag)),
                other => Err(wrong_type("a boolean", other)),
            };
        }
        ArrayKind::Byte => (i8::MIN.into(), i8::MAX.into()),
        ArrayKind::Short => (i16::MIN.into(), i16::MAX.into()),
        ArrayKind::Int => (i32::MIN, i32::MAX),
    };
    let DeValue::Integer(digits) = value else {
        return Err(wrong_type("an integer", value));
    };
    let number = i32::from_str_radix(digits.as_str(), digits.radix()).ok();
    let number = number.filter(|number| (minimum..=maximum).contains(number));
    number.ok_or(MistakeKind::FieldRange {
        kind: kind.element_name(),
        minimum,
        maximum,
    })
}
