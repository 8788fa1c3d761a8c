//! Why a class was not compiled.

use std::io;

use jive_embed::input::ReadError;

use crate::method::Interpreted;

/// Why a class was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The class file cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The path, safe for display.
        path: String,
        /// Why not.
        error: ReadError,
    },
    /// The class is no class file of the subset, or it is not safe.
    #[error("{diagnosis}")]
    Refused {
        /// Where and why, in several lines.
        diagnosis: String,
    },
    /// A method stays interpreted, and [`without_interpreter`](crate::Options::without_interpreter) asked for a module that
    /// needs no interpreter.
    #[error("`{method}` needs the interpreter: {reason}")]
    NeedsInterpreter {
        /// The method, safe for display.
        method: String,
        /// Why it is not compiled.
        reason: Interpreted,
    },
    /// `OUT_DIR` is not set: the program is no build script.
    #[error("expected `OUT_DIR`, which cargo sets for build scripts")]
    NoFolder,
    /// The module cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The path.
        path: String,
        /// Why not.
        error: io::Error,
    },
}
