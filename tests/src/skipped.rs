//! How a test says that it left something out, so that nobody takes it for done.
//!
//! `nic-runtime`'s own tests include this file: a test that is left out says so through here and in no other way.

use std::fs::OpenOptions;
use std::io::Write;

/// Says past the test's capture that something was left out, and why. Where `JIVE_SKIPPED` names a file, a line
/// goes there too: `.ci/run` ends with a table of these lines.
///
/// # Panics
///
/// Where that file or standard output cannot be written.
pub fn skip(what: &str, why: &str) {
    writeln!(std::io::stdout(), "SKIPPED: {what}: {why}").expect("standard output is open");
    if let Some(path) = std::env::var_os("JIVE_SKIPPED") {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let mut file = file.expect("JIVE_SKIPPED names a file that can be written");
        // One call of `write` for the whole line: tests of several processes append.
        let line = format!("{what}: {why}\n");
        file.write_all(line.as_bytes()).expect("the disk takes it");
    }
}
