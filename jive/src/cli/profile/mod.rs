//! `jive profile`: where an applet spends bytecodes and virtual time, and which of its lines were executed.

mod against;
mod report;
mod text;

use nic_runtime::Run;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jive_embed::diagnosis::{sentence, warning};
use jive_embed::text::{path_text, printable_path};
use jive_embed::{input, plain_text};
use nic_core::event::EndReason;
use nic_runtime::export::executions::Executions;
use nic_runtime::export::plain_json;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::host::Programs;
use nic_runtime::run::{RunEnd, SimError};
use nic_runtime::spec::Scenario;
use serde::Serialize;

use self::against::Changes;
use self::report::Report;
use self::text::{Annotated, Folded, Text, Weight, microseconds};
use super::console::{Console, Failure, Status};
use super::interrupt;
use super::output_file::{OutputFile, unwritable};
use super::outputs::{Outputs, Shown};
use super::overwrite;
use super::replay::{self, CaptureArguments};
use super::run;
use super::scenario_file;
use super::traps;

/// The longest earlier profile that is read, in bytes; the profile of the largest class is shorter.
const PROFILE_BYTES_MAX: u64 = 1 << 26;

const AFTER_HELP: &str = "\
Virtual time is that of the run, by the cost model of its profile. Under `lanai-1998` a bytecode costs
no time of its own: `modern` counts it.

Examples:
  jive profile my.toml                      methods, natives and the hottest lines
  jive profile my.toml --annotate           the source, with the counts of each line
  jive profile my.toml --format json --out before.json
  jive profile my.toml --against before.json
  jive profile my.toml --format folded | inferno-flamegraph >flame.svg
  jive profile --applet Filter.class --in day.pcap

Exit status:
  0  done
  1  a class was rejected, or trapped while it was loaded; the run is stuck, or a program gave up
  2  wrong usage, or a file that cannot be read
  130  interrupted: the profile shows the run up to there";

/// Shows where applets spend bytecodes and virtual time, and which lines they execute.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A TOML file, or the name of a built-in scenario
    #[arg(default_value = "pingpong")]
    scenario: PathBuf,

    #[command(flatten)]
    capture: CaptureArguments,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Show the whole source, with the counts of each line
    #[arg(long, conflicts_with_all = ["against", "format"])]
    annotate: bool,

    /// Show what changed since this earlier profile, which `--format json` wrote
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// What `--format folded` counts
    #[arg(long, value_enum, default_value_t = Weight::Bytecodes)]
    weight: Weight,

    /// Write the profile to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Look for Java sources in this directory first; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Seed of every random choice, in place of the scenario's
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One object
    Json,
    /// A line for each chain of nested calls, for flame-graph tools
    Folded,
}

