//! `jive test`: runs scenarios that have a golden trace beside them and shows where traces differ.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::input::{self, ReadError};
use jive_embed::text::printable_path;
use nic_runtime::export::golden::GoldenTrace;
use nic_runtime::scenario::Scenario;
use nic_runtime::sim;

use super::against_golden::AgainstGolden;
use super::console::{Console, Failure, Status};
use super::output_file::{OutputFile, unwritable};
use super::overwrite;
use super::run;

/// Bytes of a golden trace: more events than anyone reviews.
const TRACE_BYTES_MAX: u64 = 1 << 28;

/// Results for each processor that may wait for an earlier one.
const AHEAD: usize = 4;

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
    let Found {
        scenarios,
        unreadable,
    } = Found::below(&arguments.path, arguments.bless);
    let mut status = Status::Done;
    for (path, error) in &unreadable {
        status = Status::Unusable;
        let title = format!("cannot read {}: {error}", printable_path(path));
        console.notice(&sentence(&title, &[]))?;
    }
    if scenarios.is_empty() && !unreadable.is_empty() {
        return Ok(status);
    }
    let mut differing = 0;
    in_order(
        &scenarios,
        |scenario| judge(scenario, arguments.bless),
        |scenario, outcome| {
            let name = printable_path(scenario);
            match outcome {
                Outcome::Same => writeln!(console.out(), "ok: {name}"),
                Outcome::Blessed => writeln!(console.out(), "blessed: {name}"),
                Outcome::Differs(diff) => {
                    differing += 1;
                    status = status.max(Status::Rejected);
                    console.data(&format!("differs: {name}\n{diff}"))
                }
                Outcome::Failed(failed, report) => {
                    status = status.max(failed);
                    console.notice(&report)
                }
            }
        },
    )?;
    writeln!(
        console.out(),
        "{} golden traces, {differing} differ",
        scenarios.len()
    )?;
    Ok(status)
}

/// What there is to run.
#[derive(Default)]
struct Found {
    /// In the order of their paths.
    scenarios: Vec<PathBuf>,
    /// What cannot be looked at. It keeps nothing else from being run.
    unreadable: Vec<(PathBuf, ReadError)>,
}

impl Found {
    /// Finds the scenarios to run. One that is named need not have a golden trace when it is about to get one.
    fn below(path: &Path, bless: bool) -> Found {
        let mut found = Found::default();
        let is_directory = found
            .note(path, fs::metadata(path))
            .map(|data| data.is_dir());
        match is_directory {
            None => {}
            Some(true) => found.walk(path),
            Some(false) => {
                let golden = golden_of(path);
                if bless || found.note(&golden, fs::metadata(&golden)).is_some() {
                    found.scenarios.push(path.to_owned());
                }
            }
        }
        found.scenarios.sort();
        found.unreadable.sort_by(|(a, _), (b, _)| a.cmp(b));
        found
    }

    fn walk(&mut self, path: &Path) {
        let mut directories = vec![path.to_owned()];
        while let Some(directory) = directories.pop() {
            let Some(entries) = self.note(&directory, fs::read_dir(&directory)) else {
                continue;
            };
            for entry in entries {
                let Some(entry) = self.note(&directory, entry) else {
                    // What fails once may fail without end.
                    break;
                };
                let path = entry.path();
                // The type of a link is not that of its target, so a circle of links is not walked.
                let is_directory = self
                    .note(&path, entry.file_type())
                    .map(|kind| kind.is_dir());
                let is_toml = path
                    .extension()
                    .is_some_and(|extension| extension == "toml");
                match is_directory {
                    Some(true) => directories.push(path),
                    Some(false) if is_toml && golden_of(&path).exists() => {
                        self.scenarios.push(path)
                    }
                    Some(false) | None => {}
                }
            }
        }
    }

    /// Notes which path a failure is about.
    fn note<T>(&mut self, path: &Path, read: io::Result<T>) -> Option<T> {
        read.map_err(|error| self.unreadable.push((path.to_owned(), error.into())))
            .ok()
    }
}

fn golden_of(scenario: &Path) -> PathBuf {
    scenario.with_extension("trace")
}

