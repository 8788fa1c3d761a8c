//! Translation of descriptors to verification types, which rejects types outside the subset.

use jive_core::{ArrayKind, ElementType, FieldType, Utf8};

use crate::error::{Reason, VerifyErrorKind};
use crate::found::TypeUse;
use crate::types::VerificationType;

/// Returns the verification type for a declared type. Fails if the declared type is outside the subset.
pub(crate) fn field_type<K: Reason>(
    declared: FieldType<'_>,
    own_name: Utf8<'_>,
    found: TypeUse,
) -> Result<VerificationType, K> {
    match declared {
        FieldType::Byte | FieldType::Short | FieldType::Int | FieldType::Boolean => {
            Ok(VerificationType::Int)
        }
        FieldType::Char => Err(VerifyErrorKind::Char { found }.into()),
        FieldType::Long => Err(VerifyErrorKind::Long { found }.into()),
        FieldType::Float => Err(VerifyErrorKind::Float { found }.into()),
        FieldType::Double => Err(VerifyErrorKind::Double { found }.into()),
        FieldType::Object(name) if name == own_name.as_bytes() => Ok(VerificationType::This),
        // The class name is compared as a slice, because matching a pattern compares byte by byte, which takes twice as
        // much code.
        FieldType::Object(name) if name == b"java/lang/String".as_slice() => {
            Err(VerifyErrorKind::String { found }.into())
        }
        FieldType::Object(_) => Err(VerifyErrorKind::ForeignType { found }.into()),
        FieldType::Array {
            dimensions: 1,
            element,
        } => array_of(element, found),
        FieldType::Array { .. } => Err(VerifyErrorKind::ReferenceArray { found }.into()),
    }
}

fn array_of<K: Reason>(element: ElementType<'_>, found: TypeUse) -> Result<VerificationType, K> {
    match element {
        ElementType::Boolean => Ok(array_type(ArrayKind::Boolean)),
        ElementType::Byte => Ok(array_type(ArrayKind::Byte)),
        ElementType::Short => Ok(array_type(ArrayKind::Short)),
        ElementType::Int => Ok(array_type(ArrayKind::Int)),
        ElementType::Char => Err(VerifyErrorKind::Char { found }.into()),
        ElementType::Long => Err(VerifyErrorKind::Long { found }.into()),
        ElementType::Float => Err(VerifyErrorKind::Float { found }.into()),
        ElementType::Double => Err(VerifyErrorKind::Double { found }.into()),
        ElementType::Object(_) => Err(VerifyErrorKind::ReferenceArray { found }.into()),
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
