//! The command `jive` as users run it: a process with arguments, streams and an exit status.

#[path = "../../../tests/src/captures.rs"]
#[expect(unreachable_pub, reason = "the crate `tests` shares it")]
mod captures;
#[path = "../../../nic-runtime/tests/shared/json_lines.rs"]
mod json_lines;
#[path = "../shared/process.rs"]
mod process;
#[path = "../../../tests/src/skipped.rs"]
#[expect(unreachable_pub, reason = "the crate `tests` shares it")]
mod skipped;
#[path = "../../../tests/src/tshark.rs"]
#[expect(unreachable_pub, reason = "the crate `tests` shares it")]
mod tshark;

mod asm;
mod bound;
mod bound_page;
mod bound_placed;
#[cfg(unix)]
mod bounded;
mod captures_sent;
mod certify;
mod compile;
#[cfg(target_os = "linux")]
mod daemon;
mod displays;
mod documents;
mod exec;
mod expectations;
mod field_names;
mod formats;
mod golden;
mod init;
#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod javac;
mod lint;
#[cfg(unix)]
mod names;
mod nics;
#[cfg(unix)]
mod openjdk;
mod packet;
mod paper;
#[cfg(unix)]
mod play;
mod profile;
mod programs;
mod rejected;
mod replay;
mod replayed;
mod reports;
mod run;
mod scenario_schema;
mod schema;
#[cfg(unix)]
mod shrink;
mod smith;
mod streams;
mod sweep;
mod texts;
mod trace_schema;
mod traps;
mod verify;
mod verify_formats;
mod walkthrough;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod written;

use process::{classes, jive, jive_in};

/// Splits a line of a test into arguments.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}
