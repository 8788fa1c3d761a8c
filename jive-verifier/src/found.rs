//! What was expected and what was found: the details that errors carry, without text or names.

use core::fmt;

use jive_core::{CpIndex, EntryDecl, Opcode};

use crate::types::VerificationType;

/// What an instruction asks of a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No value: the result of a method that returns `void`.
    Nothing,
    /// A value assignable to this type.
    Type(VerificationType),
    /// Any initialised reference.
    Reference,
    /// Any reference, `this` before `Object.<init>` included.
    ReferenceOrUninitialized,
    /// An array of whatever element type.
    Array,
    /// A `byte[]` or a `boolean[]`, which `baload` and `bastore` do not tell apart.
    ByteOrBooleanArray,
}

impl Expected {
    /// Whether a value of this type is what was asked for.
    #[must_use]
    pub const fn accepts(self, found: VerificationType) -> bool {
        self.accepts_bits(found.bits())
    }

    /// Returns whether a value of the type with these bits is accepted: whether every alternative of the type is
    /// accepted.
    pub(crate) const fn accepts_bits(self, found: u8) -> bool {
        found & !self.among() == 0
    }

    /// Returns the bits of all that may stand there.
    pub(crate) const fn among(self) -> u8 {
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

/// Where a type outside the subset was met.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TypeUse {
    /// The instruction computes with it, or makes an array of it.
    Opcode(Opcode),
    /// The constant that an instruction loads is of it.
    Constant(CpIndex),
    /// The type of the field, or of its elements.
    Field,
    /// The type of a parameter, or of its elements; counted from 1.
    Parameter(u8),
    /// The type of the result, or of its elements.
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

/// Why a member that an instruction or a declaration names is not the one meant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Nothing has the name.
    Name,
    /// What has the name has another descriptor.
    Descriptor,
    /// It is `static`, and used as an instance member.
    Static,
    /// It is an instance member, and used as `static`.
    Instance,
    /// It is named as an interface's, and the class is none.
    Interface,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misfit::Name => "none has that name",
            Misfit::Descriptor => "the one of that name has another descriptor",
            Misfit::Static => "the one of that name is `static`",
            Misfit::Instance => "the one of that name is not `static`",
            Misfit::Interface => "an interface's method is named instead",
        })
    }
}

/// A member of an applet that its runtime knows (docs/subset.md).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AppletMember {
    /// The constructor without parameters.
    Constructor,
    /// A method that the runtime calls.
    Entry(&'static EntryDecl),
    /// `RxBuf`, the field in which an arrived packet is found.
    RxBuf,
}

impl AppletMember {
    /// Returns the name that the class file must give it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AppletMember::Constructor => "<init>",
            AppletMember::Entry(entry) => entry.name,
            AppletMember::RxBuf => "RxBuf",
        }
    }

    /// Returns the descriptor that the class file must give it.
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
    fn what_is_asked_for_accepts_the_types_that_its_name_says() {
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
