//! Reads `[[port]]` tables, and checks what endpoints of LMMC and the links between their NICs need.

use std::collections::{BTreeMap, BTreeSet};

use nic_core::id::{EndpointId, NicId};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::endpoint_table::Endpoints;
use super::key::{Key, Raw, Required};
use super::keys::{ENDPOINT, PORT, ROOT};
use super::limits;
use super::mistake::MistakeKind;
use super::network::Network;
use super::profiles::NicProfiles;
use super::table::{Mistakes, Table, wrong_type};
use crate::host::pages::{NUMBER_BYTES, PagesOf};
use crate::profile::{Flow, LmmcCosts};
use crate::spec::{
    EndpointSpec, HostSpec, InterfaceKind, LinkSpec, NicSpec, PagePattern, PortSpec, Span,
};
use crate::units::show_size;

/// The keys of an endpoint that has queues, buffers or an applet. An endpoint of LMMC is only the place of its process.
const OF_QUEUES: [&str; 14] = [
    ENDPOINT.applet.name,
    ENDPOINT.state.name,
    ENDPOINT.heap.name,
    ENDPOINT.fuel.name,
    ENDPOINT.on_trap.name,
    ENDPOINT.detach_after.name,
    ENDPOINT.back_off.name,
    ENDPOINT.accept_capsules.name,
    ENDPOINT.buffer_area.name,
    ENDPOINT.free_buffers.name,
    ENDPOINT.tx_queue.name,
    ENDPOINT.rx_queue.name,
    ENDPOINT.notify.name,
    ENDPOINT.poll_every.name,
];

/// Takes the queues and buffers away from an endpoint of LMMC, and reports the keys that would give it some.
pub(super) fn only_pages(table: &Table<'_>, spec: &mut EndpointSpec, mistakes: &mut Mistakes) {
    if !spec.interface.has_pages() {
        return;
    }
    for key in OF_QUEUES {
        if let Some(value) = table.value(key) {
            mistakes.add(value.span(), excluded(key, spec.interface));
        }
    }
    spec.buffer_area = 0;
    spec.free_buffer_count = 0;
    spec.transmit_from = 0;
    spec.heap = 0;
    spec.tx_queue = 0;
    spec.rx_queue = 0;
}

fn excluded(key: &'static str, interface: InterfaceKind) -> MistakeKind {
    let interface = interface.name();
    MistakeKind::ExcludedByInterface { key, interface }
}

