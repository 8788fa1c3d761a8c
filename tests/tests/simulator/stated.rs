//! No call costs more than the analysis states.

use crate::runs::runs;
use jive_lab::Random;
use tests::openjdk::jdk;
use tests::stated::{Tally, compare};

/// Calls of each generated class.
const CALLS: u32 = 20;
/// Number of generated classes; `trust stated N` makes N calls. With a fifth of them, a bound that is one round too small
/// passes.
const CLASSES: u32 = 5_000;
/// Number of random scenarios; `JIVE_RUNS` asks for more, and `trust placed N` makes N calls in such scenarios.
const SCENARIOS: u64 = 80;
/// Number of scenarios from which on each kind of call must be among them; some calls that wait are rare.
const ALL_KINDS_FROM: u64 = 1_000;

#[test]
fn random_calls_stay_within_stated_costs() {
    let mut random = Random::new(b"stated");
    let mut tally = Tally::default();
    for _ in 0..CLASSES {
        if let Err(excess) = compare(&mut random, CALLS, &mut tally) {
            panic!("{excess}");
        }
    }
    jdk::announce(&format!("stated: {tally}"));
    assert!(tally.loops * 10 > tally.classes, "{tally}");
    assert!(tally.tight * 20 > tally.loops, "{tally}");
}

#[test]
fn calls_in_random_scenarios_stay_within_stated_costs() {
    let scenarios = runs(SCENARIOS);
    let mut tally = tests::placed::Tally::default();
    for number in 0..scenarios {
        if let Err(excess) = tests::placed::compare(number, &mut tally) {
            panic!("{excess}");
        }
    }
    jdk::announce(&format!("placed: {tally}"));
    let missing = tally.missing().into_iter();
    let missing = missing.filter(|kind| scenarios >= ALL_KINDS_FROM || !kind.starts_with("waited"));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "{tally}");
    assert!(tally.bounded * 4 > tally.calls, "{tally}");
    assert!(tally.tight > 0 && tally.tight_in_time > 0, "{tally}");
}
