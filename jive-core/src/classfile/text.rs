//! What each string of the constant pool may serve as, found out once and remembered while parsing.
//!
//! Any number of constants may refer to one string of 65,535 bytes. Judging the string at each
//! reference would make parsing quadratic, and so would comparing names to find equal members.

use bitflags::bitflags;

use super::error::ParseErrorKind;
use super::grammar::Fault;
use super::pool::{Constant, ConstantPool};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::{
    DescriptorError, DescriptorErrorKind, FieldType, MethodDescriptor, is_class_name,
    is_unqualified_name, parse_field,
};
use crate::id::CpIndex;

bitflags! {
    /// What a string may serve as.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    struct Roles: u8 {
        /// The internal name of a class, or the descriptor of an array class (§4.4.1).
        const CLASS_NAME = 1 << 0;
        /// The name of a field (§4.2.2).
        const FIELD_NAME = 1 << 1;
        /// The name of a method, of initialization methods too (§4.2.2).
        const METHOD_NAME = 1 << 2;
        /// The name of a module (§4.2.3).
        const MODULE_NAME = 1 << 3;
        /// A field descriptor.
        const FIELD_DESCRIPTOR = 1 << 4;
        /// A method descriptor.
        const METHOD_DESCRIPTOR = 1 << 5;
        /// A method descriptor without result.
        const VOID_DESCRIPTOR = 1 << 6;
        /// Not a role: the class was seen to name a superinterface so.
        const SUPERINTERFACE = 1 << 7;
    }
}

/// What a string is asked to serve as.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    ClassName,
    FieldName,
    MethodName,
    ModuleName,
    FieldDescriptor,
    MethodDescriptor,
}

impl Role {
    const fn bit(self) -> Roles {
        match self {
            Role::ClassName => Roles::CLASS_NAME,
            Role::FieldName => Roles::FIELD_NAME,
            Role::MethodName => Roles::METHOD_NAME,
            Role::ModuleName => Roles::MODULE_NAME,
            Role::FieldDescriptor => Roles::FIELD_DESCRIPTOR,
            Role::MethodDescriptor => Roles::METHOD_DESCRIPTOR,
        }
    }
}

/// What is known of one string.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The lowest index at which the same string stands: equal strings have equal ones.
    pub(super) identity: CpIndex,
    /// Slots that the parameters take, where it is a method descriptor.
    pub(super) parameter_slots: u8,
    roles: Roles,
}

impl Text {
    /// Tells whether the string may serve in the role.
    pub(super) const fn serves(self, role: Role) -> bool {
        self.roles.contains(role.bit())
    }

    /// Tells whether it is a method descriptor without result.
    pub(super) const fn is_void(self) -> bool {
        self.roles.contains(Roles::VOID_DESCRIPTOR)
    }

    fn pack(self) -> u32 {
        let [identity_high, identity_low] = self.identity.0.to_be_bytes();
        u32::from_be_bytes([
            identity_high,
            identity_low,
            self.parameter_slots,
            self.roles.bits(),
        ])
    }

    fn unpack(word: u32) -> Self {
        let [identity_high, identity_low, parameter_slots, roles] = word.to_be_bytes();
        Self {
            identity: CpIndex(u16::from_be_bytes([identity_high, identity_low])),
            parameter_slots,
            roles: Roles::from_bits_retain(roles),
        }
    }
}

/// What is known of every string of a constant pool, one word each.
pub(super) struct Texts<'i> {
    words: &'i mut [u32],
}

impl<'i> Texts<'i> {
    /// Judges every string of the pool.
    ///
    /// `words` and `order` have a word for each index of the pool; `order` is scratch space.
    pub(super) fn judge<'a>(
        pool: ConstantPool<'a>,
        version: ClassVersion,
        words: &'i mut [u32],
        order: &mut [u32],
    ) -> Result<Self, Fault<'a>> {
        words.fill(0);
        let mut texts = Self { words };
        let mut count: usize = 0;
        for (index, place) in strings(pool).zip(&mut *order) {
            let bytes = content(pool, index);
            if let Err(offset) = Utf8::new(bytes) {
                let at = bytes.get(offset..).unwrap_or(bytes);
                return Err(Fault {
                    at,
                    kind: ParseErrorKind::Utf8,
                });
            }
            texts.set(index, judge(version, bytes, index));
            *place = u32::from(index.0);
            count = count.saturating_add(1);
        }
        texts.identify(pool, order.get_mut(..count).unwrap_or_default());
        Ok(texts)
    }

    /// Gives equal strings one identity.
    ///
    /// By sorting, since a hash table could be filled with collisions. Every comparison costs at most
    /// the length of the shorter string, so the whole costs the pool's bytes times a logarithm.
    fn identify(&mut self, pool: ConstantPool<'_>, order: &mut [u32]) {
        let index = |place: &u32| CpIndex(u16::try_from(*place).unwrap_or(0));
        order.sort_unstable_by(|a, b| {
            content(pool, index(a))
                .cmp(content(pool, index(b)))
                .then(a.cmp(b))
        });
        let mut lowest: Option<CpIndex> = None;
        for index in order.iter().map(index) {
            let same = lowest.filter(|lowest| content(pool, *lowest) == content(pool, index));
            let identity = same.unwrap_or(index);
            let text = self.get(index);
            self.set(index, Text { identity, ..text });
            lowest = Some(identity);
        }
    }

    /// Returns what is known of the string at an index: no role where there is no string.
    pub(super) fn get(&self, index: CpIndex) -> Text {
        Text::unpack(self.words.get(index.index()).copied().unwrap_or(0))
    }

    /// Notes that a string names a superinterface; false where an equal string did so before.
    pub(super) fn note_superinterface(&mut self, index: CpIndex) -> bool {
        let identity = self.get(index).identity;
        let mut text = self.get(identity);
        let first = !text.roles.contains(Roles::SUPERINTERFACE);
        text.roles.insert(Roles::SUPERINTERFACE);
        self.set(identity, text);
        first
    }

    fn set(&mut self, index: CpIndex, text: Text) {
        if let Some(word) = self.words.get_mut(index.index()) {
            *word = text.pack();
        }
    }
}

