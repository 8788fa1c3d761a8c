//! Runs one scenario, and compares its trace with the golden trace and its end with the expectations.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use jive_core::ClassFile;
use jive_embed::diagnosis::sentence;
use jive_embed::input::{self, ReadError};
use jive_embed::text::printable_path;
use jive_embed::{FoundAt, SourcePath};
use nic_core::event::roles::Shown as Visibility;
use nic_core::event::{Event, Names, Sink};
use nic_experiment::experiment;
use nic_runtime::Run;
use nic_runtime::export::golden::GoldenTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::judge::Judgement;
use nic_runtime::run::{RunEnd, SimError};
use nic_runtime::spec::Scenario;

use super::Blessing;
use super::tally::{Judged, Outcome};
use crate::cli::against_golden::AgainstGolden;
use crate::cli::console::Status;
use crate::cli::openjdk::{Compared, Session};
use crate::cli::output_file::{OutputFile, unwritable};
use crate::cli::test_files::TestFile;
use crate::cli::{expectations, overwrite, run, scenario_file, traps};

/// The longest golden trace that is read, in bytes: nobody reviews more events than a trace of this length contains.
const TRACE_BYTES_MAX: u64 = 1 << 28;

/// Runs a scenario. Writes its golden trace if `bless` says so, or compares its calls with OpenJDK if there is `java`.
pub(in crate::cli) fn judge(
    file: &TestFile,
    bless: Option<Blessing>,
    java: Option<&Session>,
) -> Judged {
    let path = &file.path;
    let golden = file.golden();
    let mut inputs = vec![path.clone(), golden.clone()];
    let mut notes = Vec::new();
    let outcome = match scenario_file::load(path, None, input::read_file) {
        Ok(scenario) => {
            inputs.extend(scenario.files.iter().cloned());
            notes = stale_classes(path, &scenario);
            match java {
                Some(java) => compare_java(file, &scenario, java),
                None => run_one(file, &golden, &scenario, bless),
            }
        }
        Err(reports) => Outcome::Failed(Status::Unusable, reports.join("\n\n")),
    };
    Judged {
        outcome,
        inputs,
        notes,
    }
}

/// Names the sources that were changed after their classes were compiled. For stale classes, `jive test` runs the old
/// code of the applets.
fn stale_classes(path: &Path, scenario: &Scenario) -> Vec<String> {
    let classes = 0..scenario.classes.len();
    let notes = classes.filter_map(|class| {
        let (file, bytes) = scenario_file::class_file(path, scenario, class);
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok()?;
        let source = FoundAt::from(&*file).source_of(&class)?;
        let (source, file) = (source.is_newer().then(|| source.path().to_owned())?, file);
        let file = printable_path(&file);
        Some(format!(
            "{source} is newer than {file}, so the test runs what was compiled before"
        ))
    });
    notes.collect()
}

/// Compares a scenario's applets with OpenJDK.
fn compare_java(file: &TestFile, scenario: &Scenario, java: &Session) -> Outcome {
    match java.compare(scenario) {
        Ok(Compared::Agrees { calls: 0, notes }) if notes.is_empty() => {
            Outcome::NotCompared(vec!["no applet was called".to_owned()])
        }
        Ok(Compared::Agrees { calls: 0, notes }) => Outcome::NotCompared(notes),
        Ok(Compared::Agrees { calls, notes }) => Outcome::Agrees(calls, notes),
        Ok(Compared::Differs(difference)) => Outcome::Differs(difference),
        Ok(Compared::Failed(report)) => Outcome::Failed(Status::Unusable, report),
        Err(error) => {
            let (blame, report) =
                scenario_file::refusal((&file.path, SourcePath::default()), scenario, error);
            Outcome::Failed(blame.into(), report)
        }
    }
}

