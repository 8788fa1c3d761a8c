//! A method call requested from `jive exec`: a static method, with arguments that fit its parameters.

use std::ops::RangeInclusive;

use jive_core::{ClassFile, FieldType, Heap, MethodAccess, MethodDescriptor, MethodId};

/// Why a method cannot be called with these arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    /// The class has no method with this name.
    #[error("expected the name of a method of the class")]
    Unknown,
    /// The method is an instance method.
    #[error("expected a static method")]
    NotStatic,
    /// The method has no code.
    #[error("expected a method with code, it is `native`")]
    Native,
    /// Only the JVM may call an initializer.
    #[error("expected a method, not an initializer")]
    Initializer,
    /// A parameter has a type other than `int`, `short`, `byte` or `boolean`.
    #[error("expected parameters of type int, short, byte or boolean, parameter {position} is not")]
    Parameter {
        /// Position of the parameter that has another type, counted from 1.
        position: usize,
    },
    /// The number of arguments is wrong.
    #[error("expected {expected} arguments, found {found}")]
    Count {
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        found: usize,
    },
    /// An argument is out of the range of its parameter's type.
    #[error("expected {minimum} to {maximum} for argument {position}, found {found:?}")]
    Argument {
        /// Position of the argument that is out of range, counted from 1.
        position: usize,
        /// Smallest value of the parameter's type.
        minimum: i32,
        /// Largest value of the parameter's type.
        maximum: i32,
        /// The argument as given.
        found: String,
    },
}

/// A call whose arguments fit the method.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The method.
    pub(super) method: MethodId,
    /// The call's arguments.
    pub(super) args: Vec<i32>,
    returns_array: bool,
}

impl Call {
    /// Finds the method and parses the arguments.
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

    /// Shows the returned value: a number, or the shape of an array, as in `byte[4]`.
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

/// Returns the range of a type that Java computes with as `int`.
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
