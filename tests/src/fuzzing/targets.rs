//! The table of fuzz targets. Each row has a file in `fuzz/fuzz_targets`.

use arbitrary::{Arbitrary, Unstructured};
use jive_lab::generate::Program;

#[cfg(feature = "simulation")]
use super::{
    applet, applet_seeds, capsule, capsule_seeds, capture, capture_seeds, frames, frames_seeds,
    golden, golden_seeds, scenario, scenario_seeds, verdict,
};
use super::{
    archived, body, body_seeds, lent, lent_seeds, parse, phrases, program, program_seeds,
    reference, run,
};
use super::{seeds, verify};

/// A fuzz target.
#[derive(Copy, Clone, Debug)]
pub struct Target {
    /// Name of the target and of its file.
    pub name: &'static str,
    /// The function that tests an input.
    pub body: fn(&[u8]),
    /// Returns the seeds that come from files of the repository, by name.
    seeds: fn() -> Vec<(String, Vec<u8>)>,
    /// The kind of archived inputs that the target uses.
    archive: Option<&'static str>,
}

impl Target {
    /// Returns all seeds, by name.
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

/// All targets, or without the feature `simulation` only those that do not need the simulator.
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
    target("capsule", capsule, capsule_seeds, None),
    #[cfg(feature = "simulation")]
    target("frames", frames, frames_seeds, None),
    #[cfg(feature = "simulation")]
    target("golden", golden, golden_seeds, None),
    #[cfg(feature = "simulation")]
    target("applet", applet, applet_seeds, None),
];

fn program_of_choices(choices: &[u8]) {
    // `arbitrary` never fails: missing choices are zeros, as in libFuzzer's own macro, and no other failure occurs.
    if let Ok(chosen) = Program::arbitrary(&mut Unstructured::new(choices)) {
        program(&chosen);
    }
}
