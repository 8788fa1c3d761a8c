//! `jive shrink`: makes a class file or a scenario small while a command still finds it interesting.

mod command;
mod scenario;

use crate::cli::format::ReportFormat;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::input;
use jive_embed::text::printable_path;
use jive_lab::shrink::{Answer, Search, Test, class};
use nic_runtime::export::plain_json;
use serde::Serialize;
use tempfile::{NamedTempFile, TempDir};

use self::command::Command;
use self::scenario::scenario;
use super::child_process::Ended;
use super::console::{Console, Failure, Status};
use super::output_file::{OutputFile, TEMPORARY_PREFIX, directory_of, unwritable, write_derived};
use super::progress::Progress;
use super::{interrupt, overwrite};

/// The longest file in bytes: as long as a scenario, the longest file that another command reads as a whole.
const FILE_BYTES_MAX: u64 = 4 << 20;

const AFTER_HELP: &str = "\
COMMAND decides what is interesting. It runs once for each candidate, without input and output, and `{}`
among its arguments stands for the candidate's path. Exit status 0 means that the candidate is still
interesting. FILE itself must be.

A file whose name ends in `.toml` is reduced as a scenario; its candidates lie beside it, so that relative
paths in it hold. Any other file is reduced as a class file, or byte by byte where that is impossible.
The candidates of a class file have its name, in a directory of their own.

Examples:
  jive shrink Crash.class -- sh still-crashes.sh {}
  jive shrink slow.toml --seconds 60 -- grep -q repeat {}

Exit status:
  0    the smallest file is written; also where a bound ended the search
  1    FILE itself is not interesting
  2    wrong usage, or a file or COMMAND that cannot be used
  130  interrupted by Ctrl-C; the smallest file so far is written";

/// Makes a class file or a scenario small while a command still finds it interesting.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The class file or scenario
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where the result goes in place of FILE.shrunk
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// End after N candidates
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    most: u32,

    /// End after N seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,

    /// End COMMAND after N seconds; that candidate is not interesting
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,

    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Why the search ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Reason {
    /// No smaller candidate is interesting.
    Smallest,
    /// `--most`.
    Most,
    /// `--seconds`.
    Seconds,
    /// Ctrl-C.
    Interrupted,
}

/// The result of a search.
#[derive(Serialize)]
struct Report {
    file: String,
    bytes_before: usize,
    bytes_after: usize,
    attempts: u32,
    kept: u64,
    ended: Reason,
}

/// Where candidates are written.
enum Place {
    /// A file beside the scenario.
    Beside(NamedTempFile),
    /// A file of the original's name in a temporary directory.
    Apart(TempDir, OsString),
}

impl Place {
    fn of(file: &Path, is_scenario: bool) -> io::Result<Place> {
        if is_scenario {
            let mut builder = tempfile::Builder::new();
            builder.prefix(TEMPORARY_PREFIX).suffix(".toml");
            return Ok(Place::Beside(builder.tempfile_in(directory_of(file))?));
        }
        let name = file.file_name().unwrap_or(OsStr::new("candidate"));
        Ok(Place::Apart(tempfile::tempdir()?, name.to_owned()))
    }

    fn path(&self) -> PathBuf {
        match self {
            Place::Beside(file) => file.path().to_owned(),
            Place::Apart(directory, name) => directory.path().join(name),
        }
    }
}

/// Runs the command on candidates.
struct Trial<'a> {
    command: Command,
    place: Place,
    arguments: &'a Arguments,
    began: Instant,
    attempts: u32,
    interrupted: Arc<AtomicBool>,
    progress: Progress,
    /// Why no further candidate is tested.
    ended: Option<Reason>,
    /// A candidate that could not be written, or a command that could not be run.
    failed: Option<io::Error>,
}

impl Trial<'_> {
    /// Returns the reason why the search must end, or `None` if the search continues.
    fn end(&self) -> Option<Reason> {
        let seconds = self.arguments.seconds.map(u64::from);
        let is_late = |seconds| self.began.elapsed() >= Duration::from_secs(seconds);
        if self.interrupted.load(Ordering::Relaxed) {
            Some(Reason::Interrupted)
        } else if self.attempts >= self.arguments.most {
            Some(Reason::Most)
        } else {
            seconds.is_some_and(is_late).then_some(Reason::Seconds)
        }
    }

    /// Runs the command on a file.
    fn run(&mut self, candidate: &[u8]) -> io::Result<Ended> {
        let path = self.place.path();
        write_derived(&path, candidate)?;
        let timeout = Duration::from_secs(self.arguments.timeout.into());
        self.command.run(&path, timeout, &self.interrupted)
    }
}

