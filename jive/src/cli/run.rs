//! `jive run`: runs a scenario and shows its trace and summary.

use crate::cli::format::ReportFormat;
use nic_runtime::{Outcome, Run};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jive_embed::diagnosis::sentence;
use jive_embed::input;
use nic_core::event::EndReason;
use nic_core::id::PacketId;
use nic_experiment::experiment::{cut, gave_up, stuck};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::follow::Story;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::pcapng::{Tap, Watched};
use nic_runtime::export::text::TextTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::host::Programs;
use nic_runtime::judge::Judgement;
use nic_runtime::run::{self, RunEnd, SimError};
use nic_runtime::spec::Scenario;

use super::console::{Console, Failure, Status};
use super::expectations;
use super::fields::Dump;
use super::interrupt;
use super::outputs::{Finished, OutputError, Outputs, Shown};
use super::overwrite;
use super::replay::{self, CaptureArguments};
use super::scenario_file::{builtin_list, inputs, load_with, refusal, written_out};
use super::sram::SramTable;
use super::traps;

const AFTER_HELP: &str = "\
Examples:
  jive run                            the built-in scenario `pingpong`
  jive run lossy-link --seed 7        a built-in scenario with other faults
  jive run my.toml --trace none       the summary alone
  jive run pingpong --follow 3        one packet's story, across hosts
  jive run my.toml --perfetto t.json --pcap t.pcapng --trace none
  jive run my.toml --format json --payload | jq 'select(.event == \"rx-descriptor\")'

Exit status:
  0  the run ended; traps are in the trace
  1  a class was rejected, or trapped while it was loaded without --lenient-load; an `[[expect]]` is not
     met; the run is stuck, or a program of it gave up
  2  wrong usage, or a scenario that cannot be read or does not fit the NICs' memory
  4  a limit that the scenario does not set ended the run before all messages of its `[[send]]`
     were through, or before a program had made its rounds; 0 with --allow-cut
  130  interrupted: Ctrl-C ends the run, files are whole and the summary is printed; a second one
       ends jive at once";

/// Runs a scenario and prints its trace, then a summary.
#[derive(Args)]
#[command(after_help = AFTER_HELP, after_long_help = long_help())]
pub(super) struct Arguments {
    /// A TOML file, or the name of a built-in scenario
    #[arg(default_value = "pingpong")]
    scenario: PathBuf,

    /// How the trace is printed; `text`, or `none` with --applet
    #[arg(long, value_enum)]
    trace: Option<TraceFormat>,

    /// How trace and summary are printed; with `--trace none`, the summary alone
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, conflicts_with_all = ["follow", "sram"])]
    format: ReportFormat,

    /// Also print the bytes of messages, in hexadecimal
    #[arg(long)]
    payload: bool,

    /// Also print the work of each processor (event `work`), which a timeline always shows
    #[arg(long)]
    trace_work: bool,

    /// Print the story of this packet, across hosts, in place of the trace
    #[arg(long, value_name = "PACKET", conflicts_with_all = ["trace", "trace_work"])]
    follow: Option<u64>,

    /// Also write a timeline that https://ui.perfetto.dev opens
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,

    /// Also write a capture of all taps as pcapng, which Wireshark opens
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,

    /// Print who holds how many bytes of each NIC's SRAM, and run nothing
    #[arg(long, conflicts_with_all = ["trace", "payload", "trace_work", "follow", "perfetto", "pcap", "applet"])]
    sram: bool,

    /// Print the scenario in full, with every range and its topology written out, and run nothing
    #[arg(long, conflicts_with_all = ["trace", "payload", "trace_work", "follow", "perfetto", "pcap", "applet", "sram", "stats", "seed"])]
    expand: bool,

    /// Also print the fields and arrays of each applet at the end
    #[arg(long)]
    dump: bool,

    /// Fill `RxBuf` behind each packet with a pattern, so that an applet that reads there shows
    #[arg(long)]
    poison: bool,

    /// Start an endpoint without its applet if the applet traps while it is loaded; else that ends the run
    #[arg(long)]
    lenient_load: bool,

    /// Let a run end well although a limit that the scenario does not set cut off messages of its `[[send]]` or a program
    #[arg(long)]
    allow_cut: bool,

    /// Also print rates, goodput, losses, latencies, queues, and shares of the time in use
    #[arg(long, conflicts_with = "sram")]
    stats: bool,

    /// What the rows of the summary and the statistics are: with more than 8 endpoints `group` has a row for those of a
    /// NIC whose names differ in digits alone
    #[arg(long, value_name = "WHAT", value_parser = ["group", "endpoint"], default_value = "group", conflicts_with = "sram")]
    by: String,

    /// Set a key of the scenario, such as `link.0.loss=0.1` or `endpoint.client.fuel=500`; may be given several times
    #[arg(long, value_name = "PLACE=VALUE", conflicts_with = "applet")]
    set: Vec<String>,

    #[command(flatten)]
    capture: CaptureArguments,

    /// Also write what the applet did with each of them as pcapng
    #[arg(long, value_name = "FILE", requires = "applet")]
    out: Option<PathBuf>,

    /// Taps that --pcap and --out write; all for --pcap and `wire-rx` for --out if there is none
    #[arg(long, value_name = "TAP", value_parser = tap)]
    tap: Vec<Tap>,

    /// Look for Java sources in this directory first; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Seed of every random choice, in place of the scenario's
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Copy, Clone, ValueEnum)]
enum TraceFormat {
    /// A line of text for each event, then the summary
    Text,
    /// `--format json`
    #[value(hide = true)]
    Json,
    /// The summary alone
    None,
}

