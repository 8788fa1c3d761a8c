//! A run of a sweep and its row.

use nic_runtime::Run;
use nic_runtime::export::stats::Stats;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::plan::Plan;

/// What a sweep keeps of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    /// The number of the run, from 0.
    pub(super) run: u64,
    /// The seed of every random choice.
    pub(super) seed: u64,
    /// The values of the keys of the plan, as TOML writes them.
    pub(super) values: Vec<String>,
    /// Why the run ended; `None` if it failed.
    pub(super) ended: Option<String>,
    /// Whether a default cut off messages.
    pub(super) cut: bool,
    /// Why the run failed.
    pub(super) error: Option<String>,
    /// What was collected; a latency without messages has no number.
    #[serde(deserialize_with = "exact")]
    pub(super) metrics: Vec<Option<f64>>,
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

/// Runs one run of a plan.
pub(super) fn run(plan: &Plan, run: u64) -> Row {
    let point = run / plan.seeds;
    let values = plan.values(point);
    let mut row = Row {
        run,
        seed: plan.seed(run),
        values: values
            .iter()
            .map(|(_, value)| (*value).to_owned())
            .collect(),
        ended: None,
        cut: false,
        error: None,
        metrics: vec![None; plan.collect.len()],
    };
    let scenario = match plan.scenario(run) {
        Ok(scenario) => scenario,
        Err(error) => {
            row.error = Some(error);
            return row;
        }
    };
    let mut stats = Stats::new(&scenario);
    match Run::new(&scenario).sink(&mut stats).execute() {
        Ok(outcome) => {
            let end = outcome.end;
            stats.end(end.time);
            let report = stats.report();
            let metrics = plan
                .collect
                .iter()
                .map(|metric| metric.of(&report, end.events));
            row.metrics = metrics.collect();
            row.ended = Some(end.reason.word().to_owned());
            row.cut = !end.cut.is_empty();
        }
        Err(error) => row.error = Some(error.to_string()),
    }
    row
}
