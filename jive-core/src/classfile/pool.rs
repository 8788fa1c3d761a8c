//! The constant pool: constants decoded on demand from bytes at known offsets (JVMS §4.4).

use super::entry::{
    Entry, Resolution, array, behind_tag, cp_index, indices, is_of, offset, payload, string, tag_of,
};
use super::error::{PoolError, PoolErrorKind};
use super::fault::Place;
use super::tag::{ConstantTag, TagSet};
use super::text::Text;
use super::utf8::Utf8;
use crate::id::CpIndex;

/// The constant pool of a parsed class file.
///
/// Holding one proves that every entry is whole, names entries of the right kinds, and that its
/// names, descriptors and strings are well-formed. It does not prove that what they name exists.
#[derive(Copy, Clone, Debug)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    entries: &'a [Entry],
}

/// A constant of the pool, its references not followed.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Constant<'a> {
    /// A string of modified UTF-8.
    Utf8(Utf8<'a>),
    /// An `int`.
    Integer(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A class, interface or array class.
    Class {
        /// Its internal name, or an array type's descriptor: a `Utf8`.
        name: CpIndex,
    },
    /// A constant of type `String`.
    String {
        /// Its characters: a `Utf8`.
        text: CpIndex,
    },
    /// A field or method.
    Member {
        /// Of which kind.
        kind: MemberKind,
        /// The class it is looked up in: a `Class`.
        class: CpIndex,
        /// A `NameAndType`.
        name_and_type: CpIndex,
    },
    /// The name and descriptor of a member.
    NameAndType {
        /// A `Utf8`.
        name: CpIndex,
        /// A `Utf8`.
        descriptor: CpIndex,
    },
    /// A method handle.
    MethodHandle {
        /// What it does with the member, 1 to 9 (JVMS table 5.4.3.5-A).
        kind: u8,
        /// A field or method.
        member: CpIndex,
    },
    /// A method type.
    MethodType {
        /// A method descriptor: a `Utf8`.
        descriptor: CpIndex,
    },
    /// A constant computed at run time.
    Dynamic {
        /// Position in the `BootstrapMethods` attribute, from 0.
        bootstrap: u16,
        /// A `NameAndType`.
        name_and_type: CpIndex,
    },
    /// A call site linked at run time.
    InvokeDynamic {
        /// Position in the `BootstrapMethods` attribute, from 0.
        bootstrap: u16,
        /// A `NameAndType`.
        name_and_type: CpIndex,
    },
    /// A module.
    Module {
        /// A `Utf8`.
        name: CpIndex,
    },
    /// A package.
    Package {
        /// A `Utf8`.
        name: CpIndex,
    },
}

impl Constant<'_> {
    /// Returns the kind of the constant.
    #[must_use]
    pub const fn tag(&self) -> ConstantTag {
        match self {
            Constant::Utf8(_) => ConstantTag::Utf8,
            Constant::Integer(_) => ConstantTag::Integer,
            Constant::Float(_) => ConstantTag::Float,
            Constant::Long(_) => ConstantTag::Long,
            Constant::Double(_) => ConstantTag::Double,
            Constant::Class { .. } => ConstantTag::Class,
            Constant::String { .. } => ConstantTag::String,
            Constant::Member {
                kind: MemberKind::Field,
                ..
            } => ConstantTag::Fieldref,
            Constant::Member {
                kind: MemberKind::Method,
                ..
            } => ConstantTag::Methodref,
            Constant::Member {
                kind: MemberKind::InterfaceMethod,
                ..
            } => ConstantTag::InterfaceMethodref,
            Constant::NameAndType { .. } => ConstantTag::NameAndType,
            Constant::MethodHandle { .. } => ConstantTag::MethodHandle,
            Constant::MethodType { .. } => ConstantTag::MethodType,
            Constant::Dynamic { .. } => ConstantTag::Dynamic,
            Constant::InvokeDynamic { .. } => ConstantTag::InvokeDynamic,
            Constant::Module { .. } => ConstantTag::Module,
            Constant::Package { .. } => ConstantTag::Package,
        }
    }
}

