//! The committed files of the comparison with OpenJDK, below `tests/java`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns a path below the directory of the Java sources and class files.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("java")
        .join(name)
}

/// Returns the text of a file below `tests/java`.
///
/// # Panics
///
/// Panics if the file does not exist.
pub fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the files in a subdirectory, by name without extension.
///
/// # Panics
///
/// Panics if the directory does not exist.
pub fn files(directory: &str) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(path(directory))
        .unwrap_or_else(|error| panic!("{directory}: {error}"))
        .map(|entry| {
            let path = entry.expect("a readable directory").path();
            let stem = path.file_stem().expect("a file has a name");
            let bytes = fs::read(&path).expect("a readable file");
            (stem.to_string_lossy().into_owned(), bytes)
        })
        .collect()
}
