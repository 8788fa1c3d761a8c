//! The timeline, checked against the trace event format and the trace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{is_control, scenario_named, scenarios, see};

/// A process id and a thread id.
type Place = (u64, u64);

fn place(record: &Value) -> Place {
    let id = |key: &str| {
        record[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {record}"))
    };
    (id("pid"), id("tid"))
}

/// Converts microseconds to picoseconds, which is exact, because the runs of these tests are short.
pub(crate) fn picoseconds(record: &Value, key: &str) -> u64 {
    let microseconds = record[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key}: {record}"));
    (microseconds * 1e6).round() as u64
}

pub(crate) fn records(timeline: &[u8]) -> Vec<Value> {
    let mut document: Value = serde_json::from_slice(timeline).expect("the timeline is JSON");
    assert_eq!(document["displayTimeUnit"], "ns");
    let Value::Array(records) = document["traceEvents"].take() else {
        panic!("traceEvents is no list");
    };
    records
}

fn of<'r>(records: &'r [Value], phase: &'static str) -> impl Iterator<Item = &'r Value> {
    records.iter().filter(move |record| record["ph"] == phase)
}

#[test]
fn every_record_is_one_of_the_format_on_a_named_track() {
    for (name, scenario) in scenarios() {
        let mut named = BTreeSet::new();
        for record in records(&see(&scenario).timeline) {
            assert!(record["name"].is_string(), "{name}: {record}");
            let needs: &[&str] = match record["ph"].as_str() {
                Some("X") => &["dur"],
                Some("i") => &["s"],
                Some("s") => &["id", "cat"],
                Some("f") => &["id", "cat", "bp"],
                Some("C") => &[],
                Some("M") => {
                    named.insert((record["name"].to_string(), place(&record)));
                    continue;
                }
                _ => panic!("{name}: {record}"),
            };
            for key in needs {
                assert!(!record[key].is_null(), "{name}: {key}: {record}");
            }
            let (process, thread) = place(&record);
            let is_named = |what: &str, place| named.contains(&(format!("\"{what}\""), place));
            assert!(is_named("process_name", (process, 0)), "{name}: {record}");
            assert!(
                is_named("thread_name", (process, thread)),
                "{name}: {record}"
            );
        }
    }
}

#[test]
fn each_processor_of_a_nic_has_tracks_of_its_own() {
    let scenario = scenario_named("two-processors");
    let records = records(&see(&scenario).timeline);
    let names = of(&records, "M").filter(|record| record["name"] == "thread_name");
    let mut spans: BTreeMap<(u64, &str), BTreeSet<&str>> = BTreeMap::new();
    for thread in names {
        let name = thread["args"]["name"].as_str().expect("a name");
        let on_it = of(&records, "X").filter(|record| place(record) == place(thread));
        let labels = on_it.map(|record| record["name"].as_str().expect("a name"));
        spans.insert((place(thread).0, name), labels.collect());
    }
    // On each NIC the first processor runs `doTx` and the second `doRx`, including the work of the NIC before each
    // call.
    for nic in [1, 2] {
        assert!(spans[&(nic, "processor")].contains("doTx"));
        assert!(spans[&(nic, "processor 1")].contains("doRx"));
        assert!(!spans[&(nic, "processor 1")].contains("doTx"));
        assert!(spans[&(nic, "work")].contains("doTx"));
        let work = BTreeSet::from(["receive", "doRx"]);
        assert_eq!(spans[&(nic, "work of processor 1")], work);
    }
}

/// Some viewers ignore `thread_sort_index`: Perfetto 52 sorts threads by id.
#[test]
fn threads_have_ids_in_the_order_of_their_ranks() {
    for (name, scenario) in scenarios() {
        let records = records(&see(&scenario).timeline);
        let ranks = of(&records, "M").filter(|record| record["name"] == "thread_sort_index");
        let ranks: BTreeMap<Place, u64> = ranks
            .map(|record| {
                let rank = &record["args"]["sort_index"];
                (place(record), rank.as_u64().expect("a number"))
            })
            .collect();
        let pairs = ranks.iter().zip(ranks.iter().skip(1));
        let of_one_process = pairs.filter(|((before, _), (after, _))| before.0 == after.0);
        for ((before, rank), (after, next)) in of_one_process {
            assert!(rank <= next, "{name}: {before:?} {after:?}");
        }
        let threads: BTreeSet<u64> = ranks.keys().map(|place| place.1).collect();
        assert_eq!(threads.len(), ranks.len(), "{name}: an id for each thread");
    }
}

#[test]
fn times_never_go_back_on_a_track_and_spans_nest() {
    for (name, scenario) in scenarios() {
        let mut last = BTreeMap::new();
        let mut open: BTreeMap<Place, Vec<u64>> = BTreeMap::new();
        let records = records(&see(&scenario).timeline);
        for record in &records {
            let phase = record["ph"].as_str().expect("a letter");
            if !matches!(phase, "X" | "i" | "C") {
                continue;
            }
            let start = picoseconds(record, "ts");
            let before = last.insert(place(record), start).unwrap_or(0);
            assert!(before <= start, "{name}: {record}");
            if phase == "X" {
                let end = start + picoseconds(record, "dur");
                let around = open.entry(place(record)).or_default();
                while around.last().is_some_and(|outer| *outer <= start) {
                    around.pop();
                }
                let outer = around.last().copied().unwrap_or(u64::MAX);
                assert!(end <= outer, "{name}: {record} outlasts the span around it");
                around.push(end);
            }
        }
    }
}

#[test]
fn every_arrow_joins_two_things_that_are_shown() {
    for (name, scenario) in scenarios() {
        let records = records(&see(&scenario).timeline);
        let shown: BTreeSet<(Place, u64)> = of(&records, "X")
            .chain(of(&records, "i"))
            .map(|record| (place(record), picoseconds(record, "ts")))
            .collect();
        let mut starts = BTreeMap::new();
        for start in of(&records, "s") {
            assert!(
                starts.insert(start["id"].to_string(), start).is_none(),
                "{name}: {start}"
            );
        }
        for end in of(&records, "f") {
            let start = starts.remove(&end["id"].to_string());
            let start = start.unwrap_or_else(|| panic!("{name}: {end} starts nowhere"));
            assert!(
                picoseconds(start, "ts") <= picoseconds(end, "ts"),
                "{name}: {end}"
            );
            for point in [start, end] {
                let point = (place(point), picoseconds(point, "ts"));
                assert!(
                    shown.contains(&point),
                    "{name}: nothing is shown at {point:?}"
                );
            }
        }
        assert!(starts.is_empty(), "{name}: {starts:?} end nowhere");
    }
}

#[test]
fn the_timeline_shows_what_the_trace_does() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        let records = records(&seen.timeline);
        let shown = |phase, wanted: &str| {
            of(&records, phase)
                .filter(|record| record["name"] == wanted)
                .count()
        };
        for event in ["wire-tx", "forward", "dma"] {
            let events = seen.events(event).filter(|event| !is_control(event));
            assert_eq!(shown("X", event), events.count(), "{name}: {event}");
        }
        for event in [
            "tx-post",
            "tx-done",
            "wire-rx",
            "wire-drop",
            "rx-descriptor",
            "drop",
        ] {
            let events = seen.events(event).filter(|event| !is_control(event));
            assert_eq!(shown("i", event), events.count(), "{name}: {event}");
        }
        for (event, phase, shape) in [
            ("applet-detach", "X", "detached"),
            ("applet-attach", "i", "applet-attach"),
        ] {
            let told = seen.events(event).count();
            assert_eq!(shown(phase, shape), told, "{name}: {event}");
        }
        let calls = of(&records, "X").filter(|record| !record["args"]["call"].is_null());
        assert_eq!(calls.count(), seen.events("applet-call").count(), "{name}");
        let natives = of(&records, "X").filter(|record| !record["args"]["result"].is_null());
        let with_result = seen
            .events("native")
            .filter(|event| !event["result"].is_null());
        assert_eq!(natives.count(), with_result.count(), "{name}");
        // Each arrived packet has an arrow from the place where it was sent.
        let arrows = of(&records, "f").count();
        assert!(arrows >= seen.of_messages("wire-rx").count(), "{name}");
    }
}

#[test]
fn counters_follow_the_queues() {
    let scenario = scenario_named("busy");
    let seen = see(&scenario);
    let records = records(&seen.timeline);
    let last = |counter: &str| {
        let values = of(&records, "C").filter(|record| record["name"] == counter);
        values.last().expect("it changed")["args"].clone()
    };
    // At the end of the run, all messages are read, and both buffers of the base path are free.
    let levels = serde_json::json!({ "transmit": 0, "receive": 0, "free": 2 });
    assert_eq!(last("plain queue"), levels);
    let load = seen
        .events("load")
        .find(|event| event["endpoint"] == "client");
    let heap_bytes = &load.expect("it has an applet")["heap_bytes"];
    assert_eq!(&last("client heap")["bytes"], heap_bytes);
}
