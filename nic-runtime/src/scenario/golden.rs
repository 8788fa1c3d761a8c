//! Reads `[golden]`: what the golden trace of a scenario contains.

use super::context::Context;
use super::table::{self, Table, choice, keys};

pub(super) const GOLDEN_KEYS: &[&str] = &["payload", "times", "costs", "code"];

const TIMES: [(&str, Times); 3] = [
    ("exact", Times::Exact),
    ("order", Times::Order),
    ("none", Times::None),
];
const TIMES_NAMES: [&str; TIMES.len()] = keys(&TIMES);

const CODES: [(&str, Code); 2] = [("none", Code::None), ("exact", Code::Exact)];
const CODE_NAMES: [&str; CODES.len()] = keys(&CODES);

/// What a golden trace contains.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GoldenSettings {
    /// Whether the trace contains the bytes of messages.
    pub payload: bool,
    /// Whether the trace contains times, and which order of events the trace shows.
    pub times: Times,
    /// Whether the trace contains the number of instructions of each call, and durations.
    pub costs: bool,
    /// Whether the trace contains the size of each class's code.
    pub code: Code,
}

impl Default for GoldenSettings {
    fn default() -> GoldenSettings {
        GoldenSettings {
            payload: true,
            times: Times::Exact,
            costs: true,
            code: Code::None,
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

/// The size of the code of classes (`code_bytes`) in a golden trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// The trace does not show the size, so that a recompiled class need not change the trace.
    None,
    /// The trace shows the size.
    Exact,
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
    let code = choice(&table, "code", &CODES, &CODE_NAMES, mistakes);
    GoldenSettings {
        payload: payload.map_or(default.payload, |given| given.value),
        times: times.unwrap_or(default.times),
        costs: costs.map_or(default.costs, |given| given.value),
        code: code.unwrap_or(default.code),
    }
}