/// Which kind of member a constant names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A field: `Fieldref`.
    Field,
    /// A method of a class: `Methodref`.
    Method,
    /// A method of an interface: `InterfaceMethodref`.
    InterfaceMethod,
}

/// A field or method that code names, looked up in the pool alone.
///
/// Holding one proves that the descriptor is a field's for a field, and a method's for a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Field or method.
    pub kind: MemberKind,
    /// Internal name of the class it is looked up in; an array type's descriptor for array classes.
    pub class: Utf8<'a>,
    /// The member's name.
    pub name: Utf8<'a>,
    /// The member's descriptor.
    pub descriptor: Utf8<'a>,
    /// Name and descriptor, to be compared without reading them.
    pub identity: MemberIdentity,
}

/// What the names and descriptors of members of one class file are compared by.
///
/// Both are constants, the lowest at which an equal string stands: they are equal exactly where the
/// strings are, however long those may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberIdentity {
    /// Stands for the name.
    pub name: CpIndex,
    /// Stands for the descriptor.
    pub descriptor: CpIndex,
}

impl<'a> ConstantPool<'a> {
    /// Makes a pool of entries that were noted as the file was walked through.
    pub(super) const fn new(bytes: &'a [u8], entries: &'a [Entry]) -> Self {
        Self { bytes, entries }
    }

    /// Returns `constant_pool_count`: one more than the greatest index, unusable ones counted.
    #[must_use]
    pub fn count(&self) -> u16 {
        // The parser lends one entry per unit of a u16 count.
        u16::try_from(self.entries.len()).unwrap_or(u16::MAX)
    }

    /// Returns every usable index with its constant, lowest index first.
    pub fn iter(&self) -> impl Iterator<Item = (CpIndex, Constant<'a>)> + use<'a> {
        let pool = *self;
        (1..self.count())
            .map(CpIndex)
            .filter_map(move |index| Some((index, pool.get(index).ok()?)))
    }

    /// Returns the constant at an index.
    ///
    /// # Errors
    ///
    /// Where the index is out of range or unusable.
    pub fn get(&self, index: CpIndex) -> Result<Constant<'a>, PoolError> {
        self.raw(index)
            .map(|(tag, payload)| decode(tag, payload))
            .ok_or_else(|| self.nothing(index))
    }

    /// Returns the kind of the constant at an index.
    ///
    /// # Errors
    ///
    /// Where the index is out of range or unusable.
    pub fn tag(&self, index: CpIndex) -> Result<ConstantTag, PoolError> {
        self.raw(index)
            .map(|(tag, _)| tag)
            .ok_or_else(|| self.nothing(index))
    }

    /// Returns the `int` at an index.
    ///
    /// # Errors
    ///
    /// Where no `Integer` stands there.
    pub fn integer(&self, index: CpIndex) -> Result<i32, PoolError> {
        self.find_integer(index)
            .ok_or_else(|| self.mismatch(index, ConstantTag::Integer.only()))
    }

    /// Returns the string at an index.
    ///
    /// # Errors
    ///
    /// Where no `Utf8` stands there.
    pub fn utf8(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        self.find_utf8(index)
            .ok_or_else(|| self.mismatch(index, ConstantTag::Utf8.only()))
    }

