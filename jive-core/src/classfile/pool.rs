//! The constant pool: decodes constants on demand, at the offsets in the index (JVMS §4.4).

use super::entry::{
    Entry, Resolution, array, behind_tag, cp_index, indices, is_of, offset, payload, string, tag_of,
};
use super::error::{PoolError, PoolErrorKind};
use super::fault::Place;
use super::tag::{ConstantTag, TagSet};
use super::text::Text;
use super::utf8::Utf8;
use crate::id::CpIndex;
use crate::variant;

/// The constant pool of a parsed class file.
///
/// Every entry of the constant pool is complete and refers to entries of the right kinds. Names, descriptors and
/// strings in the pool are well-formed. Classes and members that the pool names may not exist.
#[derive(Copy, Clone, Debug)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    entries: &'a [Entry],
}

/// A constant, with unresolved references to other constants.
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
        /// Index of the class's internal name, or of the descriptor of an array class: a `Utf8`.
        name: CpIndex,
    },
    /// A constant of type `String`.
    String {
        /// Index of the constant's characters: a `Utf8`.
        text: CpIndex,
    },
    /// A field or method.
    Member {
        /// Kind of the member.
        kind: MemberKind,
        /// Index of the class that declares or inherits the member: a `Class`.
        class: CpIndex,
        /// Index of the name and descriptor: a `NameAndType`.
        name_and_type: CpIndex,
    },
    /// The name and descriptor of a member.
    NameAndType {
        /// Name: a `Utf8`.
        name: CpIndex,
        /// Descriptor: a `Utf8`.
        descriptor: CpIndex,
    },
    /// A method handle.
    MethodHandle {
        /// The kind of the handle, from 1 to 9, which says what the handle does with the member (JVMS table 5.4.3.5-A).
        kind: u8,
        /// Index of the member: a `Fieldref`, `Methodref` or `InterfaceMethodref`.
        member: CpIndex,
    },
    /// A method type.
    MethodType {
        /// A method descriptor: a `Utf8`.
        descriptor: CpIndex,
    },
    /// A constant computed at run time.
    Dynamic {
        /// Index into the `BootstrapMethods` attribute, from 0.
        bootstrap: u16,
        /// Index of the name and descriptor: a `NameAndType`.
        name_and_type: CpIndex,
    },
    /// A call site linked at run time.
    InvokeDynamic {
        /// Index into the `BootstrapMethods` attribute, from 0.
        bootstrap: u16,
        /// Index of the name and descriptor: a `NameAndType`.
        name_and_type: CpIndex,
    },
    /// A module.
    Module {
        /// Name: a `Utf8`.
        name: CpIndex,
    },
    /// A package.
    Package {
        /// Name: a `Utf8`.
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

/// The kind of member that a constant names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A field: `Fieldref`.
    Field,
    /// A method of a class: `Methodref`.
    Method,
    /// A method of an interface: `InterfaceMethodref`.
    InterfaceMethod,
}

/// The class, name and descriptor of a field or method that a constant refers to.
///
/// The descriptor is a field descriptor for a field, and a method descriptor for a method. The field or method may not
/// exist.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Whether the member is a field, a method or an interface method.
    pub kind: MemberKind,
    /// Internal name of the class that the member is looked up in, or the descriptor of an array class.
    pub class: Utf8<'a>,
    /// Name of the member.
    pub name: Utf8<'a>,
    /// Descriptor of the member.
    pub descriptor: Utf8<'a>,
    /// Identity of the member's name and descriptor, for comparisons in constant time.
    pub identity: MemberIdentity,
}

/// The identity of a member's name and descriptor within a class file.
///
/// An identity consists of two constant pool indices, each the lowest index with an equal string. Two identities are
/// equal exactly if name and descriptor are equal. Comparing two identities does not read the strings.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberIdentity {
    /// Lowest index with an equal name.
    pub name: CpIndex,
    /// Lowest index with an equal descriptor.
    pub descriptor: CpIndex,
}

impl<'a> ConstantPool<'a> {
    /// Creates a pool from index entries that the parser wrote.
    pub(super) const fn new(bytes: &'a [u8], entries: &'a [Entry]) -> Self {
        Self { bytes, entries }
    }

