//! Reads `[golden]`: what the golden trace of a scenario contains.

use super::context::Context;
use super::table::{self, Table, choice, keys};

pub(super) const GOLDEN_KEYS: &[&str] = &["payload", "times", "costs"];

const TIMES: [(&str, Times); 3] = [
    ("exact", Times::Exact),
    ("order", Times::Order),
    ("none", Times::None),
];
const TIMES_NAMES: [&str; TIMES.len()] = keys(&TIMES);

/// What a golden trace contains.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GoldenSettings {
    /// Whether the trace contains the bytes of messages.
    pub payload: bool,
    /// Whether the trace contains times, and which order of events the trace shows.
    pub times: Times,
    /// Whether the trace contains the number of instructions of each call, and durations.
    pub costs: bool,
}

impl Default for GoldenSettings {
    fn default() -> GoldenSettings {
        GoldenSettings {
            payload: false,
            times: Times::Exact,
            costs: true,
        }
    }
}

/// The times and the order of events in a golden trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// The trace shows the time of each event.
    Exact,
    /// The trace shows the order of all events, without times.
    Order,
    /// The trace shows the order of events at each endpoint, one endpoint after the other, without times.
    None,
}

/// Reads `[golden]`.
pub(super) fn read(root: &Table<'_>, context: &mut Context<'_>) -> GoldenSettings {
    let default = GoldenSettings::default();
    let mistakes = context.mistakes();
    let Some(value) = root.value("golden") else {
        return default;
    };
    let Some(table) = Table::of_value(value, "`[golden]`", GOLDEN_KEYS, mistakes) else {
        return default;
    };
    let payload = table.optional("payload", table::boolean, mistakes);
    let times = choice(&table, "times", &TIMES, &TIMES_NAMES, mistakes);
    let costs = table.optional("costs", table::boolean, mistakes);
    GoldenSettings {
        payload: payload.map_or(default.payload, |given| given.value),
        times: times.unwrap_or(default.times),
        costs: costs.map_or(default.costs, |given| given.value),
    }
}