/// Returns the indices of the pool's strings.
fn strings(pool: ConstantPool<'_>) -> impl Iterator<Item = CpIndex> {
    pool.iter()
        .filter(|(_, constant)| matches!(constant, Constant::Utf8(_)))
        .map(|(index, _)| index)
}

/// Returns the bytes of a string; none where there is no string.
fn content<'a>(pool: ConstantPool<'a>, index: CpIndex) -> &'a [u8] {
    pool.utf8(index).map_or(&[], Utf8::as_bytes)
}

/// Finds the roles of a string.
fn judge(version: ClassVersion, bytes: &[u8], identity: CpIndex) -> Text {
    let mut text = Text {
        identity,
        parameter_slots: 0,
        roles: Roles::empty(),
    };
    let roles = &mut text.roles;
    roles.set(Roles::CLASS_NAME, is_class_constant(version, bytes));
    let unqualified = is_unqualified_name(bytes) && is_identifier(version, bytes);
    let initializer = matches!(bytes, b"<init>" | b"<clinit>");
    let angular = bytes.iter().any(|byte| matches!(byte, b'<' | b'>'));
    roles.set(Roles::FIELD_NAME, unqualified);
    roles.set(Roles::METHOD_NAME, initializer || unqualified && !angular);
    roles.set(Roles::MODULE_NAME, is_module_name(bytes));
    roles.set(
        Roles::FIELD_DESCRIPTOR,
        field_descriptor(version, bytes).is_ok(),
    );
    if let Ok(descriptor) = method_descriptor(version, bytes) {
        text.parameter_slots = descriptor.parameter_slots();
        text.roles.insert(Roles::METHOD_DESCRIPTOR);
        text.roles
            .set(Roles::VOID_DESCRIPTOR, descriptor.result().is_none());
    }
    text
}

/// Reads a field descriptor, by the rules of the version for names.
pub(super) fn field_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<FieldType<'_>, DescriptorError> {
    parse_field(bytes).and_then(|parsed| check_class_name(version, parsed).map(|()| parsed))
}

/// Reads a method descriptor, by the rules of the version for names.
pub(super) fn method_descriptor(
    version: ClassVersion,
    bytes: &[u8],
) -> Result<MethodDescriptor<'_>, DescriptorError> {
    let descriptor = MethodDescriptor::parse(bytes)?;
    descriptor
        .parameters()
        .chain(descriptor.result())
        .try_for_each(|part| check_class_name(version, part))?;
    Ok(descriptor)
}

fn check_class_name(version: ClassVersion, part: FieldType<'_>) -> Result<(), DescriptorError> {
    match part.class_name() {
        Some(name) if !is_identifier(version, name) => Err(DescriptorError {
            offset: 0,
            kind: DescriptorErrorKind::ClassName,
        }),
        Some(_) | None => Ok(()),
    }
}

/// Tells whether a string may be the name in a `Class` constant (§4.4.1).
fn is_class_constant(version: ClassVersion, bytes: &[u8]) -> bool {
    if bytes.starts_with(b"[") {
        field_descriptor(version, bytes).is_ok()
    } else {
        is_class_name(bytes) && is_identifier(version, bytes)
    }
}

/// Tells whether a name is made of letters, digits, `_`, `$` and `/`, and begins with no digit, where
/// the version demands it.
///
/// HotSpot holds class files below version 49 to the older rule that names are Java identifiers. It
/// asks the class library about characters beyond ASCII; all of those pass here.
fn is_identifier(version: ClassVersion, name: &[u8]) -> bool {
    let part = |byte: &u8| {
        !byte.is_ascii() || byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'/')
    };
    version.major >= ClassVersion::JAVA_5
        || !name.first().is_some_and(u8::is_ascii_digit) && name.iter().all(part)
}

/// Tells whether a string is the name of a module (§4.2.3).
fn is_module_name(bytes: &[u8]) -> bool {
    let mut escaped = false;
    for byte in bytes {
        let special = matches!(byte, b'\\' | b':' | b'@');
        if *byte < 0x20 || escaped && !special {
            return false;
        }
        let escapes = *byte == b'\\' && !escaped;
        if special && !escaped && !escapes {
            return false;
        }
        escaped = escapes;
    }
    !escaped
}
