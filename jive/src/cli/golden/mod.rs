//! `jive test`: runs scenarios. Shows where a trace differs from its golden trace (the expected trace, in a file beside
//! the scenario), and which expectations are not met.

mod judge;
mod tally;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::{printable, printable_path};

use super::console::{Console, Failure, Status};
use super::in_order::{Happened, in_order};
use super::openjdk::Session;
use super::openjdk::child::Settings;
use super::progress::Progress;
use super::test_files::TestFiles;

pub(super) use self::judge::judge;
pub(super) use self::tally::Tally;

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
    let word = if java.is_some() { "agree" } else { "passed" };
    console.remark(&tally.total(word))?;
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

/// Which traces `--bless` writes.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Blessing {
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
