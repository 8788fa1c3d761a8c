//! Committed pages and sources that commands generate are up to date.

use std::fs;
use std::path::Path;

use crate::{jive, jive_in, words};

#[track_caller]
fn assert_fresh(path: &str, command: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let committed = fs::read_to_string(file).unwrap_or_default();
    let ended = jive(words(command));
    assert_eq!(ended.status, 0);
    assert!(
        committed == ended.out,
        "{path} is stale: write it with `cargo run -- {command} > {path}`"
    );
}

#[test]
fn the_page_of_rejections_and_traps_is_fresh() {
    assert_fresh("docs/errors.md", "explain --markdown");
}

#[test]
fn the_page_of_natives_is_fresh() {
    assert_fresh("docs/natives.md", "stub --markdown");
}

#[test]
fn the_stub_is_fresh() {
    assert_fresh("applets/java/unet/Nic.java", "stub");
}

#[test]
fn the_stub_is_written_where_the_java_compiler_looks() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ended = jive_in(directory.path(), words("stub --out src"), b"");
    assert_eq!((ended.status, ended.out.as_str()), (0, ""));
    let stub = fs::read_to_string(directory.path().join("src/unet/Nic.java"));
    assert_eq!(stub.expect("it was written"), applets::NIC_STUB);
}

#[test]
fn codes_are_explained_and_unknown_ones_are_2() {
    let long = jive(words("explain subset/long"));
    assert_eq!((long.status, long.err.as_str()), (0, ""));
    insta::assert_snapshot!(long.out);
    let unknown = jive(words("explain subset/lomg"));
    assert_eq!((unknown.status, unknown.out.as_str()), (2, ""));
    assert!(
        unknown.err.contains("did you mean `subset/long`?"),
        "{}",
        unknown.err
    );
    let all = jive(words("explain"));
    for code in ["malformed/magic", "unsafe/merge-type", "FuelExhausted"] {
        assert!(all.out.contains(code), "{code}");
    }
}