/// Reads the name of a tap.
fn tap(name: &str) -> Result<Tap, String> {
    let mut taps = Tap::ALL.into_iter();
    let names = || Tap::ALL.map(Tap::name).join(", ");
    taps.find(|tap| tap.name() == name)
        .ok_or_else(|| format!("expected one of {}", names()))
}

fn long_help() -> String {
    let list = builtin_list();
    format!("Built-in scenarios:\n{list}\n{AFTER_HELP}")
}

/// Runs the command.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    if let Some((applet, capture)) = arguments.capture.files() {
        return replay(arguments, (applet, capture), console);
    }
    if arguments.expand {
        return match written_out(&arguments.scenario, &arguments.set, input::read_given) {
            Ok(text) => {
                write!(console.out(), "{text}")?;
                Ok(Status::Done)
            }
            Err(reports) => {
                console.notice(&reports.join("\n\n"))?;
                Ok(Status::Unusable)
            }
        };
    }
    let loaded = load_with(
        &arguments.scenario,
        (arguments.seed, &arguments.set),
        input::read_given,
    );
    match loaded {
        Ok(scenario) if arguments.sram => show_sram(arguments, &scenario, console),
        Ok(mut scenario) => match check_outputs(arguments, &scenario) {
            Ok(()) => {
                scenario.poisons_rx_buf = arguments.poison;
                scenario.lenient_load = arguments.lenient_load;
                run(arguments, &scenario, Programs::new(), console)
            }
            Err(report) => {
                console.notice(&report)?;
                Ok(Status::Unusable)
            }
        },
        Err(reports) => {
            console.notice(&reports.join("\n\n"))?;
            Ok(Status::Unusable)
        }
    }
}

/// Runs an applet on the packets of a capture.
fn replay(
    arguments: &Arguments,
    (applet, capture): (&Path, &Path),
    console: &mut Console,
) -> Result<Status, Failure> {
    let outputs = [&arguments.perfetto, &arguments.pcap, &arguments.out];
    let outputs = Vec::from_iter(outputs.into_iter().flatten().map(PathBuf::as_path));
    let prepared = overwrite::check(&outputs, &[applet, capture]).and_then(|()| {
        let prepared = arguments.capture.prepare(applet, capture);
        prepared.map_err(|title| sentence(&title, &[]))
    });
    let (mut scenario, programs, replayed) = match prepared {
        Ok(prepared) => prepared,
        Err(report) => {
            console.notice(&report)?;
            return Ok(Status::Unusable);
        }
    };
    scenario.poisons_rx_buf = arguments.poison;
    scenario.lenient_load = arguments.lenient_load;
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    let status = run(arguments, &scenario, programs, console)?;
    let replayed = replayed.lock().expect("nobody panics");
    replay::report(&replayed, (capture, &scenario), status, console)
}

