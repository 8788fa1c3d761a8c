//! Reads `[[endpoint]]` tables: the NIC, program and applet of each endpoint, and the sizes of its parts.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;

use super::chain;
use super::context::Context;
use super::endpoint_table::Endpoints;
use super::keys::{ENDPOINT, FREE_BUFFERS, Heap, OnTrap, ROOT};
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::ports;
use super::processes::Processes;
use super::profiles::{NicProfiles, check_sections};
use super::table::{Mistakes, Table};
use super::vis;
use crate::applet;
use crate::profile::{Profile, Receive};
use crate::spec::{ChannelSpec, EndpointSpec, FaultPolicy, InterfaceKind, Notify};

/// Reads every `[[endpoint]]`.
pub(super) fn read<'t>(
    root: &Table<'t>,
    (nics, processes): (&NameIndex<'_>, &Processes<'_>),
    of_nic: &NicProfiles,
    context: &mut Context,
) -> Endpoints<'t> {
    let mut names = NameIndex::new(Named::Endpoint);
    let limit = limits::ENDPOINTS_MAX;
    let tables = root.tables(
        ROOT.endpoint.name,
        ENDPOINT.section,
        limit,
        context.mistakes(),
    );
    let (mut specs, homes): (Vec<EndpointSpec>, _) = tables
        .iter()
        .map(|table| {
            let name = names.define(&ENDPOINT.name, table, context.mistakes());
            let nic = nics.find_key(&ENDPOINT.nic, table, context.mistakes());
            let nic = nic.map(NicId);
            let spec = read_endpoint(table, (name, nic), processes, of_nic, context);
            (spec, nic)
        })
        .unzip();
    processes.check_names(&names, context.mistakes());
    let completion_queues = vis::completion_queues(&tables, &mut specs, context.mistakes());
    let names_applet = tables
        .iter()
        .map(|table| table.value(ENDPOINT.applet.name).is_some());
    let capsule_keys = tables
        .iter()
        .map(|table| table.value(ENDPOINT.accept_capsules.name))
        .zip((0u32..).map(EndpointId).zip(&specs))
        .filter_map(|(key, (id, spec))| {
            Some((id, key.filter(|_| spec.accepts_capsules)?.span().into()))
        })
        .collect();
    Endpoints {
        capsule_keys,
        names_applet: names_applet.collect(),
        specs,
        completion_queues,
        places: tables.iter().map(|table| table.span).collect(),
        nics: homes,
        names,
    }
}

