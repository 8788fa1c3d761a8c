//! A scenario that is run from a program: read with settings of single keys, run to its trace, summary and statistics.

use std::path::{Path, PathBuf};

use jive_embed::diagnosis::sentence;
use jive_embed::{SourcePath, input};
use nic_core::event::roles::Shown;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::plain_json;
use nic_runtime::export::stats::Stats;
use nic_runtime::export::summary::{CutLine, Summary};
use nic_runtime::export::traps::TrapLog;
use nic_runtime::run::{HowFar, RunEnd};
use nic_runtime::spec::Scenario;
use nic_runtime::{Outcome, Run};

use crate::scenario_file::{Blame, load_with, refusal};
use crate::{expectations, traps};

/// Why an experiment cannot be read or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whose fault it is.
    pub blame: Blame,
    /// The message for the user.
    pub message: String,
}

/// A scenario that was read, and the name it was given by.
#[derive(Clone, Debug)]
pub struct Experiment {
    name: PathBuf,
    scenario: Scenario,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Report {
    /// The summary with its statistics as a JSON object, as `docs/summary.schema.json` describes it.
    pub summary: String,
    /// Why applets trapped: a message for each place.
    pub traps: Vec<String>,
    /// What waits for what, if the run is stuck.
    pub stuck: Option<String>,
    /// The programs that gave up, if there are any.
    pub gave_up: Option<String>,
    /// What a limit cut off that the scenario does not set, messages or programs, if there is something.
    pub cut: Option<String>,
    /// The expectations that are not met: a message for each.
    pub unmet: Vec<String>,
    /// Why the run ended.
    pub reason: EndReason,
}

impl Experiment {
    /// Reads a scenario from a file or, if there is no such file, from the built-in scenarios, after some of its keys were
    /// set, each as `PLACE=VALUE`. A given seed overrides that of the scenario.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn read(
        name: &Path,
        (seed, settings): (Option<u64>, &[String]),
    ) -> Result<Experiment, Fault> {
        let scenario = load_with(name, (seed, settings), input::read_given);
        let scenario = scenario.map_err(|messages| Fault {
            blame: Blame::Scenario,
            message: messages.join("\n\n"),
        })?;
        let name = name.to_owned();
        Ok(Experiment { name, scenario })
    }

    /// Returns the scenario.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Runs the scenario to its summary and statistics. The run ends early once `is_interrupted` returns true.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if the scenario cannot be run.
    pub fn run(&self, is_interrupted: &dyn Fn() -> bool) -> Result<Report, Fault> {
        let scenario = &self.scenario;
        let summary = (Summary::new(scenario), TrapLog::default());
        let mut heard = Heard {
            outputs: (summary, Stats::new(scenario)),
            is_interrupted,
        };
        let ran = Run::new(scenario).sink(&mut heard).judge().execute();
        let outcome = ran.map_err(|error| self.refused(error))?;
        let Outcome { end, judgement, .. } = outcome;
        let ((mut summary, traps), mut stats) = heard.outputs;
        stats.end(end.time);
        summary.end(end.time, end.reason);
        summary.waits(&end.waiting);
        summary.programs_left(&end.gave_up, &end.unfinished);
        summary.cut(&end.cut);
        if let Some(judgement) = &judgement {
            summary.judge(judgement.met, judgement.unmet.len());
        }
        summary.add_stats(Some(Box::new(stats.report())));
        let mut shown = Vec::new();
        plain_json::to_writer(&mut shown, &summary).expect("memory can be written");
        Ok(Report {
            summary: String::from_utf8(shown).expect("JSON is UTF-8"),
            traps: traps::of_run(&traps, (&self.name, scenario), SourcePath::default()),
            stuck: stuck(&end),
            gave_up: gave_up(&end),
            cut: cut(scenario, &end),
            unmet: expectations::render(&self.name, &judgement.unwrap_or_default()),
            reason: end.reason,
        })
    }