fn run_one(
    file: &TestFile,
    golden: &Path,
    scenario: &Scenario,
    bless: Option<Blessing>,
) -> Outcome {
    let path = &file.path;
    let blessing = bless.filter(|_| file.has_golden || file.is_named);
    let judged = if let Some(blessing) = blessing {
        let inputs = scenario_file::inputs(path, scenario);
        if let Err(report) = overwrite::check(&[golden], &inputs) {
            return Outcome::Failed(Status::Unusable, report);
        }
        write(scenario, golden, blessing)
    } else if file.has_golden {
        compare(scenario, golden)
    } else if scenario.expectations.is_empty() {
        return Outcome::Failed(Status::Unusable, nothing_to_judge(path, golden));
    } else {
        let mut log = TrapLog::default();
        let ran = Run::new(scenario).sink(&mut log).judge().execute();
        let ran = ran.map_err(NotJudged::Refused);
        ran.map(|ran| (Outcome::Passed, ran.end, ran.judgement, log))
    };
    match judged {
        Ok((outcome, end, judgement, log)) => {
            if let Some(report) = experiment::stuck(&end) {
                return Outcome::Failed(run::status(&end), report);
            }
            let was_blessed = matches!(outcome, Outcome::Blessed(_));
            let outcome = match experiment::cut(scenario, &end) {
                Some(report) => outcome.and(&report),
                None => outcome,
            };
            let mut outcome = outcome.with(path, &judgement.unwrap_or_default());
            if let Outcome::Differs(difference) = &mut outcome
                && blessing.is_some()
            {
                let golden = printable_path(golden);
                difference.push_str(&match was_blessed {
                    true => format!("wrote {golden} all the same\n"),
                    false => format!("did not write {golden}: `--bless-failing` writes it\n"),
                });
            }
            outcome.explained(&log, (path, scenario))
        }
        Err(NotJudged::Refused(error)) => {
            let (blame, report) =
                scenario_file::refusal((path, SourcePath::default()), scenario, error);
            Outcome::Failed(blame.into(), report)
        }
        Err(NotJudged::Unreadable(error)) => {
            let title = format!("cannot read {}: {error}", printable_path(golden));
            Outcome::Failed(Status::Unusable, sentence(&title, &[]))
        }
        Err(NotJudged::Unwritable(error)) => {
            Outcome::Failed(Status::Unusable, unwritable(golden, &error))
        }
    }
}

/// Returns the message that a scenario has nothing to test, and how to add a golden trace.
fn nothing_to_judge(path: &Path, golden: &Path) -> String {
    let (path, golden) = (printable_path(path), printable_path(golden));
    let title = format!("{path} has no golden trace {golden}, and no `[[expect]]`");
    let note = format!("`jive test {path} --bless` writes the golden trace");
    sentence(&title, &[note])
}

impl Outcome {
    /// Adds the expectations that are not met to the result.
    fn with(self, path: &Path, judgement: &Judgement) -> Outcome {
        let unmet = expectations::render(path, judgement);
        if unmet.is_empty() {
            return self;
        }
        self.and(&unmet.join("\n\n"))
    }

    /// Adds the report of something that lets the scenario fail.
    fn and(self, report: &str) -> Outcome {
        match self {
            Outcome::Differs(difference) => Outcome::Differs(format!("{difference}\n{report}\n")),
            Outcome::Passed
            | Outcome::Agrees(..)
            | Outcome::NotCompared(_)
            | Outcome::Blessed(_) => Outcome::Differs(format!("{report}\n")),
            failed @ Outcome::Failed(..) => failed,
        }
    }

    /// Explains the traps of a run that differs, as `jive run` does.
    fn explained(self, log: &TrapLog, of: (&Path, &Scenario)) -> Outcome {
        let Outcome::Differs(difference) = self else {
            return self;
        };
        let traps = traps::of_run(log, of, SourcePath::default());
        if traps.is_empty() {
            return Outcome::Differs(difference);
        }
        let difference = difference.trim_end();
        Outcome::Differs(format!("{difference}\n\n{}\n", traps.join("\n\n")))
    }
}

/// A sink that also keeps the traps of a run.
struct WithTraps<S> {
    sink: S,
    log: TrapLog,
}

impl<S> WithTraps<S> {
    fn new(sink: S) -> WithTraps<S> {
        WithTraps {
            sink,
            log: TrapLog::default(),
        }
    }
}

