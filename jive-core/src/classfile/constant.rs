//! Checks of the constant pool: the targets of references, and the versions that permit a tag (JVMS §4.4).

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
    /// Checks that every constant refers to constants of the right kind, and to valid names and descriptors.
    pub(super) fn check_constants(&self) -> Result<(), Rejected> {
        for index in (1..self.pool.count()).map(CpIndex) {
            // Most constants are strings. Strings are already checked, and every version permits strings.
            if !self.pool.holds(index, ConstantTag::Utf8.only())
                && let Some((tag, payload)) = self.pool.raw(index)
            {
                self.check_placement(index, tag)?;
                self.check_constant(index, tag, payload)?;
            }
        }
        Ok(())
    }

    /// Checks the bootstrap method index of every constant that has one. The argument `count` is the number of
    /// bootstrap methods of the class.
    pub(super) fn check_bootstraps(&self, count: u16) -> Result<(), Rejected> {
        for index in (1..self.pool.count()).map(CpIndex) {
            let Some(payload) = self.pool.find(index, TagSet::BOOTSTRAPPED) else {
                continue;
            };
            let found = entry::cp_index(payload, 0).0;
            if found >= count {
                let kind = ParseErrorKind::BootstrapMethod { count, found };
                return Err(self.reject(self.pool.place(index), kind));
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

    /// Checks that the class file's version permits the tag. Also checks that only class files of modules have
    /// constants for modules and packages.
    fn check_placement(&self, index: CpIndex, tag: ConstantTag) -> Result<(), Rejected> {
        let in_module = self.access.contains(ClassAccess::MODULE);
        let of_module = matches!(tag, ConstantTag::Module | ConstantTag::Package);
        if self.version.major >= tag.since() && (in_module || !of_module) {
            Ok(())
        } else {
            let version = self.version;
            let kind = ParseErrorKind::MisplacedTag { tag, version };
            Err(self.reject(self.pool.place(index), kind))
        }
    }

    /// Checks the name and descriptor of a `Fieldref`, `Methodref` or `InterfaceMethodref` (§4.4.2).
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
                return Err(self.reject(at, ParseErrorKind::MethodName));
            }
            if name == "<init>" && !descriptor.is_void() {
                return Err(self.reject(at, ParseErrorKind::InitializerDescriptor));
            }
        }
        Ok(())
    }

    /// Checks that name and descriptor both belong to a field or both belong to a method (§4.4.6).
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

    /// Checks the name and descriptor of a method, including the rules for initialization methods (§2.9).
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
        // Below version 51, a method named `<clinit>` may have parameters, and is then not a class initializer.
        let bare = self.content(name) == "<clinit>" && self.version.major >= ClassVersion::JAVA_7;
        if !text.is_void() || bare && text.parameter_slots != 0 {
            return Err(self.reject(at, ParseErrorKind::InitializerDescriptor));
        }
        Ok(text)
    }

    /// Checks the kind of a method handle, and the kind and name of the member that it refers to (§4.4.8).
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
                return Err(self.reject(at, ParseErrorKind::MethodHandleKind { found }));
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
            Err(self.reject(at, ParseErrorKind::MethodName))
        }
    }

    /// Resolves a `NameAndType` to its name and its descriptor. Checks that the descriptor of the `NameAndType` is
    /// valid in the given role.
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

    /// Returns the name of the field or method that a constant refers to.
    fn member_name(&self, at: Place, member: CpIndex) -> Result<Utf8<'a>, Rejected> {
        let (_, name_and_type) = self.pair(at, member, TagSet::MEMBER)?;
        let (name, _) = self.pair(at, name_and_type, ConstantTag::NameAndType.only())?;
        self.string(at, name)
    }

    /// Returns the two indices in the constant at `index`. Checks that the constant has one of the expected kinds.
    fn pair(
        &self,
        at: Place,
        index: CpIndex,
        expected: TagSet,
    ) -> Result<(CpIndex, CpIndex), Rejected> {
        self.kind(at, index, expected).map(entry::indices)
    }
}
