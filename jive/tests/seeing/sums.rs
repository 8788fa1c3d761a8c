//! The summary, compared with sums computed from the trace and the scenario's bandwidths and clock.

use std::collections::BTreeMap;

use nic_runtime::spec::Scenario;
use serde_json::{Value, json};

use crate::recorded::{dma_ps, number, while_loading, wire_ps};
use crate::{Seen, is_flushed, scenarios, see};

/// The applet of a call, empty unless it is in a chain, and the method.
type Called = (String, String);

/// The sums over the events of an endpoint.
#[derive(Default)]
struct Sums {
    counts: BTreeMap<&'static str, u64>,
    drops: BTreeMap<String, u64>,
    traps: BTreeMap<String, u64>,
    dma_ps: u64,
    wire_ps: u64,
    /// When the running call of the endpoint began.
    began: Option<u64>,
    calls: u64,
    applet_ns: u64,
    bytecodes: BTreeMap<Called, Vec<u64>>,
    /// The method of the running call, and the trapped calls of each method.
    called: Called,
    trapped: BTreeMap<Called, usize>,
}

impl Sums {
    fn add(&mut self, what: &'static str, count: u64) {
        *self.counts.entry(what).or_default() += count;
    }

    fn end_call(&mut self, time: u64) {
        let began = self.began.take().expect("a call begins before it ends");
        self.applet_ns += time - began;
        self.calls += 1;
    }
}

fn sums(scenario: &Scenario, events: &[Value]) -> BTreeMap<String, Sums> {
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    let loading = while_loading(events);
    for (position, event) in events.iter().enumerate() {
        let text = |field: &str| event[field].as_str().expect("a text").to_owned();
        let applet = event["applet"].as_str().unwrap_or_default().to_owned();
        let here = sums.entry(text("endpoint")).or_default();
        match event["event"].as_str().expect("events have names") {
            "tx-post" => here.add("posted", 1),
            "wire-tx" => {
                here.add("packets_sent", 1);
                here.add("bytes_sent", number(event, "length"));
                here.wire_ps += wire_ps(scenario, event, &events[..position]);
            }
            "wire-rx" => {
                here.add("packets_received", 1);
                here.add("bytes_received", number(event, "length"));
            }
            // As on the link of a NIC, a copy counts as sent.
            "forward" if !event["copy"].is_null() => {
                here.add("packets_sent", 1);
                here.add("bytes_sent", number(event, "length"));
            }
            "rx-descriptor" if event["channel"].as_i64() < Some(0) => here.add("notices", 1),
            "rx-descriptor" if is_flushed(event) => {}
            "rx-descriptor" => here.add("delivered", 1),
            "applet-detach" => here.add("detachments", 1),
            "window-map" => {
                here.add("windows_mapped", 1);
                here.add("windows_evicted", event.get("evicts").map_or(0, |_| 1));
            }
            "wire-drop" | "drop" => *here.drops.entry(text("reason")).or_default() += 1,
            "dma" if loading.contains(&position) => {}
            "dma" => here.dma_ps += dma_ps(scenario, event),
            "applet-call" => {
                here.began = Some(number(event, "t_ns"));
                here.called = (applet, text("method"));
            }
            "applet-return" => {
                here.end_call(number(event, "t_ns"));
                let counts = here.bytecodes.entry((applet, text("method"))).or_default();
                counts.push(number(event, "bytecodes"));
            }
            "trap" => {
                here.end_call(number(event, "t_ns"));
                *here.traps.entry(text("kind")).or_default() += 1;
                *here.trapped.entry(here.called.clone()).or_default() += 1;
                here.bytecodes.entry(here.called.clone()).or_default();
            }
            _ => {}
        }
    }
    sums
}

