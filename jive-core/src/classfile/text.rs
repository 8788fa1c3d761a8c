//! Facts about a string of the constant pool, packed into a word of its index entry.

use bitflags::bitflags;

use crate::id::CpIndex;

bitflags! {
    /// The uses that a string is valid for.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub(super) struct Roles: u8 {
        /// The internal name of a class, or the descriptor of an array class (§4.4.1).
        const CLASS_NAME = 1 << 0;
        /// The name of a field (§4.2.2).
        const FIELD_NAME = 1 << 1;
        /// The name of a method, including `<init>` and `<clinit>` (§4.2.2).
        const METHOD_NAME = 1 << 2;
        /// The name of a module (§4.2.3).
        const MODULE_NAME = 1 << 3;
        /// A field descriptor.
        const FIELD_DESCRIPTOR = 1 << 4;
        /// A method descriptor.
        const METHOD_DESCRIPTOR = 1 << 5;
        /// A method descriptor with result type `void`.
        const VOID_DESCRIPTOR = 1 << 6;
        /// The name of a method that is not an initialization method.
        const ORDINARY_METHOD_NAME = 1 << 7;
    }
}

/// A use of a string that a check requires.
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

/// Facts about a string.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The lowest index with an equal string. Two strings are equal exactly if their identities are equal.
    pub(super) identity: CpIndex,
    /// Number of slots that the parameters take, if the string is a method descriptor.
    pub(super) parameter_slots: u8,
    pub(super) roles: Roles,
}

impl Text {
    /// Returns the facts about a string before it is classified: no roles, and its own index as identity.
    pub(super) const fn unclassified(index: CpIndex) -> Self {
        Self {
            identity: index,
            parameter_slots: 0,
            roles: Roles::empty(),
        }
    }

    /// Returns whether the string is valid in a given role.
    pub(super) const fn serves(self, role: Role) -> bool {
        self.roles.contains(role.bit())
    }

    /// Returns whether the string is a valid method name other than `<init>` and `<clinit>` (§2.9).
    pub(super) const fn is_ordinary(self) -> bool {
        self.roles.contains(Roles::ORDINARY_METHOD_NAME)
    }

    /// Returns whether the string is a method descriptor with result type `void`.
    pub(super) const fn is_void(self) -> bool {
        self.roles.contains(Roles::VOID_DESCRIPTOR)
    }

    pub(super) fn pack(self) -> u32 {
        let [identity_high, identity_low] = self.identity.0.to_be_bytes();
        u32::from_be_bytes([
            identity_high,
            identity_low,
            self.parameter_slots,
            self.roles.bits(),
        ])
    }

    pub(super) fn unpack(word: u32) -> Self {
        let [identity_high, identity_low, parameter_slots, roles] = word.to_be_bytes();
        Self {
            identity: CpIndex(u16::from_be_bytes([identity_high, identity_low])),
            parameter_slots,
            roles: Roles::from_bits_retain(roles),
        }
    }
}
