//! Runs the fuzz bodies for scenarios, captures, golden traces and applets on their seeds and on changed seeds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jive_lab::Random;
use jive_lab::generate::change::change_bytes;
use tests::blessed;
use tests::fuzzing::{self, TARGETS};

use crate::runs::runs;

/// Number of changed files for each body. `scripts/fuzz-all` runs the same bodies on more.
const CHANGED: u64 = 80;

/// Runs a body on its seeds and on changed seeds.
fn hold(what: &str, seeds: Vec<(String, Vec<u8>)>, body: fn(&[u8])) {
    assert!(!seeds.is_empty());
    for (name, bytes) in &seeds {
        println!("{name}");
        body(bytes);
    }
    let mut random = Random::new(what.as_bytes());
    // Leave out very short seeds, in which nothing can be changed.
    let long: Vec<_> = seeds.iter().filter(|(_, seed)| seed.len() > 64).collect();
    for number in 0..runs(CHANGED) {
        let (name, seed) = long[random.below(long.len())];
        let mut bytes = seed.clone();
        for _ in 0..=random.below(4) {
            change_bytes(&mut bytes, &mut random);
        }
        println!("{number}: {name}");
        body(&bytes);
    }
}

#[test]
fn scenarios_are_read_and_run_to_an_end() {
    hold("scenarios", fuzzing::scenario_seeds(), fuzzing::scenario);
}

#[test]
fn captures_are_read_and_replayed_to_an_end() {
    hold("captures", fuzzing::capture_seeds(), fuzzing::capture);
}

#[test]
fn capsules_are_judged_to_an_end() {
    hold("capsules", fuzzing::capsule_seeds(), fuzzing::capsule);
}

#[test]
fn frames_are_taken_or_dropped_to_an_end() {
    hold("frames", fuzzing::frames_seeds(), fuzzing::frames);
}

#[test]
fn golden_traces_are_compared_to_an_end() {
    hold("goldens", fuzzing::golden_seeds(), fuzzing::golden);
}

#[test]
fn applets_never_trap_under_hostile_peers_and_hosts() {
    hold("applets", fuzzing::applet_seeds(), fuzzing::applet);
}

#[test]
fn verdicts_can_be_shown() {
    hold("verdicts", fuzzing::seeds(), fuzzing::verdict);
}

#[test]
fn scenarios_with_a_foreign_line_are_read_to_an_end() {
    // Reorder lines of scenarios, which often gives a valid scenario, whereas changed bytes rarely do.
    let seeds = fuzzing::scenario_seeds();
    let lines: Vec<&str> = seeds
        .iter()
        .filter_map(|(_, bytes)| core::str::from_utf8(bytes).ok())
        .flat_map(str::lines)
        .filter(|line| !line.trim().is_empty())
        .collect();
    let mut random = Random::new(b"lines");
    for number in 0..runs(CHANGED) {
        let (name, seed) = &seeds[random.below(seeds.len())];
        let text = String::from_utf8_lossy(seed);
        let mut own: Vec<&str> = text.lines().collect();
        for _ in 0..=random.below(4) {
            let place = random.below(own.len() + 1);
            if random.one_in(3) && place < own.len() {
                own.remove(place);
            } else {
                own.insert(place, lines[random.below(lines.len())]);
            }
        }
        println!("{number}: {name}");
        fuzzing::scenario(own.join("\n").as_bytes());
    }
}

/// Returns the tables of a scenario, each with the text of its header; the header of the lines before the first table
/// is empty.
fn tables(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut tables = vec![("", Vec::new())];
    for line in text.lines() {
        if line.starts_with('[') {
            tables.push((line.trim(), Vec::new()));
        }
        let (_, lines) = tables
            .last_mut()
            .expect("the lines before the first header");
        lines.push(line);
    }
    tables
}

/// Returns the scenario that consists of those tables for which `keep` returns true.
fn joined(tables: &[(&str, Vec<&str>)], keep: impl Fn(usize, &str) -> bool) -> String {
    let kept = tables.iter().enumerate();
    let kept = kept.filter(|(place, (header, _))| keep(*place, header));
    let lines: Vec<&str> = kept.flat_map(|(_, (_, lines))| lines).copied().collect();
    lines.join("\n")
}

#[test]
fn scenarios_without_tables_are_read_to_an_end() {
    // After a table was removed, other tables still refer to the names that it defined.
    for (name, bytes) in fuzzing::scenario_seeds() {
        let text = String::from_utf8(bytes).expect("a scenario is text");
        let tables = tables(&text);
        let headers: BTreeSet<&str> = tables.iter().map(|(header, _)| *header).collect();
        for absent in headers {
            println!("{name} without {absent}");
            fuzzing::scenario(joined(&tables, |_, header| header != absent).as_bytes());
            let first = tables.iter().position(|(header, _)| *header == absent);
            let last = tables.iter().rposition(|(header, _)| *header == absent);
            // The one table of its header was removed above.
            for alone in [first, last]
                .into_iter()
                .flatten()
                .filter(|_| first != last)
            {
                println!("{name} without table {alone}");
                fuzzing::scenario(joined(&tables, |place, _| place != alone).as_bytes());
            }
        }
    }
}

#[test]
fn dictionaries_are_those_of_the_tables() {
    for (name, text) in fuzzing::dictionaries() {
        blessed::check(&format!("fuzz/dictionaries/{name}"), &text);
    }
}

#[test]
fn every_fuzz_target_has_a_file_and_a_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
    let files: BTreeSet<String> = fs::read_dir(folder)
        .expect("a committed folder")
        .map(|entry| entry.expect("a readable folder").path())
        .map(|path| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let rows: BTreeSet<String> = TARGETS.iter().map(|it| it.name.to_owned()).collect();
    assert_eq!(files, rows);
}
