//! The table of fuzz targets: a file of `fuzz/fuzz_targets` for each row.

use arbitrary::{Arbitrary, Unstructured};

use super::{
    Program, archived, body, body_seeds, lent, lent_seeds, parse, phrases, program, program_seeds,
    reference, run,
};
#[cfg(feature = "simulation")]
use super::{capture, capture_seeds, golden, golden_seeds, scenario, scenario_seeds, verdict};
use super::{seeds, verify};

/// A fuzz target.
#[derive(Copy, Clone, Debug)]
pub struct Target {
    /// Its name, and that of its file.
    pub name: &'static str,
    /// What it does with an input.
    pub body: fn(&[u8]),
    /// Returns inputs that the repository's own files give, by name.
    seeds: fn() -> Vec<(String, Vec<u8>)>,
    /// The kind of archived inputs that the target takes.
    archive: Option<&'static str>,
}

impl Target {
    /// Returns the inputs that fuzzing starts from, by name.
    #[must_use]
    pub fn inputs(&self) -> Vec<(String, Vec<u8>)> {
        let archived = self.archive.map(archived).unwrap_or_default();
        (self.seeds)().into_iter().chain(archived).collect()
    }
}

const fn target(
    name: &'static str,
    body: fn(&[u8]),
    seeds: fn() -> Vec<(String, Vec<u8>)>,
    archive: Option<&'static str>,
) -> Target {
    Target {
        name,
        body,
        seeds,
        archive,
    }
}

/// Every target; without the simulator those that need none.
pub const TARGETS: &[Target] = &[
    target("parse", parse, seeds, Some("class")),
    target("verify", verify, seeds, Some("class")),
    target("run", run, seeds, Some("class")),
    target("reference", reference, seeds, Some("class")),
    target(
        "program",
        program_of_choices,
        program_seeds,
        Some("program"),
    ),
    target("body", body, body_seeds, Some("body")),
    target("phrases", phrases, body_seeds, None),
    target("lent", lent, lent_seeds, Some("lent")),
    #[cfg(feature = "simulation")]
    target("verdict", verdict, seeds, Some("class")),
    #[cfg(feature = "simulation")]
    target("scenario", scenario, scenario_seeds, None),
    #[cfg(feature = "simulation")]
    target("capture", capture, capture_seeds, None),
    #[cfg(feature = "simulation")]
    target("golden", golden, golden_seeds, None),
];

fn program_of_choices(choices: &[u8]) {
    // As libFuzzer's own macro does, choices that run out are zeros, and nothing else can fail.
    if let Ok(chosen) = Program::arbitrary(&mut Unstructured::new(choices)) {
        program(&chosen);
    }
}
