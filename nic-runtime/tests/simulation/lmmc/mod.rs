//! LMMC: processes that write to pages and read pages, and the operating systems that page link memory (docs/lmmc.md).

mod deletion;
mod faults;
mod forged;
mod late;
mod protection;
mod schedules;
mod standstill;
mod thin;
mod waits;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nic_core::event::{Event, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::lmmc::Policy;
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs, WindowNews};
use nic_runtime::profile::Profile;
use nic_runtime::run::RunEnd;
use nic_runtime::spec::{PortSpec, Scenario};
use serde_json::Value;

use crate::trace::{Trace, read_on, run_with};

const PROFILE: &str = include_str!("../../../profiles/lmmc-1997.toml");

/// Returns the profile of LMMC with these values, each as `section.key` and what stands behind the equals sign.
fn profile(values: &[(&str, &str)]) -> String {
    let mut text = PROFILE.to_owned();
    for (path, value) in values {
        let (section, key) = path.split_once('.').expect("a section and a key");
        let start = text.find(&format!("\n[{section}]\n")).expect("a section");
        let key = format!("\n{key} = ");
        let from = start + text[start..].find(&key).expect("a key") + key.len();
        let to = from + text[from..].find('\n').expect("the end of a line");
        text.replace_range(from..to, value);
    }
    text
}

/// Returns NICs with these endpoints, each NIC with a link to each other one. Endpoints have the numbers of their order.
fn world(nics: &[&[&str]], values: &[(&str, &str)]) -> Scenario {
    let mut text = String::new();
    for (nic, endpoints) in nics.iter().enumerate() {
        text += &format!("[[nic]]\nname = 'n{nic}'\n");
        for name in *endpoints {
            text += &format!("[[endpoint]]\nnic = 'n{nic}'\nname = '{name}'\ninterface = 'lmmc'\n");
        }
    }
    read_on(&text, &profile(values))
}

/// A port of the scenario from some endpoints to others.
fn port(from: &[u32], to: &[u32], policy: Policy) -> PortSpec {
    let ids = |list: &[u32]| list.iter().copied().map(EndpointId).collect();
    PortSpec {
        from: ids(from),
        to: ids(to),
        policy,
    }
}

/// What programs have learned, in the order of time.
type Heard = Arc<Mutex<Vec<String>>>;

/// A program that does its actions when the run begins, and writes down the answers.
struct Script<F> {
    name: &'static str,
    heard: Heard,
    acts: F,
}

impl<F: FnMut(Happened<'_>, &mut Actions<'_>) + Send> HostProgram for Script<F> {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let line = match &what {
            Happened::Window { what, .. } => match what {
                WindowNews::Loaded { ticket, payload } => format!("{ticket} {payload:?}"),
                WindowNews::Word { ticket, value } => format!("{ticket} word {value:?}"),
                WindowNews::ProtectionFault { ticket, fault } => {
                    format!("{ticket} {}", fault.word())
                }
                other => format!("{other:?}"),
            },
            Happened::Port { what, .. } => format!("{what:?}"),
            _ => String::new(),
        };
        if !line.is_empty() {
            let line = format!("{}: {line}", self.name);
            self.heard.lock().expect("nobody panics").push(line);
        }
        (self.acts)(what, actions);
    }
}

/// Programs that share what they hear.
#[derive(Default)]
struct Cast {
    heard: Heard,
    programs: Programs,
}

impl Cast {
    /// Adds a program that is told of everything.
    fn told(
        mut self,
        name: &'static str,
        acts: impl FnMut(Happened<'_>, &mut Actions<'_>) + Send + 'static,
    ) -> Cast {
        let heard = Arc::clone(&self.heard);
        self.programs = self.programs.with(name, Script { name, heard, acts });
        self
    }

    /// Adds a program that queues all its actions when the run begins.
    fn does(
        self,
        name: &'static str,
        mut acts: impl FnMut(EndpointId, &mut Actions<'_>) + Send + 'static,
    ) -> Cast {
        self.told(name, move |what, actions| {
            if let Happened::Started = what {
                acts(actions.endpoints()[0], actions);
            }
        })
    }

    /// Runs a scenario with the programs. Returns the trace and what the programs have heard.
    fn run(self, scenario: &Scenario) -> (Trace, Vec<String>) {
        let trace = run_with(scenario, self.programs);
        let heard = self.heard.lock().expect("nobody panics").clone();
        (trace, heard)
    }
}

fn us(micros: u64) -> SimDuration {
    SimDuration::from_ns(micros * 1_000)
}

/// Returns the steps of a side's paging, in the order of the trace.
fn steps(trace: &Trace, side: &str) -> Vec<u64> {
    let events = trace.of("paging");
    let of_side = events.into_iter().filter(|event| event["side"] == side);
    of_side
        .filter_map(|event: &Value| event["step"].as_u64())
        .collect()
}

/// The names of a run's events, with how often each came.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, u64>);

impl Sink for Tally {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        *self.0.entry(event.kind.roles().name).or_default() += 1;
    }
}

impl Tally {
    /// Runs a scenario with programs, and counts its events.
    fn of(scenario: &Scenario, programs: Programs) -> (Tally, RunEnd) {
        let mut tally = Tally::default();
        let run = Run::new(scenario).programs(programs).sink(&mut tally);
        let end = run.execute().expect("it runs").end;
        (tally, end)
    }

    fn count(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }
}

/// Gives a NIC costs of its own.
fn with_profile(scenario: &mut Scenario, nic: usize, values: &[(&str, &str)]) {
    let profile = Profile::parse(&profile(values)).expect("the keys fit");
    scenario.nics[nic].profile = Some(Arc::new(profile));
}
