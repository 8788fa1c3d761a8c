//! Translation of descriptors to verification types, which rejects types outside the subset.

use jive_core::{ArrayKind, ElementType, FieldType, Utf8};

use crate::error::VerifyErrorKind;
use crate::found::TypeUse;
use crate::types::VerificationType;

/// Returns the verification type for a declared type. Fails if the declared type is outside the subset.
pub(crate) fn field_type(
    declared: FieldType<'_>,
    own_name: Utf8<'_>,
    found: TypeUse,
) -> Result<VerificationType, VerifyErrorKind> {
    match declared {
        FieldType::Byte | FieldType::Short | FieldType::Int | FieldType::Boolean => {
            Ok(VerificationType::Int)
        }
        FieldType::Char => Err(VerifyErrorKind::Char { found }),
        FieldType::Long => Err(VerifyErrorKind::Long { found }),
        FieldType::Float => Err(VerifyErrorKind::Float { found }),
        FieldType::Double => Err(VerifyErrorKind::Double { found }),
        FieldType::Object(name) if name == own_name.as_bytes() => Ok(VerificationType::This),
        // The class name is compared as a slice, because matching a pattern compares byte by byte, which takes twice as
        // much code.
        FieldType::Object(name) if name == b"java/lang/String".as_slice() => {
            Err(VerifyErrorKind::String { found })
        }
        FieldType::Object(_) => Err(VerifyErrorKind::ForeignType { found }),
        FieldType::Array {
            dimensions: 1,
            element,
        } => array_of(element, found),
        FieldType::Array { .. } => Err(VerifyErrorKind::ReferenceArray { found }),
    }
}

fn array_of(element: ElementType<'_>, found: TypeUse) -> Result<VerificationType, VerifyErrorKind> {
    match element {
        ElementType::Boolean => Ok(array_type(ArrayKind::Boolean)),
        ElementType::Byte => Ok(array_type(ArrayKind::Byte)),
        ElementType::Short => Ok(array_type(ArrayKind::Short)),
        ElementType::Int => Ok(array_type(ArrayKind::Int)),
        ElementType::Char => Err(VerifyErrorKind::Char { found }),
        ElementType::Long => Err(VerifyErrorKind::Long { found }),
        ElementType::Float => Err(VerifyErrorKind::Float { found }),
        ElementType::Double => Err(VerifyErrorKind::Double { found }),
        ElementType::Object(_) => Err(VerifyErrorKind::ReferenceArray { found }),
    }
}

/// Returns the verification type for an array kind.
pub(crate) const fn array_type(kind: ArrayKind) -> VerificationType {
    match kind {
        ArrayKind::Boolean => VerificationType::BooleanArray,
        ArrayKind::Byte => VerificationType::ByteArray,
        ArrayKind::Short => VerificationType::ShortArray,
        ArrayKind::Int => VerificationType::IntArray,
    }
}
