//! Renders the expectations of a scenario that its run did not meet.

use std::path::Path;

use jive_embed::diagnosis::sentence;
use nic_runtime::judge::{Judgement, Unmet};

use crate::scenario_file;
use crate::scenario_report;

/// Maximum number of unmet expectations that are shown; further ones are only counted.
const SHOWN_MAX: usize = 20;

/// Renders every expectation that is not met, with its place in the scenario file.
#[must_use]
pub fn render(name: &Path, judgement: &Judgement) -> Vec<String> {
    let unmet = &judgement.unmet;
    if unmet.is_empty() {
        return Vec::new();
    }
    let bytes = scenario_file::text_of(name);
    let shown = unmet.iter().take(SHOWN_MAX);
    let shown = shown.map(|Unmet { place, title, note }| {
        // If the scenario came from a pipe, it cannot be read again to show places.
        if bytes.is_empty() {
            return sentence(title, note.as_slice());
        }
        scenario_report::render_noted(name, &bytes, *place, title.clone(), note.clone())
    });
    let mut reports = shown.collect::<Vec<_>>();
    if unmet.len() > SHOWN_MAX {
        let more = unmet.len() - SHOWN_MAX;
        reports.push(format!("({more} more expectations are not met)"));
    }
    reports
}
