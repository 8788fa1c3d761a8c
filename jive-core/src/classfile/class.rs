//! A parsed class file, whose parts are decoded on demand (JVMS §4.1).

use core::slice;

use super::access::ClassAccess;
use super::attribute::Attributes;
use super::code::{self, Code};
use super::entry::{OwnMember, Resolution, part_at};
use super::layout;
use super::member::{self, Field, Header, Method};
use super::pool::{ConstantPool, MemberIdentity, MemberKind};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::id::{CpIndex, FieldId, MethodId};

/// A class file with a valid structure.
///
/// The file obeys JVMS §4 in lengths, tags, constant pool references, names, descriptors, access flags and the
/// attributes that this crate reads. The code of methods is unchecked. Classes and members that the class file names
/// may not exist.
///
/// [`ClassFile::trusted`] checks only lengths and tags. All other guarantees, including those of the types that the
/// class contains, rely on the supplier of the file. If the class file violates a guarantee of a `ClassFile`, lookups
/// find nothing.
#[derive(Copy, Clone, Debug)]
pub struct ClassFile<'a> {
    pub(super) version: ClassVersion,
    pub(super) pool: ConstantPool<'a>,
    pub(super) access: ClassAccess,
    pub(super) name: Utf8<'a>,
    pub(super) this_class: CpIndex,
    pub(super) super_class: Option<CpIndex>,
    pub(super) interfaces: &'a [[u8; 2]],
    /// Offset of each field in the file.
    pub(super) fields: &'a [u32],
    /// Offset of each method in the file.
    pub(super) methods: &'a [u32],
    /// Offset of the contents of each method's `Code` attribute in the file, or 0 if the method has no code.
    pub(super) codes: &'a [u32],
    pub(super) attribute_count: u16,
    pub(super) attributes: &'a [u8],
}

impl<'a> ClassFile<'a> {
    /// Returns the version of the class file.
    #[must_use]
    pub const fn version(&self) -> ClassVersion {
        self.version
    }

