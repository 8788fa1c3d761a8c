//! Outputs for people: the timeline, the capture, a packet's story, and the replay of captures.

#[path = "../../../nic-runtime/tests/shared/json_lines.rs"]
mod json_lines;
#[path = "../shared/process.rs"]
mod process;
#[path = "../../../nic-runtime/tests/shared/scenario.rs"]
mod scenario;
#[path = "../../../tests/src/skipped.rs"]
#[expect(unreachable_pub, reason = "the crate `tests` shares it")]
mod skipped;

mod capture;
mod detached;
mod filter;
mod folds;
mod recorded;
mod story;
mod sums;
mod timeline;
mod unchanged;

use std::collections::BTreeSet;

use json_lines::values;
use nic_core::event::{Event, Names, Sink};
use nic_runtime::Run;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::pcapng::Capture;
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::scenario::BUILTIN;
use nic_runtime::spec::Scenario;
use scenario::read;
use serde_json::Value;

/// The scenarios for which outputs are checked.
fn scenarios() -> impl Iterator<Item = (&'static str, Scenario)> {
    texts().map(|(name, text)| (name, read(text)))
}

/// Returns the scenario with this name.
fn scenario_named(name: &str) -> Scenario {
    let (_, text) = texts()
        .find(|(found, _)| *found == name)
        .expect("it is there");
    read(text)
}

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let builtin = BUILTIN.iter();
    let builtin = builtin.map(|builtin| (builtin.name, builtin.text));
    builtin.chain([
        (
            "busy",
            include_str!("../../../nic-runtime/tests/scenarios/busy.toml"),
        ),
        (
            "network",
            include_str!("../../../nic-runtime/tests/scenarios/network.toml"),
        ),
        (
            "two-processors",
            include_str!("../../../nic-runtime/tests/scenarios/two-processors.toml"),
        ),
    ])
}

/// A run, as each of its outputs shows it.
struct Seen {
    /// The events of the trace with payloads, and the summary last.
    trace: Vec<Value>,
    /// The `work` events, which the trace leaves out.
    work: Vec<Value>,
    timeline: Vec<u8>,
    capture: Vec<u8>,
}

impl Seen {
    /// Returns the events of the trace with this name.
    fn events(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.trace
            .iter()
            .filter(move |event| event["event"] == name)
    }

    /// Returns the events of the trace with this name, without those of control packets and of flushed descriptors, which
    /// carry no message.
    fn of_messages(&self, name: &str) -> impl Iterator<Item = &Value> {
        let sent = self.events("wire-tx").filter(|event| is_control(event));
        let control: BTreeSet<u64> = sent.filter_map(|event| event["packet"].as_u64()).collect();
        self.events(name).filter(move |event| {
            let packet = event["packet"].as_u64();
            packet.is_none_or(|packet| !control.contains(&packet)) && !is_flushed(event)
        })
    }
}

/// Returns whether a `wire-tx` or `wire-rx` is that of a control packet, which has a kind.
fn is_control(event: &Value) -> bool {
    !event["kind"].is_null()
}

/// Returns whether an `rx-descriptor` tells of a receive that the end of its connection has flushed.
fn is_flushed(event: &Value) -> bool {
    event["status"] == "flushed"
}

struct All {
    trace: JsonTrace<Vec<u8>>,
    all: JsonTrace<Vec<u8>>,
    timeline: PerfettoTrace<Vec<u8>>,
    capture: Capture<Vec<u8>>,
    summary: Summary,
}

impl Sink for All {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.trace.event(names, event);
        self.all.event(names, event);
        self.timeline.event(names, event);
        self.capture.event(names, event);
        self.summary.event(names, event);
    }
}

/// Runs a scenario with all outputs at once.
fn see(scenario: &Scenario) -> Seen {
    let mut all = All {
        trace: JsonTrace::new(Vec::new(), PayloadMode::Shown, scenario),
        all: JsonTrace::new(Vec::new(), PayloadMode::Omitted, scenario).with_work(true),
        timeline: PerfettoTrace::new(Vec::new()),
        capture: Capture::new(Vec::new(), scenario).expect("memory takes it"),
        summary: Summary::new(scenario),
    };
    let end = Run::new(scenario)
        .sink(&mut all)
        .execute()
        .expect("the scenario can be run")
        .end;
    all.summary.end(end.time, end.reason);
    let trace = all.trace.finish(&all.summary).expect("memory takes it");
    let mut work = values(&all.all.finish(&all.summary).expect("memory takes it"));
    work.retain(|event| event["event"] == "work");
    Seen {
        trace: values(&trace),
        work,
        timeline: all.timeline.finish().expect("memory takes it"),
        capture: all.capture.finish().expect("memory takes it"),
    }
}