fn check(scenario: &Scenario, seen: &Seen, name: &str) {
    let (summary, events) = seen.trace[1..].split_last().expect("a summary");
    let sums = sums(scenario, events);
    let rows = summary["endpoints"].as_array().expect("rows");
    for row in rows {
        let what = format!("{name}: {row}");
        let found = &sums[row["endpoint"].as_str().expect("a name")];
        for column in [
            "posted",
            "packets_sent",
            "bytes_sent",
            "packets_received",
            "bytes_received",
            "delivered",
            "notices",
            "detachments",
            "windows_mapped",
            "windows_evicted",
        ] {
            let count = found.counts.get(column).copied().unwrap_or(0);
            assert_eq!(number(row, column), count, "{column} of {what}");
        }
        assert_eq!(counted(&row["drops"]), json!(found.drops), "{what}");
        assert_eq!(counted(&row["traps"]), json!(found.traps), "{what}");
        assert_eq!(number(row, "dma_ns"), found.dma_ps / 1000, "{what}");
        assert_eq!(number(row, "wire_ns"), found.wire_ps / 1000, "{what}");
        // The trace rounds both ends of a call down to a nanosecond.
        let applet = number(row, "applet_ns");
        assert!(applet.abs_diff(found.applet_ns) <= found.calls, "{what}");
        let hertz = scenario.profile.processor.clock.get();
        let cycles = u128::from(applet) * u128::from(hertz) / 1_000_000_000;
        let shown = u128::from(number(row, "applet_cycles"));
        assert!(shown.abs_diff(cycles) <= 1, "{what}");
    }
    let methods = summary["methods"].as_array().expect("rows");
    let mut expected = 0;
    for (endpoint, found) in &sums {
        for (called, counts) in &found.bytecodes {
            let (applet, method) = called;
            let mut counts = counts.clone();
            counts.sort_unstable();
            expected += 1;
            let trapped = found.trapped.get(called).copied().unwrap_or(0);
            if trapped > 0 {
                // The trace does not contain the number of bytecodes that a trapped call executed.
                let is_row = |row: &&Value| {
                    let of = row["applet"].as_str().unwrap_or_default();
                    row["endpoint"] == **endpoint && of == applet && row["method"] == **method
                };
                let row = methods.iter().find(is_row).expect("each method has a row");
                let calls = json!([counts.len() + trapped, trapped]);
                assert_eq!(json!([row["calls"], row["calls_trapped"]]), calls, "{name}");
                continue;
            }
            let mut row = json!({
                "endpoint": endpoint,
                "method": method,
                "calls": counts.len(),
                "calls_trapped": 0,
                "bytecodes_min": counts[0],
                "bytecodes_median": counts[(counts.len() - 1) / 2],
                "bytecodes_max": counts[counts.len() - 1],
            });
            if !applet.is_empty() {
                row["applet"] = json!(applet);
            }
            assert!(methods.contains(&row), "{name}: {row} in {methods:?}");
        }
    }
    assert_eq!(methods.len(), expected, "{name}");
    check_totals(summary, rows, name);
    check_ports(summary, events, name);
}

/// What leaves by the ports of switches and what is dropped there is in the rows of the ports.
fn check_ports(summary: &Value, events: &[Value], name: &str) {
    let mut ports: BTreeMap<(String, String), [u64; 4]> = BTreeMap::new();
    for event in events {
        let more = match (event["event"].as_str(), event["reason"].as_str()) {
            (Some("forward"), _) => {
                let [length, waited] = ["length", "waited_ns"].map(|field| number(event, field));
                [1, length, waited, 0]
            }
            (_, Some("switch-full")) => [0, 0, 0, 1],
            _ => continue,
        };
        let [switch, to] = ["nic", "to"].map(|field| event[field].as_str().expect("a name"));
        let port = ports.entry((switch.to_owned(), to.to_owned())).or_default();
        for (sum, more) in port.iter_mut().zip(more) {
            *sum += more;
        }
    }
    for switch in summary["switches"].as_array().into_iter().flatten() {
        for row in switch["ports"].as_array().expect("rows") {
            let text = |value: &Value| value.as_str().expect("a name").to_owned();
            let port = ports.remove(&(text(&switch["switch"]), text(&row["to"])));
            let [packets, bytes, waited, dropped] = port.unwrap_or_default();
            let what = format!("{name}: {row}");
            assert_eq!(number(row, "packets"), packets, "{what}");
            assert_eq!(number(row, "bytes"), bytes, "{what}");
            assert_eq!(number(row, "dropped"), dropped, "{what}");
            // The trace rounds each wait down to a nanosecond.
            assert!(number(row, "waited_ns") - waited <= packets, "{what}");
        }
    }
    assert!(ports.is_empty(), "{name}: no rows of {ports:?}");
}

/// Totals equal the sums of the rows. Times may differ slightly, because each row is rounded down.
fn check_totals(summary: &Value, rows: &[Value], name: &str) {
    for (column, total) in summary["totals"].as_object().expect("an object") {
        let Some(total) = total.as_u64() else {
            continue;
        };
        let sum: u64 = rows.iter().map(|row| number(row, column)).sum();
        let rounded = column.ends_with("_ns") || column.ends_with("_cycles");
        let slack = if rounded { rows.len() as u64 } else { 0 };
        assert!(total.abs_diff(sum) <= slack, "{column} of {name}");
    }
}

#[test]
fn the_summary_is_what_the_trace_adds_up_to() {
    let mut times = (0, 0, 0);
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        check(&scenario, &seen, name);
        let totals = &seen.trace.last().expect("a summary")["totals"];
        times.0 += number(totals, "dma_ns");
        times.1 += number(totals, "wire_ns");
        times.2 += number(totals, "applet_ns");
    }
    assert!(times.0 > 0 && times.1 > 0 && times.2 > 0, "{times:?}");
}

#[test]
fn each_transfer_takes_what_the_bandwidth_says() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        for event in seen.events("dma") {
            let expected = dma_ps(&scenario, event) / 1000;
            assert_eq!(number(event, "dur_ns"), expected, "{name}: {event}");
        }
    }
}

/// Returns the counts of an object that are not 0.
fn counted(counts: &Value) -> Value {
    let mut counts = counts.clone();
    if let Some(counts) = counts.as_object_mut() {
        counts.retain(|_, count| *count != 0);
    }
    counts
}
