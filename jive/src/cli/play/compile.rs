//! Compiles a source with the user's own javac, in a folder that is deleted afterwards.
//!
//! Javac finds nothing but the source and the stub of the NIC's natives, and runs no annotation processor, so it runs
//! no code of the source.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jive_embed::plain_text::plain_lossy;
use serde::Serialize;

use super::messages::{self, Message};
use super::source::Declared;
use crate::cli::child_process::{self, Ended};
use crate::cli::openjdk::child::program;
use crate::cli::output_file::write_derived;

/// The most bytes of javac's output that are read.
const OUTPUT_BYTES_MAX: u64 = 256 << 10;

/// The longest class file that is given back.
const CLASS_BYTES_MAX: u64 = 4 << 20;

/// The most messages that javac prints.
const MESSAGES_MAX: &str = "50";

/// How many sources are compiled at the same time.
const COMPILATIONS_MAX: u32 = 2;

/// The longest pause between two checks whether a compilation that waits is still wanted.
const PAUSE: Duration = Duration::from_millis(100);

/// The most lines that are told of a javac that fails.
const LINES_MAX: usize = 20;

/// How to get javac.
const INSTALL: &str = "install a JDK, version 9 or newer: `apt install openjdk-17-jdk-headless`, `brew install openjdk`, \
    or https://adoptium.net. `javac` is looked for in JAVA_HOME if that is set, and else on the path.";

/// What became of a source.
#[derive(Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub(super) enum Answer {
    Compiled {
        /// The name of the class without its package.
        name: String,
        /// The class file, as base64.
        class: String,
        /// Warnings.
        messages: Vec<Message>,
    },
    /// Javac refuses the source.
    Refused {
        messages: Vec<Message>,
        /// All that javac says.
        output: String,
    },
    /// There is no javac, or it came to no end. The source may be good.
    Failed { reason: String },
}

impl Answer {
    fn failed(reason: impl Into<String>) -> Answer {
        Answer::Failed {
            reason: reason.into(),
        }
    }
}

/// The user's javac.
pub(super) struct Javac {
    timeout: Duration,
    running: Mutex<u32>,
    has_ended: Condvar,
}

/// A place among the compilations that run.
struct Place<'j>(&'j Javac);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.count() -= 1;
        self.0.has_ended.notify_all();
    }
}

impl Javac {
    pub(super) fn new(timeout: Duration) -> Javac {
        Javac {
            timeout,
            running: Mutex::new(0),
            has_ended: Condvar::new(),
        }
    }

    /// Compiles a source. When the answer is not wanted any more, javac is ended, or does not begin.
    pub(super) fn compile(&self, source: &str, is_unwanted: &dyn Fn() -> bool) -> Answer {
        let Some(_place) = self.place(is_unwanted) else {
            return Answer::failed("javac is busy with other sources");
        };
        self.compile_in_folder(source, is_unwanted)
            .unwrap_or_else(|error| Answer::failed(format!("cannot compile: {error}")))
    }

