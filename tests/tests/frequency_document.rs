//! `docs/op-frequencies.md` is what running its programs gives.

use std::path::Path;

use tests::frequencies::{count, render};

/// Programs that the document counts.
const PROGRAMS: usize = 30;

#[test]
fn the_document_is_what_the_programs_execute() {
    let programs = count();
    assert_eq!(programs.len(), PROGRAMS);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/op-frequencies.md");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == render(&programs),
        "docs/op-frequencies.md is stale: run `cargo run --release -p tests --bin frequencies -- --write`"
    );
}
