//! Class file versions, and the versions that changed the rules (JVMS §4.1).

use core::fmt;

/// The version of a class file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassVersion {
    /// Major version: 45 for the first JDK, 69 for Java 25.
    pub major: u16,
    /// Minor version.
    pub minor: u16,
}

impl ClassVersion {
    /// The oldest major version.
    pub const MAJOR_MIN: u16 = 45;
    /// The newest major version that the parser accepts.
    pub const MAJOR_MAX: u16 = 69;
    /// First version in which names are arbitrary unqualified names, and not only Java identifiers. Java 5 also
    /// introduces the flags of enum classes, annotations and bridge methods.
    pub(super) const JAVA_5: u16 = 49;
    /// First version in which an interface must have the flag `ABSTRACT`. It also introduces `StackMapTable`.
    pub(super) const JAVA_6: u16 = 50;
    /// First version in which `<clinit>` must be static and must not have parameters. Java 7 also introduces bootstrap
    /// methods.
    pub(super) const JAVA_7: u16 = 51;
    /// First version in which interfaces may have methods with code.
    pub(super) const JAVA_8: u16 = 52;
    /// First version with modules.
    pub(super) const JAVA_9: u16 = 53;
    /// First version in which the minor version must be 0, or 65535 for preview features.
    pub(super) const JAVA_12: u16 = 56;
    /// First version in which `strictfp` has no effect.
    pub(super) const JAVA_17: u16 = 61;
}

impl fmt::Display for ClassVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