fn read_endpoint(
    table: &Table<'_>,
    (name, nic): (&str, Option<NicId>),
    processes: &Processes<'_>,
    of_nic: &NicProfiles,
    context: &mut Context,
) -> EndpointSpec {
    // Any NIC id serves as a placeholder, because a scenario with a mistake is not run. Checks that need the endpoint's
    // NIC use `Endpoints::nics`.
    let home = nic.unwrap_or(NicId(0));
    let profile = of_nic.of(home);
    let named = table.value(ENDPOINT.applet.name);
    let classes = named.map_or(Vec::new(), |named| chain::classes(named, context));
    let class = classes.first().copied().flatten();
    let (buffer_area, (free_buffer_count, free_buffer_length)) = buffers(table, context);
    let mistakes = context.mistakes();
    let accepts_capsules = ENDPOINT.accept_capsules.get(table, mistakes);
    let heap = ENDPOINT.heap.given(table, mistakes);
    let is_collected = heap
        .as_ref()
        .is_some_and(|heap| heap.value == Heap::Collected);
    let heap = match heap.map(|heap| heap.value) {
        Some(Heap::Bytes(bytes)) => bytes,
        Some(Heap::Collected) | None => profile.memory.heap.into(),
    };
    if is_collected && (accepts_capsules || classes.len() != 1) {
        let (key, partner) = (
            "heap = \"collected\"",
            "applet` with a single class, without `accept_capsules",
        );
        mistakes.add(table.span, MistakeKind::NeedsPartner { key, partner });
    }
    let interface = ENDPOINT.interface.get(table, mistakes);
    if nic.is_some() {
        if !interface.replaces_applets()
            && accepts_capsules
            && let Some(value) = table.value(ENDPOINT.accept_capsules.name)
        {
            let (key, interface) = (ENDPOINT.accept_capsules.name, interface.name());
            mistakes.add(
                value.span(),
                MistakeKind::ExcludedByInterface { key, interface },
            );
        }
        if class.is_some() || accepts_capsules {
            let needs = || "an applet".to_owned();
            check_sections(table.span, profile, (needs, applet::SECTIONS), mistakes);
        }
    }
    if let Some(state) = table.value(ENDPOINT.state.name)
        && table.value(ENDPOINT.applet.name).is_none()
    {
        let (key, partner) = (ENDPOINT.state.name, ENDPOINT.applet.name);
        mistakes.add(state.span(), MistakeKind::NeedsPartner { key, partner });
    }
    let vi = vis::read(table, (interface, profile), mistakes);
    let (process, host) = processes.of_endpoint(table, nic, mistakes);
    let (state, followers) = chain::states(table, &classes, heap, context);
    let mistakes = context.mistakes();
    if !followers.is_empty()
        && !interface.replaces_applets()
        && let Some(value) = table.value(ENDPOINT.applet.name)
    {
        let (key, interface) = ("applet = [...]", interface.name());
        let kind = MistakeKind::ExcludedByInterface { key, interface };
        mistakes.add(value.span(), kind);
    }
    if !followers.is_empty() && accepts_capsules {
        let what = "a capsule replaces a single applet";
        mistakes.add(table.span, MistakeKind::Chain { what });
    }
    let has_chain = !followers.is_empty();
    if profile.receive == Receive::Direct
        && nic.is_some()
        && let Some(what) = needs_packets(interface, has_chain, accepts_capsules)
    {
        let profile = profile.name.clone();
        mistakes.add(table.span, MistakeKind::ReceivesDirectly { what, profile });
    }
    if !followers.is_empty() && vi.is_some() {
        let what = "a VI has a single applet";
        mistakes.add(table.span, MistakeKind::Chain { what });
    }
    let mut endpoint = EndpointSpec {
        nic: home,
        name: name.to_owned(),
        class,
        state,
        followers,
        accepts_capsules,
        interface,
        vi,
        buffer_area: narrow(buffer_area),
        free_buffer_count: narrow(free_buffer_count),
        free_buffer_length: narrow(free_buffer_length),
        transmit_from: narrow(free_buffer_count * free_buffer_length),
        process,
        host,
        fuel: ENDPOINT.fuel.get(table, mistakes),
        on_trap: fault_policy(table, mistakes),
        heap: narrow(heap),
        is_collected,
        tx_queue: narrow(ENDPOINT.tx_queue.get(table, mistakes)),
        rx_queue: narrow(ENDPOINT.rx_queue.get(table, mistakes)),
        notify: notify(table, profile, mistakes),
    };
    ports::only_pages(table, &mut endpoint, mistakes);
    if endpoint.has_chain() && endpoint.on_trap != FaultPolicy::Drop {
        let what = "a trap in a chain drops the message, as `on_trap = \"drop\"` says";
        context
            .mistakes()
            .add(table.span, MistakeKind::Chain { what });
    }
    context.take_area_bytes(endpoint.buffer_area.into(), table.span);
    context.take_free_buffers(endpoint.free_buffer_count.into(), table.span);
    let descriptors = u64::from(endpoint.tx_queue) + u64::from(endpoint.rx_queue);
    context.take_descriptors(descriptors, table.span);
    let rx_buf = u64::from(profile.rx_buf_bytes());
    // An applet that comes in a capsule needs memory in addition to that of the applet that it replaces.
    let applets = match (class.is_some(), accepts_capsules) {
        (_, true) => 2,
        (true, false) => 1 + endpoint.followers.len() as u64,
        (false, false) => 0,
    };
    context.take_heap_bytes(applets * (heap + rx_buf), table.span);
    endpoint
}

/// Returns what of an endpoint needs NIC memory for whole packets, if anything does.
fn needs_packets(
    interface: InterfaceKind,
    has_chain: bool,
    accepts_capsules: bool,
) -> Option<&'static str> {
    if interface != InterfaceKind::Unet {
        return Some("endpoint of an interface but `unet`");
    }
    match has_chain {
        true => Some("chain of applets"),
        false => accepts_capsules.then_some("`accept_capsules`"),
    }
}

