//! OpenJDK's side: the driver in `java/driver` runs a list of calls in one Java process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::committed;

/// Why nothing is compared with OpenJDK, where that is so.
pub const NONE: &str = "no `java` on the path";

/// Returns whether there is a `java` that starts.
pub fn is_java_installed() -> bool {
    Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns whether `javac` is that of JDK 17, whose bytes the committed class files are.
pub fn is_javac_17_installed() -> bool {
    Command::new("javac")
        .arg("-version")
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"javac 17."))
}

/// Says something in the middle of a test run that passes, where `println!` would not be shown.
///
/// # Panics
/// Where standard output is closed.
pub fn announce(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("standard output is open");
}

/// Runs a list of calls on OpenJDK, classes found in `class_path`; returns its lines.
///
/// # Panics
/// Where the driver fails, with what it says.
pub fn results(calls: &str, class_path: &[&Path]) -> Vec<String> {
    java("Driver", calls.as_bytes().to_vec(), class_path)
}

/// Returns for each class file whether OpenJDK defines and verifies it: `ok` or the error's name.
///
/// One Java process judges all of them.
///
/// # Panics
/// Where the driver fails, with what it says.
pub fn verdicts<'b>(class_files: impl IntoIterator<Item = &'b [u8]>) -> Vec<String> {
    let mut input = Vec::new();
    for bytes in class_files {
        let length = u32::try_from(bytes.len()).expect("class files are short");
        input.extend(length.to_be_bytes());
        input.extend(bytes);
    }
    java("Verdicts", input, &[])
}

/// Runs a driver on `input`; returns its lines.
fn java(driver: &str, input: Vec<u8>, class_path: &[&Path]) -> Vec<String> {
    let mut joined = committed::path("driver").into_os_string();
    for directory in class_path {
        joined.push(if cfg!(windows) { ";" } else { ":" });
        joined.push(directory);
    }
    let mut java = Command::new("java")
        // Each class is verified, and compiling little starts fastest.
        .args(["-Xverify:all", "-XX:TieredStopAtLevel=1"])
        // What the virtual machine itself says is no result.
        .args(["-XX:+DisplayVMOutputToStderr", "-cp"])
        .arg(joined)
        .arg(driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`java` was found before");
    let mut stdin = java.stdin.take().expect("standard input is piped");
    // Written beside the reading, so that neither side waits for a full pipe.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = java.wait_with_output().expect("`java` was started");
    writer
        .join()
        .expect("the writer does not panic")
        .expect("the driver reads all of its input");
    assert!(output.status.success(), "the driver failed; see above");
    String::from_utf8(output.stdout)
        .expect("the driver writes UTF-8")
        .lines()
        .map(str::to_owned)
        .collect()
}
