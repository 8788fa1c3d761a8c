//! What the checks of every part of a class file look at, and the questions that they share.

use super::access::ClassAccess;
use super::entry;
use super::error::{ParseErrorKind, PoolError};
use super::fault::{Faults, Place, Rejected};
use super::grammar::Reader;
use super::judge;
use super::pool::ConstantPool;
use super::tag::{ConstantTag, TagSet};
use super::text::{Role, Text};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::DescriptorErrorKind;
use crate::id::CpIndex;

/// A class file under examination.
#[derive(Copy, Clone)]
pub(super) struct Subject<'a> {
    pub(super) version: ClassVersion,
    pub(super) access: ClassAccess,
    pub(super) pool: ConstantPool<'a>,
    pub(super) faults: &'a Faults<'a>,
}

impl<'a> Subject<'a> {
    /// Notes a fault.
    pub(super) fn broken(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        self.faults.note(at, kind)
    }

    /// Notes the fault of an index into the constant pool that stands at `at`.
    pub(super) fn misleading(&self, at: Place, reason: PoolError) -> Rejected {
        self.broken(at, ParseErrorKind::of_index(reason))
    }

    /// Reads the contents of an attribute that holds one index of the constant pool.
    pub(super) fn one_index(&self, contents: &'a [u8]) -> Result<CpIndex, Rejected> {
        let reader = &mut Reader::part(contents, self.faults);
        let index = reader.u16()?;
        reader.end(ParseErrorKind::AttributeLength)?;
        Ok(CpIndex(index))
    }

    /// Checks that an index, which stands at `at`, leads to a constant of one of the kinds, and returns
    /// the bytes behind its tag.
    pub(super) fn kind(
        &self,
        at: Place,
        index: CpIndex,
        expected: TagSet,
    ) -> Result<&'a [u8], Rejected> {
        self.pool
            .find(index, expected)
            .ok_or_else(|| self.misleading(at, self.pool.mismatch(index, expected)))
    }

    /// Checks that an index, which stands at `at`, leads to a string.
    pub(super) fn string(&self, at: Place, index: CpIndex) -> Result<Utf8<'a>, Rejected> {
        self.kind(at, index, ConstantTag::Utf8.only())
            .map(|payload| Utf8::vouched(entry::string(payload)))
    }

    /// Checks that an index, which stands at `at`, leads to a string that may serve in the role.
    pub(super) fn text(&self, at: Place, index: CpIndex, role: Role) -> Result<Text, Rejected> {
        // What is no string serves in none.
        let text = self.pool.text(index);
        if text.serves(role) {
            Ok(text)
        } else {
            Err(self.unfit(at, index, role))
        }
    }

    /// Checks that an index, which stands at `at`, leads to a class that is no array.
    pub(super) fn plain_class(
        &self,
        at: Place,
        index: CpIndex,
    ) -> Result<Option<Utf8<'a>>, Rejected> {
        let payload = self.kind(at, index, ConstantTag::Class.only())?;
        let name = self.content(entry::cp_index(payload, 0));
        Ok(Some(name).filter(|name| !name.as_bytes().starts_with(b"[")))
    }

    /// Notes why a constant does not serve in the role, and where in the string if it is one.
    #[cold]
    #[inline(never)]
    fn unfit(&self, at: Place, index: CpIndex, role: Role) -> Rejected {
        let bytes = match self.string(at, index) {
            Ok(string) => string.as_bytes(),
            Err(broken) => return broken,
        };
        let (offset, kind) = match role {
            Role::ClassName => (0, ParseErrorKind::ClassName),
            Role::FieldName => (0, ParseErrorKind::FieldName),
            Role::MethodName => (0, ParseErrorKind::MethodName),
            Role::ModuleName => (0, ParseErrorKind::ModuleName),
            Role::FieldDescriptor => {
                let error = judge::field_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::FieldDescriptor { kind },
                )
            }
            Role::MethodDescriptor => {
                let error = judge::method_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::MethodDescriptor { kind },
                )
            }
        };
        self.broken(Place::of(bytes).behind(offset.into()), kind)
    }

    /// Returns the string at an index that was checked; the empty one elsewhere.
    pub(super) fn content(&self, index: CpIndex) -> Utf8<'a> {
        self.pool.string(index)
    }
}
