//! Values that carry their types, and which of them lie in a verification type.

use jive_core::ArrayKind;
use jive_verifier::VerificationType;

/// A reference to an array, by which a dangling one is told from a live one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArrayRef {
    /// Its place among the arrays alive when it was made.
    pub(super) place: usize,
    /// Its number among all arrays ever made; never used twice.
    pub(super) serial: u64,
    /// Its elements' type.
    pub kind: ArrayKind,
}

/// What a local variable, an operand or a field holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A local variable that nothing was stored in.
    Unset,
    /// An `int`.
    Int(i32),
    /// The null reference.
    Null,
    /// An array.
    Array(ArrayRef),
    /// The one object of the class.
    This,
    /// The same in its constructor, before `Object.<init>`.
    RawThis,
}

impl Value {
    /// Whether the value is one of those that the type stands for.
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

    /// Whether the value is null or an array of this kind.
    #[must_use]
    pub fn is_array_of(self, kind: ArrayKind) -> bool {
        match self {
            Value::Null => true,
            Value::Array(array) => array.kind == kind,
            Value::Unset | Value::Int(_) | Value::This | Value::RawThis => false,
        }
    }

    /// Whether the value is a reference, that of an object under construction included.
    #[must_use]
    pub fn is_reference(self) -> bool {
        !matches!(self, Value::Int(_) | Value::Unset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_hold_the_values_that_the_lattice_says() {
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
        // A greater type holds all that a lesser one does, and none but `Top` holds what is unset.
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
