//! The content of lent memory does not matter: classes are verified, linked and run as in clean memory.

use jive_lab::Random;
use tests::lent::Campaign;
use tests::openjdk::jdk;

/// Number of classes that are compared; `trust lent N` compares any number.
const CLASSES: u64 = 3_000;

#[test]
fn classes_in_filled_memory_are_those_in_clean_memory() {
    let mut campaign = Campaign::new(Random::new(b"lent memory"));
    campaign
        .run(CLASSES)
        .unwrap_or_else(|difference| panic!("{difference}"));
    jdk::announce(&format!("lent memory: {campaign}"));
    // The test is useful only if many classes are accepted and many are rejected.
    assert!(campaign.accepted > CLASSES / 2 && campaign.accepted < CLASSES - CLASSES / 10);
}