/// Checks that no output file is also an input of the run.
fn check_outputs(arguments: &Arguments, scenario: &Scenario) -> Result<(), String> {
    let outputs = [&arguments.perfetto, &arguments.pcap].into_iter().flatten();
    let outputs = Vec::from_iter(outputs.map(PathBuf::as_path));
    let inputs = inputs(&arguments.scenario, scenario);
    overwrite::check(&outputs, &inputs)
}

/// Prints how many bytes of each NIC's SRAM each user occupies.
fn show_sram(
    arguments: &Arguments,
    scenario: &Scenario,
    console: &mut Console,
) -> Result<Status, Failure> {
    match run::sram_holders(scenario) {
        Ok(holders) => {
            write!(console.out(), "{}", SramTable { scenario, holders })?;
            Ok(Status::Done)
        }
        Err(error) => {
            let at = (&*arguments.scenario, arguments.source_path[..].into());
            let (blame, report) = refusal(at, scenario, error);
            console.notice(&report)?;
            Ok(blame.into())
        }
    }
}

fn run(
    arguments: &Arguments,
    scenario: &Scenario,
    programs: Programs,
    console: &mut Console,
) -> Result<Status, Failure> {
    let is_quiet = console.is_quiet();
    match listen(arguments, scenario, (programs, is_quiet), console.out()) {
        Ok((
            end,
            Finished::Whole,
            Ended {
                judgement, traps, ..
            },
        )) => {
            explain_traps(arguments, scenario, &traps, console)?;
            report_stuck(&end, console)?;
            let cut = report_cut(arguments, (scenario, &end), console)?;
            let judged = report_unmet(arguments, judgement, console)?;
            Ok(status(&end).max(judged).max(cut))
        }
        Ok((end, Finished::Summarize(summary, stats), ended)) => {
            let Ended {
                judgement,
                dump,
                traps,
            } = ended;
            if !console.is_quiet() {
                write!(console.out(), "{summary}")?;
            }
            if let Some(stats) = stats {
                write!(console.out(), "{stats}")?;
            }
            write!(console.out(), "{dump}")?;
            explain_traps(arguments, scenario, &traps, console)?;
            report_stuck(&end, console)?;
            let cut = report_cut(arguments, (scenario, &end), console)?;
            let judged = report_unmet(arguments, judgement, console)?;
            Ok(status(&end).max(judged).max(cut))
        }
        Ok((end, Finished::NoSuchPacket, _)) => {
            report_stuck(&end, console)?;
            let packet = arguments.follow.unwrap_or_default();
            let title = format!("packet {packet} does not occur in this run");
            let (status, notes) = match end.reason {
                EndReason::Interrupted => {
                    let note = format!("it was interrupted at {}", end.time);
                    (Status::Interrupted, vec![note])
                }
                _ => (Status::Unusable, Vec::new()),
            };
            console.notice(&sentence(&title, &notes))?;
            Ok(status)
        }
        Err(NotRun::Refused(error)) => {
            let at = (scenario_file(arguments), arguments.source_path[..].into());
            let (blame, report) = refusal(at, scenario, error);
            console.notice(&report)?;
            Ok(blame.into())
        }
        Err(NotRun::Output(OutputError::Stream(failure))) => Err(failure.into()),
        Err(NotRun::Output(OutputError::File(report))) => {
            console.notice(&report)?;
            Ok(Status::Unusable)
        }
    }
}

/// Shows what waits for what in a run that is stuck, and the programs that gave up.
pub(super) fn report_stuck(end: &RunEnd, console: &mut Console) -> Result<(), Failure> {
    for report in [stuck(end), gave_up(end)].into_iter().flatten() {
        console.notice(&report)?;
    }
    Ok(())
}

