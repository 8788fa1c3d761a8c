//! Runs the command `jive` as a process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The results of an ended process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `jive` with these arguments, in the directory of the tests' class files.
pub(crate) fn jive<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    jive_in(&classes(), arguments, b"")
}

/// Runs `jive` in a directory, with standard input.
pub(crate) fn jive_in<S: AsRef<std::ffi::OsStr>>(
    directory: &Path,
    arguments: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Ended {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(arguments)
        .current_dir(directory)
        .env("PATH", path_with_jive())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let mut stdin = child.stdin.take().expect("it was piped");
    // Ignore errors: a process may close its input before reading all of it.
    let _may_be_closed = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it was started");
    Ended {
        status: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The search path, with the directory of the binary first: scripts that `jive` runs call it by its name.
fn path_with_jive() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_jive"));
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let rest = std::env::split_paths(&rest);
    let all = binary.parent().map(Path::to_owned).into_iter().chain(rest);
    std::env::join_paths(all).expect("no directory has a separator in its name")
}

/// The directory of the tests' class files.
pub(crate) fn classes() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../nic-runtime/tests/classes")
}
