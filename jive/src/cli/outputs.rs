//! The outputs of a run: the trace or a packet's story on standard output, a timeline file and a capture file. All
//! outputs receive the same stream of events.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nic_core::event::roles::Shown as Visibility;
use nic_core::event::{Event, Executed, Names, Sink};
use nic_core::id::EndpointId;
use nic_runtime::export::executions::Executions;
use nic_runtime::export::follow::Story;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::pcapng::{Capture, Watched};
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::stats::{Stats, StatsReport};
use nic_runtime::export::summary::Summary;
use nic_runtime::export::text::TextTrace;
use nic_runtime::export::traps::TrapLog;
use nic_runtime::judge::Judgement;
use nic_runtime::run::RunEnd;
use nic_runtime::spec::Scenario;

use super::fields::Dump;
use super::output_file::{self, OutputFile};
use super::progress::Pulse;

/// What standard output shows before the summary.
pub(super) enum Shown<W> {
    Nothing,
    Text(TextTrace<W>),
    Json(JsonTrace<W>),
    Story(Story<W>),
}

/// An output and the path of its file.
struct ToFile<O> {
    path: PathBuf,
    output: O,
}

/// All outputs of one run, as one event sink.
pub(super) struct Outputs<W> {
    shown: Shown<W>,
    summary: Summary,
    timeline: Option<ToFile<PerfettoTrace<OutputFile>>>,
    captures: Vec<ToFile<Capture<OutputFile>>>,
    traps: TrapLog,
    stats: Option<Box<Stats>>,
    /// Whether the summary and the statistics show each endpoint, however many there are.
    by_endpoint: bool,
    /// What the applets execute, for a profile.
    executions: Option<Box<Executions>>,
    pulse: Pulse,
    interrupted: Arc<AtomicBool>,
}

/// What the caller still has to do after all outputs have ended.
pub(super) enum Finished {
    /// Print the summary, and the statistics if there are some.
    Summarize(Box<Summary>, Option<Box<StatsReport>>),
    /// Do nothing: the output already contains the summary.
    Whole,
    /// Report that the packet to follow did not occur.
    NoSuchPacket,
}

/// Why an output could not be written; for a file, this is the message for the user.
pub(super) enum OutputError {
    Stream(io::Error),
    File(String),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> OutputError {
        OutputError::Stream(error)
    }
}

/// Returns an error that names the file.
fn unwritable(path: &Path, error: &io::Error) -> OutputError {
    OutputError::File(output_file::unwritable(path, error))
}

fn create(path: &Path) -> Result<OutputFile, OutputError> {
    OutputFile::named(path).map_err(|error| unwritable(path, &error))
}

impl<W: Write> Outputs<W> {
    /// Makes the outputs. The run ends once `interrupted` is set.
    pub(super) fn new(
        shown: Shown<W>,
        scenario: &Scenario,
        interrupted: Arc<AtomicBool>,
        is_quiet: bool,
    ) -> Outputs<W> {
        // Show no progress line beside a trace on the terminal, because the trace shows how far the run is.
        let has_trace = !matches!(shown, Shown::Nothing) && io::stdout().is_terminal();
        Outputs {
            pulse: Pulse::new(!is_quiet && !has_trace),
            shown,
            summary: Summary::new(scenario),
            timeline: None,
            captures: Vec::new(),
            traps: TrapLog::default(),
            stats: None,
            by_endpoint: false,
            executions: None,
            interrupted,
        }
    }

    /// Makes the outputs count what the applets execute.
    pub(super) fn count_executions(&mut self) {
        self.executions = Some(Box::default());
    }

    /// Returns what the applets have executed, if it was counted.
    pub(super) fn take_executions(&mut self) -> Executions {
        self.executions
            .take()
            .map_or_else(Executions::default, |counted| *counted)
    }

    /// Adds statistics to the summary.
    pub(super) fn add_stats(&mut self, scenario: &Scenario) {
        self.stats = Some(Box::new(Stats::new(scenario)));
    }

    /// Makes the summary and the statistics show each endpoint, however many there are.
    pub(super) fn show_endpoints(&mut self) {
        self.by_endpoint = true;
        self.summary.show_endpoints();
    }

    /// Adds a timeline for Perfetto to the outputs.
    pub(super) fn add_timeline(&mut self, path: &Path) -> Result<(), OutputError> {
        let output = PerfettoTrace::new(create(path)?);
        let path = path.to_owned();
        self.timeline = Some(ToFile { path, output });
        Ok(())
    }

    /// Adds a capture of the first NICs for Wireshark to the outputs.
    pub(super) fn add_capture(
        &mut self,
        path: &Path,
        scenario: &Scenario,
        nics: usize,
        watched: Watched<'_>,
    ) -> Result<(), OutputError> {
        let output = Capture::of_scenario(create(path)?, scenario, nics, watched);
        let output = output.map_err(|error| unwritable(path, &error))?;
        let path = path.to_owned();
        self.captures.push(ToFile { path, output });
        Ok(())
    }

    /// Returns the traps of the run.
    pub(super) fn take_traps(&mut self) -> TrapLog {
        std::mem::take(&mut self.traps)
    }

