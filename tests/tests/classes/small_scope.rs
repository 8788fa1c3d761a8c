//! Verifies every short method body, and runs the accepted bodies. Constructors are accepted exactly if each of their
//! paths is legal.

use jive_lab::generate::alphabet::{Alphabet, Family};
use tests::openjdk::jdk;
use tests::scope::{Count, explore};

/// Maximum length of static methods, in instructions. A length of 3 takes a minute in an optimised build, and `trust
/// scope 4` takes ten minutes.
const STATIC_MAX: u32 = if cfg!(debug_assertions) { 2 } else { 3 };
/// Maximum length of constructors, in steps.
const CONSTRUCTOR_MAX: u32 = 4;

fn explore_all(family: Family, longest: u32) -> Count {
    let alphabet = Alphabet::new();
    let mut last = Count::default();
    for length in 0..=longest {
        let count = explore(&alphabet, family, length).unwrap_or_else(|text| panic!("{text}"));
        let judged = count.accepted + count.rejected;
        let all = count.letters.pow(length);
        assert_eq!(judged, u64::try_from(all).expect("usize fits u64"));
        jdk::announce(&format!(
            "small scope, {family:?}, length {length}: {count}"
        ));
        last = count;
    }
    last
}

#[test]
fn every_short_static_method_runs_as_verified() {
    let count = explore_all(Family::Static, STATIC_MAX);
    assert!(count.accepted > 200, "too few to be worth running: {count}");
}

#[test]
fn every_short_constructor_is_judged_by_its_paths() {
    let count = explore_all(Family::Constructor, CONSTRUCTOR_MAX);
    assert!(
        count.accepted > 1_000,
        "too few to be worth running: {count}"
    );
    // Check that few runs exhaust their fuel, because a run that ends in this way shows little.
    let exhausted = count.tally.traps.get("FuelExhausted").copied();
    assert!(
        exhausted.unwrap_or(0) * 10 < count.tally.runs,
        "too many loops: {count}"
    );
}