    /// Returns the constant pool.
    #[must_use]
    pub const fn pool(&self) -> ConstantPool<'a> {
        self.pool
    }

    /// Returns the access flags of the class, without flags unknown to the specification.
    #[must_use]
    pub const fn access(&self) -> ClassAccess {
        self.access
    }

    /// Returns the internal name of the class.
    #[must_use]
    pub const fn name(&self) -> Utf8<'a> {
        self.name
    }

    /// Returns the constant that names this class.
    #[must_use]
    pub const fn this_class(&self) -> CpIndex {
        self.this_class
    }

    /// Returns the constant that names the superclass. Only `Object` and modules have no superclass.
    #[must_use]
    pub const fn super_class(&self) -> Option<CpIndex> {
        self.super_class
    }

    /// Returns the constants that name the direct superinterfaces.
    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = CpIndex> + use<'a> {
        self.interfaces
            .iter()
            .map(|bytes| CpIndex(u16::from_be_bytes(*bytes)))
    }

    /// Returns how many words of the lent index the class file uses.
    #[must_use]
    pub fn index_words(&self) -> usize {
        layout::index_words(
            self.pool.count().into(),
            self.fields.len(),
            self.methods.len(),
        )
    }

    /// Returns how many fields the class declares.
    #[must_use]
    pub const fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns a field by index.
    #[must_use]
    pub fn field(&self, id: FieldId) -> Option<Field<'a>> {
        self.field_at().read(id.0)
    }

    /// Iterates over the fields, in file order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'a>> + use<'a> {
        self.field_at()
    }

    const fn field_at(&self) -> Members<'a, Field<'a>> {
        Members {
            pool: self.pool,
            version: self.version,
            offsets: self.fields,
            codes: &[],
            next: 0,
            read: |pool, _, id, bytes, _| member::field(pool, FieldId(id), bytes),
        }
    }

    /// Iterates over the identities of the fields, in file order.
    pub fn field_identities(&self) -> impl Iterator<Item = (FieldId, MemberIdentity)> + use<'a> {
        let ids = (0..u16::MAX).map(FieldId);
        ids.zip(self.identities(self.fields))
    }

    /// Returns the member of this class that a `Fieldref` or `Methodref` names.
    #[must_use]
    pub fn own_member(&self, index: CpIndex) -> Option<OwnMember> {
        match self.pool.resolution(index) {
            Resolution::Own(member) => Some(member),
            Resolution::Foreign => None,
            Resolution::Unresolved => self.find_own(index),
        }
    }

    /// Returns whether a constant names a member of this class. `is_own` does not check that the class declares the
    /// member.
    ///
    /// `is_own` compares no strings, so that a caller may call it for every instruction.
    pub(crate) fn is_own(&self, index: CpIndex) -> bool {
        let own = self.pool.class_name_index(self.this_class);
        let member = self.pool.find_identity(index);
        member.is_some_and(|(class, _)| {
            self.pool.text(class).identity == self.pool.text(own).identity
        })
    }

    /// Searches all members of this class for the member that a constant names.
    #[cold]
    #[inline(never)]
    fn find_own(&self, index: CpIndex) -> Option<OwnMember> {
        let member = self.pool.find_member(index)?;
        let offsets = match member.kind {
            MemberKind::Field => self.fields,
            MemberKind::Method => self.methods,
            MemberKind::InterfaceMethod => return None,
        };
        if member.class != self.name {
            return None;
        }
        let place = self.place(offsets, member.identity)?;
        Some(match member.kind {
            MemberKind::Field => OwnMember::Field(FieldId(place)),
            MemberKind::Method | MemberKind::InterfaceMethod => OwnMember::Method(MethodId(place)),
        })
    }

    /// Returns how many methods the class declares.
    #[must_use]
    pub const fn method_count(&self) -> usize {
        self.methods.len()
    }

    /// Returns a method by index.
    #[must_use]
    pub fn method(&self, id: MethodId) -> Option<Method<'a>> {
        self.method_at().read(id.0)
    }

    /// Iterates over the methods, in file order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'a>> + use<'a> {
        self.method_at()
    }

    /// Iterates over the code of all methods, in file order.
    pub(crate) fn codes(&self) -> impl Iterator<Item = (MethodId, Option<Code<'a>>)> + use<'a> {
        let (pool, ids) = (self.pool, (0..u16::MAX).map(MethodId));
        ids.zip(self.codes)
            .map(move |(id, offset)| (id, code::at_offset(pool, *offset)))
    }

    const fn method_at(&self) -> Members<'a, Method<'a>> {
        Members {
            pool: self.pool,
            version: self.version,
            offsets: self.methods,
            codes: self.codes,
            next: 0,
            read: |pool, version, id, bytes, code| {
                member::method(pool, version, MethodId(id), bytes, code)
            },
        }
    }

    /// Iterates over the identities of the methods, in file order.
    pub fn method_identities(&self) -> impl Iterator<Item = (MethodId, MemberIdentity)> + use<'a> {
        let ids = (0..u16::MAX).map(MethodId);
        ids.zip(self.identities(self.methods))
    }

    /// Returns the attributes of the class.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        Attributes::new(self.pool, self.attribute_count, self.attributes)
    }

    /// Returns the name of the source file, if the class file has it.
    #[must_use]
    pub fn source_file(&self) -> Option<Utf8<'a>> {
        let index = *self.attributes().find("SourceFile")?.bytes.first_chunk()?;
        self.pool.utf8(CpIndex(u16::from_be_bytes(index))).ok()
    }

    /// Iterates over the identities of the members whose offsets in the file are given.
    fn identities(&self, offsets: &'a [u32]) -> Identities<'a> {
        Identities {
            pool: self.pool,
            offsets: offsets.iter(),
        }
    }

    fn place(&self, offsets: &'a [u32], identity: MemberIdentity) -> Option<u16> {
        let place = self.identities(offsets).position(|other| other == identity);
        u16::try_from(place?).ok()
    }
}

/// Iterates over the identities of fields or methods, in file order.
struct Identities<'a> {
    pool: ConstantPool<'a>,
    offsets: slice::Iter<'a, u32>,
}

impl Iterator for Identities<'_> {
    type Item = MemberIdentity;

    fn next(&mut self) -> Option<MemberIdentity> {
        let bytes = part_at(self.pool.file(), *self.offsets.next()?)?;
        let (header, _) = Header::split(bytes)?;
        Some(self.pool.identity(header.name, header.descriptor))
    }
}

/// Iterates over the fields or methods of a class, in file order.
struct Members<'a, T> {
    pool: ConstantPool<'a>,
    version: ClassVersion,
    /// Offset of each member in the file.
    offsets: &'a [u32],
    /// Offset of the code of each method in the file. Empty for fields.
    codes: &'a [u32],
    next: u16,
    read: fn(ConstantPool<'a>, ClassVersion, u16, &'a [u8], u32) -> Option<T>,
}

impl<T> Members<'_, T> {
    /// Returns a member by index.
    fn read(&self, id: u16) -> Option<T> {
        let offset = self.offsets.get(usize::from(id))?;
        let bytes = part_at(self.pool.file(), *offset)?;
        let code = self.codes.get(usize::from(id)).copied().unwrap_or(0);
        (self.read)(self.pool, self.version, id, bytes, code)
    }
}

impl<T> Iterator for Members<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let member = self.read(self.next)?;
        self.next = self.next.saturating_add(1);
        Some(member)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.offsets.len().saturating_sub(usize::from(self.next));
        (remaining, Some(remaining))
    }
}

impl<T> ExactSizeIterator for Members<'_, T> {}
