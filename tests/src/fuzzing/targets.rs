//! The table of fuzz targets: a file of `fuzz/fuzz_targets` for each row.

use arbitrary::{Arbitrary, Unstructured};

use super::{
    Program, body, body_seeds, lent, lent_seeds, parse, phrases, program, program_seeds, reference,
    run,
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
    /// What fuzzing starts from, by name.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
}

const fn target(
    name: &'static str,
    body: fn(&[u8]),
    seeds: fn() -> Vec<(String, Vec<u8>)>,
) -> Target {
    Target { name, body, seeds }
}

/// Every target; without the simulator those that need none.
pub const TARGETS: &[Target] = &[
    target("parse", parse, seeds),
    target("verify", verify, seeds),
    target("run", run, seeds),
    target("reference", reference, seeds),
    target("program", program_of_choices, program_seeds),
    target("body", body, body_seeds),
    target("phrases", phrases, body_seeds),
    target("lent", lent, lent_seeds),
    #[cfg(feature = "simulation")]
    target("verdict", verdict, seeds),
    #[cfg(feature = "simulation")]
    target("scenario", scenario, scenario_seeds),
    #[cfg(feature = "simulation")]
    target("capture", capture, capture_seeds),
    #[cfg(feature = "simulation")]
    target("golden", golden, golden_seeds),
];

fn program_of_choices(choices: &[u8]) {
    // As libFuzzer's own macro does, choices that run out are zeros, and nothing else can fail.
    if let Ok(chosen) = Program::arbitrary(&mut Unstructured::new(choices)) {
        program(&chosen);
    }
}
