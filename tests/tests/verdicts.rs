//! OpenJDK's verifier agrees with this one on the fixtures where both have an opinion. (What is rejected
//! for the subset's sake may be good Java.)

use tests::fixture::Fixture;
use tests::openjdk::jdk;
use tests::skipped::skip;

/// Accepted here and refused by OpenJDK, with the reason.
const ACCEPTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK trusts the `StackMapTable` of newer class files; here types are inferred (docs/subset.md).
    "accept/class/stack-map-that-lies",
];

/// Rejected here and accepted by OpenJDK's inference, with the reason.
const REJECTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK does not look at the value that a constructor stores in an own field before `Object.<init>`.
    "reject/unsafe/uninitialized-this.put-as-value",
];

/// Families of fixtures on which OpenJDK has an opinion.
const FAMILIES: [&str; 3] = ["accept/", "reject/malformed/", "reject/unsafe/"];

/// A class file and whether it is to be accepted.
struct Case {
    name: String,
    bytes: Vec<u8>,
    accepted: bool,
}

/// Asks OpenJDK about each class file; fails where it disagrees, and says how many it was asked.
fn assert_openjdk_agrees(what: &str, cases: &[Case]) {
    if !jdk::is_java_installed() {
        skip(
            &format!("comparison of verdicts with OpenJDK, {what}"),
            jdk::NONE,
        );
        return;
    }
    let verdicts = jdk::verdicts(cases.iter().map(|case| case.bytes.as_slice()));
    assert_eq!(verdicts.len(), cases.len());
    let differing: Vec<String> = cases
        .iter()
        .zip(&verdicts)
        .filter(|(case, verdict)| case.accepted != (*verdict == "ok"))
        .map(|(case, verdict)| format!("{}: {verdict}", case.name))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    jdk::announce(&format!("verdicts, {what}: compared {}", verdicts.len()));
}

#[test]
fn openjdk_judges_the_fixtures_alike() {
    let mut fixtures = Fixture::all();
    fixtures.retain(|fixture| {
        FAMILIES
            .iter()
            .any(|family| fixture.name.starts_with(family))
            && !ACCEPTED_HERE_ALONE.contains(&fixture.name.as_str())
    });
    let cases: Vec<Case> = fixtures
        .into_iter()
        .map(|fixture| Case {
            accepted: fixture.name.starts_with("accept/")
                || REJECTED_HERE_ALONE.contains(&fixture.name.as_str()),
            name: fixture.name,
            bytes: fixture.bytes,
        })
        .collect();
    assert_openjdk_agrees("fixtures", &cases);
}