    /// Returns the string at an index, if one stands there.
    pub(super) fn find_utf8(&self, index: CpIndex) -> Option<Utf8<'a>> {
        self.find(index, ConstantTag::Utf8.only())
            .map(|payload| Utf8::vouched(string(payload)))
    }

    /// Returns the string at an index that has been checked; the empty one elsewhere.
    pub(super) fn string(&self, index: CpIndex) -> Utf8<'a> {
        self.find_utf8(index).unwrap_or(Utf8::vouched(&[]))
    }

    /// Returns the internal name of the class at an index; the descriptor, for an array class.
    ///
    /// # Errors
    ///
    /// Where no `Class` stands there.
    pub fn class_name(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        let (name, _) = self.pair(index, ConstantTag::Class.only())?;
        self.utf8(name)
    }

    /// Returns the name and descriptor at an index.
    ///
    /// # Errors
    ///
    /// Where no `NameAndType` stands there.
    pub fn name_and_type(&self, index: CpIndex) -> Result<(Utf8<'a>, Utf8<'a>), PoolError> {
        let (name, descriptor) = self.pair(index, ConstantTag::NameAndType.only())?;
        Ok((self.utf8(name)?, self.utf8(descriptor)?))
    }

    /// Returns the field or method at an index.
    ///
    /// # Errors
    ///
    /// Where no `Fieldref`, `Methodref` or `InterfaceMethodref` stands there.
    pub fn member(&self, index: CpIndex) -> Result<MemberRef<'a>, PoolError> {
        self.find_member(index).ok_or_else(|| {
            let name_and_type = self.find(index, TagSet::MEMBER).map(indices);
            match name_and_type {
                Some((_, index)) => self.mismatch(index, ConstantTag::NameAndType.only()),
                None => self.mismatch(index, TagSet::MEMBER),
            }
        })
    }

    /// Returns the field or method at an index, if one stands there.
    pub(crate) fn find_member(&self, index: CpIndex) -> Option<MemberRef<'a>> {
        let (tag, payload) = self.raw(index)?;
        let kind = match tag {
            ConstantTag::Fieldref => MemberKind::Field,
            ConstantTag::Methodref => MemberKind::Method,
            ConstantTag::InterfaceMethodref => MemberKind::InterfaceMethod,
            _ => return None,
        };
        let (class, name_and_type) = indices(payload);
        let (name, descriptor) =
            indices(self.find(name_and_type, ConstantTag::NameAndType.only())?);
        Some(MemberRef {
            kind,
            class: self.find_utf8(self.class_name_index(class))?,
            name: self.find_utf8(name)?,
            descriptor: self.find_utf8(descriptor)?,
            identity: self.identity(name, descriptor),
        })
    }

    /// Returns the `int` at an index, if one stands there.
    pub(crate) fn find_integer(&self, index: CpIndex) -> Option<i32> {
        let payload = self.find(index, ConstantTag::Integer.only())?;
        Some(i32::from_be_bytes(array(payload, 0)))
    }

    /// Returns the bytes of the file.
    pub(super) const fn file(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the tag of the constant at an index, and the bytes of the file behind it.
    pub(super) fn raw(&self, index: CpIndex) -> Option<(ConstantTag, &'a [u8])> {
        let [located, _] = self.entries.get(index.index())?;
        Some((tag_of(*located)?, behind_tag(self.bytes, *located)?))
    }

    /// Returns the bytes behind the tag, if one of these kinds of constant stands at an index.
    pub(super) fn find(&self, index: CpIndex, expected: TagSet) -> Option<&'a [u8]> {
        payload(self.bytes, *self.entries.get(index.index())?, expected)
    }

    /// Returns the bytes behind the tag, where one of these kinds of constant stands at an index.
    fn expect(&self, index: CpIndex, expected: TagSet) -> Result<&'a [u8], PoolError> {
        self.find(index, expected)
            .ok_or_else(|| self.mismatch(index, expected))
    }

    /// Returns the two indices that a constant of one of these kinds holds.
    fn pair(&self, index: CpIndex, expected: TagSet) -> Result<(CpIndex, CpIndex), PoolError> {
        self.expect(index, expected).map(indices)
    }

    /// Returns the index of the string that names a class; 0 where no `Class` stands.
    pub(super) fn class_name_index(&self, index: CpIndex) -> CpIndex {
        self.find(index, ConstantTag::Class.only())
            .map_or(CpIndex(0), |payload| cp_index(payload, 0))
    }

    /// Returns what is known of the string at an index: no role where there is no string.
    pub(super) fn text(&self, index: CpIndex) -> Text {
        Text::unpack(self.entries.get(index.index()).map_or(0, |[_, text]| *text))
    }

    /// Returns what was noted of the field or method at an index.
    pub(super) fn resolution(&self, index: CpIndex) -> Resolution {
        match self.entries.get(index.index()) {
            Some([located, word]) if !cfg!(small) => tag_of(*located)
                .map_or(Resolution::Unresolved, |tag| Resolution::unpack(tag, *word)),
            _ => Resolution::Unresolved,
        }
    }

    /// Returns whether one of these kinds of constant stands at an index.
    pub(super) fn holds(&self, index: CpIndex, expected: TagSet) -> bool {
        let entry = self.entries.get(index.index());
        entry.is_some_and(|entry| is_of(*entry, expected))
    }

    /// Returns the string that names the class of the field or method at an index, and what its name and
    /// descriptor are compared by.
    pub(super) fn find_identity(&self, index: CpIndex) -> Option<(CpIndex, MemberIdentity)> {
        let (class, name_and_type) = indices(self.find(index, TagSet::MEMBER)?);
        let (name, descriptor) =
            indices(self.find(name_and_type, ConstantTag::NameAndType.only())?);
        Some((
            self.class_name_index(class),
            self.identity(name, descriptor),
        ))
    }

    /// Returns what a name and a descriptor, both strings of the pool, are compared by.
    pub(super) fn identity(&self, name: CpIndex, descriptor: CpIndex) -> MemberIdentity {
        MemberIdentity {
            name: self.text(name).identity,
            descriptor: self.text(descriptor).identity,
        }
    }

    /// Returns where a constant begins, with its tag.
    pub(super) fn place(&self, index: CpIndex) -> Place {
        let entry = self.entries.get(index.index());
        let behind_tag = entry.map_or(0, |[located, _]| offset(*located));
        Place::of(self.bytes).behind(behind_tag.saturating_sub(1))
    }

    /// Returns the error of an index at which no constant of these kinds stands.
    #[cold]
    pub(super) fn mismatch(&self, index: CpIndex, expected: TagSet) -> PoolError {
        match self.raw(index) {
            Some((found, _)) => PoolError {
                index,
                kind: PoolErrorKind::Tag { expected, found },
            },
            None => self.nothing(index),
        }
    }

    /// Returns the error of an index at which no constant stands.
    #[cold]
    fn nothing(&self, index: CpIndex) -> PoolError {
        let count = self.count();
        let kind = if (1..count).contains(&index.0) {
            PoolErrorKind::Unusable
        } else {
            PoolErrorKind::OutOfRange { count }
        };
        PoolError { index, kind }
    }
}

