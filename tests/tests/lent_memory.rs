//! What lies in lent memory does not matter: classes are judged, linked and run there as in clean memory.

use tests::fuzzing::Random;
use tests::lent::Campaign;
use tests::openjdk::jdk;

/// Classes compared here; `trust lent N` compares any number.
const CLASSES: u64 = 3_000;

#[test]
fn classes_in_filled_memory_are_those_in_clean_memory() {
    let mut campaign = Campaign::new(Random::new(b"lent memory"));
    campaign
        .run(CLASSES)
        .unwrap_or_else(|difference| panic!("{difference}"));
    jdk::announce(&format!("lent memory: {campaign}"));
    // Worth running only if both verdicts come up often.
    assert!(campaign.accepted > CLASSES / 2 && campaign.accepted < CLASSES - CLASSES / 10);
}
