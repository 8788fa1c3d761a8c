//! An applet that is detached and attached again, in the trace, the story, the timeline and the summary.

use serde_json::{Value, json};

use crate::process::{Ended, jive};
use crate::timeline::records;
use crate::{read, see};

const SCENARIO: &str = include_str!("../../../nic-runtime/tests/scenarios/detached.toml");
const FILE: &str = "../../../nic-runtime/tests/scenarios/detached.toml";

fn milliseconds(event: &Value) -> u64 {
    event["t_ns"].as_u64().expect("events have a time") / 1_000_000
}

#[test]
fn the_trace_says_when_for_how_long_and_after_how_many_traps() {
    let seen = see(&read(SCENARIO));
    let detached: Vec<_> = seen
        .events("applet-detach")
        .map(|event| (milliseconds(event), &event["traps"], &event["dur_ns"]))
        .collect();
    // Two traps in a row detach the applet at first; later, one trap is enough each time.
    assert_eq!(
        detached,
        [
            (2, &json!(2), &json!(1_500_000)),
            (4, &json!(3), &json!(3_000_000)),
            (8, &json!(4), &json!(6_000_000)),
        ]
    );
    let attached: Vec<_> = seen.events("applet-attach").map(milliseconds).collect();
    assert_eq!(attached, [4, 8]);
}

#[test]
fn the_contracts_order_of_a_trap_stands() {
    let seen = see(&read(SCENARIO));
    let names = seen.trace.iter().filter(|event| milliseconds_of_8(event));
    let names: Vec<&str> = names.filter_map(|event| event["event"].as_str()).collect();
    let at = names.iter().position(|&name| name == "applet-attach");
    assert_eq!(
        names[at.expect("it is tried again")..],
        [
            "applet-attach",
            "applet-call",
            "trap",
            "drop",
            "applet-detach"
        ]
    );
}

fn milliseconds_of_8(event: &Value) -> bool {
    event["t_ns"].as_u64().is_some_and(|ns| ns / 1_000_000 == 8)
}

#[test]
fn story_of_the_last_trapping_packet_has_the_detachment() {
    let Ended { status, out, .. } = jive(["run", FILE, "--follow", "8"]);
    assert_eq!(status, 0);
    let story: Vec<&str> = out.lines().take_while(|line| !line.is_empty()).collect();
    let last = story.len() - 1;
    assert!(
        story[last].ends_with("applet-detach traps=4 dur_ns=6000000"),
        "{out}"
    );
    assert!(story[last - 1].contains("drop"), "{out}");
    assert!(story[last - 4].ends_with("applet-attach"), "{out}");
    let third = jive(["run", FILE, "--follow", "3"]).out;
    let mut story = third.lines().take_while(|line| !line.is_empty());
    assert!(
        !story.any(|line| line.contains("applet-")),
        "on the base path: {third}"
    );
}

#[test]
fn the_timeline_has_a_span_for_each_time() {
    let records = records(&see(&read(SCENARIO)).timeline);
    let spans = records.iter().filter(|record| record["name"] == "detached");
    let spans: Vec<&Value> = spans.collect();
    let lengths: Vec<&Value> = spans.iter().map(|span| &span["dur"]).collect();
    assert_eq!(lengths, [&json!(1500.0), &json!(3000.0), &json!(6000.0)]);
    let track = records
        .iter()
        .find(|record| record["name"] == "thread_name" && record["tid"] == spans[0]["tid"]);
    assert_eq!(
        track.expect("tracks are named")["args"]["name"],
        "applet of server"
    );
}

#[test]
fn the_summary_counts_it() {
    let Ended { out, .. } = jive(["run", FILE, "--trace", "none"]);
    assert!(out.contains("\ndetached      3 times\n"), "{out}");
    let seen = see(&read(SCENARIO));
    let summary = &seen.trace[seen.trace.len() - 1];
    let of = |name: &str| {
        let rows = summary["endpoints"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["endpoint"] == name);
        row.expect("both did something")["detachments"].clone()
    };
    assert_eq!((of("client"), of("server")), (json!(0), json!(3)));
}

#[test]
fn time_in_applets_is_told_in_cycles_too() {
    let Ended { status, out, .. } = jive(["run", "pingpong", "--trace", "json"]);
    assert_eq!(status, 0);
    let last = out.lines().next_back().expect("the summary");
    let summary: Value = serde_json::from_str(last).expect("an object");
    let rows = summary["endpoints"].as_array().expect("a list");
    for row in rows.iter().chain([&summary["totals"]]) {
        let of = |key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"));
        let (ns, cycles) = (of("applet_ns"), of("applet_cycles"));
        assert!(ns > 0);
        // A cycle takes 27 ns, so about 37 cycles take a microsecond.
        assert!(
            (37 * ns / 1000).abs_diff(cycles) <= 1,
            "{ns} ns, {cycles} cycles"
        );
    }
}
