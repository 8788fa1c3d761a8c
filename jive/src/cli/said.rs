//! The messages of commands about untrusted files, as text. Fuzz targets call the functions of this file, since the
//! targets cannot run processes.

use std::io::{self, Write};
use std::path::Path;

use bumpalo::Bump;
use jive_embed::analysis::{Bounds, Report};
use jive_embed::lint::Warnings;
use jive_embed::{Rejections, load_class};
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use nic_runtime::export::plain_json;
use nic_runtime::scenario::ScenarioError;
use serde::Serialize;

use super::against_golden::AgainstGolden;
use super::bound;
use super::scenario_report;

/// The report and the warnings of an accepted class, in one JSON object as `jive verify` writes them, and its bounds.
#[derive(Serialize)]
struct Accepted {
    #[serde(flatten)]
    analysis: Report,
    #[serde(flatten)]
    warnings: Warnings,
    bounds: Bounds,
}

/// Returns the reports of `jive verify --report` and `jive bound` on a class file, as text and as JSON.
///
/// # Errors
///
/// Returns an error if the JSON cannot be written.
pub fn of_class(bytes: &[u8], policy: Policy) -> serde_json::Result<[String; 2]> {
    let arena = Bump::new();
    match load_class(&arena, bytes, policy, NicNative::TABLE) {
        Ok(loaded) => {
            let analysis = Report::of(loaded.class, policy);
            let warnings = Warnings::of(
                Path::new("it.class"),
                &loaded.class,
                &bound::default_environment(policy),
            );
            let (bounds, shown) = bound::said(&loaded.class, policy);
            let text = format!("{analysis}{}{shown}", warnings.render());
            let json = plain_json::to_string(&Accepted {
                analysis,
                warnings,
                bounds,
            })?;
            Ok([text, json])
        }
        Err(error) => {
            let rejections = Rejections::explore(
                Path::new("it.class"),
                bytes,
                policy,
                NicNative::TABLE,
                error,
            );
            Ok([rejections.render(), plain_json::to_string(&rejections)?])
        }
    }
}

/// Returns the messages of `jive run` on the mistakes of a scenario, each with its place in the file.
#[must_use]
pub fn of_mistakes(path: &str, bytes: &[u8], error: &ScenarioError) -> Vec<String> {
    scenario_report::render(Path::new(path), bytes, error)
}

/// Returns the message of `jive test` on a trace that differs from the golden trace; `None` if the traces are equal.
///
/// # Errors
///
/// Returns an error if the golden trace cannot be read.
pub fn of_difference(golden: &[u8], trace: &[u8]) -> io::Result<Option<String>> {
    let mut against = AgainstGolden::new(golden);
    against.write_all(trace)?;
    against.finish()
}