    /// Returns `constant_pool_count`: one more than the greatest index, including unusable indices.
    #[must_use]
    pub fn count(&self) -> u16 {
        // The cast is lossless: the number of entries is `constant_pool_count`, which is a `u16`.
        u16::try_from(self.entries.len()).unwrap_or(u16::MAX)
    }

    /// Iterates over the usable indices and their constants, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (CpIndex, Constant<'a>)> + use<'a> {
        let pool = *self;
        (1..self.count())
            .map(CpIndex)
            .filter_map(move |index| Some((index, pool.get(index).ok()?)))
    }

    /// Returns the constant at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is out of range or unusable.
    pub fn get(&self, index: CpIndex) -> Result<Constant<'a>, PoolError> {
        self.raw(index)
            .map(|(tag, payload)| decode(tag, payload))
            .ok_or_else(|| self.nothing(index))
    }

    /// Returns the kind of the constant at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is out of range or unusable.
    pub fn tag(&self, index: CpIndex) -> Result<ConstantTag, PoolError> {
        self.raw(index)
            .map(|(tag, _)| tag)
            .ok_or_else(|| self.nothing(index))
    }

    /// Returns the `int` at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the constant is not an `Integer`.
    pub fn integer(&self, index: CpIndex) -> Result<i32, PoolError> {
        self.find_integer(index)
            .ok_or_else(|| self.mismatch(index, ConstantTag::Integer.only()))
    }

    /// Returns the string at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the constant is not a `Utf8`.
    pub fn utf8(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        self.find_utf8(index)
            .ok_or_else(|| self.mismatch(index, ConstantTag::Utf8.only()))
    }

    /// Returns the string at a constant pool index. Returns `None` if the constant is not a string.
    pub(super) fn find_utf8(&self, index: CpIndex) -> Option<Utf8<'a>> {
        self.find(index, ConstantTag::Utf8.only())
            .map(|payload| Utf8::from_checked(string(payload)))
    }

    /// Returns the string at a constant pool index. Returns the empty string if the constant is not a string.
    pub(super) fn string(&self, index: CpIndex) -> Utf8<'a> {
        self.find_utf8(index).unwrap_or(Utf8::from_checked(&[]))
    }

    /// Returns the internal name of the class at a constant pool index, or the descriptor of an array class. Returns `None`
    /// if the constant is not a class.
    #[must_use]
    pub fn find_class_name(&self, index: CpIndex) -> Option<Utf8<'a>> {
        self.find_utf8(self.class_name_index(index))
    }

    /// Returns the internal name of the class at a constant pool index, or the descriptor of an array class.
    ///
    /// # Errors
    ///
    /// Returns an error if the constant is not a `Class`.
    pub fn class_name(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        let (name, _) = self.pair(index, ConstantTag::Class.only())?;
        self.utf8(name)
    }

    /// Returns the name and descriptor at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the constant is not a `NameAndType`.
    pub fn name_and_type(&self, index: CpIndex) -> Result<(Utf8<'a>, Utf8<'a>), PoolError> {
        let (name, descriptor) = self.pair(index, ConstantTag::NameAndType.only())?;
        Ok((self.utf8(name)?, self.utf8(descriptor)?))
    }

    /// Returns the field or method at a constant pool index.
    ///
    /// # Errors
    ///
    /// Returns an error if the constant is not a `Fieldref`, `Methodref` or `InterfaceMethodref`.
    pub fn member(&self, index: CpIndex) -> Result<MemberRef<'a>, PoolError> {
        self.find_member(index).ok_or_else(|| {
            let name_and_type = self.find(index, TagSet::MEMBER).map(indices);
            match name_and_type {
                Some((_, index)) => self.mismatch(index, ConstantTag::NameAndType.only()),
                None => self.mismatch(index, TagSet::MEMBER),
            }
        })
    }

    /// Returns the field or method at a constant pool index. Returns `None` if the constant at the index is of another
    /// kind.
    #[must_use]
    pub fn find_member(&self, index: CpIndex) -> Option<MemberRef<'a>> {
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

    /// Returns the `int` at a constant pool index. Returns `None` if the constant at the index is of another kind.
    #[must_use]
    pub fn find_integer(&self, index: CpIndex) -> Option<i32> {
        let payload = self.find(index, ConstantTag::Integer.only())?;
        Some(i32::from_be_bytes(array(payload, 0)))
    }

    /// Returns the bytes of the class file.
    pub(super) const fn file(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the tag of the constant at an index, and the bytes of the class file after the tag.
    pub(super) fn raw(&self, index: CpIndex) -> Option<(ConstantTag, &'a [u8])> {
        let [located, _] = self.entries.get(index.index())?;
        Some((tag_of(*located)?, behind_tag(self.bytes, *located)?))
    }

    /// Returns the bytes after the tag of a constant. Returns `None` if the constant is not of one of the expected
    /// kinds.
    pub(super) fn find(&self, index: CpIndex, expected: TagSet) -> Option<&'a [u8]> {
        payload(self.bytes, *self.entries.get(index.index())?, expected)
    }

    /// Returns the bytes after the tag of a constant. Fails if the constant is not of one of the expected kinds.
    fn expect(&self, index: CpIndex, expected: TagSet) -> Result<&'a [u8], PoolError> {
        self.find(index, expected)
            .ok_or_else(|| self.mismatch(index, expected))
    }

    /// Returns the two indices in a constant of one of the expected kinds.
    fn pair(&self, index: CpIndex, expected: TagSet) -> Result<(CpIndex, CpIndex), PoolError> {
        self.expect(index, expected).map(indices)
    }

    /// Returns the index of the string that names a class. Returns 0 if the constant is not a `Class`.
    pub(super) fn class_name_index(&self, index: CpIndex) -> CpIndex {
        self.find(index, ConstantTag::Class.only())
            .map_or(CpIndex(0), |payload| cp_index(payload, 0))
    }

    /// Returns the facts that the parser has stored about a string. Returns no roles if the constant is not a string.
    pub(super) fn text(&self, index: CpIndex) -> Text {
        Text::unpack(self.entries.get(index.index()).map_or(0, |[_, text]| *text))
    }

    /// Returns the parser's resolution of a field or method.
    pub(super) fn resolution(&self, index: CpIndex) -> Resolution {
        match self.entries.get(index.index()) {
            Some([located, word]) if !variant::SMALL => tag_of(*located)
                .map_or(Resolution::Unresolved, |tag| Resolution::unpack(tag, *word)),
            _ => Resolution::Unresolved,
        }
    }

    /// Returns whether the constant at an index has one of the expected kinds.
    pub(super) fn holds(&self, index: CpIndex, expected: TagSet) -> bool {
        let entry = self.entries.get(index.index());
        entry.is_some_and(|entry| is_of(*entry, expected))
    }

    /// Returns the constant pool index of the name of a member's class, and the member's identity.
    pub(super) fn find_identity(&self, index: CpIndex) -> Option<(CpIndex, MemberIdentity)> {
        let (class, name_and_type) = indices(self.find(index, TagSet::MEMBER)?);
        let (name, descriptor) =
            indices(self.find(name_and_type, ConstantTag::NameAndType.only())?);
        Some((
            self.class_name_index(class),
            self.identity(name, descriptor),
        ))
    }

    /// Returns the identity of a member with this name and descriptor, which is equal for members that agree in both.
    pub(super) fn identity(&self, name: CpIndex, descriptor: CpIndex) -> MemberIdentity {
        MemberIdentity {
            name: self.text(name).identity,
            descriptor: self.text(descriptor).identity,
        }
    }

    /// Returns the position of a constant in the class file, which is that of its tag.
    pub(super) fn place(&self, index: CpIndex) -> Place {
        let entry = self.entries.get(index.index());
        let behind_tag = entry.map_or(0, |[located, _]| offset(*located));
        Place::of(self.bytes).behind(behind_tag.saturating_sub(1))
    }

    /// Returns the error for an index that should lead to one of the expected kinds.
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

    /// Returns the error for an index without a constant.
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

/// Decodes the bytes after a tag.
fn decode(tag: ConstantTag, payload: &[u8]) -> Constant<'_> {
    let first = cp_index(payload, 0);
    let second = cp_index(payload, 2);
    match tag {
        ConstantTag::Utf8 => Constant::Utf8(Utf8::from_checked(string(payload))),
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
