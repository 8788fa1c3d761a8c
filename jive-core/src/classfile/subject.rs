//! State shared by all class file checks, with their common predicates.

use super::access::ClassAccess;
use super::classify;
use super::entry;
use super::error::{ParseErrorKind, PoolError};
use super::fault::{Faults, Place, Rejected};
use super::grammar::Reader;
use super::pool::ConstantPool;
use super::tag::{ConstantTag, TagSet};
use super::text::{Role, Text};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::DescriptorErrorKind;
use crate::id::CpIndex;

/// A class file that the parser is checking.
#[derive(Copy, Clone)]
pub(super) struct Subject<'a> {
    pub(super) version: ClassVersion,
    pub(super) access: ClassAccess,
    pub(super) pool: ConstantPool<'a>,
    pub(super) faults: &'a Faults<'a>,
}

impl<'a> Subject<'a> {
    /// Records an error.
    pub(super) fn reject(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        self.faults.record(at, kind)
    }

    /// Records an error for the constant pool index that is stored at `at` in the file.
    pub(super) fn reject_index(&self, at: Place, reason: PoolError) -> Rejected {
        self.reject(at, ParseErrorKind::of_index(reason))
    }

    /// Parses the contents of an attribute that consists of a constant pool index.
    pub(super) fn one_index(&self, contents: &'a [u8]) -> Result<CpIndex, Rejected> {
        let reader = &mut Reader::part(contents, self.faults);
        let index = reader.u16()?;
        reader.end(ParseErrorKind::AttributeLength)?;
        Ok(CpIndex(index))
    }

    /// Checks that the constant at `index` has one of the expected kinds. Returns the bytes after the constant's tag.
    /// The constant pool index is stored at `at` in the file.
    pub(super) fn kind(
        &self,
        at: Place,
        index: CpIndex,
        expected: TagSet,
    ) -> Result<&'a [u8], Rejected> {
        self.pool
            .find(index, expected)
            .ok_or_else(|| self.reject_index(at, self.pool.mismatch(index, expected)))
    }

    /// Checks that the constant at `index` is a string. The constant pool index is stored at `at` in the file.
    pub(super) fn string(&self, at: Place, index: CpIndex) -> Result<Utf8<'a>, Rejected> {
        self.kind(at, index, ConstantTag::Utf8.only())
            .map(|payload| Utf8::from_checked(entry::string(payload)))
    }

    /// Checks that the constant at `index` is a string with the given role. The constant pool index is stored at `at`
    /// in the file.
    pub(super) fn text(&self, at: Place, index: CpIndex, role: Role) -> Result<Text, Rejected> {
        // A constant that is not a string has no roles.
        let text = self.pool.text(index);
        if text.serves(role) {
            Ok(text)
        } else {
            Err(self.reject_role(at, index, role))
        }
    }

    /// Checks that the constant at `index` is a class. Returns the name of the class, or `None` for an array class. The
    /// constant pool index is stored at `at` in the file.
    pub(super) fn plain_class(
        &self,
        at: Place,
        index: CpIndex,
    ) -> Result<Option<Utf8<'a>>, Rejected> {
        let payload = self.kind(at, index, ConstantTag::Class.only())?;
        let name = self.content(entry::cp_index(payload, 0));
        Ok(Some(name).filter(|name| !name.as_bytes().starts_with(b"[")))
    }

    /// Records why a constant is not valid in a role. If the constant is a string, the position of the error is inside
    /// the string.
    #[cold]
    #[inline(never)]
    fn reject_role(&self, at: Place, index: CpIndex, role: Role) -> Rejected {
        let bytes = match self.string(at, index) {
            Ok(string) => string.as_bytes(),
            Err(rejected) => return rejected,
        };
        let (offset, kind) = match role {
            Role::ClassName => (0, ParseErrorKind::ClassName),
            Role::FieldName => (0, ParseErrorKind::FieldName),
            Role::MethodName => (0, ParseErrorKind::MethodName),
            Role::ModuleName => (0, ParseErrorKind::ModuleName),
            Role::FieldDescriptor => {
                let error = classify::field_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::FieldDescriptor { kind },
                )
            }
            Role::MethodDescriptor => {
                let error = classify::method_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::MethodDescriptor { kind },
                )
            }
        };
        self.reject(Place::of(bytes).behind(offset.into()), kind)
    }

    /// Returns the string at a constant pool index that has been checked. Returns the empty string if the constant is
    /// not a string.
    pub(super) fn content(&self, index: CpIndex) -> Utf8<'a> {
        self.pool.string(index)
    }
}
