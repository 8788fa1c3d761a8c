//! Each export contains the data of the events: times, lengths, bytes and fields.

use nic_runtime::Run;
use std::collections::{BTreeMap, BTreeSet};

use nic_core::id::PacketId;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::follow::Story;
use nic_runtime::export::text::TextTrace;
use nic_runtime::spec::Scenario;
use serde_json::{Map, Value, json};

use crate::capture::packets;
use crate::recorded::{dma_ps, number, recorded, while_loading, wire_ps};
use crate::timeline::{picoseconds, records};
use crate::{is_control, scenarios, see};

/// A span or an instant of the timeline: NIC, name, start in nanoseconds, fields, end in nanoseconds.
type Shown = (String, String, u64, String, u64);

/// Returns the fields of an event that the timeline repeats.
fn fields(event: &Value) -> Value {
    let mut fields: Map<String, Value> = event.as_object().expect("an object").clone();
    for shared in ["t_ns", "nic", "event", "payload"] {
        fields.remove(shared);
    }
    Value::Object(fields)
}

/// Returns the spans and instants that a timeline must show for the events of a trace.
fn expected(scenario: &Scenario, events: &[Value]) -> Vec<Shown> {
    let loading = while_loading(events);
    let mut shown = Vec::new();
    // The running call of each endpoint's applet, and the end of its last native.
    let mut calls: BTreeMap<String, (Value, u64)> = BTreeMap::new();
    for (position, event) in events.iter().enumerate() {
        let name = event["event"].as_str().expect("events have names");
        let nic = event["nic"].as_str().expect("events have a NIC").to_owned();
        let endpoint = event["endpoint"].as_str().unwrap_or("").to_owned();
        let time = number(event, "t_ns");
        let mut show = |name: &str, start: u64, end: u64, fields: Value| {
            shown.push((nic.clone(), name.to_owned(), start, fields.to_string(), end));
        };
        let passes = !loading.contains(&position);
        match name {
            "dma" => {
                let takes = if passes { dma_ps(scenario, event) } else { 0 };
                show(name, time, (time * 1000 + takes) / 1000, fields(event));
            }
            "wire-tx" => {
                let takes = wire_ps(scenario, event, &events[..position]);
                let name = event["kind"].as_str().unwrap_or(name);
                show(name, time, (time * 1000 + takes) / 1000, fields(event));
            }
            "wire-rx" => {
                let name = event["kind"].as_str().unwrap_or(name);
                show(name, time, time, fields(event));
            }
            "forward" | "collection" => {
                let takes = number(event, "dur_ns");
                show(name, time, time + takes, fields(event));
            }
            "applet-detach" => {
                let takes = number(event, "dur_ns");
                show("detached", time, time + takes, fields(event));
            }
            "applet-call" => {
                calls.insert(endpoint, (event.clone(), time));
            }
            "applet-return" | "trap" => {
                let (call, _) = calls
                    .remove(&endpoint)
                    .expect("a call begins before it ends");
                if name == "trap" {
                    let kind = event["kind"].as_str().expect("traps have kinds");
                    show(kind, time, time, fields(event));
                }
                let both = json!({ "call": fields(&call), "end": fields(event) });
                let method = call["method"].as_str().expect("calls have methods");
                show(method, number(&call, "t_ns"), time, both);
            }
            "native" => {
                let name = event["name"].as_str().expect("natives have names");
                show(name, u64::MAX, time, fields(event));
            }
            "work" => {
                let stage = event["stage"].as_str().expect("work has a stage");
                show(stage, u64::MAX, time, fields(event));
            }
            _ => show(name, time, time, fields(event)),
        }
    }
    shown
}

/// Returns the spans and instants that a timeline shows, without the start times that the trace does not contain.
fn shown(timeline: &[Value], begins_unknown: impl Fn(&Value) -> bool) -> Vec<Shown> {
    let named = timeline
        .iter()
        .filter(|record| record["name"] == "process_name");
    let names: BTreeMap<u64, &str> = named
        .map(|record| {
            let name = record["args"]["name"].as_str().expect("a name");
            (number(record, "pid"), name)
        })
        .collect();
    let records = timeline.iter();
    let shown = records.filter(|record| record["ph"] == "X" || record["ph"] == "i");
    shown
        .map(|record| {
            let start = picoseconds(record, "ts");
            let takes = match record["ph"].as_str() {
                Some("X") => picoseconds(record, "dur"),
                _ => 0,
            };
            let start_ns = if begins_unknown(record) {
                u64::MAX
            } else {
                start / 1000
            };
            let process = names[&number(record, "pid")];
            let mut kinds = ["NIC ", "switch "].iter();
            let node = kinds.find_map(|kind| process.strip_prefix(*kind));
            let node = node.expect("a NIC or switch");
            (
                node.to_owned(),
                record["name"].as_str().expect("a name").to_owned(),
                start_ns,
                record["args"].to_string(),
                (start + takes) / 1000,
            )
        })
        .collect()
}

