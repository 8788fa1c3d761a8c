//! What the checks of every part of a class file look at, and the questions that they share.

use super::access::ClassAccess;
use super::error::ParseErrorKind;
use super::grammar::Fault;
use super::pool::ConstantPool;
use super::tag::{ConstantTag, TagSet};
use super::text::{self, Role, Text};
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
}

impl<'a> Subject<'a> {
    /// Checks that an index, which stands at `at`, leads to a constant of one of the kinds.
    pub(super) fn kind(
        &self,
        at: &'a [u8],
        index: CpIndex,
        expected: TagSet,
    ) -> Result<(), Fault<'a>> {
        match self.pool.expect(index, expected) {
            Ok(_) => Ok(()),
            Err(reason) => Err(Fault::index(at, reason)),
        }
    }

    /// Checks that an index, which stands at `at`, leads to a string.
    pub(super) fn string(&self, at: &'a [u8], index: CpIndex) -> Result<Utf8<'a>, Fault<'a>> {
        self.kind(at, index, ConstantTag::Utf8.only())?;
        Ok(self.content(index))
    }

    /// Checks that an index, which stands at `at`, leads to a string that may serve in the role.
    pub(super) fn text(&self, at: &'a [u8], index: CpIndex, role: Role) -> Result<Text, Fault<'a>> {
        self.kind(at, index, ConstantTag::Utf8.only())?;
        let text = self.pool.text(index);
        if text.serves(role) {
            Ok(text)
        } else {
            Err(self.misfit(index, role))
        }
    }

    /// Checks that an index, which stands at `at`, leads to a class that is no array.
    pub(super) fn plain_class(
        &self,
        at: &'a [u8],
        index: CpIndex,
    ) -> Result<Option<Utf8<'a>>, Fault<'a>> {
        self.kind(at, index, ConstantTag::Class.only())?;
        Ok(self
            .pool
            .class_name(index)
            .ok()
            .filter(|name| !name.as_bytes().starts_with(b"[")))
    }

    /// Returns why a string does not serve in the role, and where in the string.
    fn misfit(&self, index: CpIndex, role: Role) -> Fault<'a> {
        let bytes = self.content(index).as_bytes();
        let (offset, kind) = match role {
            Role::ClassName => (0, ParseErrorKind::ClassName),
            Role::FieldName => (0, ParseErrorKind::FieldName),
            Role::MethodName => (0, ParseErrorKind::MethodName),
            Role::ModuleName => (0, ParseErrorKind::ModuleName),
            Role::FieldDescriptor => {
                let error = text::field_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::FieldDescriptor { kind },
                )
            }
            Role::MethodDescriptor => {
                let error = text::method_descriptor(self.version, bytes).err();
                let kind = error.map_or(DescriptorErrorKind::Truncated, |error| error.kind);
                (
                    error.map_or(0, |error| error.offset),
                    ParseErrorKind::MethodDescriptor { kind },
                )
            }
        };
        Fault {
            at: bytes.get(usize::from(offset)..).unwrap_or(bytes),
            kind,
        }
    }

    /// Returns the string at an index that was checked; the empty one elsewhere.
    pub(super) fn content(&self, index: CpIndex) -> Utf8<'a> {
        self.pool.utf8(index).unwrap_or(Utf8::vouched(&[]))
    }
}
