//! The table of fuzz targets. Each row has a file in `fuzz/fuzz_targets`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use arbitrary::{Arbitrary, Unstructured};
use jive_lab::generate::Program;

use super::{
    applet, applet_seeds, capsule, capsule_seeds, capture, capture_seeds, certified,
    certified_seeds, frames, frames_seeds, golden, golden_seeds, scenario, scenario_seeds, verdict,
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

/// All targets.
pub const TARGETS: &[Target] = &[
    target("parse", parse, seeds, Some("class")),
    target("verify", verify, seeds, Some("class")),
    target("certified", certified, certified_seeds, None),
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
    target("verdict", verdict, seeds, Some("class")),
    target("scenario", scenario, scenario_seeds, None),
    target("capture", capture, capture_seeds, None),
    target("capsule", capsule, capsule_seeds, None),
    target("frames", frames, frames_seeds, None),
    target("golden", golden, golden_seeds, None),
    target("applet", applet, applet_seeds, None),
];

fn program_of_choices(choices: &[u8]) {
    // `arbitrary` never fails: missing choices are zeros, as in libFuzzer's own macro, and no other failure occurs.
    if let Ok(chosen) = Program::arbitrary(&mut Unstructured::new(choices)) {
        program(&chosen);
    }
}

/// Writes the seeds of all targets, each to a folder of its target's name.
///
/// # Errors
///
/// Returns a sentence about a folder or file that cannot be written.
pub fn write_seeds(corpus: &Path) -> Result<(), String> {
    for target in TARGETS {
        let folder = corpus.join(target.name);
        let write = |(name, bytes): (String, Vec<u8>)| fs::write(folder.join(name), bytes);
        let made = fs::create_dir_all(&folder);
        made.and_then(|()| target.inputs().into_iter().try_for_each(write))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(())
}

/// Runs a target on files, and on the files in folders, without a fuzzer. It measures coverage
/// (`scripts/fuzz-coverage`) and reproduces findings.
///
/// # Errors
///
/// Returns a sentence about a target that does not exist, or about a file that cannot be read.
pub fn replay(name: &str, paths: &[&str]) -> Result<(), String> {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("the targets are {}", names.join(", "))
    })?;
    let mut count = 0_u64;
    for path in paths.iter().map(Path::new) {
        let told = |error: io::Error| format!("{}: {error}", path.display());
        let mut files = vec![path.to_owned()];
        if path.is_dir() {
            let entries = fs::read_dir(path).map_err(told)?;
            let entries = entries.map(|entry| Ok(entry?.path()));
            files = entries
                .collect::<Result<Vec<PathBuf>, io::Error>>()
                .map_err(told)?;
        }
        files.sort();
        for file in files.into_iter().filter(|file| file.is_file()) {
            (target.body)(&fs::read(&file).map_err(told)?);
            count += 1;
        }
    }
    println!("{name}: {count} files");
    Ok(())
}