fn is_native(record: &Value) -> bool {
    record["args"]["args"].is_array() && !record["args"]["name"].is_null()
}

fn is_work(record: &Value) -> bool {
    !record["args"]["stage"].is_null()
}

#[test]
fn a_processor_works_on_one_thing_at_a_time() {
    let mut count = 0;
    for (name, scenario) in scenarios() {
        let records = records(&see(&scenario).timeline);
        let mut free_at: BTreeMap<String, u64> = BTreeMap::new();
        for record in records.iter().filter(|record| is_work(record)) {
            let (start, takes) = (picoseconds(record, "ts"), picoseconds(record, "dur"));
            assert_eq!(takes / 1000, number(&record["args"], "dur_ns"), "{name}");
            let place = format!("{} {}", record["pid"], record["tid"]);
            let free_at = free_at.entry(place).or_default();
            assert!(*free_at <= start, "{name}: {record}");
            *free_at = start + takes;
            count += 1;
        }
    }
    assert!(count > 1_000, "only {count} pieces of work");
}

#[test]
fn timeline_spans_match_their_events() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        let events = &seen.trace[1..seen.trace.len() - 1];
        let mut expected = expected(&scenario, &[events, &seen.work].concat());
        let mut shown = shown(&records(&seen.timeline), |record| {
            is_native(record) || is_work(record)
        });
        expected.sort();
        shown.sort();
        for (shown, expected) in shown.iter().zip(&expected) {
            // The trace rounds picoseconds down, so the end may differ by a nanosecond.
            let is_near = shown.4.abs_diff(expected.4) <= 1;
            let is_same = (&shown.0, &shown.1, shown.2, &shown.3)
                == (&expected.0, &expected.1, expected.2, &expected.3);
            assert!(
                is_near && is_same,
                "{name}: {shown:?}, expected {expected:?}"
            );
        }
        assert_eq!(shown.len(), expected.len(), "{name}");
    }
}

#[test]
fn natives_of_a_call_follow_each_other() {
    // Where bytecodes take no time, only natives and calls take time, so each native begins at the end of the previous
    // one.
    let (mut joined, mut chained) = (0, 0);
    for (name, scenario) in scenarios() {
        if scenario.profile.processor.bytecode.as_ps() > 0 {
            continue;
        }
        // In a chain of applets, handing a message from one applet to the next takes time between natives.
        let has_chain = scenario.endpoints.iter().any(|spec| spec.has_chain());
        let timeline = records(&see(&scenario).timeline);
        let mut ended: BTreeMap<u64, u64> = BTreeMap::new();
        let mut called: BTreeMap<u64, u64> = BTreeMap::new();
        for record in timeline.iter().filter(|record| record["ph"] == "X") {
            let (process, start) = (number(record, "pid"), picoseconds(record, "ts"));
            let end = start + picoseconds(record, "dur");
            if !record["args"]["call"].is_null() {
                called.insert(process, end);
                ended.remove(&process);
            } else if is_native(record) {
                assert!(end <= called[&process], "{name}: {record}");
                if let Some(before) = ended.insert(process, end) {
                    if has_chain {
                        assert!(start >= before, "{name}: {record}");
                        chained += 1;
                    } else {
                        assert_eq!(start, before, "{name}: {record}");
                        joined += 1;
                    }
                }
            }
        }
    }
    assert!(joined > 100, "only {joined} pairs of natives");
    assert!(chained > 20, "only {chained} pairs of natives in chains");
}

