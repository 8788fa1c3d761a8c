//! Peers that run as child processes: they run a round on command and report the CPU time of their thread.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::MODULE_PATH;
use crate::kernel::Kernel;
use crate::peer::{Peer, PeerError, Running};

/// A child process that answers commands (bench/README.md has the protocol). Dropping the value ends the process.
#[derive(Debug)]
pub struct Child {
    name: &'static str,
    runs: fn(&Kernel) -> bool,
    process: process::Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// How OpenJDK runs bytecode.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Jvm {
    /// By interpretation alone.
    Interpreter,
    /// OpenJDK's default, which compiles hot code.
    Default,
}

/// Starts wasm3, which `bench/run` has built from `peers/wasm3.c`.
///
/// # Errors
///
/// Returns an error if the program does not exist.
pub fn wasm3(program: &Path) -> Result<Child, PeerError> {
    let mut command = Command::new(program);
    command.arg(MODULE_PATH);
    Child::new("wasm3", Kernel::is_public, &mut command)
}

/// Starts OpenJDK with the harness `peers/Rounds.java`.
///
/// # Errors
///
/// Returns an error if there is no `java` on the path.
pub fn openjdk(jvm: Jvm) -> Result<Child, PeerError> {
    let mut command = Command::new("java");
    let name = match jvm {
        Jvm::Interpreter => {
            command.arg("-Xint");
            "OpenJDK -Xint"
        }
        Jvm::Default => "OpenJDK",
    };
    let classes = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/kernels/class:",
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/java/class"
    );
    // Garbage collection and compilation run in other threads, of which the serial collector needs few.
    command.args(["-XX:+UseSerialGC", "-cp", classes, "Rounds"]);
    Child::new(name, |_| true, &mut command)
}

impl Child {
    fn new(
        name: &'static str,
        runs: fn(&Kernel) -> bool,
        command: &mut Command,
    ) -> Result<Child, PeerError> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let commands = process.stdin.take().ok_or("no pipe to the process")?;
        let answers = process.stdout.take().ok_or("no pipe from the process")?;
        Ok(Child {
            name,
            runs,
            process,
            commands,
            answers: BufReader::new(answers),
        })
    }

    /// Sends a command and returns the number in the answer.
    fn ask(&mut self, command: &str) -> Result<i64, PeerError> {
        writeln!(self.commands, "{command}")?;
        self.commands.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let number = answer.trim().parse();
        Ok(number.map_err(|_| format!("{} answered {answer:?} to {command:?}", self.name))?)
    }
}

impl Peer for Child {
    fn name(&self) -> &'static str {
        self.name
    }

    fn start(&mut self, kernel: &Kernel) -> Result<Option<Running<'_>>, PeerError> {
        if !(self.runs)(kernel) {
            return Ok(None);
        }
        let check = self.ask(&format!("start {} {}", kernel.name, kernel.b))?;
        let time = |sweeps| {
            let nanoseconds = self.ask(&format!("time {sweeps}"))?;
            Ok(Duration::from_nanos(u64::try_from(nanoseconds)?))
        };
        Ok(Some(Running {
            check: i32::try_from(check)?,
            time: Box::new(time),
        }))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Kill the process, which has no state to save. Ignore errors, which mean that the process has already ended.
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}
