//! `jive test`: runs scenarios that have a golden trace beside them and shows where traces differ.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use clap::Args;
use similar::{ChangeTag, TextDiff};

use super::console::{Console, Failure, Status};
use super::diagnosis::{printable, sentence};
use super::run;
use crate::export::text::{PayloadMode, TextTrace};
use crate::input::{self, ReadError};
use crate::sim;

/// Bytes of a golden trace: more events than anyone reviews.
const TRACE_BYTES_MAX: u64 = 1 << 28;

/// Lines of each trace that are compared from the first difference on; comparing takes the product.
const DIFFERENCE_LINES_MAX: usize = 2_000;

/// Lines that are shown around a difference.
const CONTEXT_LINES: usize = 3;

const AFTER_HELP: &str = "\
A scenario NAME.toml is run where a golden trace NAME.trace lies beside it. The trace is the text that
`jive run --trace text` prints, without the summary. For a first golden trace name the scenario:

Examples:
  jive test                           every golden trace below the current directory
  jive test my.toml --bless           writes my.trace
  jive test scenarios --bless         accepts every difference below scenarios

Exit status:
  0  every trace is as its golden one, or was blessed
  1  a trace differs, or a class was rejected
  2  wrong usage, or a file that cannot be read; outranks 1";

/// Runs every scenario that has a golden trace, and shows a diff of events where they differ.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A directory to look below, or a scenario
    #[arg(default_value = ".")]
    path: PathBuf,

    /// Write the traces as they are now
    #[arg(long)]
    bless: bool,
}

/// What became of one scenario.
enum Outcome {
    Same,
    Blessed,
    Differs(String),
    Failed(Status, String),
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let scenarios = match find(&arguments.path, arguments.bless) {
        Ok(scenarios) => scenarios,
        Err((path, error)) => {
            console.notice(&sentence(
                &format!("cannot read {}: {error}", shown(&path)),
                &[],
            ))?;
            return Ok(Status::Unusable);
        }
    };
    let mut status = Status::Done;
    let mut differing = 0;
    for scenario in &scenarios {
        let name = shown(scenario);
        match judge(scenario, arguments.bless) {
            Outcome::Same => writeln!(console.out(), "ok: {name}")?,
            Outcome::Blessed => writeln!(console.out(), "blessed: {name}")?,
            Outcome::Differs(diff) => {
                differing += 1;
                status = status.max(Status::Rejected);
                console.data(&format!("differs: {name}\n{diff}"))?;
            }
            Outcome::Failed(failed, report) => {
                status = status.max(failed);
                console.notice(&report)?;
            }
        }
    }
    writeln!(
        console.out(),
        "{} golden traces, {differing} differ",
        scenarios.len()
    )?;
    Ok(status)
}

/// Finds the scenarios to run, in the order of their paths. One that is named need not have a golden
/// trace when it is about to get one.
///
/// # Errors
///
/// Returns what cannot be read, and why.
fn find(path: &Path, bless: bool) -> Result<Vec<PathBuf>, (PathBuf, ReadError)> {
    let readable = |path: &Path| fs::metadata(path).map_err(unreadable(path));
    if !readable(path)?.is_dir() {
        if !bless {
            readable(&golden_of(path))?;
        }
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        let failed = unreadable(&directory);
        for entry in fs::read_dir(&directory).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let path = entry.path();
            // The type of a link is not that of its target, so a circle of links is not walked.
            if entry.file_type().map_err(&failed)?.is_dir() {
                directories.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "toml")
                && golden_of(&path).exists()
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Says of an error which path it is about.
fn unreadable(path: &Path) -> impl Fn(io::Error) -> (PathBuf, ReadError) {
    let path = path.to_owned();
    move |error| (path.clone(), error.into())
}

/// Shows a path, fit for a terminal.
fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

fn golden_of(scenario: &Path) -> PathBuf {
    scenario.with_extension("trace")
}

fn judge(path: &Path, bless: bool) -> Outcome {
    let name = path.display().to_string();
    let scenario = match run::load(&name, None) {
        Ok(scenario) => scenario,
        Err(reports) => return Outcome::Failed(Status::Unusable, reports.join("\n\n")),
    };
    let mut trace = TextTrace::new(Vec::new(), PayloadMode::Omitted);
    if let Err(error) = sim::run(&scenario, &mut trace) {
        let (status, report) = run::refusal(&name, &scenario, error);
        return Outcome::Failed(status, report);
    }
    let now = trace.finish().expect("writing to memory does not fail");
    let golden = golden_of(path);
    let failed = |verb: &str, error: &dyn std::fmt::Display| {
        let title = format!("cannot {verb} {}: {error}", shown(&golden));
        Outcome::Failed(Status::Unusable, sentence(&title, &[]))
    };
    if bless {
        return match fs::write(&golden, now) {
            Ok(()) => Outcome::Blessed,
            Err(error) => failed("write", &error),
        };
    }
    match input::read_file(&golden, TRACE_BYTES_MAX) {
        Ok(expected) if expected == now => Outcome::Same,
        Ok(expected) => Outcome::Differs(difference(
            &String::from_utf8_lossy(&expected),
            &String::from_utf8_lossy(&now),
        )),
        Err(error) => failed("read", &error),
    }
}

/// Shows where two traces differ, an event a line.
fn difference(expected: &str, now: &str) -> String {
    let expected = expected.lines().collect::<Vec<_>>();
    let now = now.lines().collect::<Vec<_>>();
    let same = expected
        .iter()
        .zip(&now)
        .take_while(|(a, b)| a == b)
        .count();
    let start = same.saturating_sub(CONTEXT_LINES);
    let window = |lines: &[&str]| {
        let end = lines.len().min(start + DIFFERENCE_LINES_MAX);
        lines[start..end]
            .iter()
            .map(|line| printable(line))
            .collect::<Vec<_>>()
    };
    let (old, new) = (window(&expected), window(&now));
    let old = old.iter().map(String::as_str).collect::<Vec<_>>();
    let new = new.iter().map(String::as_str).collect::<Vec<_>>();
    let diff = TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let first = group.first().map_or(0, |op| op.old_range().start);
        text.push_str(&format!("@@ event {} @@\n", start + first + 1));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', Style::new()),
                ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
            };
            text.push_str(&format!("{style}{sign} {}{style:#}\n", change.value()));
        }
    }
    let compared = start + DIFFERENCE_LINES_MAX;
    if expected.len() > compared || now.len() > compared {
        text.push_str(&format!("(not compared behind event {compared})\n"));
    }
    text
}
