//! What the commands say of a stranger's files, as text: for fuzzing, which watches no process.

use std::io::{self, Write};

use super::against_golden::AgainstGolden;
use super::scenario_report;
use crate::scenario::ScenarioError;

/// Returns what `jive run` says of the mistakes in a scenario, each with its place in the file.
#[must_use]
pub fn of_mistakes(path: &str, bytes: &[u8], error: &ScenarioError) -> Vec<String> {
    scenario_report::render(path, bytes, error)
}

/// Returns what `jive test` says of a trace that is not the golden one; `None` where both are alike.
///
/// # Errors
///
/// The golden trace cannot be read.
pub fn of_difference(golden: &[u8], trace: &[u8]) -> io::Result<Option<String>> {
    let mut against = AgainstGolden::new(golden);
    against.write_all(trace)?;
    against.finish()
}
