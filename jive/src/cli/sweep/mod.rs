//! `jive sweep`: runs a scenario for every combination of values, with several seeds each, and shows the means.

mod metric;
mod plan;
mod plot;
mod row;
mod store;
mod table;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;

use clap::Args;
use jive_embed::diagnosis::sentence;

use self::plan::{Plan, Shard};
use self::row::Row;
use self::store::Store;
use super::console::{Console, Failure, Status};
use super::in_order::{Happened, in_order};
use super::interrupt;
use super::output_file::{self, OutputFile};
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
  jive sweep plan.toml --join d --out rows.csv

Exit status:
  0  every run ended
  1  a run failed; its row says why
  2  wrong usage, or a plan or scenario that cannot be read
  130  interrupted; with --out, the next call goes on";

/// Runs a scenario for every combination of values and seeds.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The plan: a TOML file with the section `[sweep]`
    plan: PathBuf,

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

    /// Number of runs at a time; as many as there are processors unless given. The result does not depend on it
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Run more than a million runs
    #[arg(long)]
    yes: bool,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    match sweep(arguments, console)? {
        Ok(status) => Ok(status),
        Err(report) => {
            console.notice(&report)?;
            Ok(Status::Unusable)
        }
    }
}

/// Runs the command. The inner error is the message for the user.
fn sweep(arguments: &Arguments, console: &mut Console) -> Result<Result<Status, String>, Failure> {
    let plan = match Plan::read(&arguments.plan) {
        Ok(plan) => plan,
        Err(report) => return Ok(Err(report)),
    };
    let drawn = match plot::Drawn::of(&arguments.plot, &plan) {
        Ok(drawn) => drawn,
        Err(title) => return Ok(Err(sentence(&title, &[]))),
    };
    let total = plan.runs();
    if total > RUNS_UNASKED && !arguments.yes && arguments.join.is_none() {
        let title = format!("this sweep has {total} runs; `--yes` runs more than {RUNS_UNASKED}");
        return Ok(Err(sentence(&title, &[])));
    }
    let mut store = match store(arguments, &plan) {
        Ok(store) => store,
        Err(title) => return Ok(Err(sentence(&title, &[]))),
    };
    let is_whole = match run(arguments, &plan, &mut store, console)? {
        Ok(is_whole) => is_whole,
        Err(title) => return Ok(Err(sentence(&title, &[]))),
    };
    if !is_whole {
        return Ok(Ok(Status::Interrupted));
    }
    if let Err(title) = store.finish() {
        return Ok(Err(sentence(&title, &[])));
    }
    let rows = store.into_rows();
    if arguments.shard.is_some() {
        console.remark(&format!("{} runs of {total}", rows.len()))?;
        return Ok(Ok(failed(&rows)));
    }
    let points = table::points(&plan, &rows);
    write!(
        console.out(),
        "{}",
        table::Means {
            plan: &plan,
            points: &points
        }
    )?;
    if let Some(drawn) = drawn {
        let svg = plot::draw(&drawn, &plan, &points);
        let written = svg.and_then(|svg| {
            let written = OutputFile::named(&arguments.svg).and_then(|mut file| {
                file.write_all(svg.as_bytes())?;
                file.place()
            });
            written.map_err(|error| output_file::unwritable(&arguments.svg, &error))
        });
        if let Err(report) = written {
            return Ok(Err(report));
        }
    }
    Ok(Ok(failed(&rows)))
}

/// Returns where the rows are kept, with those that are there already.
fn store(arguments: &Arguments, plan: &Plan) -> Result<Store, String> {
    match (&arguments.join, &arguments.shard, &arguments.out) {
        (Some(directory), _, out) => Store::join(plan, directory, out.as_deref()),
        (None, Some(shard), Some(out)) => Store::of_shard(plan, *shard, out),
        (None, None, Some(out)) => Store::of_file(plan, out),
        (None, _, None) => Ok(Store::in_memory(plan)),
    }
}

fn failed(rows: &[Row]) -> Status {
    match rows.iter().any(|row| row.error.is_some()) {
        true => Status::Rejected,
        false => Status::Done,
    }
}

/// Runs what is missing. Returns false if the user interrupted it.
fn run(
    arguments: &Arguments,
    plan: &Plan,
    store: &mut Store,
    console: &mut Console,
) -> Result<Result<bool, String>, Failure> {
    let missing = store.missing();
    if missing.is_empty() {
        return Ok(Ok(true));
    }
    let default = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = arguments.jobs.unwrap_or_else(default);
    let interrupted = interrupt::requested();
    let mut progress = Progress::new("runs", missing.len()).unless(console.is_quiet());
    let ran = in_order(
        &missing,
        jobs,
        |run| match interrupted.load(Ordering::Relaxed) {
            true => None,
            false => Some(row::run(plan, *run)),
        },
        |happened| {
            let Happened::Done(_, row) = happened else {
                progress.show();
                return Ok(());
            };
            let Some(row) = row else {
                return Err(None);
            };
            progress.advance();
            progress.show();
            store.add(row).map_err(Some)
        },
    );
    progress.clear();
    Ok(match ran {
        Ok(()) => Ok(true),
        Err(None) => Ok(false),
        Err(Some(title)) => Err(title),
    })
}
