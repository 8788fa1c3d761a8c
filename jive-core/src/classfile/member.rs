//! Fields and methods (JVMS §4.5, §4.6).

use super::access::{ClassAccess, FieldAccess, MethodAccess};
use super::attribute::{Attributes, Visit};
use super::code::{self, Code};
use super::entry::part_at;
use super::error::{AttributeName, ParseErrorKind};
use super::fault::{Place, Rejected};
use super::grammar::Reader;
use super::pool::ConstantPool;
use super::subject::Subject;
use super::tag::ConstantTag;
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::id::{CpIndex, FieldId, MethodId};
use crate::limits::PARAMETER_SLOTS_MAX;

/// A field of a class file.
///
/// Name and descriptor of the member are well-formed, and its combination of access flags is legal. The constant of a
/// `ConstantValue` has the field's type.
#[derive(Copy, Clone, Debug)]
pub struct Field<'a> {
    /// Index of the field in the class file.
    pub id: FieldId,
    /// Access flags, without flags unknown to the specification.
    pub access: FieldAccess,
    /// Name of the field.
    pub name: Utf8<'a>,
    /// Field descriptor.
    pub descriptor: Utf8<'a>,
    attributes: Attributes<'a>,
}

impl<'a> Field<'a> {
    /// Returns whether the field is a constant (`static final` with a `ConstantValue`), whose value compilers copy into
    /// the code.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let is_static_final = FieldAccess::STATIC | FieldAccess::FINAL;
        self.access.contains(is_static_final) && self.constant_value().is_some()
    }

    /// Returns the constant of the `ConstantValue` attribute. Returns `None` for a field that is not static, because a
    /// JVM ignores its `ConstantValue` (JVMS §4.7.2).
    #[must_use]
    pub fn constant_value(&self) -> Option<CpIndex> {
        if !self.access.contains(FieldAccess::STATIC) {
            return None;
        }
        let [high, low] = *self.attributes.find("ConstantValue")?.bytes.first_chunk()?;
        Some(CpIndex(u16::from_be_bytes([high, low])))
    }

    /// Returns the attributes of the field.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }
}

/// A method of a class file.
///
/// Name and descriptor of the member are well-formed, and its combination of access flags is legal. A method has code
/// exactly if it is neither native nor abstract.
#[derive(Copy, Clone, Debug)]
pub struct Method<'a> {
    /// Index of the method in the class file.
    pub id: MethodId,
    /// Access flags with their meaning to the JVM. The parser clears access flags unknown to the specification. For
    /// `<clinit>`, the parser clears all access flags except `STATIC` and `STRICT` (JVMS §4.6).
    pub access: MethodAccess,
    /// Name of the method.
    pub name: Utf8<'a>,
    /// Method descriptor.
    pub descriptor: Utf8<'a>,
    attributes: Attributes<'a>,
    /// Offset of the contents of the `Code` attribute in the file, or 0 if the method has no code.
    code: u32,
}

impl<'a> Method<'a> {
    /// Returns the code of the method. Native and abstract methods have no code.
    #[must_use]
    pub fn code(&self) -> Option<Code<'a>> {
        code::at_offset(self.attributes.pool(), self.code)
    }

    /// Returns the attributes of the method.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }
}

/// The four numbers at the start of a field or method.
#[derive(Copy, Clone, Debug)]
pub(super) struct Header {
    pub(super) access: u16,
    pub(super) name: CpIndex,
    pub(super) descriptor: CpIndex,
    pub(super) attribute_count: u16,
}

impl Header {
    /// Reads the header of a field or method. Returns the header of the field or method, and the bytes after the
    /// header.
    pub(super) fn split(bytes: &[u8]) -> Option<(Header, &[u8])> {
        let ([a0, a1, n0, n1, d0, d1, c0, c1], rest) = bytes.split_first_chunk()?;
        let header = Header {
            access: u16::from_be_bytes([*a0, *a1]),
            name: CpIndex(u16::from_be_bytes([*n0, *n1])),
            descriptor: CpIndex(u16::from_be_bytes([*d0, *d1])),
            attribute_count: u16::from_be_bytes([*c0, *c1]),
        };
        Some((header, rest))
    }
}

/// Reads the field at the start of `bytes`.
pub(super) fn field<'a>(pool: ConstantPool<'a>, id: FieldId, bytes: &'a [u8]) -> Option<Field<'a>> {
    let (header, rest) = Header::split(bytes)?;
    Some(Field {
        id,
        access: FieldAccess::from_bits_truncate(header.access),
        name: pool.find_utf8(header.name)?,
        descriptor: pool.find_utf8(header.descriptor)?,
        attributes: Attributes::new(pool, header.attribute_count, rest),
    })
}

/// Reads the method at the start of `bytes`.
pub(super) fn method<'a>(
    pool: ConstantPool<'a>,
    version: ClassVersion,
    id: MethodId,
    bytes: &'a [u8],
    code: u32,
) -> Option<Method<'a>> {
    let (header, rest) = Header::split(bytes)?;
    let name = pool.find_utf8(header.name)?;
    Some(Method {
        id,
        access: MethodAccess::read(header.access, version, name == "<clinit>"),
        name,
        descriptor: pool.find_utf8(header.descriptor)?,
        attributes: Attributes::new(pool, header.attribute_count, rest),
        code,
    })
}