    /// Ends every output after a run, even if another one failed: a closed pipe on standard output must not cost the
    /// user a file.
    pub(super) fn finish(
        mut self,
        end: &RunEnd,
        judgement: Option<&Judgement>,
        dump: &Dump<'_>,
    ) -> Result<Finished, OutputError> {
        self.summary.end(end.time, end.reason);
        self.summary.waits(&end.waiting);
        self.summary.programs_left(&end.gave_up, &end.unfinished);
        self.summary.cut(&end.cut);
        if let Some(Judgement { met, unmet }) = judgement {
            self.summary.judge(*met, unmet.len());
        }
        let timeline = self
            .timeline
            .map_or(Ok(()), |to| to.place(PerfettoTrace::finish));
        let captures = self
            .captures
            .into_iter()
            .map(|to| to.place(Capture::finish));
        let captures = Vec::from_iter(captures);
        let stats = self.stats.map(|mut stats| {
            stats.end(end.time);
            let mut report = stats.report();
            if self.by_endpoint {
                report.show_endpoints();
            }
            Box::new(report)
        });
        let shown = self.shown.finish((self.summary, stats), dump);
        timeline?;
        captures.into_iter().collect::<Result<(), OutputError>>()?;
        Ok(shown?)
    }
}

impl<O> ToFile<O> {
    /// Ends an output and moves its temporary file to its final path.
    fn place(self, finish: impl FnOnce(O) -> io::Result<OutputFile>) -> Result<(), OutputError> {
        let written = finish(self.output).and_then(OutputFile::place);
        written.map_err(|error| unwritable(&self.path, &error))
    }
}

impl<W: Write> Shown<W> {
    fn finish(
        self,
        (mut summary, stats): (Summary, Option<Box<StatsReport>>),
        dump: &Dump<'_>,
    ) -> io::Result<Finished> {
        Ok(match self {
            Shown::Nothing => Finished::Summarize(Box::new(summary), stats),
            Shown::Text(trace) => {
                writeln!(trace.finish()?)?;
                Finished::Summarize(Box::new(summary), stats)
            }
            Shown::Json(mut trace) => {
                for applet in &dump.applets {
                    trace.add(applet);
                }
                summary.add_stats(stats);
                trace.finish(&summary)?;
                Finished::Whole
            }
            Shown::Story(story) if story.is_told() => {
                writeln!(story.finish()?)?;
                Finished::Summarize(Box::new(summary), stats)
            }
            Shown::Story(_) => Finished::NoSuchPacket,
        })
    }
}

impl<W: Write> Sink for Outputs<W> {
    fn wants(&self, visibility: Visibility) -> bool {
        let shown = match &self.shown {
            Shown::Nothing => false,
            Shown::Text(trace) => trace.wants(visibility),
            Shown::Json(trace) => trace.wants(visibility),
            Shown::Story(story) => story.wants(visibility),
        };
        shown
            || self.summary.wants(visibility)
            || self
                .stats
                .as_ref()
                .is_some_and(|stats| stats.wants(visibility))
            || self
                .executions
                .as_ref()
                .is_some_and(|it| it.wants(visibility))
            || self
                .timeline
                .as_ref()
                .is_some_and(|it| it.output.wants(visibility))
            || self.captures.iter().any(|it| it.output.wants(visibility))
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Text(trace) => trace.event(names, event),
            Shown::Json(trace) => trace.event(names, event),
            Shown::Story(story) => story.event(names, event),
        }
        self.summary.event(names, event);
        self.traps.event(names, event);
        if let Some(stats) = &mut self.stats {
            stats.event(names, event);
        }
        if let Some(executions) = &mut self.executions {
            executions.event(names, event);
        }
        if let Some(ToFile { output, .. }) = &mut self.timeline {
            output.event(names, event);
        }
        for ToFile { output, .. } in &mut self.captures {
            output.event(names, event);
        }
    }

    fn left_out(&mut self, events: u64) {
        self.summary.left_out(events);
    }

    fn watches(&self) -> bool {
        self.executions.is_some()
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        if let Some(executions) = &mut self.executions {
            executions.executed(names, executed);
        }
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        if let Some(executions) = &mut self.executions {
            executions.took_back(endpoint);
        }
    }

    fn is_interrupted(&self) -> bool {
        self.pulse.tick();
        self.interrupted.load(Ordering::Relaxed)
    }

    fn wants_posts(&self) -> bool {
        let is_shown = !matches!(self.shown, Shown::Nothing);
        is_shown || self.stats.is_some() || self.timeline.is_some()
    }

    fn may_fail(&self) -> bool {
        !matches!(self.shown, Shown::Nothing)
    }

    /// Returns whether the run can stop early: standard output is closed, and no file is written.
    fn has_failed(&self) -> bool {
        let shown = match &self.shown {
            Shown::Nothing => false,
            Shown::Text(trace) => trace.has_failed(),
            Shown::Json(trace) => trace.has_failed(),
            Shown::Story(story) => story.has_failed(),
        };
        shown && self.timeline.is_none() && self.captures.is_empty()
    }
}
