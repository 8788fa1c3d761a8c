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
    /// The first major version whose minor version must be 0, or 65535 for previews.
    pub(super) const MINOR_ZERO_SINCE: u16 = 56;
}

impl fmt::Display for ClassVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