/// Shows what the end of a run cut off, messages and programs, and returns the exit status that follows.
fn report_cut(
    arguments: &Arguments,
    (scenario, end): (&Scenario, &RunEnd),
    console: &mut Console,
) -> Result<Status, Failure> {
    match cut(scenario, end) {
        Some(report) if !arguments.allow_cut => {
            console.notice(&report)?;
            Ok(Status::Cut)
        }
        Some(_) | None => Ok(Status::Done),
    }
}

/// Shows why applets trapped.
fn explain_traps(
    arguments: &Arguments,
    scenario: &Scenario,
    traps: &TrapLog,
    console: &mut Console,
) -> Result<(), Failure> {
    let reports = traps::of_run(
        traps,
        (scenario_file(arguments), scenario),
        arguments.source_path[..].into(),
    );
    if !reports.is_empty() {
        console.notice(&reports.join("\n\n"))?;
    }
    Ok(())
}

/// Returns the scenario's file, to which paths in it are relative. A scenario made in code has no file.
fn scenario_file(arguments: &Arguments) -> &Path {
    match arguments.capture.applet {
        Some(_) => Path::new(""),
        None => &arguments.scenario,
    }
}

/// Shows the expectations that are not met, and returns the exit status that follows.
fn report_unmet(
    arguments: &Arguments,
    judgement: Option<Judgement>,
    console: &mut Console,
) -> Result<Status, Failure> {
    let unmet = expectations::render(&arguments.scenario, &judgement.unwrap_or_default());
    if unmet.is_empty() {
        return Ok(Status::Done);
    }
    console.notice(&unmet.join("\n\n"))?;
    Ok(Status::Rejected)
}

/// Why a run gave no result.
enum NotRun {
    Refused(SimError),
    Output(OutputError),
}

impl From<OutputError> for NotRun {
    fn from(error: OutputError) -> NotRun {
        NotRun::Output(error)
    }
}

/// The judgement on a run, the final fields of its applets, and their traps.
struct Ended<'s> {
    judgement: Option<Judgement>,
    dump: Dump<'s>,
    traps: TrapLog,
}

/// Runs a scenario with all the outputs that were asked for.
fn listen<'s>(
    arguments: &Arguments,
    scenario: &'s Scenario,
    (programs, is_quiet): (Programs, bool),
    out: &mut impl Write,
) -> Result<(RunEnd, Finished, Ended<'s>), NotRun> {
    let payload_mode = if arguments.payload {
        PayloadMode::Shown
    } else {
        PayloadMode::Omitted
    };
    let trace = arguments.trace.unwrap_or(match arguments.capture.applet {
        Some(_) => TraceFormat::None,
        None => TraceFormat::Text,
    });
    let shown = match (arguments.follow, trace, arguments.format) {
        (Some(packet), ..) => Shown::Story(Story::new(out, PacketId(packet), payload_mode)),
        (None, TraceFormat::None, ReportFormat::Text) => Shown::Nothing,
        (None, TraceFormat::None, ReportFormat::Json) => {
            Shown::Json(JsonTrace::new(out, payload_mode, scenario).without_events())
        }
        (None, TraceFormat::Text, ReportFormat::Text) => {
            Shown::Text(TextTrace::new(out, payload_mode).with_work(arguments.trace_work))
        }
        (None, TraceFormat::Json, _) | (None, TraceFormat::Text, ReportFormat::Json) => {
            let trace = JsonTrace::new(out, payload_mode, scenario);
            Shown::Json(trace.with_work(arguments.trace_work))
        }
    };
    let mut outputs = Outputs::new(shown, scenario, interrupt::requested(), is_quiet);
    if let Some(path) = &arguments.perfetto {
        outputs.add_timeline(path)?;
    }
    if let Some(path) = &arguments.pcap {
        let taps = if arguments.tap.is_empty() {
            &Tap::ALL[..]
        } else {
            &arguments.tap
        };
        let watched = Watched { taps, calls: false };
        let nics = scenario.nics.len();
        outputs.add_capture(path, scenario, nics, watched)?;
    }
    if let Some(path) = &arguments.out {
        // By default, write every packet of the capture once, with what the applet did with it.
        let taps = if arguments.tap.is_empty() {
            &[Tap::WireRx][..]
        } else {
            &arguments.tap
        };
        let watched = Watched { taps, calls: true };
        outputs.add_capture(path, scenario, 1, watched)?;
    }
    if arguments.stats {
        outputs.add_stats(scenario);
    }
    if arguments.by == "endpoint" {
        outputs.show_endpoints();
    }
    let mut run = Run::new(scenario)
        .programs(programs)
        .sink(&mut outputs)
        .judge();
    if arguments.dump {
        run = run.keep_states();
    }
    let Outcome {
        end,
        judgement,
        states,
    } = run.execute().map_err(NotRun::Refused)?;
    let dump = match arguments.dump {
        true => Dump::of(scenario, &end, &states),
        false => Dump::default(),
    };
    let traps = outputs.take_traps();
    let finished = outputs.finish(&end, judgement.as_ref(), &dump)?;
    let ended = Ended {
        judgement,
        dump,
        traps,
    };
    Ok((end, finished, ended))
}

