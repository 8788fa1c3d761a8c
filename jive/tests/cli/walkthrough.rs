//! The README's walk-through, followed to the letter in an empty directory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{jive_in, words};
use crate::skipped::skip;

/// A fenced block of the README: its language and its lines.
struct Block<'r> {
    language: &'r str,
    text: &'r str,
}

fn blocks(readme: &str) -> Vec<Block<'_>> {
    let mut fences = readme.split("\n```");
    fences.next();
    let open = fences.step_by(2);
    open.map(|block| {
        let (language, text) = block.split_once('\n').expect("a block has lines");
        Block { language, text }
    })
    .collect()
}

/// The file that a block says it is, in a comment on its first line.
fn file_name<'r>(block: &Block<'r>) -> &'r str {
    let first = block.text.lines().next().unwrap_or_default();
    first.trim_start_matches(['/', '#', ' '])
}

fn has_javac() -> bool {
    let probe = Command::new("javac")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    probe.is_ok_and(|status| status.success())
}

/// Runs a command of the README; whatever it is, it must succeed.
fn follow(directory: &Path, line: &str) -> String {
    let mut arguments = words(line);
    match arguments.next() {
        Some("jive") => {
            let ended = jive_in(directory, arguments, b"");
            assert_eq!(ended.status, 0, "{line}: {}", ended.err);
            ended.out
        }
        Some("javac") => {
            let status = Command::new("javac")
                .args(arguments)
                .arg("-Xlint:-options")
                .current_dir(directory)
                .status()
                .expect("javac was found");
            assert!(status.success(), "{line}");
            String::new()
        }
        other => panic!("{line}: nobody knows how to run {other:?}"),
    }
}

#[test]
fn a_new_user_can_follow_the_readme() {
    if !has_javac() {
        skip("following the README", "no `javac` on the path");
        return;
    }
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).expect("the README lies at the root");
    let directory = tempfile::tempdir().expect("a directory for the test");
    let mut printed = String::new();
    for block in blocks(&readme) {
        match block.language {
            "java" | "toml" => {
                let path = directory.path().join(file_name(&block));
                fs::write(path, block.text).expect("the directory is writable");
            }
            "sh" => {
                for line in block.text.lines() {
                    printed.push_str(&follow(directory.path(), line));
                }
            }
            other => panic!("a block of `{other}`: say here how to follow it"),
        }
    }
    let shown: Vec<&str> = readme
        .lines()
        .filter(|line| line.contains(" us  "))
        .map(str::trim)
        .collect();
    assert!(!shown.is_empty(), "the README shows a piece of the trace");
    for line in shown {
        assert!(
            printed.lines().any(|event| event.trim() == line),
            "the README shows an event that the run does not print: {line}"
        );
    }
    assert!(printed.contains("ok: Parrot.class"), "{printed}");
    assert!(printed.contains("1 golden traces, 0 differ"), "{printed}");
}
