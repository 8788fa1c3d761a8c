//! A run of a sweep and its row.

use nic_core::event::EndReason;
use nic_runtime::Run;
use nic_runtime::export::stats::Stats;
use nic_runtime::judge::Judgement;
use nic_runtime::run::{Outcome, RunEnd};
use nic_runtime::spec::Scenario;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::plan::Plan;
use crate::experiment::{gave_up, is_cut, stuck};

/// What a sweep keeps of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The number of the run, from 0.
    pub run: u64,
    /// The seed of every random choice.
    pub seed: u64,
    /// The values of the keys of the plan, as TOML writes them.
    pub values: Vec<String>,
    /// Why the run ended; `None` if it failed.
    pub ended: Option<String>,
    /// Whether a default cut off messages or programs.
    pub cut: bool,
    /// Why the run failed.
    pub error: Option<String>,
    /// What was collected; a latency without messages has no number.
    #[serde(deserialize_with = "exact")]
    pub metrics: Vec<Option<f64>>,
}

/// Reads numbers to the last bit, so that rows that were kept are written again as they were. `serde_json` by itself may
/// be off by one in the last place.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Option<f64>>, D::Error> {
    let numbers = Vec::<Option<Box<RawValue>>>::deserialize(deserializer)?;
    let numbers = numbers.into_iter().map(|number| {
        let number = number.map(|number| number.get().parse().map_err(D::Error::custom));
        number.transpose()
    });
    numbers.collect()
}

impl Row {
    /// Returns the row of a run before it has run.
    fn begun(plan: &Plan, run: u64) -> Row {
        let values = plan.values(run / plan.seeds()).into_iter();
        Row {
            run,
            seed: plan.seed(run),
            values: values.map(|(_, value)| value.to_owned()).collect(),
            ended: None,
            cut: false,
            error: None,
            metrics: vec![None; plan.collect().len()],
        }
    }

    /// Runs one run of a plan.
    #[must_use]
    pub fn of(plan: &Plan, run: u64) -> Row {
        let mut row = Row::begun(plan, run);
        let scenario = match plan.scenario(run) {
            Ok(scenario) => scenario,
            Err(error) => {
                row.error = Some(error);
                return row;
            }
        };
        let mut stats = Stats::new(&scenario);
        match Run::new(&scenario).sink(&mut stats).judge().execute() {
            Ok(Outcome { end, judgement, .. }) => {
                stats.end(end.time);
                let report = stats.report();
                let metrics = plan.collect().iter();
                row.metrics = metrics
                    .map(|metric| metric.of(&report, stats.events()))
                    .collect();
                row.ended = Some(end.reason.word().to_owned());
                row.cut = is_cut(&scenario, &end);
                row.error = failure(&scenario, &end, judgement);
            }
            Err(error) => row.error = Some(error.to_string()),
        }
        row
    }

    /// Returns whether a row that was read from a file is one of the plan's.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        if self.run >= plan.runs() {
            return false;
        }
        let expected = Row::begun(plan, self.run);
        (self.seed, &self.values, self.metrics.len())
            == (expected.seed, &expected.values, expected.metrics.len())
    }
}

/// Returns why a run that came to an end failed, as `jive run` has it.
fn failure(scenario: &Scenario, end: &RunEnd, judgement: Option<Judgement>) -> Option<String> {
    if let EndReason::LoadTrap(endpoint) = end.reason {
        let name = &scenario.endpoints[endpoint.0 as usize].name;
        return Some(format!("an applet of {name} trapped while it was loaded"));
    }
    if let Some(report) = stuck(end).or_else(|| gave_up(end)) {
        return Some(report);
    }
    let unmet = judgement?.unmet;
    let first = unmet.first()?;
    Some(match unmet.len() {
        1 => format!("an expectation is not met: {}", first.title),
        count => format!("{count} expectations are not met: {}, ...", first.title),
    })
}
