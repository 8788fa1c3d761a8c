//! The version of a class file, and what depends on it (JVMS §4.1).

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
    /// The oldest major version there is.
    pub const MAJOR_MIN: u16 = 45;
    /// The newest major version that is accepted.
    pub const MAJOR_MAX: u16 = 69;
    /// From here on names are any unqualified names, no longer Java identifiers only; and the flags
    /// of enum classes, annotations and bridges mean something.
    pub(super) const JAVA_5: u16 = 49;
    /// From here on an interface must say that it is abstract, and `StackMapTable` has a meaning.
    pub(super) const JAVA_6: u16 = 50;
    /// From here on `<clinit>` must be static and without parameters, and bootstrap methods count.
    pub(super) const JAVA_7: u16 = 51;
    /// From here on interfaces have methods with code.
    pub(super) const JAVA_8: u16 = 52;
    /// From here on a class file may be a module's.
    pub(super) const JAVA_9: u16 = 53;
    /// From here on the minor version must be 0, or 65535 for previews.
    pub(super) const JAVA_12: u16 = 56;
    /// From here on `strictfp` means nothing.
    pub(super) const JAVA_17: u16 = 61;
}

impl fmt::Display for ClassVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
