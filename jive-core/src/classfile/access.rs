//! Access flags (JVMS §4.1, §4.5, §4.6), and the combinations that a class file may not have.

use bitflags::bitflags;

use super::utf8::Utf8;
use super::version::ClassVersion;

bitflags! {
    /// Access and properties of a class (JVMS table 4.1-B).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct ClassAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Has no subclasses.
        const FINAL = 0x0010;
        /// Treats superclass methods specially in `invokespecial`; every JVM does so now.
        const SUPER = 0x0020;
        /// Is an interface.
        const INTERFACE = 0x0200;
        /// Must not be instantiated.
        const ABSTRACT = 0x0400;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
        /// Is an annotation interface.
        const ANNOTATION = 0x2000;
        /// Is an enum class.
        const ENUM = 0x4000;
        /// Is a module.
        const MODULE = 0x8000;
    }
}

bitflags! {
    /// Access and properties of a field (JVMS table 4.5-A).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct FieldAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Visible within its class.
        const PRIVATE = 0x0002;
        /// Visible within subclasses.
        const PROTECTED = 0x0004;
        /// Belongs to the class.
        const STATIC = 0x0008;
        /// Is not assigned after construction.
        const FINAL = 0x0010;
        /// Is not cached.
        const VOLATILE = 0x0040;
        /// Is not written by a persistent object manager.
        const TRANSIENT = 0x0080;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
        /// Holds an element of an enum class.
        const ENUM = 0x4000;
    }
}

bitflags! {
    /// Access and properties of a method (JVMS table 4.6-A).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct MethodAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Visible within its class.
        const PRIVATE = 0x0002;
        /// Visible within subclasses.
        const PROTECTED = 0x0004;
        /// Belongs to the class.
        const STATIC = 0x0008;
        /// Is not overridden.
        const FINAL = 0x0010;
        /// Runs inside a monitor.
        const SYNCHRONIZED = 0x0020;
        /// Is a bridge, made by the compiler.
        const BRIDGE = 0x0040;
        /// Takes a variable number of arguments in the source.
        const VARARGS = 0x0080;
        /// Is not written in Java.
        const NATIVE = 0x0100;
        /// Has no implementation.
        const ABSTRACT = 0x0400;
        /// Computes floating point strictly.
        const STRICT = 0x0800;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
    }
}

impl ClassAccess {
    /// Reads the flags as the version means them.
    ///
    /// Below version 50 an interface is abstract even where it does not say so; below 53 there are no
    /// modules. Both as HotSpot reads them.
    pub(super) fn read(bits: u16, version: ClassVersion) -> Self {
        let mut access = Self::from_bits_truncate(bits);
        if version.major < ClassVersion::JAVA_9 {
            access.remove(Self::MODULE);
        }
        access.set(
            Self::ABSTRACT,
            access.contains(Self::ABSTRACT)
                || access.contains(Self::INTERFACE) && version.major < ClassVersion::JAVA_6,
        );
        access
    }

    /// Returns whether the flags agree (§4.1).
    pub(super) fn is_legal(self, version: ClassVersion) -> bool {
        if self.contains(Self::MODULE) {
            return self == Self::MODULE;
        }
        let modern = version.major >= ClassVersion::JAVA_5;
        let interface = self.contains(Self::INTERFACE);
        let misplaced = if interface {
            Self::SUPER | Self::ENUM
        } else {
            Self::ANNOTATION
        };
        let required = if interface {
            Self::ABSTRACT
        } else {
            Self::empty()
        };
        let clash = self.contains(Self::ABSTRACT | Self::FINAL);
        !clash && self.contains(required) && !(modern && self.intersects(misplaced))
    }
}

impl FieldAccess {
    /// Returns whether the flags agree (§4.5).
    pub(super) fn is_legal(self, version: ClassVersion, in_interface: bool) -> bool {
        if !in_interface {
            return one_visibility(self.bits()) && !self.contains(Self::FINAL | Self::VOLATILE);
        }
        let mut optional = Self::SYNTHETIC;
        optional.set(Self::ENUM, version.major < ClassVersion::JAVA_5);
        self.difference(optional) == Self::PUBLIC | Self::STATIC | Self::FINAL
    }
}

impl MethodAccess {
    /// Reads the flags as the version means them.
    ///
    /// Of the flags of `<clinit>` only `STATIC` counts, and `STRICT` while it had a meaning (§4.6). Below version 51 it
    /// is static even if the flag is missing.
    pub(super) fn read(bits: u16, version: ClassVersion, is_class_initializer: bool) -> Self {
        let access = Self::from_bits_truncate(bits);
        if !is_class_initializer {
            access
        } else if version.major < ClassVersion::JAVA_7 {
            Self::STATIC
        } else if version.major < ClassVersion::JAVA_17 {
            access & (Self::STATIC | Self::STRICT)
        } else {
            access & Self::STATIC
        }
    }

    /// Returns whether the flags of a method of this name agree (§4.6).
    pub(super) fn is_legal(
        self,
        version: ClassVersion,
        in_interface: bool,
        name: Utf8<'_>,
    ) -> bool {
        if name == "<clinit>" {
            self.contains(Self::STATIC)
        } else if name == "<init>" {
            !in_interface && self.is_legal_constructor(version)
        } else if in_interface {
            self.is_legal_in_interface(version)
        } else {
            one_visibility(self.bits()) && self.is_legal_abstract(version)
        }
    }

    fn is_legal_constructor(self, version: ClassVersion) -> bool {
        let mut forbidden =
            Self::STATIC | Self::FINAL | Self::SYNCHRONIZED | Self::NATIVE | Self::ABSTRACT;
        forbidden.set(Self::BRIDGE, version.major >= ClassVersion::JAVA_5);
        one_visibility(self.bits()) && !self.intersects(forbidden)
    }

    /// Returns whether an abstract method of a class has only flags that such a method may have.
    fn is_legal_abstract(self, version: ClassVersion) -> bool {
        let mut forbidden = Self::FINAL | Self::NATIVE | Self::PRIVATE | Self::STATIC;
        forbidden.set(Self::SYNCHRONIZED, version.major >= ClassVersion::JAVA_5);
        forbidden.set(
            Self::STRICT,
            (ClassVersion::JAVA_5..ClassVersion::JAVA_17).contains(&version.major),
        );
        !self.contains(Self::ABSTRACT) || !self.intersects(forbidden)
    }

    fn is_legal_in_interface(self, version: ClassVersion) -> bool {
        if version.major >= ClassVersion::JAVA_8 {
            return self.contains(Self::PUBLIC) != self.contains(Self::PRIVATE)
                && !self
                    .intersects(Self::PROTECTED | Self::FINAL | Self::SYNCHRONIZED | Self::NATIVE)
                && self.is_legal_abstract(version);
        }
        let mut forbidden = Self::STATIC | Self::FINAL | Self::NATIVE;
        if version.major >= ClassVersion::JAVA_5 {
            forbidden |= Self::PRIVATE | Self::PROTECTED | Self::SYNCHRONIZED | Self::STRICT;
        }
        self.contains(Self::PUBLIC | Self::ABSTRACT) && !self.intersects(forbidden)
    }
}

/// Returns whether at most one of `PUBLIC`, `PRIVATE` and `PROTECTED` is set; fields and methods share
/// their numbers.
fn one_visibility(bits: u16) -> bool {
    let visibility = FieldAccess::PUBLIC | FieldAccess::PRIVATE | FieldAccess::PROTECTED;
    (bits & visibility.bits()).count_ones() <= 1
}
