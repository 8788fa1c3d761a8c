//! The outputs that people look at: the timeline, the capture, a packet's story, and captures that come in.

mod capture;
mod filter;
mod story;
mod timeline;
mod unchanged;

use std::path::{Path, PathBuf};
use std::process::Command;

use nic_runtime::event::{Event, Names, Sink};
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::pcapng::{Capture, DataLink};
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::scenario::model::LinkType;
use nic_runtime::scenario::{self, BUILTIN, Scenario};
use nic_runtime::sim;
use serde_json::Value;

/// Everything at once: faults on the link, duplicates, traps in both directions, echoes, and packets
/// that nobody takes.
const BUSY: &str = r#"
    [[nic]]
    name = "a"
    [[nic]]
    name = "b"
    [[link]]
    between = ["a", "b"]
    loss = 0.2
    duplicate = 0.2
    corrupt = 0.1
    reorder = 0.2
    [[endpoint]]
    nic = "a"
    name = "client"
    applet = "builtin:RawUnet"
    [[endpoint]]
    nic = "a"
    name = "plain"
    host = "echo"
    free_buffers = { count = 2, length = 1024 }
    [[endpoint]]
    nic = "b"
    name = "server"
    applet = "Trapper.class"
    host = "echo"
    [[endpoint]]
    nic = "b"
    name = "drop"
    applet = "builtin:Drop"
    [[channel]]
    client = 1
    server = 7
    [[channel]]
    plain = 2
    drop = 3
    [[channel]]
    plain = 4
    client = 4
    [[send]]
    endpoint = "client"
    channel = 1
    payload = { count = 4000 }
    repeat = 20
    every = "20us"
    [[send]]
    endpoint = "client"
    channel = 4
    payload = { count = 1500 }
    repeat = 20
    every = "30us"
    [[send]]
    endpoint = "server"
    channel = 7
    payload = { count = 40 }
    repeat = 20
    every = "35us"
    [[send]]
    endpoint = "plain"
    channel = 2
    payload = { count = 100 }
    repeat = 10
    every = "50us"
    [[send]]
    endpoint = "plain"
    channel = 99
    payload = { text = "refused" }
"#;

/// The class files and captures of the tests.
fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes")
}

/// Reads a scenario whose files lie beside the tests.
fn read(toml: &str) -> Scenario {
    scenario::parse(toml.as_bytes(), Some(&files()), None)
        .unwrap_or_else(|error| panic!("{error:?}\n{toml}"))
}

/// The scenarios that outputs are held to.
fn scenarios() -> impl Iterator<Item = (&'static str, Scenario)> {
    let builtin = BUILTIN.iter().map(|builtin| (builtin.name, builtin.text));
    builtin
        .chain([("busy", BUSY)])
        .map(|(name, text)| (name, read(text)))
}

/// A run as each of its outputs shows it.
struct Seen {
    /// The events of the trace, payloads shown, and the summary last.
    trace: Vec<Value>,
    timeline: Vec<u8>,
    capture: Vec<u8>,
}

impl Seen {
    /// Returns the trace's events of this name.
    fn events(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.trace
            .iter()
            .filter(move |event| event["event"] == name)
    }
}

struct All {
    trace: JsonTrace<Vec<u8>>,
    timeline: PerfettoTrace<Vec<u8>>,
    capture: Capture<Vec<u8>>,
    summary: Summary,
}

impl Sink for All {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.trace.event(names, event);
        self.timeline.event(names, event);
        self.capture.event(names, event);
        self.summary.event(names, event);
    }
}

/// Runs a scenario while every output listens.
fn see(scenario: &Scenario) -> Seen {
    let nics = scenario.nics.iter().map(|nic| nic.name.as_str());
    let link = match scenario.link_type {
        LinkType::User0 => DataLink::USER0,
        LinkType::Ethernet => DataLink::ETHERNET,
    };
    let mut all = All {
        trace: JsonTrace::new(Vec::new(), PayloadMode::Shown, "", 0),
        timeline: PerfettoTrace::new(Vec::new()),
        capture: Capture::new(Vec::new(), link, nics).expect("memory takes it"),
        summary: Summary::default(),
    };
    let end = sim::run(scenario, &mut all).expect("the scenario can be run");
    all.summary.end(end.time, end.reason);
    let trace = all.trace.finish(&all.summary).expect("memory takes it");
    let lines = trace.split(|byte| *byte == b'\n');
    let values = lines.filter(|line| !line.is_empty());
    Seen {
        trace: values
            .map(|line| serde_json::from_slice(line).expect("a line is an object"))
            .collect(),
        timeline: all.timeline.finish().expect("memory takes it"),
        capture: all.capture.finish().expect("memory takes it"),
    }
}

/// Runs `jive`; returns its exit status, standard output and standard error.
fn jive(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(arguments)
        .current_dir(files())
        .output()
        .expect("the binary was built for this test");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}
