//! A call that `jive exec` is asked for: a static method and arguments that fit its parameters.

use std::ops::RangeInclusive;

use jive_core::{ClassFile, FieldType, Heap, MethodAccess, MethodDescriptor, MethodId};

/// Why a method cannot be called with these arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    /// The class has no method of that name.
    #[error("expected the name of a method of the class")]
    Unknown,
    /// It needs an object.
    #[error("expected a static method")]
    NotStatic,
    /// It has no code.
    #[error("expected a method with code, it is `native`")]
    Native,
    /// It is the JVM's to call.
    #[error("expected a method, not an initializer")]
    Initializer,
    /// A parameter is no number.
    #[error("expected parameters of type int, short, byte or boolean, parameter {position} is not")]
    Parameter {
        /// Which, from 1.
        position: usize,
    },
    /// There are too few arguments, or too many.
    #[error("expected {expected} arguments, found {found}")]
    Count {
        /// How many parameters there are.
        expected: usize,
        /// How many arguments were given.
        found: usize,
    },
    /// An argument is outside the parameter's type.
    #[error("expected {minimum} to {maximum} for argument {position}, found {found:?}")]
    Argument {
        /// Which, from 1.
        position: usize,
        /// The least value of the type.
        minimum: i32,
        /// The greatest value of the type.
        maximum: i32,
        /// What was given.
        found: String,
    },
}

/// A call that fits its method.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The method.
    pub(super) method: MethodId,
    /// Its arguments.
    pub(super) args: Vec<i32>,
    returns_array: bool,
}

impl Call {
    /// Finds the method and reads the arguments.
    pub(super) fn parse<'a>(
        class: &ClassFile<'_>,
        name: &str,
        args: impl Iterator<Item = &'a str>,
    ) -> Result<Call, CallError> {
        let method = class
            .methods()
            .find(|method| method.name == name)
            .ok_or(CallError::Unknown)?;
        if name.starts_with('<') {
            return Err(CallError::Initializer);
        }
        if !method.access.contains(MethodAccess::STATIC) {
            return Err(CallError::NotStatic);
        }
        if method.code().is_none() {
            return Err(CallError::Native);
        }
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes())
            .expect("parsing checked the descriptors of methods");
        let ranges = descriptor
            .parameters()
            .enumerate()
            .map(|(index, kind)| {
                range(kind).ok_or(CallError::Parameter {
                    position: index + 1,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let given = args.collect::<Vec<_>>();
        if given.len() != ranges.len() {
            return Err(CallError::Count {
                expected: ranges.len(),
                found: given.len(),
            });
        }
        let args = given
            .iter()
            .zip(ranges)
            .enumerate()
            .map(|(index, (text, range))| argument(index + 1, text, &range))
            .collect::<Result<Vec<_>, _>>()?;
        let returns_array = matches!(descriptor.result(), Some(kind) if range(kind).is_none());
        Ok(Call {
            method: method.id,
            args,
            returns_array,
        })
    }

    /// Shows what the call returned: a number, or an array as `byte[4]`.
    pub(super) fn shown(&self, value: i32, heap: &Heap<'_>) -> String {
        if !self.returns_array {
            return value.to_string();
        }
        match heap.array(value) {
            Some(array) => format!("{}[{}]", array.kind.element_name(), array.length),
            None if value == 0 => "null".to_owned(),
            None => "this".to_owned(),
        }
    }
}

/// Returns the values of a type that Java computes as `int`.
fn range(kind: FieldType<'_>) -> Option<RangeInclusive<i32>> {
    match kind {
        FieldType::Int => Some(i32::MIN..=i32::MAX),
        FieldType::Short => Some(i16::MIN.into()..=i16::MAX.into()),
        FieldType::Byte => Some(i8::MIN.into()..=i8::MAX.into()),
        FieldType::Boolean => Some(0..=1),
        FieldType::Char
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double
        | FieldType::Object(_)
        | FieldType::Array { .. } => None,
    }
}

fn argument(position: usize, text: &str, range: &RangeInclusive<i32>) -> Result<i32, CallError> {
    text.parse()
        .ok()
        .filter(|value| range.contains(value))
        .ok_or_else(|| CallError::Argument {
            position,
            minimum: *range.start(),
            maximum: *range.end(),
            found: text.to_owned(),
        })
}
