//! The command that decides which candidates of `jive shrink` are interesting.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::cli::child_process::{self, Ended};

/// The argument, or a part of one, that stands for the candidate.
const CANDIDATE: &str = "{}";

/// A command with places for a path.
pub(super) struct Command {
    program: OsString,
    arguments: Vec<OsString>,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Status(status) => write!(f, "found {status}"),
            Ended::Signal => f.write_str("the command was ended by a signal"),
            Ended::Late => f.write_str("the command took longer than --timeout"),
            Ended::Interrupted => f.write_str("the command was interrupted"),
        }
    }
}

impl Command {
    /// Returns the command that consists of `words`; `None` if no argument has a place for the candidate.
    pub(super) fn new(words: &[OsString]) -> Option<Command> {
        let (program, arguments) = words.split_first()?;
        let has_place = |argument: &OsString| {
            argument
                .to_str()
                .is_some_and(|text| text.contains(CANDIDATE))
        };
        arguments.iter().any(has_place).then(|| Command {
            program: program.clone(),
            arguments: arguments.to_vec(),
        })
    }

    /// Runs the command on a candidate.
    ///
    /// # Errors
    ///
    /// Returns an error if the process cannot be started or waited for.
    pub(super) fn run(
        &self,
        candidate: &Path,
        timeout: Duration,
        interrupted: &AtomicBool,
    ) -> io::Result<Ended> {
        let mut command = process::Command::new(&self.program);
        command
            .args(
                self.arguments
                    .iter()
                    .map(|argument| with(argument, candidate)),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let is_unwanted = || interrupted.load(Ordering::Relaxed);
        child_process::run(&mut command, timeout, &is_unwanted)
    }
}

/// Returns an argument in which the candidate's path replaces `{}`.
fn with(argument: &OsString, candidate: &Path) -> OsString {
    let Some(text) = argument.to_str() else {
        return argument.clone();
    };
    let mut parts = text.split(CANDIDATE);
    let mut all = OsString::from(parts.next().unwrap_or_default());
    for part in parts {
        all.push(candidate);
        all.push(part);
    }
    all
}
