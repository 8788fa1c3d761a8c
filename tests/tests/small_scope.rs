//! Every short method body is judged, and those accepted keep what their verification promised.

use tests::generate::alphabet::{Alphabet, Family};
use tests::generate::scope::explore;
use tests::openjdk::jdk;

/// Longest bodies here, a minute's worth where optimised; `trust scope 4` goes through those of ten
/// minutes.
const LENGTH_MAX: usize = if cfg!(debug_assertions) { 2 } else { 3 };

fn explore_all(family: Family) {
    let alphabet = Alphabet::new();
    let mut accepted = 0;
    for length in 0..=LENGTH_MAX {
        let count = explore(&alphabet, family, length).unwrap_or_else(|text| panic!("{text}"));
        let judged = count.accepted + count.rejected;
        let exponent = u32::try_from(length).expect("a few instructions");
        let all = count.letters.pow(exponent);
        assert_eq!(judged, u64::try_from(all).expect("usize fits u64"));
        accepted += count.accepted;
        jdk::announce(&format!(
            "small scope, {family:?}, length {length}: {count}"
        ));
    }
    assert!(accepted > 20, "too few to be worth running: {accepted}");
}

#[test]
fn every_short_static_method_runs_as_verified() {
    explore_all(Family::Static);
}

#[test]
fn every_short_constructor_runs_as_verified() {
    explore_all(Family::Constructor);
}
