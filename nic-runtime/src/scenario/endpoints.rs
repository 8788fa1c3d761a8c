//! Reads `[[endpoint]]` tables: the NIC, program and applet of each endpoint, and the sizes of its parts.

use std::num::NonZeroU32;

use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;

use super::chain;
use super::context::Context;
use super::endpoint_table::Endpoints;
use super::limits;
use super::mistake::{MistakeKind, Named};
use super::names::NameIndex;
use super::processes::Processes;
use super::profiles::NicProfiles;
use super::table::{self, Mistakes, Table, choice, keys};
use super::vis;
use crate::profile::Profile;
use crate::sle;
use crate::spec::InterfaceKind;
use crate::spec::{EndpointSpec, FaultPolicy, Notify};

pub(super) const ENDPOINT_KEYS: &[&str] = &[
    "nic",
    "name",
    "interface",
    "applet",
    "state",
    "accept_capsules",
    "buffer_area",
    "free_buffers",
    "process",
    "host",
    "acknowledge_every",
    "rounds",
    "message_length",
    "fuel",
    "on_trap",
    "detach_after",
    "back_off",
    "heap",
    "tx_queue",
    "rx_queue",
    "notify",
    "poll_every",
    "provider",
    "reliability",
    "completion",
    "transfer",
    "on_empty",
    "split",
    "strict",
];
const FREE_BUFFER_KEYS: &[&str] = &["count", "length"];

/// Values of `on_trap`.
const FAULT_POLICIES: [(&str, FaultPolicy); 3] = [
    ("drop", FaultPolicy::Drop),
    ("base-path", FaultPolicy::BasePath),
    (
        "detach",
        FaultPolicy::Detach {
            after: DETACH_AFTER_DEFAULT,
            back_off: BACK_OFF_DEFAULT,
        },
    ),
];
const FAULT_POLICY_NAMES: [&str; FAULT_POLICIES.len()] = keys(&FAULT_POLICIES);

/// Default of `detach_after`.
const DETACH_AFTER_DEFAULT: NonZeroU32 = NonZeroU32::new(3).expect("3 is not 0");

/// Default of `back_off`.
const BACK_OFF_DEFAULT: SimDuration = SimDuration::from_ns(1_000_000);

const INTERFACE_NAMES: [&str; InterfaceKind::ALL.len()] = keys(&InterfaceKind::ALL);

/// Values of the key `notify`, and whether each value means an upcall.
const NOTIFIES: [(&str, bool); 2] = [("poll", false), ("upcall", true)];
const NOTIFY_NAMES: [&str; NOTIFIES.len()] = keys(&NOTIFIES);

/// Default of `buffer_area`, in bytes.
const BUFFER_AREA_DEFAULT: u64 = 65_536;

/// Default of `free_buffers`: count and length.
const FREE_BUFFERS_DEFAULT: (u64, u64) = (8, 4_096);

/// Default of `fuel`, in instructions for each call.
const FUEL_DEFAULT: u64 = 1_000_000;

/// Default of `tx_queue` and `rx_queue`, in descriptors.
const QUEUE_DEFAULT: u64 = 64;