/// Reads what stands behind a tag.
fn decode(tag: ConstantTag, payload: &[u8]) -> Constant<'_> {
    let first = cp_index(payload, 0);
    let second = cp_index(payload, 2);
    match tag {
        ConstantTag::Utf8 => Constant::Utf8(Utf8::vouched(string(payload))),
        ConstantTag::Integer => Constant::Integer(i32::from_be_bytes(array(payload, 0))),
        ConstantTag::Float => Constant::Float(f32::from_be_bytes(array(payload, 0))),
        ConstantTag::Long => Constant::Long(i64::from_be_bytes(array(payload, 0))),
        ConstantTag::Double => Constant::Double(f64::from_be_bytes(array(payload, 0))),
        ConstantTag::Class => Constant::Class { name: first },
        ConstantTag::String => Constant::String { text: first },
        ConstantTag::Fieldref => member(MemberKind::Field, first, second),
        ConstantTag::Methodref => member(MemberKind::Method, first, second),
        ConstantTag::InterfaceMethodref => member(MemberKind::InterfaceMethod, first, second),
        ConstantTag::NameAndType => Constant::NameAndType {
            name: first,
            descriptor: second,
        },
        ConstantTag::MethodHandle => {
            let [kind] = array(payload, 0);
            let member = cp_index(payload, 1);
            Constant::MethodHandle { kind, member }
        }
        ConstantTag::MethodType => Constant::MethodType { descriptor: first },
        ConstantTag::Dynamic => Constant::Dynamic {
            bootstrap: first.0,
            name_and_type: second,
        },
        ConstantTag::InvokeDynamic => Constant::InvokeDynamic {
            bootstrap: first.0,
            name_and_type: second,
        },
        ConstantTag::Module => Constant::Module { name: first },
        ConstantTag::Package => Constant::Package { name: first },
    }
}

const fn member<'a>(kind: MemberKind, class: CpIndex, name_and_type: CpIndex) -> Constant<'a> {
    Constant::Member {
        kind,
        class,
        name_and_type,
    }
}
