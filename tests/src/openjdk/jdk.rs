//! OpenJDK's side of the comparison: a driver in `java/driver` runs a list of calls in one Java process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::committed;

/// The reason for skipping the comparison with OpenJDK.
pub const NONE: &str = "no `java` on the path";

/// Returns whether `java` is installed.
pub fn is_java_installed() -> bool {
    Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns whether `javac` on the path is that of JDK 17, which compiled the committed class files.
pub fn is_javac_17_installed() -> bool {
    Command::new("javac")
        .arg("-version")
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"javac 17."))
}

/// Prints a message during a passing test, which `println!` would not show.
///
/// # Panics
///
/// Panics if standard output is closed.
pub fn announce(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("standard output is open");
}

/// Runs a list of calls on OpenJDK, which finds classes in `class_path`, and returns the output lines.
///
/// # Panics
///
/// Panics if the driver fails, with the driver's output in the message.
pub fn results(calls: &str, class_path: &[&Path]) -> Vec<String> {
    java("Driver", calls.as_bytes().to_vec(), class_path)
}

/// Returns OpenJDK's verdict on each class file: `ok`, or the name of the error.
///
/// One Java process loads all class files.
///
/// # Panics
///
/// Panics if the driver fails, with the driver's output in the message.
pub fn verdicts<'b>(class_files: impl IntoIterator<Item = &'b [u8]>) -> Vec<String> {
    let mut input = Vec::new();
    for bytes in class_files {
        let length = u32::try_from(bytes.len()).expect("class files are short");
        input.extend(length.to_be_bytes());
        input.extend(bytes);
    }
    java("Verdicts", input, &[])
}

/// Runs a driver on `input` and returns its output lines.
fn java(driver: &str, input: Vec<u8>, class_path: &[&Path]) -> Vec<String> {
    let mut joined = committed::path("driver").into_os_string();
    for directory in class_path {
        joined.push(if cfg!(windows) { ";" } else { ":" });
        joined.push(directory);
    }
    let mut java = Command::new("java")
        // Verify every class. Limiting JIT compilation makes short runs faster.
        .args(["-Xverify:all", "-XX:TieredStopAtLevel=1"])
        // Keep messages of the virtual machine out of the results.
        .args(["-XX:+DisplayVMOutputToStderr", "-cp"])
        .arg(joined)
        .arg(driver)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`java` was found before");
    let mut stdin = java.stdin.take().expect("standard input is piped");
    // Write the input in another thread, so that neither process blocks on a full pipe.
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
