//! Every short method body is judged, and those accepted keep what their verification promised.
//! Constructors are accepted exactly where each of their paths is right.

use tests::generate::alphabet::{Alphabet, Family};
use tests::generate::scope::{Count, explore};
use tests::openjdk::jdk;

/// Longest static methods here, in instructions, a minute's worth where optimised; `trust scope 4` goes
/// through those of ten minutes.
const STATIC_MAX: u32 = if cfg!(debug_assertions) { 2 } else { 3 };
/// Longest constructors here, in steps.
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
    // A run that only exhausts its fuel shows little.
    let exhausted = count.tally.traps.get("FuelExhausted").copied();
    assert!(
        exhausted.unwrap_or(0) * 10 < count.tally.runs,
        "too many loops: {count}"
    );
}
