//! The constant pool: constants decoded on demand from bytes at known offsets (JVMS §4.4).

use nom::Parser;
use nom::combinator::{all_consuming, map};
use nom::number::complete::{be_f32, be_f64, be_i32, be_i64, be_u8, be_u16};

use super::grammar::{self, Fault};
use super::tag::{ConstantTag, TagSet};
use super::utf8::Utf8;
use crate::id::CpIndex;

/// The constant pool of a parsed class file.
///
/// Holding one proves that every entry is whole, names entries of the right kinds, and that its
/// names, descriptors and strings are well-formed. It does not prove that what they name exists.
#[derive(Copy, Clone, Debug)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Where each constant begins in `bytes`; 0 for index 0 and behind `long` and `double`.
    offsets: &'a [u32],
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
}

/// Why an index does not lead to the constant that is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("constant #{index}: {kind}")]
pub struct PoolError {
    /// The index.
    pub index: CpIndex,
    /// What is wrong with it.
    pub kind: PoolErrorKind,
}

/// What is wrong with an index into the constant pool.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolErrorKind {
    /// It is 0 or not less than `constant_pool_count`.
    #[error("expected an index from 1 to below {count}")]
    OutOfRange {
        /// The pool's `constant_pool_count`.
        count: u16,
    },
    /// It is the index behind a `long` or `double`, which stands for nothing.
    #[error("expected a constant, found the unusable index behind a `Long` or `Double`")]
    Unusable,
    /// The constant is of another kind.
    #[error("expected {expected}, found `{found}`")]
    Tag {
        /// The kinds that are right there.
        expected: TagSet,
        /// The constant's kind.
        found: ConstantTag,
    },
}

impl<'a> ConstantPool<'a> {
    pub(super) const fn new(bytes: &'a [u8], offsets: &'a [u32]) -> Self {
        Self { bytes, offsets }
    }

    /// Returns `constant_pool_count`: one more than the greatest index, unusable ones counted.
    #[must_use]
    pub fn count(&self) -> u16 {
        // The parser lends one word per unit of a u16 count.
        u16::try_from(self.offsets.len()).unwrap_or(u16::MAX)
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
        let (tag, payload) = self.raw(index)?;
        decode(tag, payload).ok_or(PoolError {
            index,
            kind: PoolErrorKind::Unusable,
        })
    }

    /// Returns the kind of the constant at an index.
    ///
    /// # Errors
    ///
    /// Where the index is out of range or unusable.
    pub fn tag(&self, index: CpIndex) -> Result<ConstantTag, PoolError> {
        self.raw(index).map(|(tag, _)| tag)
    }

    /// Returns the string at an index.
    ///
    /// # Errors
    ///
    /// Where no `Utf8` stands there.
    pub fn utf8(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        match self.get(index)? {
            Constant::Utf8(text) => Ok(text),
            _ => Err(self.mismatch(index, ConstantTag::Utf8.only())),
        }
    }

    /// Returns the internal name of the class at an index; the descriptor, for an array class.
    ///
    /// # Errors
    ///
    /// Where no `Class` stands there.
    pub fn class_name(&self, index: CpIndex) -> Result<Utf8<'a>, PoolError> {
        match self.get(index)? {
            Constant::Class { name } => self.utf8(name),
            _ => Err(self.mismatch(index, ConstantTag::Class.only())),
        }
    }

    /// Returns the name and descriptor at an index.
    ///
    /// # Errors
    ///
    /// Where no `NameAndType` stands there.
    pub fn name_and_type(&self, index: CpIndex) -> Result<(Utf8<'a>, Utf8<'a>), PoolError> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => {
                Ok((self.utf8(name)?, self.utf8(descriptor)?))
            }
            _ => Err(self.mismatch(index, ConstantTag::NameAndType.only())),
        }
    }

    /// Returns the field or method at an index.
    ///
    /// # Errors
    ///
    /// Where no `Fieldref`, `Methodref` or `InterfaceMethodref` stands there.
    pub fn member(&self, index: CpIndex) -> Result<MemberRef<'a>, PoolError> {
        match self.get(index)? {
            Constant::Member {
                kind,
                class,
                name_and_type,
            } => {
                let class = self.class_name(class)?;
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Ok(MemberRef {
                    kind,
                    class,
                    name,
                    descriptor,
                })
            }
            _ => Err(self.mismatch(index, TagSet::MEMBER)),
        }
    }

    /// Returns the tag and the bytes of the constant at an index.
    pub(super) fn raw(&self, index: CpIndex) -> Result<(ConstantTag, &'a [u8]), PoolError> {
        let error = |kind| PoolError { index, kind };
        let count = self.count();
        let offset = self
            .offsets
            .get(index.index())
            .filter(|_| index.0 != 0)
            .ok_or(error(PoolErrorKind::OutOfRange { count }))?;
        usize::try_from(*offset)
            .ok()
            .filter(|offset| *offset != 0)
            .and_then(|offset| self.bytes.get(offset..))
            // The parser has read the same bytes at the same offset.
            .and_then(|bytes| grammar::constant(bytes).ok())
            .map(|(_, constant)| constant)
            .ok_or(error(PoolErrorKind::Unusable))
    }

    /// Checks that one of these kinds of constant stands at an index.
    pub(super) fn expect(&self, index: CpIndex, expected: TagSet) -> Result<(), PoolError> {
        if expected.contains(self.tag(index)?) {
            Ok(())
        } else {
            Err(self.mismatch(index, expected))
        }
    }

    /// Returns the index of the string that names a class; 0 where no `Class` stands.
    pub(super) fn class_name_index(&self, index: CpIndex) -> CpIndex {
        match self.get(index) {
            Ok(Constant::Class { name }) => name,
            _ => CpIndex(0),
        }
    }

    /// Returns the bytes of the file from a constant's tag on.
    pub(super) fn entry(&self, index: CpIndex) -> &'a [u8] {
        let offset = self
            .offsets
            .get(index.index())
            .and_then(|offset| usize::try_from(*offset).ok());
        offset
            .and_then(|offset| self.bytes.get(offset..))
            .unwrap_or(self.bytes)
    }

    /// Returns the error of an index at which a constant of another kind stands, if any.
    pub(super) fn mismatch(&self, index: CpIndex, expected: TagSet) -> PoolError {
        match self.tag(index) {
            Ok(found) => PoolError {
                index,
                kind: PoolErrorKind::Tag { expected, found },
            },
            Err(error) => error,
        }
    }
}

