//! Tests isolation with random casts of victims and hostile endpoints. `trust isolation` runs any number of casts.

use crate::runs::runs;
use tests::isolation::{Tally, hold};

#[test]
fn no_neighbour_decides_whether_a_packet_arrives() {
    let casts = runs(40);
    let mut tally = Tally::default();
    for number in 0..casts {
        match hold(number) {
            Ok(seen) => tally.add(seen),
            Err(breach) => panic!(
                "cast {number}: {}\n{}\n{:#?}",
                breach.found,
                breach.cast.toml(true),
                breach.cast
            ),
        }
    }
    // The test is useful only if victims see messages, and if hostile endpoints run and sometimes harm themselves.
    assert!(tally.sights > 10 * casts, "{tally:?}");
    assert!(tally.hostile_calls > 10 * casts, "{tally:?}");
    assert!(tally.hostile_drops > casts, "{tally:?}");
    assert!(tally.networks > casts / 10, "{tally:?}");
}
