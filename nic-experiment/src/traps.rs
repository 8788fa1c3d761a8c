//! Diagnoses of traps: values, nested calls, and the line of the source.

use std::path::{Path, PathBuf};

use jive_core::{CallSite, ClassFile, Cut};
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable;
use jive_embed::{FoundAt, SourcePath, TrapDiagnosis};
use nic_core::id::EndpointId;
use nic_runtime::export::traps::{NestedCall, TracedTrap, TrapLog, TrapPlace};
use nic_runtime::spec::Scenario;

use crate::scenario_file::class_file;

/// Renders the traps of a run, one diagnosis for each place. `name` is the scenario's file.
#[must_use]
pub fn of_run(
    log: &TrapLog,
    (name, scenario): (&Path, &Scenario),
    source_path: SourcePath<'_>,
) -> Vec<String> {
    let places = log.places().iter();
    let mut reports = Vec::from_iter(places.filter_map(|place| {
        let (file, bytes) = class_of(name, scenario, place)?;
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let class = ClassFile::parse(bytes, &mut index).ok()?;
        let endpoint = &scenario.endpoints[place.endpoint.0 as usize].name;
        let mut when = format!("at {}, endpoint {}", place.time, printable(endpoint));
        if place.count > 1 {
            when.push_str(&format!("; {} traps here in all", place.count));
        }
        let TracedTrap { kind, facts, .. } = &place.first;
        let calls = facts.calls.iter();
        let diagnosis = TrapDiagnosis {
            kind: *kind,
            why: facts.why.clone(),
            calls: calls.map(site).collect(),
            calls_omitted: facts.calls_omitted as usize,
            notes: vec![when],
        };
        let file = file.as_path();
        let found = FoundAt { file, source_path };
        Some(diagnosis.render(found, &class))
    }));
    if log.elsewhere() > 0 {
        let title = format!("{} traps at other places", log.elsewhere());
        reports.push(sentence(&title, &[]));
    }
    reports
}

fn site(call: &NestedCall) -> CallSite {
    CallSite {
        method: call.id,
        pc: call.pc,
    }
}

/// Returns the class that trapped at a place: the endpoint's own class, or one that replaced it.
fn class_of<'s>(
    name: &Path,
    scenario: &'s Scenario,
    place: &TrapPlace,
) -> Option<(PathBuf, &'s [u8])> {
    let EndpointId(endpoint) = place.endpoint;
    let own = scenario.endpoints[endpoint as usize].applets();
    let own = own.map(|(class, _)| class);
    let swaps = scenario.swaps.iter();
    let swaps = swaps.filter(|swap| swap.endpoint == place.endpoint);
    // Try the last swap that was due. If the last swap was refused, the previous class trapped, which the check below
    // finds.
    let due = swaps.filter(|swap| swap.at <= place.time);
    let mut candidates = Vec::from_iter(own.chain(due.map(|swap| swap.class)));
    candidates.reverse();
    candidates.into_iter().find_map(|class| {
        let (file, bytes) = class_file(name, scenario, class);
        is_of(bytes, &place.first).then_some((file, bytes))
    })
}

/// Returns whether a trap's calls are those of a class.
fn is_of(bytes: &[u8], trap: &TracedTrap) -> bool {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let Ok(class) = ClassFile::parse(bytes, &mut index) else {
        return false;
    };
    trap.facts.calls.iter().all(|call| {
        class.method(call.id).is_some_and(|method| {
            let is_named = Cut(method.name).to_string() == call.method;
            let line = method.code().map(|code| code.line(call.pc));
            is_named && line == Some(call.line)
        })
    })
}