/// Reads what stands behind a tag; `None` only where the length is not the tag's.
pub(super) fn decode(tag: ConstantTag, payload: &[u8]) -> Option<Constant<'_>> {
    let member = |kind| {
        map((cp_index, cp_index), move |(class, name_and_type)| {
            Constant::Member {
                kind,
                class,
                name_and_type,
            }
        })
    };
    let result = match tag {
        ConstantTag::Utf8 => return Some(Constant::Utf8(Utf8::vouched(payload))),
        ConstantTag::Integer => all_consuming(map(be_i32, Constant::Integer)).parse(payload),
        ConstantTag::Float => all_consuming(map(be_f32, Constant::Float)).parse(payload),
        ConstantTag::Long => all_consuming(map(be_i64, Constant::Long)).parse(payload),
        ConstantTag::Double => all_consuming(map(be_f64, Constant::Double)).parse(payload),
        ConstantTag::Class => {
            all_consuming(map(cp_index, |name| Constant::Class { name })).parse(payload)
        }
        ConstantTag::String => {
            all_consuming(map(cp_index, |text| Constant::String { text })).parse(payload)
        }
        ConstantTag::Fieldref => all_consuming(member(MemberKind::Field)).parse(payload),
        ConstantTag::Methodref => all_consuming(member(MemberKind::Method)).parse(payload),
        ConstantTag::InterfaceMethodref => {
            all_consuming(member(MemberKind::InterfaceMethod)).parse(payload)
        }
        ConstantTag::NameAndType => {
            all_consuming(map((cp_index, cp_index), |(name, descriptor)| {
                Constant::NameAndType { name, descriptor }
            }))
            .parse(payload)
        }
        ConstantTag::MethodHandle => all_consuming(map((be_u8, cp_index), |(kind, member)| {
            Constant::MethodHandle { kind, member }
        }))
        .parse(payload),
        ConstantTag::MethodType => all_consuming(map(cp_index, |descriptor| {
            Constant::MethodType { descriptor }
        }))
        .parse(payload),
        ConstantTag::Dynamic => {
            all_consuming(map((be_u16, cp_index), |(bootstrap, name_and_type)| {
                Constant::Dynamic {
                    bootstrap,
                    name_and_type,
                }
            }))
            .parse(payload)
        }
        ConstantTag::InvokeDynamic => {
            all_consuming(map((be_u16, cp_index), |(bootstrap, name_and_type)| {
                Constant::InvokeDynamic {
                    bootstrap,
                    name_and_type,
                }
            }))
            .parse(payload)
        }
        ConstantTag::Module => {
            all_consuming(map(cp_index, |name| Constant::Module { name })).parse(payload)
        }
        ConstantTag::Package => {
            all_consuming(map(cp_index, |name| Constant::Package { name })).parse(payload)
        }
    };
    let result: Result<(&[u8], Constant<'_>), nom::Err<Fault<'_>>> = result;
    result.ok().map(|(_, constant)| constant)
}

fn cp_index(input: &[u8]) -> grammar::Parsed<'_, CpIndex> {
    map(be_u16, CpIndex).parse(input)
}
