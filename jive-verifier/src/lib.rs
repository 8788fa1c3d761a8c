//! Proves class files safe: JVMS static constraints, data flow and the applet subset.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod found;
mod types;

pub use error::{Location, VerifyError, VerifyErrorKind};
pub use found::{AppletMember, Expected, Misfit, TypeUse};
pub use types::VerificationType;
