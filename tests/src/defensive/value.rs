//! Values that carry types, and their membership in verification types.

use jive_core::ArrayKind;
use jive_verifier::VerificationType;

/// A reference to an array, which can be recognized as dangling.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArrayRef {
    /// The array's position among the arrays that were alive when it was made.
    pub(super) place: usize,
    /// The array's number among all arrays ever made, which is never reused.
    pub(super) serial: u64,
    /// Type of the array's elements.
    pub kind: ArrayKind,
}

/// The value of a local variable, an operand or a field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A local variable that has not been set.
    Unset,
    /// An `int`.
    Int(i32),
    /// The null reference.
    Null,
    /// An array.
    Array(ArrayRef),
    /// The only object of the class.
    This,
    /// The object in its constructor, before the call of `Object.<init>`.
    RawThis,
}

impl Value {
    /// Returns whether the value belongs to the type.
    #[must_use]
    pub fn lies_in(self, kind: VerificationType) -> bool {
        match kind {
            VerificationType::Top => true,
            VerificationType::Int => matches!(self, Value::Int(_)),
            VerificationType::UninitializedThis => self == Value::RawThis,
            VerificationType::Null => self == Value::Null,
            VerificationType::ByteArray => self.is_array_of(ArrayKind::Byte),
            VerificationType::ShortArray => self.is_array_of(ArrayKind::Short),
            VerificationType::IntArray => self.is_array_of(ArrayKind::Int),
            VerificationType::BooleanArray => self.is_array_of(ArrayKind::Boolean),
            VerificationType::This => matches!(self, Value::This | Value::Null),
            VerificationType::AnyReference => {
                matches!(self, Value::This | Value::Null | Value::Array(_))
            }
        }
    }

    /// Returns whether the value is null or an array of this kind.
    #[must_use]
    pub fn is_array_of(self, kind: ArrayKind) -> bool {
        match self {
            Value::Null => true,
            Value::Array(array) => array.kind == kind,
            Value::Unset | Value::Int(_) | Value::This | Value::RawThis => false,
        }
    }

    /// Returns whether the value is a reference, including one to an object under construction.
    #[must_use]
    pub fn is_reference(self) -> bool {
        !matches!(self, Value::Int(_) | Value::Unset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_hold_the_values_of_the_lattice() {
        let array = |kind| {
            Value::Array(ArrayRef {
                place: 0,
                serial: 0,
                kind,
            })
        };
        let values = [
            Value::Unset,
            Value::Int(0),
            Value::Null,
            array(ArrayKind::Byte),
            array(ArrayKind::Short),
            array(ArrayKind::Int),
            array(ArrayKind::Boolean),
            Value::This,
            Value::RawThis,
        ];
        // A greater type contains all values of a lesser type. Only `Top` contains an unset local variable.
        for lower in VerificationType::ALL {
            for upper in VerificationType::ALL {
                let contained = values
                    .iter()
                    .all(|value| !value.lies_in(lower) || value.lies_in(upper));
                assert_eq!(
                    contained,
                    lower.is_assignable_to(upper),
                    "{lower:?} {upper:?}"
                );
            }
            assert_eq!(
                Value::Unset.lies_in(lower),
                lower == VerificationType::Top,
                "{lower:?}"
            );
        }
    }
}