/// Searches the unchecked attributes of the method at an offset for its `Code` attribute. Returns the offset of the
/// contents of the `Code` attribute, or 0 if the method has no complete one.
pub(super) fn find_code(pool: ConstantPool<'_>, offset: u32) -> u32 {
    let find = || {
        let (header, rest) = Header::split(part_at(pool.file(), offset)?)?;
        let code = Attributes::new(pool, header.attribute_count, rest).find("Code")?;
        code::is_whole(pool, code.bytes).then(|| Place::of(code.bytes).offset_in(pool.file()))
    };
    find().unwrap_or(0)
}

impl<'a> Subject<'a> {
    /// Checks the field at the start of `bytes`.
    pub(super) fn check_field(&self, bytes: &'a [u8]) -> Result<(), Rejected> {
        let at = Place::of(bytes);
        let (header, rest) = self.header(bytes)?;
        let access = FieldAccess::from_bits_truncate(header.access);
        if !access.is_legal(self.version, self.access.contains(ClassAccess::INTERFACE)) {
            let flags = header.access;
            return Err(self.reject(at, ParseErrorKind::FieldFlags { flags }));
        }
        self.field_type(at, header.name, header.descriptor)?;
        let attributes = Attributes::new(self.pool, header.attribute_count, rest);
        let mut visit = Visit::new(self, attributes);
        while let Some(attribute) = visit.next()? {
            if attribute.name == AttributeName::ConstantValue
                && access.contains(FieldAccess::STATIC)
            {
                visit.once(&attribute)?;
                let index = self.one_index(attribute.bytes)?;
                let at = Place::of(attribute.bytes);
                self.check_constant_value(at, index, self.content(header.descriptor))?;
            }
        }
        Ok(())
    }

    /// Checks that the constant of a `ConstantValue` has the field's type (JVMS table 4.7.2-A).
    fn check_constant_value(
        &self,
        at: Place,
        index: CpIndex,
        descriptor: Utf8<'a>,
    ) -> Result<(), Rejected> {
        let found = self
            .pool
            .tag(index)
            .map_err(|reason| self.reject_index(at, reason))?;
        let expected = match descriptor.as_bytes() {
            b"Z" | b"B" | b"C" | b"S" | b"I" => Some(ConstantTag::Integer),
            b"J" => Some(ConstantTag::Long),
            b"F" => Some(ConstantTag::Float),
            b"D" => Some(ConstantTag::Double),
            _ if descriptor == "Ljava/lang/String;" => Some(ConstantTag::String),
            _ => None,
        };
        if expected == Some(found) {
            Ok(())
        } else {
            Err(self.reject(at, ParseErrorKind::ConstantValue { found }))
        }
    }

    /// Checks the method at the start of `bytes`. Returns the offset of the contents of the method's `Code` attribute,
    /// or 0 if the method has none.
    pub(super) fn check_method(&self, bytes: &'a [u8]) -> Result<u32, Rejected> {
        let at = Place::of(bytes);
        let (header, rest) = self.header(bytes)?;
        let descriptor = self.method_type(at, header.name, header.descriptor)?;
        let name = self.content(header.name);
        let access = MethodAccess::read(header.access, self.version, name == "<clinit>");
        let in_interface = self.access.contains(ClassAccess::INTERFACE);
        if !access.is_legal(self.version, in_interface, name) {
            let flags = header.access;
            return Err(self.reject(at, ParseErrorKind::MethodFlags { flags }));
        }
        let this = u16::from(!access.contains(MethodAccess::STATIC));
        let slots = u16::from(descriptor.parameter_slots).saturating_add(this);
        if slots > u16::from(PARAMETER_SLOTS_MAX) {
            return Err(self.reject(at, ParseErrorKind::ParameterSlots { found: slots }));
        }
        let attributes = Attributes::new(self.pool, header.attribute_count, rest);
        self.check_method_attributes(at, access, slots, attributes)
    }

    fn check_method_attributes(
        &self,
        at: Place,
        access: MethodAccess,
        parameter_slots: u16,
        attributes: Attributes<'a>,
    ) -> Result<u32, Rejected> {
        let mut code = 0;
        let bodiless = access.intersects(MethodAccess::NATIVE | MethodAccess::ABSTRACT);
        let mut visit = Visit::new(self, attributes);
        while let Some(attribute) = visit.next()? {
            if attribute.name == AttributeName::Code {
                visit.once(&attribute)?;
                if bodiless {
                    return Err(self.reject(attribute.at, ParseErrorKind::CodePresent));
                }
                self.check_code(attribute.bytes, parameter_slots)?;
                code = Place::of(attribute.bytes).offset_in(self.faults.file());
            } else if attribute.name == AttributeName::Exceptions {
                visit.once(&attribute)?;
                let reader = &mut Reader::part(attribute.bytes, self.faults);
                let classes = reader.table()?;
                reader.end(ParseErrorKind::AttributeLength)?;
                for index in classes {
                    let class = CpIndex(u16::from_be_bytes(*index));
                    self.kind(Place::of(index), class, ConstantTag::Class.only())?;
                }
            }
        }
        if visit.is_seen(AttributeName::Code) || bodiless {
            Ok(code)
        } else {
            Err(self.reject(at, ParseErrorKind::CodeMissing))
        }
    }

    /// Reads the header of a field or method. Returns the header of the field or method, and the bytes after the
    /// header.
    fn header(&self, bytes: &'a [u8]) -> Result<(Header, &'a [u8]), Rejected> {
        let cut_off = || self.reject(Place::of(bytes), ParseErrorKind::Truncated);
        Header::split(bytes).ok_or_else(cut_off)
    }
}
