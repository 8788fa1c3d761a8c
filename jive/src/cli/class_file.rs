//! Reads the class file given to a command.

use std::io;
use std::path::Path;

use jive_embed::input::{self, ReadError};
use nic_runtime::scenario::limits::CLASS_BYTES_READ;
use nic_runtime::scenario::{BUILTIN_PREFIX, closest};

/// The argument that stands for standard input in place of a class file.
const STANDARD_INPUT: &str = "-";

/// Why no class file could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ClassFileError {
    /// The file cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// No built-in applet or program has this name.
    #[error("no such built-in applet or program{}", .suggestion.map(|name| format!("; did you mean `{BUILTIN_PREFIX}{name}`?")).unwrap_or_default())]
    UnknownBuiltin {
        /// The most similar name, if one is similar.
        suggestion: Option<&'static str>,
    },
}

/// Reads a class file, or the built-in applet or program for `builtin:NAME`. If the file is too long, reads only as many bytes as
/// the parser needs to reject it.
///
/// # Errors
///
/// Returns the reason for which the file cannot be read.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, ClassFileError> {
    if file == Path::new(STANDARD_INPUT) {
        return Ok(input::read_prefix(io::stdin().lock(), CLASS_BYTES_READ)?);
    }
    let builtin = file
        .to_str()
        .and_then(|name| name.strip_prefix(BUILTIN_PREFIX));
    if let Some(name) = builtin {
        let applets = applets::ALL
            .iter()
            .map(|applet| (applet.name, applet.class));
        let programs = applets::PROGRAMS.iter();
        let programs = programs.map(|program| (program.name, program.class));
        let mut known = applets.chain(programs);
        let names = known.clone().map(|(name, _)| name);
        return match known.find(|(known, _)| *known == name) {
            Some((_, class)) => Ok(class.to_vec()),
            None => Err(ClassFileError::UnknownBuiltin {
                suggestion: closest(name, names),
            }),
        };
    }
    Ok(input::read_given_prefix(file, CLASS_BYTES_READ)?)
}
