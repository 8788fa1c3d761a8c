//! Why a class could not be loaded.

use jive_core::{LinkError, ParseError};
use jive_verifier::{CheckError, VerifyError};

/// Why a class could not be loaded: the error of the stage that refused it.
///
/// Too little memory is an error of the loading stage that ran out of memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not a class file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The verifier rejected the class as unsafe or outside the subset.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The linker rejected the class because it exceeds a limit of the linked form.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl LoadError {
    /// Returns the stable code of the rule that the class breaks.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            LoadError::Parse(error) => error.code(),
            LoadError::Verify(error) => error.kind.code(),
            LoadError::Link(error) => error.kind.code(),
        }
    }
}

/// Why a class could not be loaded with a certificate: the error of the stage that refused it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertifiedError {
    /// The bytes are not a class file.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The class breaks a rule, or the certificate does not fit the class. The check does not say which of them it is.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The linker rejected the class because it exceeds a limit of the linked form.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl CertifiedError {
    /// Returns the stable code of the rule that the class breaks. The code of a class that the check refused is
    /// `certificate`: a host that verifies the class finds the rule, if it breaks one.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            CertifiedError::Parse(error) => error.code(),
            CertifiedError::Check(_) => "certificate",
            CertifiedError::Link(error) => error.kind.code(),
        }
    }
}
