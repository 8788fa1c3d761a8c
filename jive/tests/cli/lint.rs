//! `jive verify --lint`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::process::Ended;
use crate::{classes, jive_in, schema, words};

/// Each lint, with the class that it warns of, and a class with the same purpose that it does not warn of.
const LINTS: [(&str, &str, &str); 13] = [
    ("lint/stale-bytes", "StaleBytes", "StaleBytesTested"),
    ("lint/byte-range", "ByteRange", "ByteRangeMasked"),
    ("lint/byte-range", "ByteParameter", "ByteParameterMasked"),
    ("lint/byte-sign", "ByteSign", "ByteSignMasked"),
    ("lint/byte-computed", "ByteComputed", "ByteComputedMasked"),
    (
        "lint/unbounded-loop",
        "UnboundedLoop",
        "UnboundedLoopCounted",
    ),
    (
        "lint/unbounded-loop",
        "UnboundedLoop",
        "UnboundedLoopCapped",
    ),
    (
        "lint/unbounded-loop",
        "UnboundedLoop",
        "UnboundedLoopStepped",
    ),
    (
        "lint/loop-allocation",
        "LoopAllocation",
        "LoopAllocationOnce",
    ),
    ("lint/lost-buffer", "LostBuffer", "LostBufferNamed"),
    ("lint/array-escape", "ArrayEscape", "ArrayEscapeInitial"),
    (
        "lint/unassigned-array",
        "UnassignedArray",
        "UnassignedArrayMade",
    ),
    ("lint/heap-demand", "HeapDemand", "HeapDemandSmall"),
];

/// Returns the output of `jive verify` for a class of the lints.
fn linted(arguments: &str, class: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint");
    let line = format!("verify {arguments} {class}.class");
    let Ended { status, out, err } = jive_in(&directory, words(&line), b"");
    assert_eq!((status, err.as_str()), (0, ""), "{class}");
    out
}

/// Returns the warnings about a class of the lints.
fn warnings(class: &str) -> Vec<Value> {
    let verdict = linted("--lint --format json", class);
    let verdict = serde_json::from_str::<Value>(&verdict).expect("one object");
    assert_eq!(verdict["verdict"], "accepted", "{class}");
    verdict["warnings"].as_array().expect("a list").clone()
}

#[test]
fn lints_warn_of_exactly_the_marked_lines() {
    for (code, class, careful) in LINTS {
        let source = format!("{}/tests/lint/{class}.java", env!("CARGO_MANIFEST_DIR"));
        let source = fs::read_to_string(source).expect("it is committed");
        let marked = (1_u64..).zip(source.lines());
        let marked = marked.filter(|(_, line)| line.contains("// warned"));
        let marked = marked.map(|(number, _)| Some(number)).collect::<Vec<_>>();
        assert!(!marked.is_empty(), "{class}");
        let told = warnings(class);
        let lines = told.iter().map(|warning| warning["line"].as_u64());
        assert_eq!(lines.collect::<Vec<_>>(), marked, "{class}");
        assert!(
            told.iter().all(|warning| warning["code"] == code),
            "{told:?}"
        );
        assert_eq!(warnings(careful), Vec::<Value>::new(), "{careful}");
    }
}

#[test]
fn a_warning_is_shown_with_its_line_and_changes_no_verdict() {
    insta::assert_snapshot!(linted("--lint", "ByteSign"));
    let plain = linted("", "ByteSign");
    assert!(
        plain.starts_with("ok: ") && plain.lines().count() == 1,
        "{plain}"
    );
}

#[test]
fn shipped_applets_have_no_warnings() {
    for applet in applets::ALL {
        let profile = match applet.receives_directly {
            true => "lanai-1998-direct",
            false => "clan-programmable",
        };
        let command = format!("verify --lint --profile {profile} -");
        let ended = jive_in(&classes(), words(&command), applet.class);
        assert_eq!(ended.status, 0, "{}", applet.name);
        assert_eq!(ended.out.lines().count(), 1, "{}", ended.out);
    }
}

#[test]
fn verdicts_with_warnings_match_the_schema() {
    schema::with("verdict.schema.json", |_, validator| {
        for (_, class, careful) in LINTS {
            for class in [class, careful] {
                let verdict = linted("--lint --format json", class);
                let verdict = serde_json::from_str::<Value>(&verdict).expect("one object");
                if let Some(error) = validator.iter_errors(&verdict).next() {
                    panic!("{verdict}: {error}");
                }
            }
        }
    });
}
