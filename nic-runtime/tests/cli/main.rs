//! The command `jive` as a user meets it: a process with arguments, streams and an exit status.

mod documents;
mod exec;
mod golden;
mod paper;
mod rejected;
mod reports;
mod run;
mod streams;
mod trace_schema;
mod verify;
mod walkthrough;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a process left behind.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    status: i32,
    out: String,
    err: String,
}

/// Runs `jive` with these arguments, in the directory of the tests' class files.
fn jive<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    jive_in(&classes(), arguments, b"")
}

/// Runs `jive` in a directory, with an input.
fn jive_in<S: AsRef<std::ffi::OsStr>>(
    directory: &Path,
    arguments: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Ended {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let mut stdin = child.stdin.take().expect("it was piped");
    // A process that has seen enough closes its input early.
    let _may_be_closed = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it was started");
    Ended {
        status: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Splits a line of a test into arguments.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

/// The class files of the tests.
fn classes() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes")
}
