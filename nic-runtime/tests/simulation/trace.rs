//! Runs scenarios given as TOML, and parses their traces as JSON values.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::EndReason;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::host::Programs;
use nic_runtime::profile::Profile;
use nic_runtime::run::{RunEnd, SimError};
use nic_runtime::scenario::parse_on;
use nic_runtime::spec::Scenario;
use serde_json::Value;

use crate::json_lines::values;
use crate::scenario::read;

/// A scenario of two NICs with an endpoint each, and a channel between them: number 1 at `client` and 7 at `server`.
#[derive(Copy, Clone)]
pub(crate) struct Pair<'a> {
    scenario: &'a str,
    client: &'a str,
    server: &'a str,
    link: &'a str,
    rest: &'a str,
}

/// Defines a method for each place of a [`Pair`] where a test may add keys or tables.
macro_rules! additions {
    ($($(#[$doc:meta])* $place:ident)*) => {
        $($(#[$doc])* pub(crate) fn $place(self, $place: &'a str) -> Pair<'a> {
            Pair { $place, ..self }
        })*
    };
}

impl<'a> Pair<'a> {
    pub(crate) const PLAIN: Pair<'static> = Pair {
        scenario: "",
        client: "",
        server: "",
        link: "",
        rest: "",
    };

    additions! {
        /// Adds keys of the scenario.
        scenario
        /// Adds keys of the endpoint `client`.
        client
        /// Adds keys of the endpoint `server`.
        server
        /// Adds keys of the link between the NICs.
        link
        /// Adds tables of the scenario, such as sends.
        rest
    }

    pub(crate) fn toml(self) -> String {
        let Pair {
            scenario,
            client,
            server,
            link,
            rest,
        } = self;
        format!(
            "{scenario}\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[link]]\nbetween = ['a', 'b']\n{link}\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\n{client}\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\n{server}\n\
             [[channel]]\nclient = 1\nserver = 7\n{rest}"
        )
    }

    pub(crate) fn run(self) -> Trace {
        run(&self.toml())
    }
}

/// A `[[send]]` of the endpoint `client` with this time and payload.
pub(crate) fn send(at: &str, payload: &str) -> String {
    format!("[[send]]\nendpoint = 'client'\nchannel = 1\nat = '{at}'\npayload = {payload}\n")
}

/// The trace of a run.
pub(crate) struct Trace {
    /// The events between header and summary of the trace, with payloads.
    pub(crate) events: Vec<Value>,
    pub(crate) end: RunEnd,
    /// The text of the whole trace.
    pub(crate) text: String,
}

/// Runs a scenario, and checks the laws that every trace obeys.
pub(crate) fn run(toml: &str) -> Trace {
    let trace = try_run(toml).unwrap_or_else(|error| panic!("{error}"));
    trace.check_laws();
    trace
}

/// Reads a scenario that needs no files, and runs it under this profile's costs.
pub(crate) fn read_on(toml: &str, profile: &str) -> Scenario {
    let profile = Profile::parse(profile).expect("the keys fit");
    parse_on(toml, &profile).expect("the scenario is right")
}

/// Runs a scenario that may be refused.
pub(crate) fn try_run(toml: &str) -> Result<Trace, SimError> {
    simulate(&read(toml))
}

/// Runs a scenario with programs, and checks the laws that every trace obeys.
pub(crate) fn run_with(scenario: &Scenario, programs: Programs) -> Trace {
    let trace = simulate_with(scenario, programs);
    let trace = trace.unwrap_or_else(|error| panic!("{error}"));
    trace.check_laws();
    trace
}

/// Runs a parsed scenario that may be refused.
pub(crate) fn simulate(scenario: &Scenario) -> Result<Trace, SimError> {
    simulate_with(scenario, Programs::new())
}

fn simulate_with(scenario: &Scenario, programs: Programs) -> Result<Trace, SimError> {
    let mut sink = JsonTrace::new(Vec::new(), PayloadMode::Shown, scenario);
    let run = Run::new(scenario).programs(programs).sink(&mut sink);
    let end = run.execute()?.end;
    check_moves(&end);
    let mut summary = Summary::new(scenario);
    summary.end(end.time, end.reason);
    let bytes = sink.finish(&summary).expect("a vector takes every write");
    let mut events = values(&bytes);
    events.pop();
    events.remove(0);
    let text = String::from_utf8(bytes).expect("JSON is UTF-8");
    Ok(Trace { events, end, text })
}

/// Checks that nothing waited for a slot, a processor, a wake-up or an acknowledgement when nothing was due any more.
pub(crate) fn check_moves(end: &RunEnd) {
    assert_ne!(end.reason, EndReason::Stuck, "{:?}", end.waiting);
}

impl Trace {
    /// Returns the trace's events with this name.
    pub(crate) fn of(&self, name: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["event"] == name)
            .collect()
    }

    /// Returns the trace's events with this name at this endpoint.
    pub(crate) fn at(&self, endpoint: &str, name: &str) -> Vec<&Value> {
        self.of(name)
            .into_iter()
            .filter(|event| event["endpoint"] == endpoint)
            .collect()
    }

    /// Returns the names of an endpoint's events, from its first event called `name` on.
    pub(crate) fn names_from(&self, endpoint: &str, name: &str) -> Vec<&str> {
        let names = self
            .events
            .iter()
            .filter(|event| event["endpoint"] == endpoint);
        names
            .map(|event| event["event"].as_str().expect("events have names"))
            .skip_while(|&found| found != name)
            .collect()
    }

    /// Checks the laws that every run obeys. Times do not decrease, each packet has one fate, and each posted
    /// descriptor completes at most once. A posted descriptor completes exactly once if no limit ended the run.
    pub(crate) fn check_laws(&self) {
        let times: Vec<u64> = self
            .events
            .iter()
            .map(|event| number(event, "t_ns"))
            .collect();
        assert!(times.is_sorted(), "events are in the order of time");
        let whole = self.end.reason == EndReason::Idle;
        let mut packets: BTreeMap<u64, i64> = BTreeMap::new();
        let mut posts: BTreeMap<String, i64> = BTreeMap::new();
        for event in &self.events {
            let packet = || number(event, "packet");
            let post = || {
                format!(
                    "{} {} {}",
                    event["endpoint"], event["offset"], event["length"]
                )
            };
            match event["event"].as_str() {
                Some("wire-tx") => *packets.entry(packet()).or_default() += 1,
                Some("forward") if event["copy"] == true => {
                    *packets
                        .get_mut(&packet())
                        .expect("sent before it is copied") += 1;
                }
                Some("wire-rx" | "wire-drop") => {
                    let flying = packets.get_mut(&packet()).expect("sent before it came");
                    *flying -= 1;
                    assert!(*flying >= 0, "{event} came more often than it was sent");
                }
                Some("tx-post") => *posts.entry(post()).or_default() += 1,
                Some("tx-done") => {
                    let pending = posts.get_mut(&post()).expect("posted before it was done");
                    *pending -= 1;
                    assert!(
                        *pending >= 0,
                        "{event} was done more often than it was posted"
                    );
                }
                _ => {}
            }
        }
        if whole {
            assert_eq!(
                packets.values().sum::<i64>(),
                0,
                "packets in flight at the end"
            );
            assert_eq!(
                posts.values().sum::<i64>(),
                0,
                "descriptors pending at the end"
            );
        }
    }
}

/// Returns a numeric field.
pub(crate) fn number(event: &Value, field: &str) -> u64 {
    event[field]
        .as_u64()
        .unwrap_or_else(|| panic!("{field} of {event}"))
}

/// Returns a numeric field of each of these events.
pub(crate) fn numbers(events: &[&Value], field: &str) -> Vec<u64> {
    events.iter().map(|event| number(event, field)).collect()
}

/// Returns a text field of each of these events.
pub(crate) fn texts<'e>(events: &[&'e Value], field: &str) -> Vec<&'e str> {
    events
        .iter()
        .map(|event| {
            event[field]
                .as_str()
                .unwrap_or_else(|| panic!("{field} of {event}"))
        })
        .collect()
}
