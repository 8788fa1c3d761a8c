//! Declared types of members, and the lookup of members by the names in instructions.

use jive_core::{
    ArrayKind, ClassFile, CpIndex, Field, FieldAccess, FieldType, Method, MethodAccess,
    MethodDescriptor, NativeDecl, NativeId, NativeType, find_native, find_native_of, parse_field,
};

use super::compute::sign_extended;
use super::value::Value;

/// A type that a field, parameter or result declares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// `int`.
    Int,
    /// `byte`.
    Byte,
    /// `short`.
    Short,
    /// `boolean`.
    Boolean,
    /// An array.
    Array(ArrayKind),
    /// The class itself.
    This,
}

impl Declared {
    /// Returns the type of a field; `None` if it is outside the subset.
    pub(super) fn of_field(field: &Field<'_>) -> Option<Declared> {
        Declared::of(parse_field(field.descriptor.as_bytes()).ok()?)
    }

    fn of(kind: FieldType<'_>) -> Option<Declared> {
        match kind {
            FieldType::Int => Some(Declared::Int),
            FieldType::Byte => Some(Declared::Byte),
            FieldType::Short => Some(Declared::Short),
            FieldType::Boolean => Some(Declared::Boolean),
            FieldType::Object(_) => Some(Declared::This),
            FieldType::Array { .. } => kind.array_kind().map(Declared::Array),
            FieldType::Char | FieldType::Long | FieldType::Float | FieldType::Double => None,
        }
    }

    /// Returns the type of a native's parameter or result.
    pub(super) fn of_native(kind: NativeType) -> Declared {
        match kind {
            NativeType::Int => Declared::Int,
            NativeType::BooleanArray => Declared::Array(ArrayKind::Boolean),
            NativeType::ByteArray => Declared::Array(ArrayKind::Byte),
            NativeType::ShortArray => Declared::Array(ArrayKind::Short),
            NativeType::IntArray => Declared::Array(ArrayKind::Int),
        }
    }

    /// Returns the initial value of a field.
    pub(super) fn initial(self) -> Value {
        match self {
            Declared::Int | Declared::Byte | Declared::Short | Declared::Boolean => Value::Int(0),
            Declared::Array(_) | Declared::This => Value::Null,
        }
    }

    /// Returns whether a value conforms to the declared type. Every `int` conforms to an integer type, because the
    /// subset computes with `int` throughout.
    #[must_use]
    pub fn accepts(self, value: Value) -> bool {
        match self {
            Declared::Int | Declared::Byte | Declared::Short | Declared::Boolean => {
                matches!(value, Value::Int(_))
            }
            Declared::Array(kind) => value.is_array_of(kind),
            Declared::This => matches!(value, Value::Null | Value::This),
        }
    }

    /// Narrows a stored or returned value (docs/subset.md).
    pub(super) fn narrowed(self, value: Value) -> Value {
        match (self, value) {
            (Declared::Byte, Value::Int(value)) => Value::Int(sign_extended(value, 8)),
            (Declared::Short, Value::Int(value)) => Value::Int(sign_extended(value, 16)),
            (Declared::Boolean, Value::Int(value)) => Value::Int(value & 1),
            (_, value) => value,
        }
    }
}

/// The parameters and the result of a method.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) parameters: Vec<Declared>,
    pub(super) result: Option<Declared>,
}

impl Signature {
    pub(super) fn of(method: &Method<'_>) -> Option<Signature> {
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes()).ok()?;
        Some(Signature {
            parameters: descriptor
                .parameters()
                .map(Declared::of)
                .collect::<Option<_>>()?,
            result: match descriptor.result() {
                Some(result) => Some(Declared::of(result)?),
                None => None,
            },
        })
    }
}

/// The target of a call instruction.
pub(super) enum Callee<'c> {
    /// `Object.<init>`.
    ObjectInit,
    /// A method that the class declares.
    Method(Method<'c>),
    /// A native, with or without a receiver.
    Native {
        id: NativeId,
        decl: &'static NativeDecl<'static>,
        has_receiver: bool,
    },
}

/// Finds the target of a call instruction by comparing names at each call.
pub(super) fn callee<'c>(
    class: ClassFile<'c>,
    natives: &'static [NativeDecl<'static>],
    index: CpIndex,
) -> Option<Callee<'c>> {
    let named = class.pool().member(index).ok()?;
    if named.class != class.name() {
        if named.class == "java/lang/Object" && named.name == "<init>" {
            return Some(Callee::ObjectInit);
        }
        let class = named.class.as_bytes();
        let (name, descriptor) = (named.name.as_bytes(), named.descriptor.as_bytes());
        let (id, decl) = find_native_of(natives, class, name, descriptor)?;
        return Some(Callee::Native {
            id,
            decl,
            has_receiver: false,
        });
    }
    let method = class
        .methods()
        .find(|method| method.name == named.name && method.descriptor == named.descriptor)?;
    if !method.access.contains(MethodAccess::NATIVE) {
        return Some(Callee::Method(method));
    }
    let (name, descriptor) = (method.name.as_bytes(), method.descriptor.as_bytes());
    let (id, decl) = find_native(natives, name, descriptor)?;
    Some(Callee::Native {
        id,
        decl,
        has_receiver: !method.access.contains(MethodAccess::STATIC),
    })
}

/// Finds the field that an instruction names, and whether it is static.
pub(super) fn field<'c>(class: ClassFile<'c>, index: CpIndex) -> Option<(Field<'c>, bool)> {
    let named = class.pool().member(index).ok()?;
    if named.class != class.name() {
        return None;
    }
    let field = class
        .fields()
        .find(|field| field.name == named.name && field.descriptor == named.descriptor)?;
    Some((field, field.access.contains(FieldAccess::STATIC)))
}
