//! Field and method descriptors (JVMS §4.3).

use crate::array_kind::ArrayKind;
use crate::limits::{ARRAY_DIMENSIONS_MAX, PARAMETER_SLOTS_MAX};

/// Which rule a byte string that is not a descriptor breaks, and at which byte.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset} of the descriptor)")]
pub struct DescriptorError {
    /// Offset within the descriptor, in bytes.
    pub offset: u16,
    /// The rule that the byte string breaks.
    pub kind: DescriptorErrorKind,
}

/// The rule of JVMS §4.3 that a descriptor breaks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorErrorKind {
    /// The bytes end inside the descriptor.
    #[error("expected a type, found the end of the descriptor")]
    Truncated,
    /// No type begins with this byte, or the byte is `V` where a value type is needed.
    #[error("expected a type, found byte {found:#04x}")]
    NotAType {
        /// The byte found.
        found: u8,
    },
    /// A method descriptor does not begin with `(`.
    #[error("expected `(`, found byte {found:#04x}")]
    NotAMethod {
        /// The byte found.
        found: u8,
    },
    /// A class name lacks the `;`, is empty, or contains a byte that names must not contain (§4.2.1).
    #[error("expected a class name and `;`")]
    ClassName,
    /// An array type has too many dimensions (§4.3.2).
    #[error("expected at most {ARRAY_DIMENSIONS_MAX} dimensions, found more")]
    Dimensions,
    /// The parameters take too many local variables (§4.3.3).
    #[error("expected parameters of at most {PARAMETER_SLOTS_MAX} slots, found more")]
    ParameterSlots,
    /// Bytes follow the descriptor.
    #[error("expected the end of the descriptor, found byte {found:#04x}")]
    Trailing {
        /// The first byte that follows the complete descriptor.
        found: u8,
    },
}

/// The type of a field, parameter or result (JVMS §4.3.2).
///
/// The type is well-formed: the class name of an object type is one or more unqualified names joined by `/`. Parsing
/// checks neither that the class of an object type exists, nor that its name is valid modified UTF-8.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FieldType<'a> {
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `short`.
    Short,
    /// `boolean`.
    Boolean,
    /// An instance of the class with this internal name.
    Object(&'a [u8]),
    /// An array.
    Array {
        /// Number of `[`, at least 1.
        dimensions: u8,
        /// Type of the elements of the innermost arrays.
        element: ElementType<'a>,
    },
}

/// The type of the elements of an array type's innermost arrays.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ElementType<'a> {
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `short`.
    Short,
    /// `boolean`.
    Boolean,
    /// Instances of the class with this internal name.
    Object(&'a [u8]),
}

impl<'a> FieldType<'a> {
    /// Returns the number of local variables that a value of the type takes: 2 for `long` and `double`, otherwise 1.
    #[must_use]
    pub const fn slots(self) -> u8 {
        match self {
            FieldType::Long | FieldType::Double => 2,
            FieldType::Byte
            | FieldType::Char
            | FieldType::Float
            | FieldType::Int
            | FieldType::Short
            | FieldType::Boolean
            | FieldType::Object(_)
            | FieldType::Array { .. } => 1,
        }
    }

    /// Returns the array kind if the type is an array type of the subset.
    #[must_use]
    pub const fn array_kind(self) -> Option<ArrayKind> {
        match self {
            FieldType::Array {
                dimensions: 1,
                element,
            } => match element {
                ElementType::Boolean => Some(ArrayKind::Boolean),
                ElementType::Byte => Some(ArrayKind::Byte),
                ElementType::Short => Some(ArrayKind::Short),
                ElementType::Int => Some(ArrayKind::Int),
                ElementType::Char
                | ElementType::Double
                | ElementType::Float
                | ElementType::Long
                | ElementType::Object(_) => None,
            },
            FieldType::Byte
            | FieldType::Char
            | FieldType::Double
            | FieldType::Float
            | FieldType::Int
            | FieldType::Long
            | FieldType::Short
            | FieldType::Boolean
            | FieldType::Object(_)
            | FieldType::Array { .. } => None,
        }
    }

