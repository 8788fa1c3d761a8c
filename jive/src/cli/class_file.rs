//! The bytes of a class file that a command was given.

use std::io;
use std::path::Path;

use jive_embed::input::{self, ReadError};
use nic_runtime::scenario::limits::CLASS_BYTES_READ;

/// How standard input is written where a class file is expected.
const STANDARD_INPUT: &str = "-";

/// Reads a class file, or what of it the parser needs to see that it is too long.
///
/// # Errors
///
/// Returns why it cannot be read.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, ReadError> {
    if file == Path::new(STANDARD_INPUT) {
        return input::read_prefix(io::stdin().lock(), CLASS_BYTES_READ);
    }
    input::read_given_prefix(file, CLASS_BYTES_READ)
}