    /// Runs the scenario and returns its events as JSON Lines, as `docs/trace.schema.json` describes them.
    ///
    /// # Errors
    ///
    /// Returns the message for the user if the scenario cannot be run.
    pub fn trace(
        &self,
        payload: PayloadMode,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, Fault> {
        let mut lines = Vec::new();
        let mut heard = Heard {
            outputs: JsonTrace::new(&mut lines, payload, &self.scenario),
            is_interrupted,
        };
        let ran = Run::new(&self.scenario).sink(&mut heard).execute();
        ran.map_err(|error| self.refused(error))?;
        Ok(lines)
    }

    fn refused(&self, error: nic_runtime::run::SimError) -> Fault {
        let (blame, message) = refusal((&self.name, SourcePath::default()), &self.scenario, error);
        Fault { blame, message }
    }
}

/// Outputs of a run that the caller may interrupt.
struct Heard<'h, S> {
    outputs: S,
    is_interrupted: &'h dyn Fn() -> bool,
}

impl<S: Sink> Sink for Heard<'_, S> {
    fn wants(&self, shown: Shown) -> bool {
        self.outputs.wants(shown)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.outputs.event(names, event);
    }

    fn left_out(&mut self, events: u64) {
        self.outputs.left_out(events);
    }

    fn wants_posts(&self) -> bool {
        self.outputs.wants_posts()
    }

    fn may_fail(&self) -> bool {
        self.outputs.may_fail()
    }

    fn has_failed(&self) -> bool {
        self.outputs.has_failed()
    }

    fn is_interrupted(&self) -> bool {
        (self.is_interrupted)()
    }
}

/// Returns the report of a run that is stuck, or `None`.
#[must_use]
pub fn stuck(end: &RunEnd) -> Option<String> {
    (end.reason == EndReason::Stuck).then(|| {
        let blame = match end.allows_deadlock {
            true => "packets wait for each other, which `allow_deadlock` allows",
            false => "this is an error of jive",
        };
        let title = format!("the run is stuck at {}: {blame}", end.time);
        let notes = Vec::from_iter(end.waiting.iter().map(ToString::to_string));
        sentence(&title, &notes)
    })
}

/// Returns the report of a run in which programs gave up, or `None`.
#[must_use]
pub fn gave_up(end: &RunEnd) -> Option<String> {
    (!end.gave_up.is_empty()).then(|| {
        let title = format!("programs gave up before the run ended at {}", end.time);
        let notes = Vec::from_iter(end.gave_up.iter().map(ToString::to_string));
        sentence(&title, &notes)
    })
}

/// Returns whether a limit that the scenario does not set cut off messages or programs, or a run ended before its sends.
#[must_use]
pub fn is_cut(scenario: &Scenario, end: &RunEnd) -> bool {
    !end.cut.is_empty() || !cut_programs(scenario, end).is_empty()
}

/// Returns the programs that a limit cut which the scenario does not set.
fn cut_programs<'e>(scenario: &Scenario, end: &'e RunEnd) -> &'e [HowFar] {
    match scenario.limits_set.is_default(end.reason) {
        true => &end.unfinished,
        false => &[],
    }
}

/// Returns the report of a run that was cut, or `None`.
#[must_use]
pub fn cut(scenario: &Scenario, end: &RunEnd) -> Option<String> {
    let limit = match end.reason {
        EndReason::Until => "until",
        EndReason::MaxEvents => "max_events",
        EndReason::MaxBytecodes => "max_bytecodes",
        EndReason::Idle
        | EndReason::Stuck
        | EndReason::LoadTrap(_)
        | EndReason::Unheard
        | EndReason::Interrupted => "",
    };
    let shown = end.cut.iter().map(|cut| CutLine { scenario, cut });
    let programs = cut_programs(scenario, end).iter().map(ToString::to_string);
    let notes = Vec::from_iter(shown.map(|line| line.to_string()).chain(programs));
    (!notes.is_empty()).then(|| match limit {
        "" => sentence(
            "the run ended before its sends: a closed loop has no answers, or a capture changed",
            &notes,
        ),
        limit => sentence(
            &format!(
                "the default of `{limit}` cut the run at {}; the scenario can set `{limit}`",
                end.time
            ),
            &notes,
        ),
    })
}
