//! Fuzz target: generated classes, each loaded into memory that earlier classes have used.

use crate::lent::Campaign;
use jive_lab::Random;

/// Number of classes per input. Later classes find the remains of earlier classes in memory.
const CLASSES: u64 = 3;

/// The input chooses classes. Each class must be verified, linked and run in filled memory as in clean memory.
pub fn lent(bytes: &[u8]) {
    let mut campaign = Campaign::new(Random::of_choices(bytes));
    if let Err(difference) = campaign.run(CLASSES) {
        panic!("{difference}");
    }
}
