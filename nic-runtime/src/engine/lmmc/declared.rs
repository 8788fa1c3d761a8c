//! The ports that a scenario declares: the end that sends creates them, and they are mapped at both ends when it learns
//! that they are open. How processes learn the ids of ports, the paper does not say.

use nic_core::id::{EndpointId, NicId};
use nic_core::lmmc::{Direction, Policy, PortId};

use super::ports;
use super::process::place;
use super::site::{Creator, SiteId};
use super::state::HasLmmc;
use crate::sim::Parts;
use crate::spec::PortSpec;

/// Returns the nodes at both ends of a port of the scenario.
fn ends(sim: &Parts<'_, impl HasLmmc>, spec: &PortSpec) -> Option<(NicId, NicId)> {
    let nic = |id: &EndpointId| sim.endpoints[*id].nic;
    Some((spec.from.first().map(nic)?, spec.to.first().map(nic)?))
}

/// Begins to set up the ports of the scenario, in the order of the file.
pub(super) fn start(sim: &mut Parts<'_, impl HasLmmc>) {
    let scenario = sim.scenario;
    for (number, spec) in (0u32..).zip(&scenario.ports) {
        let page = i32::try_from(number).unwrap_or(i32::MAX);
        for id in spec.from.iter().chain(&spec.to) {
            if let Some(place) = place(sim, *id) {
                place.expected.push(page);
            }
        }
    }
    for (number, spec) in (0u32..).zip(&scenario.ports) {
        let ends = ends(sim, spec);
        let site = ends.and_then(|(from, to)| sim.engines.lmmc().between(from, to));
        let Some((at, home)) = site.map(|at| (at, sim.engines.lmmc().sites[at].home)) else {
            continue;
        };
        let creator = Creator::Scenario(number);
        if ports::begin(sim, at, (creator, home), Direction::Send).is_err() {
            failed(sim, number);
        }
    }
}

/// A port of the scenario is open, and is mapped at both ends.
pub(super) fn opened(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    number: u32,
    (_, port): (Direction, PortId),
) {
    let scenario = sim.scenario;
    let spec = &scenario.ports[number as usize];
    let site = &sim.engines.lmmc().sites[at];
    let there = sim.engines.lmmc().between(site.peer_nic, site.nic);
    let home = site.home;
    if spec.policy == Policy::Late {
        let changed = ports::change_policy(sim, at, (home, port), Policy::Late);
        debug_assert!(changed.is_ok(), "the port is open");
    }
    let ways = [
        (Some(at), Direction::Send, &spec.from),
        (there, Direction::Receive, &spec.to),
    ];
    for (site, direction, ids) in ways {
        for &id in ids {
            if let Some(site) = site {
                map_declared(sim, site, (id, number), (direction, port));
            }
        }
    }
    settled(sim, number);
}

fn map_declared(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (id, number): (EndpointId, u32),
    (direction, port): (Direction, PortId),
) {
    let page = i32::try_from(number).unwrap_or(i32::MAX);
    let mapped = ports::map(sim, at, (id, page), (direction, port));
    debug_assert!(mapped.is_ok(), "both ends have the port");
}

/// A port of the scenario is not set up, because no id is free.
pub(super) fn failed(sim: &mut Parts<'_, impl HasLmmc>, number: u32) {
    settled(sim, number);
}

/// Lets the processes go on that wait for a port of the scenario.
fn settled(sim: &mut Parts<'_, impl HasLmmc>, number: u32) {
    let scenario = sim.scenario;
    let spec = &scenario.ports[number as usize];
    let page = i32::try_from(number).unwrap_or(i32::MAX);
    for &id in spec.from.iter().chain(&spec.to) {
        if let Some(place) = place(sim, id) {
            place.expected.retain(|expected| *expected != page);
        }
        sim.begin_next(id);
    }
}
