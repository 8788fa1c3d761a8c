//! Reads `[golden]`: what the golden trace of a scenario contains.

use super::context::Context;
use super::table::{self, Table, choice, keys};
use crate::spec::{Code, GoldenSettings, Times};

pub(super) const GOLDEN_KEYS: &[&str] = &["payload", "times", "costs", "code"];

const TIMES: [(&str, Times); 3] = [
    ("exact", Times::Exact),
    ("order", Times::Order),
    ("none", Times::None),
];
const TIMES_NAMES: [&str; TIMES.len()] = keys(&TIMES);

const CODES: [(&str, Code); 2] = [("none", Code::None), ("exact", Code::Exact)];
const CODE_NAMES: [&str; CODES.len()] = keys(&CODES);

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
