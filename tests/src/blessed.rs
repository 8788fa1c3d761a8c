//! Files of the repository that are generated from tables.

use std::fs;
use std::path::Path;

/// Compares a generated file, given by its path from the root of the repository, with what a table makes of it. With
/// `BLESS=1` in the environment, the file is written anew.
///
/// # Panics
///
/// Panics if the file is out of date, or not writable.
pub fn check(path: &str, generated: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if is_wanted() {
        fs::write(&file, generated).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == generated,
        "{path} is out of date: run this test again with BLESS=1"
    );
}

/// Returns whether files are to be written anew.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::var_os("BLESS").is_some()
}
