//! `jive sweep`: runs a scenario for every combination of values, with several seeds each, and shows the means.

mod plot;

use crate::cli::format::TableFormat;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use nic_experiment::sweep::{self, Plan, Shard, Store, Swept, Table, Wish};

use super::console::{Console, Failure, Status};
use super::interrupt;
use super::output_file::{self, OutputFile};
use super::overwrite;
use super::progress::Progress;

/// The number of runs above which `--yes` is needed.
const RUNS_UNASKED: u64 = 1_000_000;

const AFTER_HELP: &str = "\
A plan is a TOML file with the section `[sweep]`. It may be the scenario itself, or name it:

  [sweep]
  scenario = \"loss.toml\"
  seeds = 20
  collect = [\"latency.p99\", \"goodput\"]

  [sweep.axes]
  \"link.0.loss\" = [0.0, 0.1, 0.2]
  \"endpoint.client.state.WINDOW\" = { from = 1, to = 64, points = 7, log = true }

Examples:
  jive sweep plan.toml                       the means of each point, with 95 % confidence
  jive sweep plan.toml --out rows.csv        also a row for each run; goes on where it was interrupted
  jive sweep plan.toml --out rows.csv --plot x=link.0.loss y=latency.p99
  jive sweep plan.toml --shard 3/50 --out d  the third of 50 parts, to be run anywhere
  jive sweep --join d --out rows.csv         the parts put together

Exit status:
  0  every run ended
  1  a run failed, as `jive run` would; its row says why, and no mean counts it
  2  wrong usage, or a plan or scenario that cannot be read
  4  a default, not the scenario, ended a run that had messages left to send or programs left to finish,
     and there is no --allow-cut
  130  interrupted; with --out, the next call goes on";

/// Runs a scenario for every combination of values and seeds.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The plan: a TOML file with the section `[sweep]`. --join needs none, since its directory has it
    #[arg(required_unless_present = "join")]
    plan: Option<PathBuf>,

    /// Write a row for each run to this file, as CSV if its name ends so and otherwise as JSON Lines; with --shard a
    /// directory
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Run only this part of the runs, such as `3/50`, and write it to the directory --out
    #[arg(long, value_name = "K/N", requires = "out", conflicts_with_all = ["join", "plot"])]
    shard: Option<Shard>,

    /// Put the parts of this directory together in place of running anything
    #[arg(long, value_name = "DIR")]
    join: Option<PathBuf>,

    /// Draw a metric over an axis as SVG, with a curve for each value of another: `x=AXIS y=METRIC by=AXIS`
    #[arg(long, value_name = "KEY=NAME", num_args = 2..=3)]
    plot: Vec<String>,

    /// The file of the plot
    #[arg(
        long,
        value_name = "FILE",
        default_value = "sweep.svg",
        requires = "plot"
    )]
    svg: PathBuf,

    /// How the means are printed
    #[arg(long, value_enum, default_value_t = TableFormat::Text, conflicts_with = "shard")]
    format: TableFormat,

    /// Number of runs at a time; as many as there are processors unless given. The result does not depend on it
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Run more than a million runs
    #[arg(long)]
    yes: bool,

    /// Exit with 0 although a default, not the scenario, ended runs that had messages left to send or programs left to
    /// finish
    #[arg(long)]
    allow_cut: bool,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let read = match (&arguments.plan, &arguments.join) {
        (Some(plan), _) => Plan::read(plan),
        (None, Some(directory)) => Plan::of_directory(directory),
        (None, None) => unreachable!("clap asks for one of them"),
    };
    let plan = match read {
        Ok(plan) => plan,
        Err(message) => return unusable(&message, console),
    };
    let drawn = match plot::Drawn::of(&arguments.plot, &plan) {
        Ok(drawn) => drawn,
        Err(title) => return unusable(&sentence(&title, &[]), console),
    };
    if let Err(message) = check_outputs(arguments, &plan) {
        return unusable(&message, console);
    }
    let total = plan.runs();
    if total > RUNS_UNASKED && !arguments.yes && arguments.join.is_none() {
        let title = format!("this sweep has {total} runs; `--yes` runs more than {RUNS_UNASKED}");
        return unusable(&sentence(&title, &[]), console);
    }
    let table = match table(arguments, &plan, console) {
        Ok(Some(table)) => table,
        Ok(None) => return Ok(Status::Interrupted),
        Err(message) => return unusable(&message, console),
    };
    if arguments.shard.is_some() {
        console.remark(&format!("{} of {total} runs", table.rows().len()))?;
        return Ok(status(&table, arguments));
    }
    let means = table.means();
    let shown = match arguments.format {
        TableFormat::Text => means.to_string(),
        TableFormat::Json => means.json_lines(),
        TableFormat::Csv => means.csv(),
    };
    write!(console.out(), "{shown}")?;
    if let Some(drawn) = drawn
        && let Err(message) = draw(&drawn, &table, arguments)
    {
        return unusable(&message, console);
    }
    Ok(status(&table, arguments))
}

