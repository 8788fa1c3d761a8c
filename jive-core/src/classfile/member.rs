//! Fields and methods (JVMS §4.5, §4.6).

use nom::Parser;
use nom::number::complete::be_u16;

use super::access::{FieldAccess, MethodAccess};
use super::attribute::Attributes;
use super::code::{self, Code};
use super::grammar::Parsed;
use super::pool::ConstantPool;
use super::utf8::Utf8;
use crate::id::{CpIndex, FieldId, MethodId};

/// A field of the class.
///
/// Holding one proves that its name and descriptor are well-formed, that its flags agree, and that a
/// `ConstantValue` fits its type.
#[derive(Copy, Clone, Debug)]
pub struct Field<'a> {
    /// Its position in the class file.
    pub id: FieldId,
    /// Its flags, those unknown to the specification left out.
    pub access: FieldAccess,
    /// Its name.
    pub name: Utf8<'a>,
    /// Its descriptor.
    pub descriptor: Utf8<'a>,
    attributes: Attributes<'a>,
}

impl<'a> Field<'a> {
    /// Returns the constant of a static field's `ConstantValue`; of other fields it does not count
    /// (JVMS §4.7.2).
    #[must_use]
    pub fn constant_value(&self) -> Option<CpIndex> {
        if !self.access.contains(FieldAccess::STATIC) {
            return None;
        }
        let [high, low] = *self.attributes.find("ConstantValue")?.bytes.first_chunk()?;
        Some(CpIndex(u16::from_be_bytes([high, low])))
    }

    /// Returns its attributes.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }
}

/// A method of the class.
///
/// Holding one proves that its name and descriptor are well-formed, that its flags agree, and that it
/// has code exactly where it is neither native nor abstract.
#[derive(Copy, Clone, Debug)]
pub struct Method<'a> {
    /// Its position in the class file.
    pub id: MethodId,
    /// Its flags as the JVM counts them: without those unknown to the specification, and for
    /// `<clinit>` without all but `STATIC` and `STRICT` (JVMS §4.6).
    pub access: MethodAccess,
    /// Its name.
    pub name: Utf8<'a>,
    /// Its descriptor.
    pub descriptor: Utf8<'a>,
    attributes: Attributes<'a>,
    code: Option<Code<'a>>,
}

impl<'a> Method<'a> {
    /// Returns its code; native and abstract methods have none.
    #[must_use]
    pub const fn code(&self) -> Option<Code<'a>> {
        self.code
    }

    /// Returns its attributes.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }
}

/// The four numbers that a field or method begins with.
#[derive(Copy, Clone, Debug)]
pub(super) struct Header {
    pub(super) access: u16,
    pub(super) name: CpIndex,
    pub(super) descriptor: CpIndex,
    pub(super) attribute_count: u16,
}

/// Reads the header of a field or method.
pub(super) fn header(input: &[u8]) -> Parsed<'_, Header> {
    (be_u16, be_u16, be_u16, be_u16)
        .map(|(access, name, descriptor, attribute_count)| Header {
            access,
            name: CpIndex(name),
            descriptor: CpIndex(descriptor),
            attribute_count,
        })
        .parse(input)
}

/// Reads the field at the beginning of `bytes`, which the parser has checked.
pub(super) fn field<'a>(pool: ConstantPool<'a>, id: FieldId, bytes: &'a [u8]) -> Option<Field<'a>> {
    let (rest, header) = header(bytes).ok()?;
    Some(Field {
        id,
        access: FieldAccess::from_bits_truncate(header.access),
        name: pool.utf8(header.name).ok()?,
        descriptor: pool.utf8(header.descriptor).ok()?,
        attributes: Attributes::new(pool, header.attribute_count, rest),
    })
}

/// Reads the method at the beginning of `bytes`, which the parser has checked.
pub(super) fn method<'a>(
    pool: ConstantPool<'a>,
    id: MethodId,
    bytes: &'a [u8],
) -> Option<Method<'a>> {
    let (rest, header) = header(bytes).ok()?;
    let attributes = Attributes::new(pool, header.attribute_count, rest);
    let code = attributes
        .find("Code")
        .and_then(|code| code::code(pool, code.bytes).ok());
    Some(Method {
        id,
        access: MethodAccess::from_bits_truncate(header.access),
        name: pool.utf8(header.name).ok()?,
        descriptor: pool.utf8(header.descriptor).ok()?,
        attributes,
        code: code.map(|(_, code)| code),
    })
}