/// Reports tables of a scenario that name an endpoint of LMMC, and are about messages: each key, as messages name it, with
/// an endpoint.
pub(super) fn check_theirs(
    endpoints: &Endpoints<'_>,
    named: impl Iterator<Item = (&'static str, EndpointId)>,
    mistakes: &mut Mistakes,
) {
    for (key, id) in BTreeSet::from_iter(named) {
        let interface = endpoints.specs[id.0 as usize].interface;
        if interface.has_pages() {
            mistakes.add(endpoints.places[id.0 as usize], excluded(key, interface));
        }
    }
}

/// Reads every `[[port]]`.
pub(super) fn read(
    root: &Table<'_>,
    endpoints: &Endpoints<'_>,
    (nics, of_nic, network): (&[NicSpec], &NicProfiles, &Network),
    context: &mut Context,
) -> Vec<PortSpec> {
    let mistakes = context.mistakes();
    let limit = limits::PORTS_MAX;
    let tables = root.tables(ROOT.port.name, PORT.section, limit, mistakes);
    let mut ports = Vec::new();
    let mut counts = BTreeMap::<(NicId, NicId), u32>::new();
    for table in &tables {
        let from = ends(&PORT.from, table, endpoints, mistakes);
        let to = ends(&PORT.to, table, endpoints, mistakes);
        let policy = PORT.policy.get(table, mistakes);
        let (Some((from, sender)), Some((to, receiver))) = (from, to) else {
            continue;
        };
        if sender == receiver {
            mistakes.add(table.span, MistakeKind::PortToItself);
            continue;
        }
        network.check_joined(table.span, (sender, receiver), (nics, of_nic), mistakes);
        if network.joins(sender, receiver) && !network.links_directly(sender, receiver) {
            mistakes.add(table.span, MistakeKind::PortOverSwitches);
        }
        if let (Some(one), Some(other)) = (of_nic.of(sender).lmmc, of_nic.of(receiver).lmmc) {
            let pairs = assumed(&one).into_iter().zip(assumed(&other));
            for ((key, a), (_, b)) in pairs.filter(|(a, b)| a != b) {
                mistakes.add(table.span, MistakeKind::OtherPages { key, a, b });
            }
            let count = counts.entry((sender, receiver)).or_default();
            *count += 1;
            let ports = one.ports.get();
            if *count == ports.saturating_add(1) {
                mistakes.add(table.span, MistakeKind::TooManyPorts { ports });
            }
        }
        ports.push(PortSpec { from, to, policy });
    }
    ports
}

/// Returns the values of LMMC that an interface assumes of its peer.
fn assumed(costs: &LmmcCosts) -> [(&'static str, String); 3] {
    [
        ("page", show_size(costs.page.into())),
        ("ports", costs.ports.to_string()),
        ("frames", costs.frames.to_string()),
    ]
}

/// Reads the endpoints at one end of a port, and returns them with their NIC.
fn ends(
    key: &Key<Raw, Required>,
    table: &Table<'_>,
    endpoints: &Endpoints<'_>,
    mistakes: &mut Mistakes,
) -> Option<(Vec<EndpointId>, NicId)> {
    let value = key.raw(table, mistakes)?;
    let named = match value.get_ref() {
        DeValue::String(_) => std::slice::from_ref(value),
        DeValue::Array(named) if !named.is_empty() => named,
        _ => {
            let found = wrong_type(
                "the name of an endpoint, or a list of names",
                value.get_ref(),
            );
            mistakes.add(value.span(), found);
            return None;
        }
    };
    let mut places = BTreeMap::<EndpointId, Span>::new();
    let mut ids = Vec::new();
    let mut is_right = true;
    for name in named {
        let id = end(name, endpoints, mistakes);
        let Some(id) = id else {
            is_right = false;
            continue;
        };
        match places.insert(id, name.span().into()) {
            Some(first) => mistakes.add(name.span(), MistakeKind::PortTwice { first }),
            None => ids.push(id),
        }
    }
    let homes = ids.iter().map(|id| endpoints.nics[id.0 as usize]);
    let homes: BTreeSet<Option<NicId>> = homes.collect();
    let mut homes = homes.into_iter();
    match (homes.next(), homes.next()) {
        // An endpoint on no NIC of the scenario is a mistake of its own.
        (Some(Some(home)), None) if is_right => Some((ids, home)),
        (Some(Some(_)), Some(_)) => {
            mistakes.add(value.span(), MistakeKind::PortEnds);
            None
        }
        _ => None,
    }
}

/// Reads an endpoint of LMMC.
fn end(
    name: &Spanned<DeValue<'_>>,
    endpoints: &Endpoints<'_>,
    mistakes: &mut Mistakes,
) -> Option<EndpointId> {
    let id = endpoints.names.find_value(name, mistakes)?;
    let interface = endpoints.specs[id as usize].interface;
    if !interface.has_pages() {
        let (key, partner) = ("[[port]]", "interface = \"lmmc\"");
        mistakes.add(name.span(), MistakeKind::NeedsPartner { key, partner });
        return None;
    }
    Some(EndpointId(id))
}

/// Checks the links between NICs with endpoints of LMMC: they lose and change nothing, and hold what a stopped receiver
/// does not take.
pub(super) fn check_links(endpoints: &Endpoints<'_>, network: &Network, mistakes: &mut Mistakes) {
    let specs = endpoints.specs.iter().zip(&endpoints.nics);
    let with_pages = specs.filter(|(spec, _)| spec.interface.has_pages());
    let nics: BTreeSet<NicId> = with_pages.filter_map(|(_, nic)| *nic).collect();
    for (link, place) in network.given() {
        let (a, b) = link.between;
        if a == b || !nics.contains(&a) || !nics.contains(&b) {
            continue;
        }
        let LinkSpec {
            loss,
            duplicate,
            corrupt,
            reorder,
            wire,
            ..
        } = link;
        if [loss, duplicate, corrupt, reorder]
            .iter()
            .any(|fault| **fault > 0.0)
        {
            mistakes.add(place, MistakeKind::LmmcFaults);
        }
        if wire.flow != Flow::Stop {
            mistakes.add(place, MistakeKind::LmmcFlow);
        }
    }
}

/// Checks that programs that write to pages have ports for them, and that endpoints of LMMC have no other programs.
pub(super) fn check_programs(
    endpoints: &Endpoints<'_>,
    ports: &[PortSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
) {
    let mut served = BTreeSet::new();
    let specs = endpoints.specs.iter().zip(&endpoints.places);
    for (id, (spec, place)) in (0..).map(EndpointId).zip(specs) {
        let (length, needs_answers) = match spec.host {
            HostSpec::Pages(traffic) => {
                let needs_answers = traffic.pattern != PagePattern::Scatter;
                (traffic.length, needs_answers)
            }
            HostSpec::PageEcho { length } => (length, true),
            // A class says itself that it is for VIs.
            HostSpec::Sink | HostSpec::Class(_) => continue,
            HostSpec::Echo
            | HostSpec::Acknowledge { .. }
            | HostSpec::Exchange(_)
            | HostSpec::RingServer
            | HostSpec::RingClient(_) => {
                if spec.interface.has_pages() {
                    mistakes.add(*place, MistakeKind::ProgramOfMessages);
                }
                continue;
            }
        };
        // The first endpoint of a process has the pages of its program.
        if spec.process.is_some_and(|process| !served.insert(process)) {
            continue;
        }
        let pages = PagesOf::of(id, ports);
        if pages.sends.is_empty() || (needs_answers && pages.receives.is_empty()) {
            mistakes.add(*place, MistakeKind::ProgramWithoutPorts { needs_answers });
            continue;
        }
        if length < NUMBER_BYTES {
            let least = NUMBER_BYTES;
            mistakes.add(*place, MistakeKind::NoRoomForNumber { length, least });
        }
        let nic = endpoints.nics[id.0 as usize];
        if let Some(page) = nic
            .and_then(|nic| of_nic.of(nic).lmmc)
            .map(|lmmc| lmmc.page)
            && length > page
        {
            mistakes.add(*place, MistakeKind::MessageExceedsPage { length, page });
        }
    }
}
