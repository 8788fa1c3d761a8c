//! The law of isolation, over random casts; `trust isolation` runs any number.

use tests::isolation::{Tally, hold};

/// Casts that are run here.
const CASTS: u64 = 400;

#[test]
fn no_neighbour_decides_whether_a_packet_arrives() {
    let mut tally = Tally::default();
    for number in 0..CASTS {
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
    // Worth running only if victims see something and hostile endpoints do harm, some of it to themselves.
    assert!(tally.sights > 10 * CASTS, "{tally:?}");
    assert!(tally.hostile_calls > 10 * CASTS, "{tally:?}");
    assert!(tally.hostile_drops > CASTS, "{tally:?}");
}
