//! Tests report skipped checks only through `tests/src/skipped.rs`, so that CI can list these checks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the files below `folders`, without those in `target` folders.
fn files(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_file() {
            files.push(path);
        } else if !path.ends_with("target") {
            let entries = fs::read_dir(&path).expect("a folder of the repository");
            open.extend(entries.map(|entry| entry.expect("a readable folder").path()));
        }
    }
    files
}

#[test]
fn checks_are_skipped_only_through_skip() {
    let folders = [
        "tests/src",
        "tests/tests",
        "nic-runtime/tests",
        "jive/tests",
        "scripts",
        "bench/gate",
    ];
    let helpers = [
        "tests/src/skipped.rs",
        "scripts/skipped",
        "tests/tests/repository/skipped.rs",
    ];
    let others: Vec<PathBuf> = files(&folders)
        .into_iter()
        .filter(|path| !helpers.iter().any(|helper| path.ends_with(helper)))
        .filter(|path| {
            let bytes = fs::read(path).expect("a readable file");
            String::from_utf8_lossy(&bytes).contains("SKIPPED:")
        })
        .collect();
    assert!(
        others.is_empty(),
        "they say `SKIPPED:` themselves: {others:?}"
    );
}

#[test]
fn a_script_appends_what_it_leaves_out() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/skipped");
    for what in ["one", "two"] {
        let output = Command::new("bash")
            .arg(&script)
            .args([what, "it is a test"])
            .env("JIVE_SKIPPED", file.path())
            .output()
            .expect("bash, which the scripts need");
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).expect("a text");
        assert_eq!(said, format!("SKIPPED: {what}: it is a test\n"));
    }
    let lines = fs::read_to_string(file.path()).expect("a text");
    assert_eq!(lines, "one: it is a test\ntwo: it is a test\n");
}