/// Has all processors work on items that do not depend on each other, and takes what came of them in the
/// order of the items. While one takes long, no more than [`AHEAD`] for each processor are held back behind it.
fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (done, results) = mpsc::channel();
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(items.len()));
    // A token for each item that is worked on, or done and not taken.
    let (allow, allowed) = mpsc::channel();
    for _ in 0..workers * AHEAD {
        let _cannot_fail = allow.send(());
    }
    let allowed = Mutex::new(allowed);
    thread::scope(|scope| {
        // Moved in here: workers that wait for a token end when nobody gives any.
        let allow = allow;
        for _ in 0..workers {
            let (done, next, work, allowed) = (done.clone(), &next, &work, &allowed);
            scope.spawn(move || {
                loop {
                    let token = allowed.lock().map(|tokens| tokens.recv());
                    let Ok(Ok(())) = token else { return };
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    // Nobody takes results any more once one could not be taken.
                    if done.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut taken = 0;
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&taken) {
                take(&items[taken], result)?;
                taken += 1;
                // Nobody waits for it once every item is worked on.
                let _ = allow.send(());
            }
        }
        Ok(())
    })
}

fn judge(path: &Path, bless: bool) -> Outcome {
    let scenario = match run::load(path, None, input::read_file) {
        Ok(scenario) => scenario,
        Err(reports) => return Outcome::Failed(Status::Unusable, reports.join("\n\n")),
    };
    let golden = golden_of(path);
    let judged = if bless {
        let inputs = run::inputs(path, &scenario);
        if let Err(report) = overwrite::check(&[&golden], &inputs) {
            return Outcome::Failed(Status::Unusable, report);
        }
        write(&scenario, &golden)
    } else {
        compare(&scenario, &golden)
    };
    judged.unwrap_or_else(|failure| match failure {
        NotJudged::Refused(error) => {
            let (status, report) = run::refusal(path, &scenario, error);
            Outcome::Failed(status, report)
        }
        NotJudged::Unreadable(error) => {
            let title = format!("cannot read {}: {error}", printable_path(&golden));
            Outcome::Failed(Status::Unusable, sentence(&title, &[]))
        }
        NotJudged::Unwritable(error) => {
            Outcome::Failed(Status::Unusable, unwritable(&golden, &error))
        }
    })
}

/// Why nothing can be said of a scenario's trace.
enum NotJudged {
    Refused(sim::SimError),
    Unreadable(ReadError),
    Unwritable(io::Error),
}

/// Compares a scenario's trace with its golden one while it runs.
fn compare(scenario: &Scenario, golden: &Path) -> Result<Outcome, NotJudged> {
    let unreadable = |error: io::Error| NotJudged::Unreadable(error.into());
    let file = input::open_regular(golden).map_err(NotJudged::Unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    if length > TRACE_BYTES_MAX {
        let limit = TRACE_BYTES_MAX;
        return Err(NotJudged::Unreadable(ReadError::TooLarge { limit }));
    }
    let against = AgainstGolden::new(BufReader::new(file.take(TRACE_BYTES_MAX)));
    let mut trace = GoldenTrace::new(against, scenario.golden);
    sim::run(scenario, &mut trace).map_err(NotJudged::Refused)?;
    let difference = trace.finish().and_then(AgainstGolden::finish);
    Ok(match difference.map_err(unreadable)? {
        None => Outcome::Same,
        Some(difference) => Outcome::Differs(difference),
    })
}

/// Writes a scenario's trace, and has it take the golden one's place when it is whole.
fn write(scenario: &Scenario, golden: &Path) -> Result<Outcome, NotJudged> {
    let file = OutputFile::derived(golden).map_err(NotJudged::Unwritable)?;
    let mut trace = GoldenTrace::new(file, scenario.golden);
    sim::run(scenario, &mut trace).map_err(NotJudged::Refused)?;
    let placed = trace.finish().and_then(OutputFile::place);
    placed.map_err(NotJudged::Unwritable)?;
    Ok(Outcome::Blessed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_taken_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let mut taken = Vec::new();
        let work = |&item: &u64| {
            // Early items take longest.
            std::hint::black_box((0..(200 - item) * 1_000).fold(0, |sum, number| sum ^ number));
            item + 1
        };
        let all: Result<(), ()> = in_order(&items, work, |item, result| {
            taken.push((*item, result));
            Ok(())
        });
        assert_eq!(all, Ok(()));
        assert_eq!(taken.len(), items.len());
        assert!(
            taken
                .iter()
                .map(|(item, _)| *item)
                .eq(items.iter().copied())
        );
    }

    #[test]
    fn the_first_that_cannot_be_taken_ends_it() {
        let items: Vec<u32> = (0..1_000).collect();
        let mut taken = 0;
        let end = in_order(
            &items,
            |&item| item,
            |_, item| {
                taken += 1;
                if item == 7 { Err(item) } else { Ok(()) }
            },
        );
        assert_eq!((end, taken), (Err(7), 8));
        assert_eq!(in_order(&[], |_: &u32| (), |_, ()| Err(())), Ok(()));
    }
}
