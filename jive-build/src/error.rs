//! Why a class was not compiled.

use std::io;

use jive_embed::input::ReadError;

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
