//! `jive test`: runs scenarios. Shows where a trace differs from its golden trace (the expected trace, in a file beside
//! the scenario), and which expectations are not met.

use nic_runtime::Run;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use jive_core::ClassFile;
use jive_embed::diagnosis::{sentence, warning};
use jive_embed::input::{self, ReadError};
use jive_embed::text::{printable, printable_path};
use jive_embed::{FoundAt, SourcePath};
use nic_core::event::roles::Shown as Visibility;
use nic_core::event::{Event, Names, Sink};
use nic_experiment::experiment;
use nic_runtime::export::golden::GoldenTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::judge::Judgement;
use nic_runtime::run::{RunEnd, SimError};
use nic_runtime::spec::Scenario;

use super::against_golden::AgainstGolden;
use super::console::{Console, Failure, Status};
use super::expectations;
use super::in_order::{Happened, in_order};
use super::junit::{CaseResult, Suite};
use super::openjdk::child::Settings;
use super::openjdk::{Compared, Session};
use super::output_file::{OutputFile, unwritable};
use super::overwrite;
use super::progress::Progress;
use super::run;
use super::scenario_file;
use super::test_files::{TestFile, TestFiles};
use super::traps;

/// The longest golden trace that is read, in bytes: nobody reviews more events than a trace of this length contains.
const TRACE_BYTES_MAX: u64 = 1 << 28;

const AFTER_HELP: &str = "\
A scenario NAME.toml is a test where a golden trace NAME.trace lies beside it, or where it says `[[expect]]`.
The golden trace is the text that `jive run --trace text --payload` prints, without the summary, and as `[golden]` in
the scenario has it. For a first golden trace name the scenario:

Examples:
  jive test                           every test below the current directory
  jive test my.toml --bless           writes my.trace, unless an expectation is not met
  jive test scenarios --bless         accepts every difference below scenarios
  jive test --filter echo --junit echo.xml
  jive test my.toml --java            repeats every call of an applet on OpenJDK
  jive test my.toml --java --debug 5005

Exit status:
  0  every scenario passed, was blessed, or agrees with OpenJDK where it can be compared
  1  a trace differs, an expectation is not met, a class was rejected, a run is stuck or cut by a
     limit that its scenario does not set, or OpenJDK differs
  2  wrong usage, a file that cannot be read, or a directory without a test; outranks 1";

/// Runs every scenario with a golden trace or expectations, and shows where the run differs.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A directory to look below, or a scenario
    #[arg(default_value = ".")]
    path: PathBuf,

    /// Write the traces as they are now
    #[arg(long)]
    bless: bool,

    /// With `--bless`: also write the trace of a run that does not meet an expectation
    #[arg(long, requires = "bless")]
    bless_failing: bool,

    /// Accept that there is no test to run
    #[arg(long)]
    allow_empty: bool,

    /// Run this many scenarios at a time; as many as there are processors unless given
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Run the scenarios whose path contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Compare each call of an applet with OpenJDK instead, over a model of the natives in plain Java
    #[arg(long, conflicts_with_all = ["bless", "jobs"])]
    java: bool,

    /// With `--java`: how long a call may take on OpenJDK, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "java",
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// With `--java`: wait for a debugger at this port of the local host, without a time limit
    #[arg(long, value_name = "PORT", requires = "java",
          value_parser = clap::value_parser!(u16).range(1..))]
    debug: Option<u16>,

    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The result of one scenario.
enum Outcome {
    Passed,
    /// The number of calls that agree with OpenJDK, and notes that name the calls that were not compared.
    Agrees(u64, Vec<String>),
    /// No call was compared with OpenJDK, for these reasons.
    NotCompared(Vec<String>),
    /// The golden trace was written; `false` if it was the same before.
    Blessed(bool),
    Differs(String),
    Failed(Status, String),
}

/// The result of a scenario, the files that were read for it, and further notes for the user.
struct Judged {
    outcome: Outcome,
    inputs: Vec<PathBuf>,
    notes: Vec<String>,
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let TestFiles { files, unreadable } =
        TestFiles::below(&arguments.path, arguments.filter.as_deref());
    let mut tally = Tally::default();
    for (path, error) in &unreadable {
        tally.status = Status::Unusable;
        let title = format!("cannot read {}: {error}", printable_path(path));
        console.notice(&sentence(&title, &[]))?;
    }
    if files.is_empty() && !unreadable.is_empty() {
        return Ok(tally.status);
    }
    let java = match start_java(arguments, console)? {
        Ok(java) => java,
        Err(report) => {
            console.notice(&report)?;
            return Ok(Status::Unusable);
        }
    };
    if files.is_empty() && !arguments.allow_empty {
        console.notice(&nothing_to_test(arguments))?;
        return Ok(Status::Unusable);
    }
    let default = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = match java {
        // Run one scenario at a time, because one Java process serves all scenarios.
        Some(_) => NonZeroUsize::MIN,
        None => arguments.jobs.unwrap_or_else(default),
    };
    let mut progress = Progress::new("scenarios", files.len() as u64).unless(console.is_quiet());
    let judged = in_order(
        &files,
        jobs,
        |file| judge(file, arguments.blessing(), java.as_ref()),
        |happened| {
            let Happened::Done(file, judged) = happened else {
                progress.show();
                return Ok(());
            };
            progress.advance();
            let was_shown = progress.is_shown();
            progress.clear();
            tally.take(file, judged, arguments.bless, console)?;
            if was_shown {
                console.flush()?;
                progress.show();
            }
            Ok::<(), Failure>(())
        },
    );
    progress.clear();
    judged?;
    let Tally {
        passed,
        differ,
        failed,
        not_compared,
        ..
    } = tally;
    let word = if java.is_some() { "agree" } else { "passed" };
    let apart = match not_compared {
        0 => String::new(),
        count => format!(", {count} not compared"),
    };
    console.remark(&format!(
        "{passed} {word}, {differ} differ, {failed} failed to load{apart}"
    ))?;
    if let Some(path) = &arguments.junit
        && let Err(report) = tally.write_junit(path)
    {
        console.notice(&report)?;
        return Ok(Status::Unusable);
    }
    Ok(tally.status)
}

