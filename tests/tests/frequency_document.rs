//! `docs/op-frequencies.md` equals the result of running the programs that it counts.

use std::collections::BTreeSet;
use std::path::Path;

use jive_core::Op;
use tests::frequencies::{Counted, OPS, count, render};

/// Number of programs that the document counts.
const PROGRAMS: usize = 30;

#[test]
fn the_document_is_what_the_programs_execute() {
    let programs = count();
    assert_eq!(programs.len(), PROGRAMS);
    let executed: BTreeSet<_> = programs.iter().flat_map(Counted::pairs).collect();
    let run_together: BTreeSet<_> = Op::PAIRS.iter().copied().collect();
    if !run_together.is_empty() {
        let differ: Vec<_> = executed.symmetric_difference(&run_together).collect();
        assert!(
            differ.is_empty(),
            "jive-core/src/op/pairs_generated.rs is stale, see its first line: {differ:?}"
        );
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/op-frequencies.md");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let counted = render(&programs);
    let is_stale = if Op::PAIRS.is_empty() {
        // The looped interpreter has other ops, so only the text before the table of ops is compared.
        committed.split(OPS).next() != counted.split(OPS).next()
    } else {
        committed != counted
    };
    assert!(
        !is_stale,
        "docs/op-frequencies.md is stale: run `cargo run --release -p tests --bin frequencies -- --write`"
    );
}