/// Checks that the profiles of the endpoints' NICs have the sections that their interfaces need. An endpoint without a
/// channel sends and receives nothing, unless it has pages: it is memory of its host, with windows at most, and needs no
/// section.
pub(super) fn check_interfaces(
    endpoints: &Endpoints<'_>,
    channels: &[ChannelSpec],
    of_nic: &NicProfiles,
    mistakes: &mut Mistakes,
) {
    let ends = channels.iter().flat_map(|spec| [spec.a.0, spec.b.0]);
    let joined: BTreeSet<EndpointId> = ends.collect();
    let specs = endpoints.specs.iter().zip(&endpoints.places);
    for (id, (spec, place)) in (0..).map(EndpointId).zip(specs) {
        let takes_part = joined.contains(&id) || spec.interface.has_pages();
        let Some(nic) = endpoints.nics[id.0 as usize].filter(|_| takes_part) else {
            continue;
        };
        let needs = || format!("an endpoint of interface `{}`", spec.interface.name());
        let sections = spec.interface.sections();
        check_sections(*place, of_nic.of(nic), (needs, sections), mistakes);
    }
}

/// Converts a number of an endpoint's table, whose range has been checked, to 32 bits.
fn narrow(number: u64) -> u32 {
    u32::try_from(number).expect("ranges of an endpoint's numbers fit in 32 bits")
}

/// Reads the size of the buffer area, and the count and length of the free buffers.
fn buffers(table: &Table<'_>, context: &mut Context) -> (u64, (u64, u64)) {
    let mistakes = context.mistakes();
    let area = ENDPOINT.buffer_area.get(table, mistakes);
    let (count, length) = (&FREE_BUFFERS.count, &FREE_BUFFERS.length);
    let (count, length, span) = match table.value(ENDPOINT.free_buffers.name) {
        None => (count.default(), length.default(), table.span),
        Some(value) => match Table::of_value(value, FREE_BUFFERS.section, mistakes) {
            None => return (area, (0, length.default())),
            Some(free) => (
                count.get(&free, mistakes),
                length.get(&free, mistakes),
                free.span,
            ),
        },
    };
    let needed = count * length;
    if needed > area {
        mistakes.add(span, MistakeKind::FreeBuffersDoNotFit { area, needed });
        return (area, (0, length));
    }
    (area, (count, length))
}

fn fault_policy(table: &Table<'_>, mistakes: &mut Mistakes) -> FaultPolicy {
    let (after, back_off) = (&ENDPOINT.detach_after, &ENDPOINT.back_off);
    let policy = match ENDPOINT.on_trap.get(table, mistakes) {
        OnTrap::Drop => FaultPolicy::Drop,
        OnTrap::BasePath => FaultPolicy::BasePath,
        OnTrap::Detach => {
            let count = NonZeroU32::new(narrow(after.get(table, mistakes)));
            return FaultPolicy::Detach {
                after: count.unwrap_or(NonZeroU32::MIN),
                back_off: back_off.get(table, mistakes),
            };
        }
    };
    for key in [after.name, back_off.name] {
        if let Some(value) = table.value(key) {
            let partner = "on_trap = \"detach\"";
            mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
        }
    }
    policy
}

fn notify(table: &Table<'_>, profile: &Profile, mistakes: &mut Mistakes) -> Notify {
    let upcall = ENDPOINT.notify.get(table, mistakes);
    let every = ENDPOINT.poll_every.given(table, mistakes);
    let default = profile.host.poll_every;
    match every {
        Some(every) if upcall => {
            let kind = MistakeKind::NeedsPartner {
                key: ENDPOINT.poll_every.name,
                partner: "notify = \"poll\"",
            };
            mistakes.add(every.span, kind);
        }
        Some(every) if every.value == SimDuration::ZERO => {
            mistakes.add(every.span, MistakeKind::NotPositive);
        }
        Some(_) | None => {}
    }
    if upcall {
        return Notify::Upcall;
    }
    let every = every.map_or(default, |every| every.value);
    Notify::Poll { every }
}