/// Reads every `[[endpoint]]`.
pub(super) fn read<'t>(
    root: &Table<'t>,
    (nics, processes): (&NameIndex<'_>, &Processes<'_>),
    of_nic: &NicProfiles,
    context: &mut Context<'_>,
) -> Endpoints<'t> {
    let mut names = NameIndex::new(Named::Endpoint);
    let limit = limits::ENDPOINTS_MAX;
    let tables = root.tables(
        "endpoint",
        "`[[endpoint]]`",
        ENDPOINT_KEYS,
        limit,
        context.mistakes(),
    );
    let (mut specs, homes): (Vec<EndpointSpec>, _) = tables
        .iter()
        .map(|table| {
            let name = names.define(table, context.mistakes());
            let nic = table
                .need("nic", context.mistakes())
                .and_then(|value| nics.find_value(value, context.mistakes()))
                .map(NicId);
            let spec = read_endpoint(table, (name, nic), processes, of_nic, context);
            (spec, nic)
        })
        .unzip();
    processes.check_names(&names, context.mistakes());
    let completion_queues = vis::completion_queues(&tables, &mut specs, context.mistakes());
    let names_applet = tables.iter().map(|table| table.value("applet").is_some());
    let capsule_keys = tables
        .iter()
        .map(|table| table.value("accept_capsules"))
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
    context: &mut Context<'_>,
) -> EndpointSpec {
    // Any NIC id serves as a placeholder, because a scenario with a mistake is not run. Checks that need the endpoint's
    // NIC use `Endpoints::nics`.
    let home = nic.unwrap_or(NicId(0));
    let profile = of_nic.of(home);
    let named = table.value("applet");
    let classes = named.map_or(Vec::new(), |named| chain::classes(named, context));
    let class = classes.first().copied().flatten();
    let (buffer_area, (free_buffer_count, free_buffer_length)) = buffers(table, context);
    let mistakes = context.mistakes();
    let accepts_capsules = table
        .optional("accept_capsules", table::boolean, mistakes)
        .is_some_and(|accepts| accepts.value);
    let heap_range = 0..=limits::HEAP_MAX;
    let heap = table.number(
        "heap",
        u64::from(profile.memory.heap),
        heap_range,
        table::size,
        mistakes,
    );
    let interfaces = &InterfaceKind::ALL;
    let interface = choice(table, "interface", interfaces, &INTERFACE_NAMES, mistakes);
    let interface = interface.unwrap_or(InterfaceKind::ALL[0].1);
    if nic.is_some() {
        if !interface.replaces_applets()
            && accepts_capsules
            && let Some(value) = table.value("accept_capsules")
        {
            let (key, interface) = ("accept_capsules", interface.name());
            mistakes.add(
                value.span(),
                MistakeKind::ExcludedByInterface { key, interface },
            );
        }
        let has_applet = class.is_some() || accepts_capsules;
        check_sections(table, profile, (interface, has_applet), mistakes);
    }
    if let Some(state) = table.value("state")
        && table.value("applet").is_none()
    {
        let (key, partner) = ("state", "applet");
        mistakes.add(state.span(), MistakeKind::NeedsPartner { key, partner });
    }
    let vi = vis::read(table, (interface, profile), mistakes);
    let (process, host) = processes.of_endpoint(table, nic, mistakes);
    let fuel_range = 0..=limits::FUEL_MAX;
    let (state, followers) = chain::states(table, &classes, heap, context);
    let mistakes = context.mistakes();
    if !followers.is_empty()
        && !interface.replaces_applets()
        && let Some(value) = table.value("applet")
    {
        let (key, interface) = ("applet = [...]", interface.name());
        let kind = MistakeKind::ExcludedByInterface { key, interface };
        mistakes.add(value.span(), kind);
    }
    if !followers.is_empty() && accepts_capsules {
        let what = "a capsule replaces a single applet";
        mistakes.add(table.span, MistakeKind::Chain { what });
    }
    if !followers.is_empty() && vi.is_some() {
        let what = "a VI has a single applet";
        mistakes.add(table.span, MistakeKind::Chain { what });
    }
    let endpoint = EndpointSpec {
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
        fuel: table.number("fuel", FUEL_DEFAULT, fuel_range, table::integer, mistakes),
        on_trap: fault_policy(table, mistakes),
        heap: narrow(heap),
        tx_queue: queue(table, "tx_queue", mistakes),
        rx_queue: queue(table, "rx_queue", mistakes),
        notify: notify(table, profile, mistakes),
    };
    if endpoint.has_chain() && endpoint.on_trap != FaultPolicy::Drop {
        let what = "a trap in a chain drops the message, as `on_trap = \"drop\"` says";
        context
            .mistakes()
            .add(table.span, MistakeKind::Chain { what });
    }
    context.take_area_bytes(buffer_area, table.span);
    context.take_free_buffers(free_buffer_count, table.span);
    let descriptors = u64::from(endpoint.tx_queue) + u64::from(endpoint.rx_queue);
    context.take_descriptors(descriptors, table.span);
    let rx_buf = u64::from(profile.memory.max_packet.get());
    // An applet that comes in a capsule needs memory in addition to that of the applet that it replaces.
    let applets = match (class.is_some(), accepts_capsules) {
        (_, true) => 2,
        (true, false) => 1 + endpoint.followers.len() as u64,
        (false, false) => 0,
    };
    context.take_heap_bytes(applets * (heap + rx_buf), table.span);
    endpoint
}

