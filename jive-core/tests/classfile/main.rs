//! Tests of the class file parser through its public interface.
#![allow(missing_docs, reason = "tests document themselves by their names")]

mod accepted;
mod constants;
mod disassembly;
mod edges;
mod flags;
mod laws;
mod member_cases;
mod names;
mod parts;
mod pool_cases;
mod references;
mod rejected;
mod switches;
mod trusted;

use jive_core::{ClassFile, ParseError};

/// Parses bytes and passes the class to `look`.
fn parse<T>(bytes: &[u8], look: impl FnOnce(ClassFile<'_>) -> T) -> Result<T, ParseError> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    ClassFile::parse(bytes, &mut index).map(look)
}
