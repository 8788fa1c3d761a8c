//! The checks of the constant pool: what constants refer to, and whether it fits (JVMS §4.4).

use super::access::ClassAccess;
use super::entry;
use super::error::ParseErrorKind;
use super::fault::{Place, Rejected};
use super::subject::Subject;
use super::tag::{ConstantTag, TagSet};
use super::text::{Role, Text};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::id::CpIndex;

impl<'a> Subject<'a> {
    /// Checks that every constant refers to constants of the right kinds, names and descriptors.
    pub(super) fn check_constants(&self) -> Result<(), Rejected> {
        for index in (1..self.pool.count()).map(CpIndex) {
            // Strings, of which most pools have most, have been judged, and stand in files of any version.
            if !self.pool.holds(index, ConstantTag::Utf8.only())
                && let Some((tag, payload)) = self.pool.raw(index)
            {
                self.check_placement(index, tag)?;
                self.check_constant(index, tag, payload)?;
            }
        }
        Ok(())
    }

    /// Checks that every bootstrap method that a constant names is one of `count`.
    pub(super) fn check_bootstraps(&self, count: u16) -> Result<(), Rejected> {
        for index in (1..self.pool.count()).map(CpIndex) {
            let Some(payload) = self.pool.find(index, TagSet::BOOTSTRAPPED) else {
                continue;
            };
            let found = entry::cp_index(payload, 0).0;
            if found >= count {
                let kind = ParseErrorKind::BootstrapMethod { count, found };
                return Err(self.broken(self.pool.place(index), kind));
            }
        }
        Ok(())
    }

    fn check_constant(
        &self,
        index: CpIndex,
        tag: ConstantTag,
        payload: &[u8],
    ) -> Result<(), Rejected> {
        let at = self.pool.place(index);
        let (first, second) = entry::indices(payload);
        let named = |role| self.text(at, first, role).map(drop);
        let typed = |role| self.descriptor_of(at, second, role).map(drop);
        match tag {
            ConstantTag::Utf8
            | ConstantTag::Integer
            | ConstantTag::Float
            | ConstantTag::Long
            | ConstantTag::Double => Ok(()),
            ConstantTag::Class | ConstantTag::Package => named(Role::ClassName),
            ConstantTag::Module => named(Role::ModuleName),
            ConstantTag::MethodType => named(Role::MethodDescriptor),
            ConstantTag::String => self.string(at, first).map(drop),
            ConstantTag::Fieldref | ConstantTag::Methodref | ConstantTag::InterfaceMethodref => {
                self.kind(at, first, ConstantTag::Class.only())?;
                self.check_member(at, tag, second)
            }
            ConstantTag::NameAndType => self.check_name_and_type(at, first, second),
            ConstantTag::MethodHandle => {
                let kind = payload.first().copied().unwrap_or(0);
                self.check_method_handle(at, kind, entry::cp_index(payload, 1))
            }
            ConstantTag::Dynamic => typed(Role::FieldDescriptor),
            ConstantTag::InvokeDynamic => typed(Role::MethodDescriptor),
        }
    }

    /// Checks that the version, and for a module's constants the class, permit the tag.
    fn check_placement(&self, index: CpIndex, tag: ConstantTag) -> Result<(), Rejected> {
        let in_module = self.access.contains(ClassAccess::MODULE);
        let of_module = matches!(tag, ConstantTag::Module | ConstantTag::Package);
        if self.version.major >= tag.since() && (in_module || !of_module) {
            Ok(())
        } else {
            let version = self.version;
            let kind = ParseErrorKind::MisplacedTag { tag, version };
            Err(self.broken(self.pool.place(index), kind))
        }
    }

    /// Checks what a `Fieldref`, `Methodref` or `InterfaceMethodref` says of its member (§4.4.2).
    fn check_member(
        &self,
        at: Place,
        tag: ConstantTag,
        name_and_type: CpIndex,
    ) -> Result<(), Rejected> {
        let role = if tag == ConstantTag::Fieldref {
            Role::FieldDescriptor
        } else {
            Role::MethodDescriptor
        };
        let (name, descriptor) = self.descriptor_of(at, name_and_type, role)?;
        if tag == ConstantTag::Methodref && !self.pool.text(name).is_ordinary() {
            let name = self.content(name);
            if name.as_bytes().starts_with(b"<") && name != "<init>" {
                return Err(self.broken(at, ParseErrorKind::MethodName));
            }
            if name == "<init>" && !descriptor.is_void() {
                return Err(self.broken(at, ParseErrorKind::InitializerDescriptor));
            }
        }
        Ok(())
    }

