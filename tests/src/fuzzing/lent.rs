//! Classes by choices, each in memory that the ones before have used.

use super::Random;
use crate::lent::Campaign;

/// Classes of one input: the later ones find what the earlier ones left.
const CLASSES: u64 = 3;

/// The bytes choose classes. Each is judged, linked and run in filled memory as in clean memory.
pub fn lent(bytes: &[u8]) {
    let mut campaign = Campaign::new(Random::of_choices(bytes));
    if let Err(difference) = campaign.run(CLASSES) {
        panic!("{difference}");
    }
}