impl<S: Sink> Sink for WithTraps<S> {
    fn wants(&self, shown: Visibility) -> bool {
        self.sink.wants(shown) || self.log.wants(shown)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.sink.event(names, event);
        self.log.event(names, event);
    }

    fn has_failed(&self) -> bool {
        self.sink.has_failed()
    }
}

/// Why a scenario's trace could not be compared or written.
enum NotJudged {
    Refused(SimError),
    Unreadable(ReadError),
    Unwritable(io::Error),
}

/// The result of comparing or writing the trace, the end of the run, the judgement on the expectations, and the traps.
type Shown = (Outcome, RunEnd, Option<Judgement>, TrapLog);

/// Runs a scenario and compares its trace with the golden trace line by line. Neither the trace nor the golden trace is
/// held in memory as a whole.
fn compare(scenario: &Scenario, golden: &Path) -> Result<Shown, NotJudged> {
    let unreadable = |error: io::Error| NotJudged::Unreadable(error.into());
    let against = AgainstGolden::new(open(golden).map_err(NotJudged::Unreadable)?);
    let mut run = WithTraps::new(GoldenTrace::new(against, scenario.golden));
    let (end, judgement) = Run::new(scenario)
        .sink(&mut run)
        .judge()
        .execute()
        .map_err(NotJudged::Refused)?
        .judged();
    let WithTraps { sink: trace, log } = run;
    let difference = trace.finish().and_then(AgainstGolden::finish);
    let outcome = match difference.map_err(unreadable)? {
        None => Outcome::Passed,
        Some(difference) => Outcome::Differs(difference),
    };
    Ok((outcome, end, judgement, log))
}

/// Opens a golden trace, unless it is too long.
fn open(golden: &Path) -> Result<BufReader<io::Take<File>>, ReadError> {
    let file = input::open_regular(golden)?;
    if file.metadata()?.len() > TRACE_BYTES_MAX {
        let limit = TRACE_BYTES_MAX;
        return Err(ReadError::TooLarge { limit });
    }
    Ok(BufReader::new(file.take(TRACE_BYTES_MAX)))
}

/// A trace that is written to a temporary file, and compared on the way with the golden trace that it may replace.
struct Replacing {
    file: OutputFile,
    /// The rest of the golden trace; `None` once the two differ, or if there is no golden trace.
    before: Option<BufReader<io::Take<File>>>,
}

impl Replacing {
    /// Returns whether the whole trace is the golden trace.
    fn is_same(&mut self) -> bool {
        let end = self.before.as_mut().map(BufReader::fill_buf);
        end.is_some_and(|rest| rest.is_ok_and(<[u8]>::is_empty))
    }
}

impl Write for Replacing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        if let Some(before) = &mut self.before {
            let mut expected = vec![0; written];
            let read = before.read_exact(&mut expected);
            if read.is_err() || expected != bytes[..written] {
                self.before = None;
            }
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes the scenario's trace to a temporary file, which replaces the golden trace once it is complete. A run that is
/// stuck or does not meet an expectation leaves the golden trace as it is, unless the user wants its trace too.
fn write(scenario: &Scenario, golden: &Path, blessing: Blessing) -> Result<Shown, NotJudged> {
    let replacing = Replacing {
        file: OutputFile::derived(golden).map_err(NotJudged::Unwritable)?,
        before: open(golden).ok(),
    };
    let mut run = WithTraps::new(GoldenTrace::new(replacing, scenario.golden));
    let (end, judgement) = Run::new(scenario)
        .sink(&mut run)
        .judge()
        .execute()
        .map_err(NotJudged::Refused)?
        .judged();
    let WithTraps { sink: trace, log } = run;
    let mut trace = trace.finish().map_err(NotJudged::Unwritable)?;
    let unmet = judgement.as_ref().map_or(0, |judged| judged.unmet.len());
    let is_met = unmet == 0 && experiment::stuck(&end).is_none();
    let outcome = if !is_met && blessing == Blessing::Met {
        Outcome::Passed
    } else if trace.is_same() {
        Outcome::Blessed(false)
    } else {
        trace.file.place().map_err(NotJudged::Unwritable)?;
        Outcome::Blessed(true)
    };
    Ok((outcome, end, judgement, log))
}
