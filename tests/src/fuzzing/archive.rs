//! The committed seed corpora: inputs from long fuzzing runs that increase coverage.
//!
//! Each kind of input has one archive, `fuzz/seeds/KIND_seed_corpus.zip`, by the naming of OSS-Fuzz. Several targets
//! use the same kind of input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zip::ZipArchive;

/// Returns the archived inputs of a kind, by name.
///
/// # Panics
///
/// Panics if the repository has no readable archive of this kind.
#[must_use]
pub fn archived(kind: &str) -> Vec<(String, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/seeds")
        .join(format!("{kind}_seed_corpus.zip"));
    let file = File::open(&path).expect("a committed archive");
    let mut archive = ZipArchive::new(file).expect("a readable archive");
    let inputs = (0..archive.len()).map(|place| {
        let mut entry = archive.by_index(place).expect("a readable entry");
        let name = entry.name().expect("a name of ASCII letters").into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("a stored entry");
        (name, bytes)
    });
    inputs.collect()
}
