//! OpenJDK's verifier agrees with the fixtures: it takes what is to be accepted and refuses what is
//! to be rejected as malformed or unsafe. (What is rejected for the subset's sake may be good Java.)

use std::fs;
use std::path::PathBuf;

use tests::fixture::Fixture;
use tests::openjdk::jdk;

/// Accepted here and refused by OpenJDK, with the reason.
const ACCEPTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK trusts the `StackMapTable` of newer class files; here types are inferred (CONTRACT §2).
    "accept/class/stack-map-that-lies",
];

/// Families of fixtures on which OpenJDK has an opinion.
const FAMILIES: [&str; 3] = ["accept/", "reject/malformed/", "reject/unsafe/"];

#[test]
fn openjdk_judges_the_fixtures_alike() {
    if !jdk::is_java_installed() {
        jdk::announce("verdicts: SKIPPED, `java` is not on the path");
        return;
    }
    let mut fixtures = Fixture::all();
    fixtures.retain(|fixture| {
        FAMILIES
            .iter()
            .any(|family| fixture.name.starts_with(family))
    });
    let directory = tempfile::tempdir().expect("a temporary directory");
    let class_files: Vec<PathBuf> = fixtures
        .iter()
        .enumerate()
        .map(|(number, fixture)| {
            let path = directory.path().join(format!("{number}.class"));
            fs::write(&path, &fixture.bytes).expect("a writable directory");
            path
        })
        .collect();
    let verdicts = jdk::verdicts(&class_files);
    assert_eq!(verdicts.len(), fixtures.len());
    let differing: Vec<String> = fixtures
        .iter()
        .zip(&verdicts)
        .filter(|(fixture, _)| !ACCEPTED_HERE_ALONE.contains(&fixture.name.as_str()))
        .filter(|(fixture, verdict)| fixture.name.starts_with("accept/") != (*verdict == "ok"))
        .map(|(fixture, verdict)| format!("{}: {verdict}", fixture.name))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    jdk::announce(&format!("verdicts: compared {}", verdicts.len()));
}