/// Checks that no file that is written is also read, or written twice.
fn check_outputs(arguments: &Arguments, plan: &Plan) -> Result<(), String> {
    let table = arguments.out.as_deref();
    let drawing = (!arguments.plot.is_empty()).then_some(arguments.svg.as_path());
    let named = table.filter(|_| arguments.shard.is_none());
    for output in [named, drawing].into_iter().flatten() {
        if has_parts(output, arguments.join.as_deref()) {
            let output = printable_path(output);
            let title = format!("{output} would be among the parts of a sweep; write it elsewhere");
            return Err(sentence(&title, &[]));
        }
    }
    let journal = named.map(sweep::journal_of);
    let inputs = plan.files();
    overwrite::check(
        &Vec::from_iter([table, journal.as_deref(), drawing].into_iter().flatten()),
        &Vec::from_iter(inputs.iter().map(PathBuf::as_path)),
    )
}

/// Returns whether a file would be in a directory of parts: in the one that is joined, or in one that has a plan. What a
/// link names counts, not the link.
fn has_parts(file: &Path, joined: Option<&Path>) -> bool {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = resolved(file);
    let directory = resolved(output_file::directory_of(&file));
    joined.is_some_and(|joined| resolved(joined) == directory)
        || directory.join(sweep::PLAN_NAME).exists()
}

fn unusable(message: &str, console: &mut Console) -> Result<Status, Failure> {
    console.notice(message)?;
    Ok(Status::Unusable)
}

/// Runs what is missing, and returns the complete rows, or `None` if the user interrupted it. An error is the message for
/// the user.
fn table<'p>(
    arguments: &Arguments,
    plan: &'p Plan,
    console: &Console,
) -> Result<Option<Table<'p>>, String> {
    let mut store = store(arguments, plan)?;
    let interrupted = interrupt::requested();
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let missing = shard.runs(plan.runs()).count() as u64 - store.count();
    let mut progress = Progress::new("runs", missing).unless(console.is_quiet());
    let swept = sweep::run(plan, &mut store, arguments.jobs, |done| {
        progress.reach(done);
        progress.show();
        match interrupted.load(Ordering::Relaxed) {
            true => Wish::Stop,
            false => Wish::Continue,
        }
    });
    progress.clear();
    match swept? {
        Swept::Interrupted => Ok(None),
        Swept::Whole => store.finish().map(Some),
    }
}

/// Returns where the rows are kept, with those that are there already.
fn store<'p>(arguments: &Arguments, plan: &'p Plan) -> Result<Store<'p>, String> {
    match (&arguments.join, &arguments.shard, &arguments.out) {
        (Some(directory), _, out) => Store::join(plan, directory, out.as_deref()),
        (None, Some(shard), Some(out)) => Store::of_shard(plan, *shard, out),
        (None, None, Some(out)) => Store::of_file(plan, out),
        (None, _, None) => Ok(Store::in_memory(plan, Shard::WHOLE)),
    }
}

fn status(table: &Table<'_>, arguments: &Arguments) -> Status {
    match (table.failed(), table.cut()) {
        (0, 0) => Status::Done,
        (0, _) if arguments.allow_cut => Status::Done,
        (0, _) => Status::Cut,
        _ => Status::Rejected,
    }
}

fn draw(drawn: &plot::Drawn, table: &Table<'_>, arguments: &Arguments) -> Result<(), String> {
    let svg = plot::draw(drawn, table)?;
    let written = OutputFile::named(&arguments.svg).and_then(|mut file| {
        file.write_all(svg.as_bytes())?;
        file.place()
    });
    written.map_err(|error| output_file::unwritable(&arguments.svg, &error))
}
