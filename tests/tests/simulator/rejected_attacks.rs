//! The class files of attacks, whose diagnoses have snapshots, equal the assembled fixtures of the same names.

use std::fs;
use std::path::Path;

use tests::fixture::Fixture;

#[test]
fn the_attacks_of_the_diagnoses_are_fresh() {
    let attacks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jive/tests/rejected/attacks");
    let mut count = 0;
    for fixture in Fixture::all() {
        let Some(name) = fixture.name.strip_prefix("reject/") else {
            continue;
        };
        if let Ok(bytes) = fs::read(attacks.join(format!("{name}.class"))) {
            assert!(bytes == fixture.bytes, "{name}: assemble it again");
            count += 1;
        }
    }
    assert_eq!(count, 22);
}
