//! The verdicts of JIVE and OpenJDK agree on the fixtures for which OpenJDK has the same rules. (A class outside the
//! subset may be valid Java.)

use tests::fixture::Fixture;
use tests::openjdk::jdk;
use tests::skipped::skip;

/// Fixtures that only JIVE accepts, with the reason.
const ACCEPTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK trusts the `StackMapTable` of newer class files, whereas JIVE infers types (docs/subset.md).
    "accept/class/stack-map-that-lies",
];

/// Fixtures that only OpenJDK's type inference accepts, with the reason.
const REJECTED_HERE_ALONE: [&str; 1] = [
    // OpenJDK does not check the type of a value that a constructor stores in an own field before `Object.<init>`.
    "reject/unsafe/uninitialized-this.put-as-value",
];

/// Folders of fixtures for which OpenJDK has the same rules.
const FAMILIES: [&str; 3] = ["accept/", "reject/malformed/", "reject/unsafe/"];

/// A class file with the expected verdict.
struct Case {
    name: String,
    bytes: Vec<u8>,
    accepted: bool,
}

/// Verifies each class file on OpenJDK, fails if a verdict differs, and prints the number of class files.
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