/// Returns the exit status for the end of a run.
pub(super) fn status(end: &RunEnd) -> Status {
    match end.reason {
        EndReason::Interrupted => Status::Interrupted,
        _ if !end.gave_up.is_empty() => Status::Rejected,
        EndReason::Idle
        | EndReason::Until
        | EndReason::MaxEvents
        | EndReason::MaxBytecodes
        | EndReason::Unheard => Status::Done,
        EndReason::LoadTrap(_) | EndReason::Stuck => Status::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use nic_core::time::{SimDuration, SimTime};
    use nic_runtime::run::{HowFar, Waiting};

    use super::*;

    /// No scenario without `allow_deadlock` is known whose run is stuck, so that the end of such a run is made here.
    /// How a run comes to this end is tested beside the simulation.
    #[test]
    fn a_stuck_run_fails_and_says_who_waits() {
        let waiting = |endpoint: Option<&str>, awaits: &str, count| Waiting {
            nic: "one".to_owned(),
            is_switch: false,
            endpoint: endpoint.map(str::to_owned),
            awaits: awaits.to_owned(),
            count,
        };
        let mut end = RunEnd {
            time: SimTime::ZERO,
            reason: EndReason::Stuck,
            cut: Vec::new(),
            gave_up: Vec::new(),
            unfinished: Vec::new(),
            waiting: vec![
                waiting(Some("a\u{202e}"), "an acknowledgement from endpoint b", 8),
                waiting(None, "a processor to take its work", 1),
            ],
            allows_deadlock: false,
            events: 7,
            host: SimDuration::ZERO,
            interrupts: 0,
            copied: 0,
        };
        let report = stuck(&end).expect("a report");
        let report = anstream::adapter::strip_str(&report).to_string();
        let mut lines = report.lines();
        let title = lines.next().expect("a title");
        assert!(title.ends_with("this is an error of jive"), "{report}");
        let notes: Vec<&str> = lines.collect();
        let expected = [
            "endpoint \"a\\u{202e}\" waits for an acknowledgement from endpoint b (8 times)",
            "NIC one waits for a processor to take its work",
        ];
        for expected in expected {
            let found = notes.iter().any(|note| note.contains(expected));
            assert!(found, "{expected}: {report}");
        }
        assert_eq!(status(&end), Status::Rejected);
        end.allows_deadlock = true;
        let report = stuck(&end).expect("a report");
        assert!(report.contains("`allow_deadlock` allows") && !report.contains("error of jive"));
        let code = format!("{:?}", ExitCode::from(Status::Rejected));
        assert_eq!(code, format!("{:?}", ExitCode::from(1)));
        end.reason = EndReason::Idle;
        assert_eq!(stuck(&end), None);
        assert_eq!((gave_up(&end), status(&end)), (None, Status::Done));
        end.gave_up = vec![HowFar {
            endpoint: "a\u{202e}".to_owned(),
            after: "3 of 10 messages were sent".to_owned(),
        }];
        let report = gave_up(&end).expect("a report");
        let expected = "endpoint \"a\\u{202e}\": 3 of 10 messages were sent";
        assert!(report.contains(expected), "{report}");
        assert_eq!(status(&end), Status::Rejected);
    }
}