impl Test for Trial<'_> {
    fn test(&mut self, candidate: &[u8]) -> Answer {
        self.ended = self.end();
        if self.ended.is_some() {
            return Answer::Over;
        }
        self.attempts += 1;
        let ended = self.run(candidate);
        self.progress.advance();
        self.progress.show();
        match ended {
            Ok(Ended::Status(0)) => Answer::Interesting,
            Ok(Ended::Status(_) | Ended::Signal | Ended::Late) => Answer::Boring,
            Ok(Ended::Interrupted) => {
                self.ended = Some(Reason::Interrupted);
                Answer::Over
            }
            Err(error) => {
                self.failed = Some(error);
                Answer::Over
            }
        }
    }

    fn is_over(&self) -> bool {
        self.failed.is_some() || self.end().is_some()
    }
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let mut unusable = |title: &str| {
        console.notice(&sentence(title, &[]))?;
        Ok(Status::Unusable)
    };
    let Some(command) = Command::new(&arguments.command) else {
        return unusable(
            "expected `{}` among the arguments of the command, where the candidate stands",
        );
    };
    let target = match &arguments.out {
        Some(target) => target.clone(),
        None => {
            let mut name = file.as_os_str().to_owned();
            name.push(".shrunk");
            PathBuf::from(name)
        }
    };
    if let Err(refusal) = overwrite::check(&[&target], &[file]) {
        console.notice(&refusal)?;
        return Ok(Status::Unusable);
    }
    let original = match input::read_file(file, FILE_BYTES_MAX) {
        Ok(original) => original,
        Err(error) => return unusable(&format!("cannot read {}: {error}", printable_path(file))),
    };
    let is_scenario = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    let place = match Place::of(file, is_scenario) {
        Ok(place) => place,
        Err(error) => {
            let kind = error.kind();
            return unusable(&format!("cannot write a candidate: {kind}"));
        }
    };
    let most = u64::from(arguments.most);
    let mut trial = Trial {
        command,
        place,
        arguments,
        began: Instant::now(),
        attempts: 0,
        interrupted: interrupt::requested(),
        progress: Progress::new("candidates at most", most),
        ended: None,
        failed: None,
    };
    let first = match trial.run(&original) {
        Ok(Ended::Status(0)) => None,
        Ok(Ended::Interrupted) => return Ok(Status::Interrupted),
        Ok(ended) => Some(ended),
        Err(error) => return unusable(&not_run(arguments, &error)),
    };
    if let Some(ended) = first {
        let title = format!(
            "{} itself is not interesting: expected exit status 0, {ended}",
            printable_path(file)
        );
        console.notice(&sentence(&title, &[]))?;
        return Ok(Status::Rejected);
    }
    let bytes_before = original.len();
    let mut search = Search::new(original, &mut trial);
    if is_scenario {
        scenario(&mut search);
    } else {
        class(&mut search);
    }
    let (best, kept) = (search.best().to_vec(), search.kept());
    trial.progress.clear();
    if let Some(error) = &trial.failed {
        console.notice(&sentence(&not_run(arguments, error), &[]))?;
        return Ok(Status::Unusable);
    }
    let written = OutputFile::named(&target).and_then(|mut file| {
        file.write_all(&best)?;
        file.place()
    });
    if let Err(error) = written {
        console.notice(&unwritable(&target, &error))?;
        return Ok(Status::Unusable);
    }
    let report = Report {
        file: printable_path(&target),
        bytes_before,
        bytes_after: best.len(),
        attempts: trial.attempts,
        kept,
        ended: trial.ended.or(trial.end()).unwrap_or(Reason::Smallest),
    };
    show(&report, arguments.format, console)?;
    Ok(match report.ended {
        Reason::Interrupted => Status::Interrupted,
        Reason::Smallest | Reason::Most | Reason::Seconds => Status::Done,
    })
}

/// Returns the message for a command that cannot be run.
fn not_run(arguments: &Arguments, error: &io::Error) -> String {
    let program = arguments
        .command
        .first()
        .map(|it| printable_path(it.as_ref()));
    let program = program.unwrap_or_default();
    format!("cannot run {program} on a candidate: {}", error.kind())
}

fn show(report: &Report, format: ReportFormat, console: &mut Console) -> Result<(), Failure> {
    let out = console.out();
    match format {
        ReportFormat::Text => {
            let Report {
                file,
                bytes_before,
                bytes_after,
                attempts,
                kept,
                ended,
            } = report;
            let ended = match ended {
                Reason::Smallest => "none smaller was found",
                Reason::Most => "ended by --most",
                Reason::Seconds => "ended by --seconds",
                Reason::Interrupted => "interrupted",
            };
            writeln!(
                out,
                "{file}: {bytes_after} of {bytes_before} bytes, {kept} of {attempts} candidates kept, {ended}"
            )?;
        }
        ReportFormat::Json => {
            let line = plain_json::to_string(report).map_err(io::Error::from)?;
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
