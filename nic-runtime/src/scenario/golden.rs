//! Reads `[golden]`: what the golden trace of a scenario contains.

use super::context::Context;
use super::keys::{GOLDEN, ROOT};
use super::table::Table;
use crate::spec::GoldenSettings;

/// Reads `[golden]`.
pub(super) fn read(root: &Table<'_>, context: &mut Context) -> GoldenSettings {
    let default = GoldenSettings::default();
    let mistakes = context.mistakes();
    let Some(value) = ROOT.golden.raw(root, mistakes) else {
        return default;
    };
    let Some(table) = Table::of_value(value, GOLDEN.section, mistakes) else {
        return default;
    };
    GoldenSettings {
        payload: GOLDEN.payload.get(&table, mistakes),
        times: GOLDEN.times.get(&table, mistakes),
        costs: GOLDEN.costs.get(&table, mistakes),
        code: GOLDEN.code.get(&table, mistakes),
    }
}