    /// Returns the class that the type names, as the type itself or as the element type of an array.
    #[must_use]
    pub const fn class_name(self) -> Option<&'a [u8]> {
        match self {
            FieldType::Object(name)
            | FieldType::Array {
                element: ElementType::Object(name),
                ..
            } => Some(name),
            FieldType::Byte
            | FieldType::Char
            | FieldType::Double
            | FieldType::Float
            | FieldType::Int
            | FieldType::Long
            | FieldType::Short
            | FieldType::Boolean
            | FieldType::Array { .. } => None,
        }
    }
}

impl<'a> From<ElementType<'a>> for FieldType<'a> {
    fn from(element: ElementType<'a>) -> Self {
        match element {
            ElementType::Byte => FieldType::Byte,
            ElementType::Char => FieldType::Char,
            ElementType::Double => FieldType::Double,
            ElementType::Float => FieldType::Float,
            ElementType::Int => FieldType::Int,
            ElementType::Long => FieldType::Long,
            ElementType::Short => FieldType::Short,
            ElementType::Boolean => FieldType::Boolean,
            ElementType::Object(name) => FieldType::Object(name),
        }
    }
}

/// Parses a field descriptor.
///
/// ```
/// use jive_core::{parse_field, ElementType, FieldType};
///
/// assert_eq!(parse_field(b"I"), Ok(FieldType::Int));
/// assert_eq!(parse_field(b"[[B"), Ok(FieldType::Array { dimensions: 2, element: ElementType::Byte }));
/// assert!(parse_field(b"V").is_err());
/// ```
///
/// # Errors
///
/// Returns an error if the bytes are not exactly one field descriptor.
pub fn parse_field(bytes: &[u8]) -> Result<FieldType<'_>, DescriptorError> {
    let mut reader = Reader::new(bytes);
    let parsed = reader.field_type()?;
    reader.end()?;
    Ok(parsed)
}

/// A method descriptor (JVMS §4.3.3).
///
/// All types in a method descriptor are well-formed. The parameters of the method, without `this`, take at most
/// [`PARAMETER_SLOTS_MAX`] local variables.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MethodDescriptor<'a> {
    /// The descriptor after `(`: the parameter types, followed by `)` and the result type.
    parameters: &'a [u8],
    parameter_count: u8,
    parameter_slots: u8,
    result: Option<FieldType<'a>>,
}

impl<'a> MethodDescriptor<'a> {
    /// Parses a method descriptor.
    ///
    /// ```
    /// use jive_core::{FieldType, MethodDescriptor};
    ///
    /// let do_tx = MethodDescriptor::parse(b"(III)I").unwrap();
    /// assert_eq!(do_tx.parameters().count(), 3);
    /// assert_eq!(do_tx.result(), Some(FieldType::Int));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not exactly one method descriptor.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DescriptorError> {
        let mut reader = Reader::new(bytes);
        match reader.peek()? {
            b'(' => reader.advance(),
            found => return Err(reader.error(DescriptorErrorKind::NotAMethod { found })),
        }
        let parameters = reader.rest;
        let mut parameter_count: u8 = 0;
        let mut parameter_slots: u8 = 0;
        while reader.peek()? != b')' {
            let before = reader.rest;
            let slots = reader.field_type()?.slots();
            let Some(sum) = parameter_slots.checked_add(slots) else {
                reader.rest = before;
                return Err(reader.error(DescriptorErrorKind::ParameterSlots));
            };
            parameter_slots = sum;
            // The count of parameters cannot overflow: each parameter takes at least one slot, and the number of slots
            // was just checked.
            parameter_count = parameter_count.saturating_add(1);
        }
        reader.advance();
        let result = if reader.peek()? == b'V' {
            reader.advance();
            None
        } else {
            Some(reader.field_type()?)
        };
        reader.end()?;
        Ok(Self {
            parameters,
            parameter_count,
            parameter_slots,
            result,
        })
    }

    /// Returns the parameter types of the method in order, without `this`.
    #[must_use]
    pub const fn parameters(&self) -> Parameters<'a> {
        Parameters {
            reader: Reader::new(self.parameters),
            remaining: self.parameter_count,
        }
    }

    /// Returns the number of local variables that the parameters take, without `this`.
    #[must_use]
    pub const fn parameter_slots(&self) -> u8 {
        self.parameter_slots
    }

    /// Returns the method's result type, or `None` for `void`.
    #[must_use]
    pub const fn result(&self) -> Option<FieldType<'a>> {
        self.result
    }
}

