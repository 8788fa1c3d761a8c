//! Reports skipped tests, so that a skipped test is not mistaken for a passed one.
//!
//! The tests of `nic-runtime` include this file too. Every skipped test must report through this file.

use std::fs::OpenOptions;
use std::io::Write;

/// Prints what was skipped and why, bypassing the test's output capture. If `JIVE_SKIPPED` names a file, also appends a
/// line to this file: `.ci/run` ends with a table of these lines.
///
/// # Panics
///
/// Panics if the file of `JIVE_SKIPPED` or standard output cannot be written.
pub fn skip(what: &str, why: &str) {
    writeln!(std::io::stdout(), "SKIPPED: {what}: {why}").expect("standard output is open");
    if let Some(path) = std::env::var_os("JIVE_SKIPPED") {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let mut file = file.expect("JIVE_SKIPPED names a file that can be written");
        // Write the whole line with one call, because several processes append to the file.
        let line = format!("{what}: {why}\n");
        file.write_all(line.as_bytes()).expect("the disk takes it");
    }
}
