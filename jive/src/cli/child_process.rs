//! Processes with a time limit, which are ended together with the processes that they started.

use std::io;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// The longest pause between two checks whether the process has ended.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// How the process ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal,
    /// The process did not end within its time, so it was killed.
    Late,
    /// The process did not end before nobody wanted it any more, for instance at Ctrl-C, so it was killed.
    Interrupted,
}

/// Runs a command until it ends, its time is over, or it is not wanted any more.
///
/// # Errors
///
/// Returns an error if the process cannot be started or waited for.
pub(super) fn run(
    command: &mut Command,
    timeout: Duration,
    is_unwanted: &dyn Fn() -> bool,
) -> io::Result<Ended> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Start the process in a new process group, so that its children are killed with it.
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let ended = wait(&mut child, timeout, is_unwanted);
    if !matches!(ended, Ok(Ended::Status(_) | Ended::Signal)) {
        kill(&mut child);
        child.wait()?;
    }
    ended
}

fn wait(child: &mut Child, timeout: Duration, is_unwanted: &dyn Fn() -> bool) -> io::Result<Ended> {
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(Ended::Signal, Ended::Status));
        }
        if is_unwanted() {
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