/// A report, and what changed since an earlier one.
#[derive(Serialize)]
struct Compared<'r> {
    #[serde(flatten)]
    report: &'r Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'r Changes>,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let before = match arguments.against.as_deref().map(read).transpose() {
        Ok(before) => before,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    let prepared = match arguments.capture.files() {
        Some((applet, capture)) => {
            let prepared = arguments.capture.prepare(applet, capture);
            let prepared = prepared.map_err(|title| vec![sentence(&title, &[])]);
            prepared.map(|(scenario, programs, replayed)| (scenario, programs, Some(replayed)))
        }
        None => scenario_file::load(&arguments.scenario, arguments.seed, input::read_given)
            .map(|scenario| (scenario, Programs::new(), None)),
    };
    let (mut scenario, programs, replayed) = match prepared {
        Ok(prepared) => prepared,
        Err(reports) => {
            console.notice(&reports.join("\n\n"))?;
            return Ok(Status::Unusable);
        }
    };
    if let Err(message) = check_output(arguments, &scenario) {
        console.notice(&message)?;
        return Ok(Status::Unusable);
    }
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    let name = match arguments.capture.files() {
        Some(_) => Path::new(""),
        None => &arguments.scenario,
    };
    let is_quiet = console.is_quiet();
    let ran = count(&scenario, (programs, is_quiet), console.out());
    let (end, counted, trapped) = match ran {
        Ok(ran) => ran,
        Err(error) => {
            let at = (name, arguments.source_path[..].into());
            let (blame, report) = scenario_file::refusal(at, &scenario, error);
            console.notice(&report)?;
            return Ok(blame.into());
        }
    };
    let of_run = (name, &scenario);
    let given = arguments
        .capture
        .files()
        .map_or(&*arguments.scenario, |(applet, _)| applet);
    let report = Report {
        run: path_text(given).into_owned(),
        ended: end.reason.word().to_owned(),
        time_ns: end.time.as_ns(),
        classes: report::classes(&counted, of_run, arguments.source_path[..].into()),
    };
    let changes = before.map(|before| Changes::between(&before, &report));
    let shown = shown(arguments, &report, changes.as_ref())?;
    match &arguments.out {
        None => write!(console.out(), "{shown}")?,
        Some(path) => {
            let written = OutputFile::named(path).and_then(|mut file| {
                file.write_all(shown.as_bytes())?;
                file.place()
            });
            if let Err(error) = written {
                console.notice(&unwritable(path, &error))?;
                return Ok(Status::Unusable);
            }
        }
    }
    if end.reason == EndReason::Interrupted {
        let at = microseconds(end.time.as_ns());
        console.notice(&warning(&format!(
            "interrupted: the profile shows the run up to {at}"
        )))?;
    }
    run::report_stuck(&end, console)?;
    let reports = traps::of_run(&trapped, of_run, arguments.source_path[..].into());
    if !reports.is_empty() {
        console.notice(&reports.join("\n\n"))?;
    }
    let status = run::status(&end);
    match (replayed, arguments.capture.files()) {
        (Some(replayed), Some((_, capture))) => replay::report(
            &replayed.lock().expect("nobody panics"),
            (capture, &scenario),
            status,
            console,
        ),
        _ => Ok(status),
    }
}

/// Runs a scenario and counts what its applets execute.
fn count(
    scenario: &Scenario,
    (programs, is_quiet): (Programs, bool),
    out: &mut impl Write,
) -> Result<(RunEnd, Executions, TrapLog), SimError> {
    let mut outputs = Outputs::new(nothing(out), scenario, interrupt::requested(), is_quiet);
    outputs.count_executions();
    let end = Run::new(scenario)
        .programs(programs)
        .sink(&mut outputs)
        .execute()?
        .end;
    Ok((end, outputs.take_executions(), outputs.take_traps()))
}

/// Returns a trace that is not shown. The trace that is not shown has the type of the trace in `jive run`, so that the
/// simulation is compiled once for both commands.
fn nothing<W: Write>(_: W) -> Shown<W> {
    Shown::Nothing
}

/// Checks that the output file is no input of the command.
fn check_output(arguments: &Arguments, scenario: &Scenario) -> Result<(), String> {
    let Some(out) = &arguments.out else {
        return Ok(());
    };
    let mut inputs = match arguments.capture.files() {
        Some((applet, capture)) => vec![applet, capture],
        None => scenario_file::inputs(&arguments.scenario, scenario),
    };
    inputs.extend(arguments.against.as_deref());
    overwrite::check(&[out], &inputs)
}

/// Returns the profile in the form that the user asked for.
fn shown(
    arguments: &Arguments,
    report: &Report,
    changes: Option<&Changes>,
) -> Result<String, Failure> {
    Ok(match (arguments.format, changes) {
        (Format::Json, _) => {
            let json = plain_json::to_string(&Compared { report, changes });
            json.map_err(std::io::Error::from)? + "\n"
        }
        (Format::Folded, _) => Folded(report, arguments.weight).to_string(),
        (Format::Text, Some(changes)) => changes.to_string(),
        (Format::Text, None) if arguments.annotate => Annotated(report).to_string(),
        (Format::Text, None) => Text(report).to_string(),
    })
}

/// Reads an earlier profile.
fn read(path: &Path) -> Result<Report, String> {
    let shown = printable_path(path);
    let bytes = input::read_given(path, PROFILE_BYTES_MAX)
        .map_err(|error| sentence(&format!("cannot read {shown}: {error}"), &[]))?;
    let text = plain_text::plain(&bytes)
        .map_err(|error| sentence(&format!("cannot read {shown}: {error}"), &[]))?;
    serde_json::from_str(&text).map_err(|error| {
        let title = format!("{shown} is no profile: {error}");
        sentence(
            &title,
            &["`jive profile --format json` writes one".to_owned()],
        )
    })
}