    /// Checks that name and descriptor are both a field's or both a method's (§4.4.6).
    fn check_name_and_type(
        &self,
        at: Place,
        name: CpIndex,
        descriptor: CpIndex,
    ) -> Result<(), Rejected> {
        let text = self.pool.text(descriptor);
        let is_method = text.serves(Role::MethodDescriptor)
            || !text.serves(Role::FieldDescriptor)
                && self.string(at, descriptor)?.as_bytes().starts_with(b"(");
        if is_method {
            self.method_type(at, name, descriptor).map(drop)
        } else {
            self.field_type(at, name, descriptor)
        }
    }

    /// Checks the name and descriptor of a field.
    pub(super) fn field_type(
        &self,
        at: Place,
        name: CpIndex,
        descriptor: CpIndex,
    ) -> Result<(), Rejected> {
        self.text(at, name, Role::FieldName)?;
        self.text(at, descriptor, Role::FieldDescriptor).map(drop)
    }

    /// Checks the name and descriptor of a method, and that they agree (§2.9).
    pub(super) fn method_type(
        &self,
        at: Place,
        name: CpIndex,
        descriptor: CpIndex,
    ) -> Result<Text, Rejected> {
        let named = self.text(at, name, Role::MethodName)?;
        let text = self.text(at, descriptor, Role::MethodDescriptor)?;
        if named.is_ordinary() {
            return Ok(text);
        }
        // Older class files may have a `<clinit>` with parameters, which is no class initializer then.
        let bare = self.content(name) == "<clinit>" && self.version.major >= ClassVersion::JAVA_7;
        if !text.is_void() || bare && text.parameter_slots != 0 {
            return Err(self.broken(at, ParseErrorKind::InitializerDescriptor));
        }
        Ok(text)
    }

    /// Checks the kind of a method handle and the kind and name of its member (§4.4.8).
    fn check_method_handle(&self, at: Place, kind: u8, member: CpIndex) -> Result<(), Rejected> {
        let method = ConstantTag::Methodref.only();
        let expected = match kind {
            1..=4 => ConstantTag::Fieldref.only(),
            5 | 8 => method,
            6 | 7 if self.version.major >= ClassVersion::JAVA_8 => {
                method.or(ConstantTag::InterfaceMethodref)
            }
            6 | 7 => method,
            9 => ConstantTag::InterfaceMethodref.only(),
            found => {
                return Err(self.broken(at, ParseErrorKind::MethodHandleKind { found }));
            }
        };
        self.kind(at, member, expected)?;
        let name = self.member_name(at, member)?;
        let named_right = match kind {
            5..=7 | 9 => name != "<init>" && name != "<clinit>",
            8 => name == "<init>",
            _ => true,
        };
        if named_right {
            Ok(())
        } else {
            Err(self.broken(at, ParseErrorKind::MethodName))
        }
    }

    /// Follows a `NameAndType` to the name and to a descriptor of the role.
    fn descriptor_of(
        &self,
        at: Place,
        name_and_type: CpIndex,
        role: Role,
    ) -> Result<(CpIndex, Text), Rejected> {
        let (name, descriptor) = self.pair(at, name_and_type, ConstantTag::NameAndType.only())?;
        self.kind(at, name, ConstantTag::Utf8.only())?;
        Ok((name, self.text(at, descriptor, role)?))
    }

    /// Follows a field or method to its name.
    fn member_name(&self, at: Place, member: CpIndex) -> Result<Utf8<'a>, Rejected> {
        let (_, name_and_type) = self.pair(at, member, TagSet::MEMBER)?;
        let (name, _) = self.pair(at, name_and_type, ConstantTag::NameAndType.only())?;
        self.string(at, name)
    }

    /// Returns the two indices that a constant of one of these kinds holds.
    fn pair(
        &self,
        at: Place,
        index: CpIndex,
        expected: TagSet,
    ) -> Result<(CpIndex, CpIndex), Rejected> {
        self.kind(at, index, expected).map(entry::indices)
    }
}
