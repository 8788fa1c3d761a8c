//! Details of verification errors: the expected types, members and uses, as values without text.

use core::fmt;

use jive_core::{CpIndex, EntryDecl, Opcode};

use crate::types::VerificationType;

/// The type that an instruction requires of a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A return from a `void` method requires no value.
    Nothing,
    /// The instruction requires a value that is assignable to this type.
    Type(VerificationType),
    /// The instruction requires an initialised reference.
    Reference,
    /// The instruction requires any reference, including `this` before `Object.<init>`.
    ReferenceOrUninitialized,
    /// The instruction requires an array of any element type.
    Array,
    /// The instruction is `baload` or `bastore`, and requires a `byte[]` or a `boolean[]`.
    ByteOrBooleanArray,
}

impl Expected {
    /// Returns whether a value of type `found` satisfies the requirement.
    #[must_use]
    pub const fn accepts(self, found: VerificationType) -> bool {
        self.accepts_bits(found.bits())
    }

    /// Returns the same as [`accepts`](Self::accepts), for a type given as bits. `accepts_bits` returns true if all
    /// alternatives of the type are acceptable.
    pub(crate) const fn accepts_bits(self, found: u8) -> bool {
        found & !self.alternatives() == 0
    }

    /// Returns the set of alternatives that the requirement accepts, as bits of [`VerificationType`].
    pub(crate) const fn alternatives(self) -> u8 {
        use VerificationType as T;
        match self {
            Expected::Nothing => 0,
            Expected::Type(target) => target.bits(),
            Expected::Reference => T::AnyReference.bits(),
            Expected::ReferenceOrUninitialized => {
                T::AnyReference.bits() | T::UninitializedThis.bits()
            }
            Expected::Array => {
                T::ByteArray.bits()
                    | T::ShortArray.bits()
                    | T::IntArray.bits()
                    | T::BooleanArray.bits()
            }
            Expected::ByteOrBooleanArray => T::ByteArray.bits() | T::BooleanArray.bits(),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Nothing => f.write_str("`void`"),
            Expected::Type(kind) => fmt::Display::fmt(kind, f),
            Expected::Reference => f.write_str("an initialised reference"),
            Expected::ReferenceOrUninitialized => f.write_str("a reference"),
            Expected::Array => f.write_str("an array"),
            Expected::ByteOrBooleanArray => f.write_str("`byte[]` or `boolean[]`"),
        }
    }
}

/// The place where a type outside the subset occurs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TypeUse {
    /// An instruction that computes with the type, or creates an array of it.
    Opcode(Opcode),
    /// An instruction that loads a constant of the type.
    Constant(CpIndex),
    /// The type of a field or of its elements.
    Field,
    /// The type of a parameter or of its elements. Parameters count from 1.
    Parameter(u8),
    /// The type of a method's result or of its elements.
    Result,
}

impl fmt::Display for TypeUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeUse::Opcode(opcode) => write!(f, "`{opcode}` uses"),
            TypeUse::Constant(index) => write!(f, "constant {index} is of type"),
            TypeUse::Field => f.write_str("the field's type uses"),
            TypeUse::Parameter(number) => write!(f, "the type of parameter {number} uses"),
            TypeUse::Result => f.write_str("the type of the result uses"),
        }
    }
}

/// Why a constant or a declaration does not match any member.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ResolutionError {
    /// No member of the class has the name.
    Name,
    /// The class has a member with the name, but with another descriptor.
    Descriptor,
    /// The member is static, but the class file uses it as an instance member.
    Static,
    /// The member is an instance member, but the class file uses it as a static member.
    Instance,
    /// The constant names an interface method, but the class is not an interface.
    Interface,
}

impl fmt::Display for ResolutionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ResolutionError::Name => "none has that name",
            ResolutionError::Descriptor => "the one of that name has another descriptor",
            ResolutionError::Static => "the one of that name is `static`",
            ResolutionError::Instance => "the one of that name is not `static`",
            ResolutionError::Interface => "an interface's method is named instead",
        })
    }
}

/// A member that a runtime requires of an applet or a program (docs/subset.md).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AppletMember {
    /// The constructor without parameters.
    Constructor,
    /// A method that the runtime calls.
    Entry(&'static EntryDecl),
    /// `RxBuf`, the field with the array for arriving packets.
    RxBuf,
}

impl AppletMember {
    /// Returns the name that the member must have.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AppletMember::Constructor => "<init>",
            AppletMember::Entry(entry) => entry.name,
            AppletMember::RxBuf => "RxBuf",
        }
    }

    /// Returns the descriptor that the member must have.
    #[must_use]
    pub const fn descriptor(self) -> &'static str {
        match self {
            AppletMember::Constructor => "()V",
            AppletMember::Entry(entry) => entry.descriptor,
            AppletMember::RxBuf => "[B",
        }
    }
}

impl fmt::Display for AppletMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppletMember::Constructor => f.write_str("a constructor `()V`"),
            AppletMember::Entry(_) => {
                write!(f, "a method `{}{}`", self.name(), self.descriptor())
            }
            AppletMember::RxBuf => {
                write!(f, "a field `{}` of type `byte[]`", self.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Expected::{
        Array, ByteOrBooleanArray, Nothing, Reference, ReferenceOrUninitialized,
    };
    use super::*;
    use VerificationType as T;

    #[test]
    fn each_expectation_accepts_exactly_its_types() {
        let arrays = [
            T::Null,
            T::ByteArray,
            T::ShortArray,
            T::IntArray,
            T::BooleanArray,
        ];
        let initialized =
            |found| arrays.contains(&found) || [T::This, T::AnyReference].contains(&found);
        for found in T::ALL {
            assert!(!Nothing.accepts(found), "{found}");
            assert_eq!(Array.accepts(found), arrays.contains(&found), "{found}");
            assert_eq!(Reference.accepts(found), initialized(found), "{found}");
            assert_eq!(
                ReferenceOrUninitialized.accepts(found),
                initialized(found) || found == T::UninitializedThis,
                "{found}"
            );
            assert_eq!(
                ByteOrBooleanArray.accepts(found),
                [T::Null, T::ByteArray, T::BooleanArray].contains(&found),
                "{found}"
            );
        }
    }
}