/// Iterates over the parameter types of a method descriptor, in order.
#[derive(Clone, Debug)]
pub struct Parameters<'a> {
    reader: Reader<'a>,
    remaining: u8,
}

impl<'a> Iterator for Parameters<'a> {
    type Item = FieldType<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        self.reader.field_type().ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = usize::from(self.remaining);
        (remaining, Some(remaining))
    }
}

impl ExactSizeIterator for Parameters<'_> {}

/// Parses a sequence of types without recursion, so that hostile input cannot exhaust the stack.
#[derive(Clone, Debug)]
struct Reader<'a> {
    rest: &'a [u8],
    /// Length of the whole descriptor that is parsed, in bytes.
    length: usize,
}

impl<'a> Reader<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            length: bytes.len(),
        }
    }

    #[cold]
    fn error(&self, kind: DescriptorErrorKind) -> DescriptorError {
        let offset = self.length.saturating_sub(self.rest.len());
        // A descriptor in a class file has at most 65,535 bytes, so its offsets fit. For longer input from a caller,
        // the error's offset saturates.
        DescriptorError {
            offset: u16::try_from(offset).unwrap_or(u16::MAX),
            kind,
        }
    }

    #[cfg_attr(threaded, inline(always))]
    fn peek(&self) -> Result<u8, DescriptorError> {
        match self.rest.first() {
            Some(byte) => Ok(*byte),
            None => Err(self.error(DescriptorErrorKind::Truncated)),
        }
    }

    fn advance(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or(&[]);
    }

    fn end(&self) -> Result<(), DescriptorError> {
        match self.rest.first() {
            None => Ok(()),
            Some(&found) => Err(self.error(DescriptorErrorKind::Trailing { found })),
        }
    }

    #[cfg_attr(threaded, inline(always))]
    fn field_type(&mut self) -> Result<FieldType<'a>, DescriptorError> {
        let start = self.rest;
        let mut dimensions: u8 = 0;
        while self.peek()? == b'[' {
            let Some(more) = dimensions.checked_add(1) else {
                self.rest = start;
                return Err(self.error(DescriptorErrorKind::Dimensions));
            };
            dimensions = more;
            self.advance();
        }
        let element = self.element()?;
        Ok(match dimensions {
            0 => element.into(),
            _ => FieldType::Array {
                dimensions,
                element,
            },
        })
    }

    #[cfg_attr(threaded, inline(always))]
    fn element(&mut self) -> Result<ElementType<'a>, DescriptorError> {
        let element = match self.peek()? {
            b'B' => ElementType::Byte,
            b'C' => ElementType::Char,
            b'D' => ElementType::Double,
            b'F' => ElementType::Float,
            b'I' => ElementType::Int,
            b'J' => ElementType::Long,
            b'S' => ElementType::Short,
            b'Z' => ElementType::Boolean,
            b'L' => return self.object(),
            found => return Err(self.error(DescriptorErrorKind::NotAType { found })),
        };
        self.advance();
        Ok(element)
    }

    fn object(&mut self) -> Result<ElementType<'a>, DescriptorError> {
        let [_, behind @ ..] = self.rest else {
            return Err(self.error(DescriptorErrorKind::Truncated));
        };
        let length = behind.iter().position(|&byte| byte == b';');
        let split = length.and_then(|length| behind.split_at_checked(length));
        match split {
            Some((name, [_, rest @ ..])) if is_class_name(name) => {
                self.rest = rest;
                Ok(ElementType::Object(name))
            }
            _ => Err(self.error(DescriptorErrorKind::ClassName)),
        }
    }
}

/// Returns whether a name consists of unqualified names joined by `/` (JVMS §4.2.1). False for array classes.
pub(crate) fn is_class_name(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'/').all(is_unqualified_name)
}

