//! What a golden trace of a scenario shows: `[golden]`.

use super::context::Context;
use super::table::{self, Table, choice, keys};

pub(super) const GOLDEN_KEYS: &[&str] = &["payload", "times", "costs"];

const TIMES: [(&str, Times); 3] = [
    ("exact", Times::Exact),
    ("order", Times::Order),
    ("none", Times::None),
];
const TIMES_NAMES: [&str; TIMES.len()] = keys(&TIMES);

/// What a golden trace shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GoldenSettings {
    /// Whether the bytes of messages are in it.
    pub payload: bool,
    /// What it says of when events happen.
    pub times: Times,
    /// Whether it says how many instructions calls execute, and how long things take.
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

/// What a golden trace says of when events happen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// Their times.
    Exact,
    /// Their order, without times.
    Order,
    /// Their order at each endpoint, one endpoint after the other.
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