#[test]
fn story_lines_are_trace_lines_with_elapsed_time() {
    let mut followed = 0;
    for (name, scenario) in scenarios() {
        let recorded = recorded(&scenario);
        let seen = see(&scenario);
        // A story is that of a message, so control packets have none.
        let events = seen.trace.iter();
        let control = events.clone().filter(|event| is_control(event));
        let control = BTreeSet::from_iter(control.filter_map(|event| event["packet"].as_u64()));
        let packets = events.filter_map(|event| event["packet"].as_u64());
        let mut packets = Vec::from_iter(packets.filter(|packet| !control.contains(packet)));
        packets.sort_unstable();
        packets.dedup();
        // Check only a sample of the packets, because many packets of a scenario are alike.
        let step = packets.len().div_ceil(40).max(1);
        for &packet in packets.iter().step_by(step) {
            let mut story = Story::new(Vec::new(), PacketId(packet), PayloadMode::Shown);
            Run::new(&scenario)
                .sink(&mut story)
                .execute()
                .expect("the scenario can be run");
            let text = String::from_utf8(story.finish().expect("memory takes it")).expect("UTF-8");
            let mut rest = recorded.iter();
            let mut last = None;
            for told in text.lines() {
                let (elapsed, line) = told.trim_start().split_once("  ").expect("two columns");
                let event = rest.find(|event| event.line == line);
                let event =
                    event.unwrap_or_else(|| panic!("{name}: no event, or a late one: {told}"));
                let since = (event.time_ps - last.unwrap_or(event.time_ps)) / 1000;
                last = Some(event.time_ps);
                let expected = format!("+{}.{:03}", since / 1000, since % 1000);
                assert_eq!(elapsed, expected, "{name}, packet {packet}: {told}");
            }
            let own = format!("packet={packet} ");
            let named = |lines: &mut dyn Iterator<Item = &str>| {
                lines
                    .filter(|line| format!("{line} ").contains(&own))
                    .count()
            };
            let in_trace = named(&mut recorded.iter().map(|event| &*event.line));
            assert_eq!(
                named(&mut text.lines()),
                in_trace,
                "{name}, packet {packet}"
            );
            followed += 1;
        }
    }
    assert!(followed > 100, "only {followed} packets");
}

#[test]
fn the_capture_has_the_bytes_of_each_event_at_its_time() {
    for (name, scenario) in scenarios() {
        let capture = packets(&see(&scenario).capture);
        let events = recorded(&scenario);
        let tapped: Vec<_> = events
            .iter()
            .filter(|event| event.bytes.is_some())
            .collect();
        assert_eq!(capture.len(), tapped.len(), "{name}");
        for (packet, event) in capture.iter().zip(tapped) {
            let time_ns = u128::from(event.time_ps / 1000);
            assert_eq!(packet.time_ns, time_ns, "{name}: {}", event.line);
            assert_eq!(
                Some(&packet.bytes),
                event.bytes.as_ref(),
                "{name}: {}",
                event.line
            );
        }
    }
}

/// Shows a value of the JSON trace as the text trace does.
fn shown_in_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(shown_in_text).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

#[test]
fn text_and_json_show_the_same() {
    for (name, scenario) in scenarios() {
        let mut text = TextTrace::new(Vec::new(), PayloadMode::Shown);
        Run::new(&scenario)
            .sink(&mut text)
            .execute()
            .expect("the scenario can be run");
        let text = String::from_utf8(text.finish().expect("memory takes it")).expect("UTF-8");
        let trace = see(&scenario).trace;
        let events = &trace[1..trace.len() - 1];
        assert_eq!(text.lines().count(), events.len(), "{name}");
        for (line, event) in text.lines().zip(events) {
            let mut words = line.split_whitespace();
            let ns = number(event, "t_ns");
            let time = format!("{}.{:03}", ns / 1000, ns % 1000);
            let mut expected = vec![time, "us".to_owned()];
            let fields = event.as_object().expect("an object");
            for key in ["nic", "endpoint", "event"] {
                expected.push(shown_in_text(&event[key]));
            }
            let shared = ["t_ns", "nic", "endpoint", "event"];
            // The text line of a trap omits the details, so that golden traces that are older than these details are
            // still valid.
            let details = ["why", "values", "calls", "calls_omitted"];
            let is_trap = event["event"] == "trap";
            let own = fields.iter().filter(|(key, _)| {
                let key = key.as_str();
                !(shared.contains(&key) || is_trap && details.contains(&key))
            });
            let mut own: Vec<_> = own
                .map(|(key, value)| format!("{key}={}", shown_in_text(value)))
                .collect();
            let head: Vec<_> = words.by_ref().take(5).collect();
            assert_eq!(head, expected, "{name}: {line}");
            let mut shown: Vec<_> = words.map(str::to_owned).collect();
            // Sort the fields, because a JSON reader may reorder them.
            own.sort();
            shown.sort();
            assert_eq!(shown, own, "{name}: {line}");
        }
    }
}