/// Returns whether a name is a valid unqualified name (JVMS §4.2.2).
pub(crate) fn is_unqualified_name(name: &[u8]) -> bool {
    !name.is_empty()
        && !name
            .iter()
            .any(|byte| matches!(byte, b'.' | b';' | b'[' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::format;
    use std::vec::Vec;

    fn field_error(bytes: &[u8]) -> (u16, DescriptorErrorKind) {
        let error = parse_field(bytes).unwrap_err();
        (error.offset, error.kind)
    }

    fn method_error(bytes: &[u8]) -> (u16, DescriptorErrorKind) {
        let error = MethodDescriptor::parse(bytes).unwrap_err();
        (error.offset, error.kind)
    }

    #[test]
    fn every_type_of_the_specification_is_read() {
        // JVMS table 4.3-A.
        let base = [
            ("B", FieldType::Byte),
            ("C", FieldType::Char),
            ("D", FieldType::Double),
            ("F", FieldType::Float),
            ("I", FieldType::Int),
            ("J", FieldType::Long),
            ("S", FieldType::Short),
            ("Z", FieldType::Boolean),
            ("La/B;", FieldType::Object(b"a/B")),
        ];
        for (descriptor, expected) in base {
            assert_eq!(parse_field(descriptor.as_bytes()), Ok(expected));
        }
        let element = ElementType::Object(b"a/B");
        let array = FieldType::Array {
            dimensions: 3,
            element,
        };
        assert_eq!(parse_field(b"[[[La/B;"), Ok(array));
        assert_eq!(array.class_name(), Some(&b"a/B"[..]));
    }

    #[test]
    fn malformed_types_are_refused_where_they_break() {
        use DescriptorErrorKind as Kind;
        assert_eq!(field_error(b""), (0, Kind::Truncated));
        assert_eq!(field_error(b"["), (1, Kind::Truncated));
        assert_eq!(field_error(b"V"), (0, Kind::NotAType { found: b'V' }));
        assert_eq!(field_error(b"[V"), (1, Kind::NotAType { found: b'V' }));
        assert_eq!(field_error(b"II"), (1, Kind::Trailing { found: b'I' }));
        for name in ["L;", "La", "La.b;", "La[;", "L/a;", "La/;", "La//b;"] {
            assert_eq!(field_error(name.as_bytes()), (0, Kind::ClassName), "{name}");
        }
        assert_eq!(method_error(b"I"), (0, Kind::NotAMethod { found: b'I' }));
        assert_eq!(method_error(b"("), (1, Kind::Truncated));
        assert_eq!(method_error(b"(I"), (2, Kind::Truncated));
        assert_eq!(method_error(b"()"), (2, Kind::Truncated));
        assert_eq!(method_error(b"(V)V"), (1, Kind::NotAType { found: b'V' }));
        assert_eq!(method_error(b"()VV"), (3, Kind::Trailing { found: b'V' }));
    }

    #[test]
    fn arrays_have_up_to_255_dimensions() {
        let deepest = parse_field(&[&[b'['; 255][..], b"I"].concat()).map(FieldType::slots);
        assert_eq!(deepest, Ok(1));
        let too_deep = [&[b'['; 256][..], b"I"].concat();
        assert_eq!(field_error(&too_deep), (0, DescriptorErrorKind::Dimensions));
    }

    #[test]
    fn parameters_take_at_most_255_slots() {
        let most = format!("({}I)V", "JD".repeat(63) + "J");
        assert_eq!(
            MethodDescriptor::parse(most.as_bytes())
                .unwrap()
                .parameter_slots(),
            255
        );
        let more = format!("({})V", "J".repeat(128));
        // The error's offset is that of the 128th parameter, after `(` and 127 parameters of one byte.
        assert_eq!(
            method_error(more.as_bytes()),
            (128, DescriptorErrorKind::ParameterSlots)
        );
    }

    #[test]
    fn parameters_and_result_come_in_order() {
        let descriptor = MethodDescriptor::parse(b"(I[BLx;J)[S").unwrap();
        let parameters: Vec<_> = descriptor.parameters().collect();
        let bytes = FieldType::Array {
            dimensions: 1,
            element: ElementType::Byte,
        };
        assert_eq!(
            parameters,
            [
                FieldType::Int,
                bytes,
                FieldType::Object(b"x"),
                FieldType::Long
            ]
        );
        assert_eq!(descriptor.parameters().len(), 4);
        assert_eq!(descriptor.parameter_slots(), 5);
        assert_eq!(
            descriptor.result().and_then(FieldType::array_kind),
            Some(ArrayKind::Short)
        );
    }
}
