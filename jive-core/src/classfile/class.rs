//! A parsed class file, decoded on demand (JVMS §4.1).

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

/// A class file whose shape is right.
///
/// Holding one proves the structure of JVMS §4: lengths, tags, constant pool references, names, descriptors, access
/// flags, and the attributes that this crate reads. It proves nothing about the bytes of the methods' code, nor that
/// anything named exists.
///
/// One that [`ClassFile::trusted`] made proves the lengths and tags alone. The rest is the word of the one who gave the
/// bytes, including what the parts of the class say that they prove. Where that word is false, lookups find nothing.
#[derive(Copy, Clone, Debug)]
pub struct ClassFile<'a> {
    pub(super) version: ClassVersion,
    pub(super) pool: ConstantPool<'a>,
    pub(super) access: ClassAccess,
    pub(super) name: Utf8<'a>,
    pub(super) this_class: CpIndex,
    pub(super) super_class: Option<CpIndex>,
    pub(super) interfaces: &'a [[u8; 2]],
    /// Where each field begins in the file.
    pub(super) fields: &'a [u32],
    /// Where each method begins in the file.
    pub(super) methods: &'a [u32],
    /// Where the contents of each method's `Code` attribute begin in the file; 0 where it has none.
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

    /// Returns the flags of the class, those unknown to the specification left out.
    #[must_use]
    pub const fn access(&self) -> ClassAccess {
        self.access
    }

    /// Returns the internal name of the class.
    #[must_use]
    pub const fn name(&self) -> Utf8<'a> {
        self.name
    }

    /// Returns the constant that names the class itself.
    #[must_use]
    pub const fn this_class(&self) -> CpIndex {
        self.this_class
    }

    /// Returns the constant that names the superclass; only `Object` and modules have none.
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

    /// Returns how many words of the index that was lent are used.
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

    /// Returns the field at a position.
    #[must_use]
    pub fn field(&self, id: FieldId) -> Option<Field<'a>> {
        self.field_at().read(id.0)
    }

    /// Returns every field, in file order.
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

    /// Returns what each field's name and descriptor are compared by, in file order.
    pub fn field_identities(&self) -> impl Iterator<Item = (FieldId, MemberIdentity)> + use<'a> {
        let ids = (0..=u16::MAX).map(FieldId);
        ids.zip(self.identities(self.fields))
    }

    /// Returns the member of the class itself that a `Fieldref` or `Methodref` names.
    #[must_use]
    pub fn own_member(&self, index: CpIndex) -> Option<OwnMember> {
        match self.pool.resolution(index) {
            Resolution::Own(member) => Some(member),
            Resolution::Foreign => None,
            Resolution::Unresolved => self.find_own(index),
        }
    }

    /// Returns whether a constant names a member of the class itself, whether or not the class has it.
    ///
    /// It compares no names: any number of instructions may be asked about.
    pub(crate) fn is_own(&self, index: CpIndex) -> bool {
        let own = self.pool.class_name_index(self.this_class);
        let member = self.pool.find_identity(index);
        member.is_some_and(|(class, _)| {
            self.pool.text(class).identity == self.pool.text(own).identity
        })
    }

    /// Looks for the member of the class itself that a constant names.
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

    /// Returns the method at a position.
    #[must_use]
    pub fn method(&self, id: MethodId) -> Option<Method<'a>> {
        self.method_at().read(id.0)
    }

    /// Returns every method, in file order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'a>> + use<'a> {
        self.method_at()
    }

    /// Returns the code of every method, in file order.
    pub(crate) fn codes(&self) -> impl Iterator<Item = (MethodId, Option<Code<'a>>)> + use<'a> {
        let (pool, ids) = (self.pool, (0..=u16::MAX).map(MethodId));
        ids.zip(self.codes)
            .map(move |(id, offset)| (id, code::noted(pool, *offset)))
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

    /// Returns what each method's name and descriptor are compared by, in file order.
    pub fn method_identities(&self) -> impl Iterator<Item = (MethodId, MemberIdentity)> + use<'a> {
        let ids = (0..=u16::MAX).map(MethodId);
        ids.zip(self.identities(self.methods))
    }

    /// Returns the attributes of the class.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'a> {
        Attributes::new(self.pool, self.attribute_count, self.attributes)
    }

    /// Returns the name of the source file, where the class file tells.
    #[must_use]
    pub fn source_file(&self) -> Option<Utf8<'a>> {
        let index = *self.attributes().find("SourceFile")?.bytes.first_chunk()?;
        self.pool.utf8(CpIndex(u16::from_be_bytes(index))).ok()
    }

    /// Returns what the members that begin at these places are compared by.
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

/// What fields or methods are compared by, in file order.
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

/// The fields or methods of a class, in file order.
struct Members<'a, T> {
    pool: ConstantPool<'a>,
    version: ClassVersion,
    /// Where each begins in the file.
    offsets: &'a [u32],
    /// Where the code of each is.
    codes: &'a [u32],
    next: u16,
    read: fn(ConstantPool<'a>, ClassVersion, u16, &'a [u8], u32) -> Option<T>,
}

impl<T> Members<'_, T> {
    /// Returns the member at a position.
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
