//! The command that decides which candidates of `jive shrink` are interesting.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::{self, Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The argument, or a part of one, that stands for the candidate.
const CANDIDATE: &str = "{}";

/// The longest pause between two checks whether the command's process has ended.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// A command with places for a path.
pub(super) struct Command {
    program: OsString,
    arguments: Vec<OsString>,
}

/// How the process ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal,
    /// The process did not end within its time, so it was killed.
    Late,
    /// The process did not end before Ctrl-C, so it was killed.
    Interrupted,
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
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Start the process in a new process group, so that its children are killed with it.
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let ended = wait(&mut child, timeout, interrupted);
        if !matches!(ended, Ok(Ended::Status(_) | Ended::Signal)) {
            kill(&mut child);
            child.wait()?;
        }
        ended
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

fn wait(child: &mut Child, timeout: Duration, interrupted: &AtomicBool) -> io::Result<Ended> {
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(Ended::Signal, Ended::Status));
        }
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Ended::Interrupted);
        }
        if began.elapsed() >= timeout {
            return Ok(Ended::Late);
        }
        std::thread::sleep(pause);
        pause = PAUSE_MAX.min(pause * 2);
    }
}

/// Kills the process and the processes that it started.
fn kill(child: &mut Child) {
    // Ignore errors: a process that has ended by now need not be killed.
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ended = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ended = child.kill();
}