/// Returns the message that no scenario is a test.
fn nothing_to_test(arguments: &Arguments) -> String {
    let path = printable_path(&arguments.path);
    let title = match &arguments.filter {
        Some(filter) => {
            let filter = printable(filter);
            format!("no test below {path} has a path that contains `{filter}`")
        }
        None => format!("no scenario below {path} is a test"),
    };
    let notes = [
        "a scenario is a test if a golden trace lies beside it, or if it says `[[expect]]`",
        "`jive test NAME.toml --bless` writes a first golden trace",
        "`--allow-empty` accepts a directory without a test",
    ];
    sentence(&title, &notes.map(str::to_owned))
}

/// Starts the Java process if the user asked for the comparison with OpenJDK. The inner error of the result is the
/// message for the user.
fn start_java(
    arguments: &Arguments,
    console: &mut Console,
) -> Result<Result<Option<Session>, String>, Failure> {
    if !arguments.java {
        return Ok(Ok(None));
    }
    let settings = Settings {
        limit: Duration::from_secs(arguments.timeout),
        debug: arguments.debug,
    };
    let started = Session::start(settings);
    if let (Ok(_), Some(port)) = (&started, arguments.debug) {
        console.notice(&format!(
            "waiting for a debugger at localhost:{port} (as in `jdb -attach {port}`)"
        ))?;
    }
    Ok(started.map(Some))
}

/// The results of all scenarios so far.
struct Tally {
    status: Status,
    passed: usize,
    differ: usize,
    failed: usize,
    not_compared: usize,
    suite: Suite,
    inputs: Vec<PathBuf>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            status: Status::Done,
            passed: 0,
            differ: 0,
            failed: 0,
            not_compared: 0,
            suite: Suite::default(),
            inputs: Vec::new(),
        }
    }
}

impl Tally {
    /// Counts the result of a scenario, and shows it.
    fn take(
        &mut self,
        file: &TestFile,
        judged: Judged,
        bless: bool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let name = printable_path(&file.path);
        self.inputs.extend(judged.inputs);
        for note in judged.notes {
            console.notice(&warning(&note))?;
        }
        let result = match judged.outcome {
            Outcome::Passed => {
                self.passed += 1;
                let unwritten = if bless {
                    " (no golden trace to bless: name the scenario to write one)"
                } else {
                    ""
                };
                console.remark(&format!("ok: {name}{unwritten}"))?;
                CaseResult::Passed
            }
            Outcome::Agrees(calls, notes) => {
                self.passed += 1;
                console.remark(&format!("agrees: {name} ({calls} calls)"))?;
                for note in notes {
                    writeln!(console.out(), "  {note}")?;
                }
                CaseResult::Passed
            }
            Outcome::NotCompared(reasons) => {
                self.not_compared += 1;
                console.remark(&format!("not compared: {name}"))?;
                for reason in &reasons {
                    writeln!(console.out(), "  {reason}")?;
                }
                CaseResult::Skipped(reasons.join("\n"))
            }
            Outcome::Blessed(is_new) => {
                self.passed += 1;
                let golden = printable_path(&file.golden());
                let what = if is_new {
                    "wrote"
                } else {
                    "the same as before:"
                };
                console.remark(&format!("blessed: {name} ({what} {golden})"))?;
                CaseResult::Passed
            }
            Outcome::Differs(difference) => {
                self.differ += 1;
                self.status = self.status.max(Status::Rejected);
                console.data(&format!("differs: {name}\n{difference}"))?;
                CaseResult::Failure(difference)
            }
            Outcome::Failed(failed, report) => {
                self.failed += 1;
                self.status = self.status.max(failed);
                console.notice(&report)?;
                CaseResult::Error(report)
            }
        };
        self.suite.add(&name, result);
        Ok(())
    }

    /// Writes the results as JUnit XML, unless that would overwrite a file that the scenarios were read from.
    fn write_junit(&self, path: &Path) -> Result<(), String> {
        let inputs = self.inputs.iter().map(PathBuf::as_path);
        overwrite::check(&[path], &inputs.collect::<Vec<_>>())?;
        let written = OutputFile::named(path).and_then(|mut file| {
            write!(file, "{}", self.suite)?;
            file.place()
        });
        written.map_err(|error| unwritable(path, &error))
    }
}

fn judge(file: &TestFile, bless: Option<Blessing>, java: Option<&Session>) -> Judged {
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

/// Which traces `--bless` writes.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Blessing {
    /// Those of runs that meet their expectations.
    Met,
    /// All.
    Failing,
}

impl Arguments {
    fn blessing(&self) -> Option<Blessing> {
        let which = match self.bless_failing {
            true => Blessing::Failing,
            false => Blessing::Met,
        };
        self.bless.then_some(which)
    }
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
