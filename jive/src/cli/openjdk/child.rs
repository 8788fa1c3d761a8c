//! The Java process that repeats calls of applets: started, asked with a time limit, and ended.
//!
//! The output of the Java process is not trusted: the length and number of lines are bounded, and every answer has a
//! time limit.

use std::convert::Infallible;
use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// The class of the model that repeats calls.
const MAIN: &str = "jive.model.Replay";

/// The longest line that is read, in bytes: it can hold the largest array of an applet in decimal digits.
const LINE_BYTES_MAX: u64 = 1 << 28;

/// How many lines of the process's output may wait until the caller receives them.
const LINES_AHEAD: usize = 1_000;

/// How many of the last bytes of the process's standard error are kept.
const ERROR_BYTES_MAX: usize = 2_000;

/// How long after the end of the process's output the end of its standard error may arrive.
const ERROR_DELAY_MAX: Duration = Duration::from_secs(2);

/// The time limit of the first answer, in which the virtual machine starts.
const START: Duration = Duration::from_secs(60);

/// Settings of the process.
#[derive(Copy, Clone, Debug)]
pub(in crate::cli) struct Settings {
    /// The time limit of a call.
    pub(in crate::cli) limit: Duration,
    /// The port at which the process waits for a debugger; if it is set, no time limit applies.
    pub(in crate::cli) debug: Option<u16>,
}

/// Why an answer is missing.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// No answer arrived within this time.
    Late(Duration),
    /// The process has ended, or its output is no answer. The text says whether the process has ended or gave no valid
    /// answer, and shows the end of its standard error.
    Broken(String),
}

/// A running Java process.
pub(super) struct Java {
    child: Child,
    commands: Sender<Vec<u8>>,
    lines: Receiver<io::Result<Vec<u8>>>,
    errors: Arc<Mutex<Vec<u8>>>,
    // A channel that is disconnected when the process's standard error has been read to its end.
    errors_end: Receiver<Infallible>,
    settings: Settings,
    has_answered: bool,
    // The JAR file of the model, which the process reads as long as it runs.
    _jar: NamedTempFile,
}

impl Drop for Java {
    fn drop(&mut self) {
        // Ignore the error: the child may have ended by itself.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Java {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// Returns the error of the operating system if the process cannot be started. `NotFound` means that no `java` was
    /// found.
    pub(super) fn start(settings: Settings) -> io::Result<Java> {
        let mut jar = tempfile::Builder::new()
            .prefix("jive-model-")
            .suffix(".jar")
            .tempfile()?;
        jar.write_all(applets::MODEL_JAR)?;
        jar.flush()?;
        let mut command = Command::new(program("java"));
        // Keep the source line of each exception, and keep messages of the virtual machine out of the answers. Limiting
        // JIT compilation makes short runs faster.
        command
            .args([
                "-XX:-OmitStackTraceInFastThrow",
                "-XX:+DisplayVMOutputToStderr",
            ])
            .arg("-XX:TieredStopAtLevel=1");
        if let Some(port) = settings.debug {
            let host = Ipv4Addr::LOCALHOST;
            let options = "transport=dt_socket,server=y,suspend=y,quiet=y";
            command.arg(format!("-agentlib:jdwp={options},address={host}:{port}"));
        }
        let mut child = command
            .arg("-cp")
            .arg(jar.path())
            .arg(MAIN)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a stream of the process is missing");
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let (commands, to_write) = channel::<Vec<u8>>();
        // Write to and read from the process in separate threads, so that a process that stops reading or writing does
        // not block the caller. Each thread ends when its stream closes.
        thread::spawn(move || {
            for command in to_write {
                if stdin
                    .write_all(&command)
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    return;
                }
            }
        });
        let (read, lines) = sync_channel(LINES_AHEAD);
        thread::spawn(move || read_lines(BufReader::new(stdout), &read));
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        let (reads_errors, errors_end) = channel();
        thread::spawn(move || {
            let _until_the_end = reads_errors;
            keep_end(stderr, &kept);
        });
        Ok(Java {
            child,
            commands,
            lines,
            errors,
            errors_end,
            settings,
            has_answered: false,
            _jar: jar,
        })
    }

    /// Sends a command, and returns the lines of the answer: at most `lines_max`.
    ///
    /// # Errors
    ///
    /// Returns [`NoAnswer`], after which the process is useless.
    pub(super) fn ask(
        &mut self,
        command: String,
        lines_max: usize,
    ) -> Result<Vec<String>, NoAnswer> {
        let limit = match self.has_answered {
            true => self.settings.limit,
            false => self.settings.limit.max(START),
        };
        let end = Instant::now() + limit;
        // Ignore the error: if the process has ended, its answer is missing too.
        let _sent = self.commands.send(command.into_bytes());
        let mut answer = Vec::new();
        loop {
            let line = match self.settings.debug {
                Some(_) => self
                    .lines
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
                None => {
                    let left = end.saturating_duration_since(Instant::now());
                    self.lines.recv_timeout(left)
                }
            };
            let line = match line {
                Ok(Ok(line)) => line,
                Ok(Err(error)) => return Err(self.broken(&error.to_string())),
                Err(RecvTimeoutError::Timeout) => return Err(NoAnswer::Late(limit)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broken("it has ended")),
            };
            if line == b"." {
                self.has_answered = true;
                return Ok(answer);
            }
            if answer.len() == lines_max {
                // Kill the process: as long as it writes, it would not close its standard error.
                let _ended = self.child.kill();
                return Err(self.broken("its answer is too long"));
            }
            answer.push(String::from_utf8_lossy(&line).into_owned());
        }
    }

    fn broken(&self, why: &str) -> NoAnswer {
        // Wait for the end of standard error, because the process's output may end before the reason has been read.
        // Limit the wait, because a child of the process may keep standard error open.
        let _ended = self.errors_end.recv_timeout(ERROR_DELAY_MAX);
        // The lock is not poisoned, because the thread that reads standard error does not panic.
        let errors = self
            .errors
            .lock()
            .map(|kept| kept.clone())
            .unwrap_or_default();
        let errors = String::from_utf8_lossy(errors.trim_ascii()).into_owned();
        NoAnswer::Broken(match errors.is_empty() {
            true => why.to_owned(),
            false => format!("{why}: {errors}"),
        })
    }
}

/// Returns the program of a JDK to start: that of `JAVA_HOME`, or else the one on the path.
pub(in crate::cli) fn program(name: &str) -> OsString {
    match env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Path::new(&home).join("bin").join(name).into_os_string(),
        None => OsString::from(name),
    }
}

fn read_lines(mut stdout: impl BufRead, to: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut line = Vec::new();
        let read = stdout
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) => return,
            Ok(_) if line.pop_if(|last| *last == b'\n').is_some() => {
                line.pop_if(|last| *last == b'\r');
                Ok(line)
            }
            Ok(_) => Err(io::Error::other("its last line is not complete")),
            Err(error) => Err(error),
        };
        let is_last = line.is_err();
        if to.send(line).is_err() || is_last {
            return;
        }
    }
}

fn keep_end(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut part = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut part) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&part[..read]);
        let surplus = kept.len().saturating_sub(ERROR_BYTES_MAX);
        kept.drain(..surplus);
    }
}