/// Checks that the profile of the endpoint's NIC has the sections that its interface and its applet need.
fn check_sections(
    table: &Table<'_>,
    profile: &Profile,
    (interface, has_applet): (InterfaceKind, bool),
    mistakes: &mut Mistakes,
) {
    let of_interface = format!("an endpoint of interface `{}`", interface.name());
    let needs = [
        (of_interface, interface.sections()),
        (
            "an applet".to_owned(),
            if has_applet { sle::SECTIONS } else { &[] },
        ),
    ];
    for (needs, sections) in needs {
        if let Some(section) = profile.lacks(sections) {
            let profile = profile.name.clone();
            let kind = MistakeKind::ProfileLacks {
                needs,
                section,
                profile,
            };
            mistakes.add(table.span, kind);
        }
    }
}

/// Converts a number of an endpoint's table, whose range has been checked, to 32 bits.
fn narrow(number: u64) -> u32 {
    u32::try_from(number).expect("ranges of an endpoint's numbers fit in 32 bits")
}

/// Reads the size of the buffer area, and the count and length of the free buffers.
fn buffers(table: &Table<'_>, context: &mut Context<'_>) -> (u64, (u64, u64)) {
    let mistakes = context.mistakes();
    let range = 1..=limits::BUFFER_AREA_MAX;
    let area = table.number(
        "buffer_area",
        BUFFER_AREA_DEFAULT,
        range.clone(),
        table::size,
        mistakes,
    );
    let (count_default, length_default) = FREE_BUFFERS_DEFAULT;
    let (count, length, span) = match table.value("free_buffers") {
        None => (count_default, length_default, table.span),
        Some(value) => {
            let what = "`free_buffers`";
            match Table::of_value(value, what, FREE_BUFFER_KEYS, mistakes) {
                None => return (area, (0, length_default)),
                Some(free) => (
                    free.number(
                        "count",
                        count_default,
                        0..=limits::BUFFER_AREA_MAX,
                        table::integer,
                        mistakes,
                    ),
                    free.number("length", length_default, range, table::size, mistakes),
                    free.span,
                ),
            }
        }
    };
    let needed = count * length;
    if needed > area {
        mistakes.add(span, MistakeKind::FreeBuffersDoNotFit { area, needed });
        return (area, (0, length));
    }
    (area, (count, length))
}

fn queue(table: &Table<'_>, key: &'static str, mistakes: &mut Mistakes) -> u32 {
    let range = 1..=limits::QUEUE_MAX;
    narrow(table.number(key, QUEUE_DEFAULT, range, table::integer, mistakes))
}

fn fault_policy(table: &Table<'_>, mistakes: &mut Mistakes) -> FaultPolicy {
    let names = &FAULT_POLICY_NAMES;
    let policy = choice(table, "on_trap", &FAULT_POLICIES, names, mistakes);
    let policy = policy.unwrap_or(FaultPolicy::Drop);
    let FaultPolicy::Detach { after, back_off } = policy else {
        for key in ["detach_after", "back_off"] {
            if let Some(value) = table.value(key) {
                let partner = "on_trap = \"detach\"";
                mistakes.add(value.span(), MistakeKind::NeedsPartner { key, partner });
            }
        }
        return policy;
    };
    let default = u64::from(after.get());
    let range = 1..=u64::from(u32::MAX);
    let count = table.number("detach_after", default, range, table::integer, mistakes);
    let given = table.optional("back_off", table::time, mistakes);
    FaultPolicy::Detach {
        after: NonZeroU32::new(narrow(count)).unwrap_or(after),
        back_off: given.map_or(back_off, |given| given.value),
    }
}

fn notify(table: &Table<'_>, profile: &Profile, mistakes: &mut Mistakes) -> Notify {
    let upcall = choice(table, "notify", &NOTIFIES, &NOTIFY_NAMES, mistakes) == Some(true);
    let every = table.optional("poll_every", table::time, mistakes);
    let default = profile.host.poll_every;
    match every {
        Some(every) if upcall => {
            let kind = MistakeKind::NeedsPartner {
                key: "poll_every",
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
