//! The table of `docs/bound.md` is what `jive bound` says of the shipped applets.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::jive;

/// The first line of the table.
const HEAD: &str =
    "| applet | entry | bytecodes | `lanai-1998` | `modern` | loops |\n|---|---|---|---|---|---|\n";

fn bound(applet: &str, profile: &str) -> Value {
    let applet = format!("builtin:{applet}");
    let ended = jive(["bound", &applet, "--profile", profile, "--format", "json"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("one object")
}

/// Shows a time in microseconds. A test of `jive bound` compares such times with sums computed by hand.
fn microseconds(entry: &Value) -> String {
    let ns = entry["time_ns"].as_u64();
    ns.map_or_else(
        || "no bound".to_owned(),
        |ns| format!("{}.{:03}", ns / 1_000, ns % 1_000),
    )
}

/// Shows a number of bytecodes.
fn bytecodes(entry: &Value) -> String {
    let count = entry["bytecodes"].as_u64();
    count.map_or_else(|| "no bound".to_owned(), |count| count.to_string())
}

/// Shows the loops of an entry: first the loops with a bound, and then the loops without one.
fn loops(entry: &Value) -> String {
    let list = |key: &str| entry[key].as_array().expect("a list").clone();
    let place = |found: &Value| {
        let method = found["method"].as_str().expect("a name");
        format!("{method} line {}", found["line"])
    };
    let bounded = list("loops").into_iter();
    let bounded = bounded.map(|found| format!("{}: {} tests", place(&found), found["tests"]));
    let unbounded = list("unbounded_loops").into_iter();
    let unbounded = unbounded.map(|found| format!("{}: no bound", place(&found)));
    let all = bounded.chain(unbounded).collect::<Vec<_>>();
    match all.is_empty() {
        true => "none".to_owned(),
        false => all.join(", "),
    }
}

fn table() -> String {
    let mut table = HEAD.to_owned();
    for applet in applets::staged() {
        let (old, new) = (
            bound(applet.name, "lanai-1998"),
            bound(applet.name, "modern"),
        );
        let entries = |report: &Value| report["entry_points"].as_array().expect("a list").clone();
        for (old, new) in entries(&old).iter().zip(entries(&new)) {
            if old["is_initializer"] == true {
                continue;
            }
            let _ = writeln!(
                table,
                "| {} | `{}` | {} | {} | {} | {} |",
                applet.name,
                new["method"].as_str().expect("a name"),
                bytecodes(&new),
                microseconds(old),
                microseconds(&new),
                loops(&new),
            );
        }
    }
    table
}

#[test]
fn the_table_of_shipped_applets_is_fresh() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bound.md");
    let committed = fs::read_to_string(page).expect("it is committed");
    let table = table();
    assert!(
        committed.ends_with(&table),
        "docs/bound.md is stale: it must end with\n{table}"
    );
}