    /// Waits until no source is compiled, for a while.
    pub(super) fn wait_for_end(&self, limit: Duration) {
        let running = self
            .has_ended
            .wait_timeout_while(self.count(), limit, |running| *running > 0);
        drop(running.unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes a place, and waits for one as long as a compilation may take.
    ///
    /// Whether it is still wanted is asked while the number is locked: after [`Self::wait_for_end`] has seen that nothing
    /// runs, nothing begins.
    fn place(&self, is_unwanted: &dyn Fn() -> bool) -> Option<Place<'_>> {
        let end = Instant::now() + self.timeout;
        let mut running = self.count();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if is_unwanted() || left.is_zero() {
                return None;
            }
            if *running < COMPILATIONS_MAX {
                *running += 1;
                return Some(Place(self));
            }
            let waited = self.has_ended.wait_timeout(running, left.min(PAUSE));
            (running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self) -> MutexGuard<'_, u32> {
        // A number is whole even where a thread panicked.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compile_in_folder(
        &self,
        source: &str,
        is_unwanted: &dyn Fn() -> bool,
    ) -> io::Result<Answer> {
        let folder = tempfile::Builder::new().prefix("jive-play-").tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let declared = Declared::of(source);
        let file = format!("{}.java", declared.file_name());
        // The source has a folder of its own, so no class can be taken for the stub.
        fs::create_dir_all(at("stub/unet"))?;
        write_derived(&at("stub/unet/Nic.java"), applets::NIC_STUB)?;
        fs::create_dir(at("source"))?;
        fs::create_dir(at("classes"))?;
        write_derived(&at("source").join(&file), source)?;
        let mut output = tempfile::tempfile()?;
        let mut command = javac(folder.path(), &file);
        command
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?);
        let ended = match child_process::run(&mut command, self.timeout, is_unwanted) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Answer::failed(format!("there is no `javac`: {INSTALL}")));
            }
            ended => ended?,
        };
        output.rewind()?;
        let output = read(output, OUTPUT_BYTES_MAX)?;
        let output = plain_lossy(&output).trim_end().to_owned();
        let messages = messages::parse(&output, &file);
        Ok(match ended {
            Ended::Status(0) => match class_file(&at("classes"), declared.class)? {
                Some((name, class)) => Answer::Compiled {
                    name,
                    class: STANDARD.encode(class),
                    messages,
                },
                None => Answer::failed("the source has no class, or several and none is public"),
            },
            // That of JDK 8 does not know the option.
            Ended::Status(_) if messages.is_empty() && output.contains("--release") => {
                Answer::failed(format!("javac fails: {}\n{INSTALL}", start(&output)))
            }
            Ended::Status(_) if messages.is_empty() => {
                Answer::failed(format!("javac fails: {}", start(&output)))
            }
            Ended::Status(_) => Answer::Refused { messages, output },
            Ended::Signal => {
                Answer::failed(format!("javac was ended by a signal: {}", start(&output)))
            }
            Ended::Late => {
                let seconds = self.timeout.as_secs();
                Answer::failed(format!("javac was ended after {seconds} s"))
            }
            Ended::Interrupted => Answer::failed("`jive play` ends"),
        })
    }
}

/// Returns the command that compiles a file in a folder.
fn javac(folder: &Path, file: &str) -> Command {
    let mut command = Command::new(program("javac"));
    command
        .current_dir(folder.join("source"))
        // Names of files may have all letters, and the user's own options may ask for other outputs.
        .env("LC_ALL", "C.UTF-8")
        .env_remove("JDK_JAVAC_OPTIONS")
        .stdin(Stdio::null())
        // The messages are parsed, so they are in English.
        .args([
            "-J-Duser.language=en",
            "-J-Dfile.encoding=UTF-8",
            "-J-Dstderr.encoding=UTF-8",
            "-J-Xmx512m",
        ])
        .args(["--release", "8", "-g", "-encoding", "UTF-8"])
        .args([
            "-Xlint:all,-options",
            "-Xmaxerrs",
            MESSAGES_MAX,
            "-Xmaxwarns",
            MESSAGES_MAX,
        ])
        .args(["-proc:none", "-implicit:none"])
        .args([
            "-classpath",
            "../stub",
            "-sourcepath",
            "../stub",
            "-d",
            "../classes",
        ])
        .arg(file);
    command
}

/// Returns the first lines of javac's output.
fn start(output: &str) -> String {
    let lines: Vec<_> = output.trim_start().lines().take(LINES_MAX).collect();
    lines.join("\n")
}

/// Returns the name and the bytes of the class with this name, or else of the only one.
fn class_file(folder: &Path, name: Option<&str>) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut classes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                classes.push(entry.path());
            }
        }
    }
    let stem = |path: &PathBuf| {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let named = classes
        .iter()
        .find(|path| name.is_some() && stem(path).as_deref() == name);
    let Some(path) = named.or(classes.first().filter(|_| classes.len() == 1)) else {
        return Ok(None);
    };
    let bytes = read(File::open(path)?, CLASS_BYTES_MAX + 1)?;
    if bytes.len() as u64 > CLASS_BYTES_MAX {
        return Err(io::Error::other("the class file is too long"));
    }
    Ok(stem(path).map(|name| (name, bytes)))
}

/// Reads the start of a file.
fn read(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
