//! Builds a simulation from a scenario, in the state before the first event.

use crate::ids::{AppletId, ProcessorId, Table, at};
use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroU32;

use bumpalo::Bump;
use jive_core::Lifetime;
use jive_embed::preset::load_preset_collected;
use jive_embed::{load_class, load_collected};
use nic_core::chain::Link;
use nic_core::event::{Levels, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::random::{Chance, Name};
use nic_core::sle::{Applet, NicNative, memory_bytes};
use nic_core::time::{Rate, SimDuration, SimTime};
use nic_core::unet::{Channel, QueueSizes};

use crate::applet::state::reload;
use crate::calls::budget::{Budget, fuel_of_call};
use crate::calls::chain::Chains;
use crate::calls::classes::{Classes, fits};
use crate::calls::collector::{AppletCollector, Collectors};
use crate::calls::last_arrays::LastArrays;
use crate::calls::needs::not_offered;
use crate::calls::pending::AllPendingCalls;
use crate::calls::processor::Processor;
use crate::calls::refused::SimError;
use crate::calls::suspended::{Suspensions, call_stack};
use crate::calls::swaps::{Swaps, may_bring_calls};
use crate::engine::Simulation;
use crate::engine::{self, States};
use crate::host::own::{self, OwnProcesses};
use crate::host::{Notify, TransmitRegion, Turns, User};
use crate::memory::HostMemory;
use crate::nic::cells::Cells;
use crate::nic::costs::Costs;
use crate::nic::endpoint::{EndpointInfo, LiveEndpoint};
use crate::nic::fault::FaultRecord;
use crate::nic::item::Taking;
use crate::nic::landings::Landings;
use crate::nic::role::{CallWaits, ProcessorRole};
use crate::nic::transfer::Transfers;
use crate::nic::{Nic, Owners, Progress, Tenancy};
use crate::profile::{Events, Flow, PortOrder, Profile};
use crate::sched::Schedule;
use crate::sim::limits::Limits;
use crate::sim::report::Report;
use crate::sim::sends::Sends;
use crate::sim::setup::Setup;
use crate::spec::{self, EndpointSpec, FieldState, InterfaceKind, LinkSpec, Provider, Scenario};
use crate::storage::{Channels, Endpoint, FreeQueue};
use crate::wire::Backlogs;
use crate::wire::{Admission, Fabric, Faults, Onward, PacketStore, Port, Wire};

impl<'a> Simulation<'a> {
    /// Builds the simulation of a scenario.
    pub(crate) fn build(
        (arena, memory_of_applets): (&'a Bump, &'a mut [u8]),
        scenario: &'a Scenario,
        classes: Classes<'a>,
        sink: Option<&'a mut dyn Sink>,
    ) -> Result<Simulation<'a>, SimError> {
        let fabric = fabric(scenario);
        let mut memory = HostMemory::new();
        let mut endpoints = Table::with_capacity(scenario.endpoints.len());
        let mut users = Table::with_capacity(scenario.endpoints.len());
        for spec in &scenario.endpoints {
            let profile = scenario.profile_of(spec.nic);
            let endpoint = endpoint(spec, profile, &mut memory);
            users.push(user(spec, &endpoint, profile));
            endpoints.push(endpoint);
        }
        join(scenario, &fabric, &mut endpoints)?;
        check_payloads(scenario, &users)?;
        let (applets, collectors) = applets((arena, memory_of_applets), scenario, classes)?;
        let may_have_applet = scenario.may_have_applets();
        // Endpoints that get their first applet during the run also need a place in the list of applets.
        let followers = scenario.endpoints.iter().map(|spec| spec.followers.len());
        let mut places =
            may_have_applet.iter().filter(|may| **may).count() + followers.sum::<usize>();
        if scenario.lenient_load {
            // The applet that follows an applet that trapped while it was loaded gets a place of its own.
            places += scenario.endpoints.len();
        }
        let may_come = may_bring_calls(scenario, classes);
        let pending_calls = AllPendingCalls::new(&applets, places, may_come);
        let nics = nics(scenario, &may_have_applet, !pending_calls.is_empty());
        let has_cells = scenario.links.iter().any(|link| link.wire.cell > 0);
        let has_multiprocessors = nics.iter().any(|nic| nic.processors().count() > 1);
        let live = live(scenario);
        let infos = infos(scenario, &may_have_applet, &nics);
        let chains = Chains::new(scenario, &infos);
        let states = States::new(scenario, &endpoints, &fabric);
        fit_windows(&states, scenario, &fabric, &mut endpoints);
        let have_own_work = engine::have_own_work(&scenario.endpoints);
        Ok(Simulation {
            now: SimTime::ZERO,
            schedule: Schedule::new(),
            limits: Limits::new(scenario.until, scenario.events_max),
            setup: Setup::new(scenario, &nics, !chains.is_empty()),
            cells: Cells::new(has_cells),
            backlogs: Backlogs::default(),
            chains,
            host_time: SimDuration::ZERO,
            interrupts: 0,
            budget: Budget::new(scenario.bytecodes_max),
            processors: processors(arena, scenario, &may_have_applet, &nics, sink.is_some()),
            sends: Sends::new(&scenario.sends),
            more_sources: u32::from(have_own_work)
                + u32::from(has_multiprocessors)
                + u32::from(!pending_calls.is_empty()),
            pending_calls,
            waits: match has_multiprocessors {
                true => Table::filled(places, CallWaits::default()),
                false => Table::new(),
            },
            shared: Table::filled(if have_own_work { nics.len() } else { 0 }, VecDeque::new()),
            engines: states,
            scenario,
            nics,
            fabric,
            packets: PacketStore::default(),
            transfers: Transfers::default(),
            landings: Landings::default(),
            memory,
            endpoints,
            specs: &scenario.endpoints,
            infos,
            live,
            links: vec![Link::default(); 2 * scenario.endpoints.len()],
            arena,
            suspensions: Suspensions::new(places),
            last_arrays: LastArrays::new(places, scenario),
            applets,
            collectors,
            swaps: Swaps::new(scenario, classes, InterfaceKind::record_bytes),
            send_slots_left: send_slots_left(scenario),
            names: names(scenario),
            levels: match sink.is_some() {
                true => Table::filled(scenario.endpoints.len(), Levels::default()),
                false => Table::new(),
            },
            users,
            turns: Turns::new(scenario),
            own: OwnProcesses::default(),
            report: Report::new(scenario, classes, sink),
        })
    }
}

fn fabric(scenario: &Scenario) -> Fabric {
    let name = |node: NicId| scenario.node_name(node);
    let mut fabric = Fabric::new();
    let mut of_links = Vec::with_capacity(scenario.links.len());
    for link in &scenario.links {
        let (a, b) = link.between;
        let mut add = |from, to| {
            let name = Name::new(scenario.seed, &["link", name(from), name(to)]);
            let longest = longest_from(scenario, from);
            let id = fabric.add((from, to), wire(link, longest), name);
            fabric[id].takes_turns = from != to && takes_turns(scenario, from);
            if let Some(switch) = scenario.switch(to) {
                let (mode, latency, full) = (switch.mode, switch.latency, switch.full);
                let onward = Onward {
                    mode,
                    latency,
                    full,
                };
                fabric.end_at_switch(id, onward, Port::new(switch.buffer, full));
            }
            if let Some(switch) = scenario.switch(from) {
                let buffer = Port::new(switch.buffer, switch.full);
                fabric.begin_at_switch(id, switch.mode, buffer);
            }
            id
        };
        let there = add(a, b);
        // A link from a NIC to itself has only one direction.
        let back = if a == b { there } else { add(b, a) };
        of_links.push([there, back]);
    }
    if !scenario.switches.is_empty() {
        fabric.set_routes(scenario.routes(), of_links);
    }
    fabric
}

/// Returns whether the channels of a NIC take turns at its ports. At a switch, packets leave in the order in which they
/// came.
fn takes_turns(scenario: &Scenario, from: NicId) -> bool {
    let is_nic = scenario.switch(from).is_none();
    is_nic
        && scenario
            .profile_of(from)
            .port
            .is_some_and(|port| port.order == PortOrder::RoundRobin)
}

/// Returns the length of the longest packet that leaves a node, which is that of any NIC at a switch.
fn longest_from(scenario: &Scenario, from: NicId) -> u32 {
    let of = |nic: NicId| scenario.profile_of(nic).memory.max_packet.get();
    match scenario.switch(from) {
        None => of(from),
        Some(_) => {
            let nics = (0u32..).map(NicId).take(scenario.nics.len());
            nics.map(of).max().unwrap_or(0)
        }
    }
}

/// Returns the properties of a link for messages of at most `longest` bytes.
fn wire(link: &LinkSpec, longest: u32) -> Wire {
    let passes = NonZeroU32::new(link.wire.mtu).map_or(u32::MAX, NonZeroU32::get);
    let reserve = link.wire.reserve(longest.min(passes));
    Wire {
        latency: link.wire.latency,
        rate: Rate::new(link.wire.bandwidth),
        framing: link.wire.framing(),
        longest: passes,
        backlog: match link.wire.flow {
            Flow::Stop => Some((link.wire.buffer, reserve, link.wire.timeout)),
            Flow::Hold | Flow::Drop => None,
        },
        cell: link.wire.cell,
        reorder_max: link.wire.reorder_max,
        faults: Faults {
            loss: Chance::new(link.loss),
            duplicate: Chance::new(link.duplicate),
            corrupt: Chance::new(link.corrupt),
            reorder: Chance::new(link.reorder),
        },
        crc: link.crc,
        admission: match link.wire.flow {
            Flow::Hold => Admission::Slot,
            Flow::Drop | Flow::Stop => Admission::Unasked,
        },
    }
}

fn endpoint(spec: &EndpointSpec, profile: &Profile, memory: &mut HostMemory) -> Endpoint {
    let area = memory.pin(spec.buffer_area);
    let free = if spec.posts_receives() {
        // Posted receives replace free buffers: each receive names one contiguous piece anywhere in the buffer area.
        FreeQueue::new(0, spec.buffer_area)
    } else {
        FreeQueue::new(spec.free_buffer_count, spec.free_buffer_length)
    };
    let queues = QueueSizes {
        transmit: spec.tx_queue,
        receive: spec.interface.receive_entries(spec),
    };
    let max_packet = profile.memory.max_packet.get();
    let mut endpoint = Endpoint::new((spec.nic, max_packet), area, free, queues);
    endpoint.posts_descriptors = spec.posts_descriptors();
    if spec.interface == InterfaceKind::Via {
        endpoint.transmit.complete_in_order();
    }
    endpoint
}

fn user(of: &EndpointSpec, endpoint: &Endpoint, profile: &Profile) -> User {
    let program = own::program_of(of.host);
    let is_over_memory = of.vi.is_some_and(|vi| vi.provider == Provider::Clan);
    let interrupts = profile
        .clan
        .is_some_and(|clan| clan.events == Events::Interrupt);
    let notify = match of.notify {
        spec::Notify::Poll { every } => Notify::Poll(every),
        // The interrupt that tells the library of a message wakes the user, too.
        spec::Notify::Upcall if is_over_memory && interrupts => Notify::Upcall(SimDuration::ZERO),
        spec::Notify::Upcall => Notify::Upcall(profile.host.upcall),
    };
    let region = TransmitRegion::new(endpoint.area, of.transmit_from);
    User::new(program, notify, region)
}

/// Fills in the channel tables of all endpoints.
fn join(
    scenario: &Scenario,
    fabric: &Fabric,
    endpoints: &mut Table<EndpointId, Endpoint>,
) -> Result<(), SimError> {
    let mut tables = Table::filled(endpoints.len(), Vec::new());
    for (index, channel) in scenario.channels.iter().enumerate() {
        let ends = [(channel.a, channel.b), (channel.b, channel.a)];
        for ((endpoint, id), (peer, peer_id)) in ends {
            let nic = |endpoint: EndpointId| endpoints[endpoint].nic;
            let route = fabric.route(nic(endpoint), nic(peer));
            let route = route.ok_or(SimError::NoLink { channel: index })?;
            tables[endpoint].push(Channel {
                id,
                peer,
                peer_id,
                route,
            });
        }
    }
    for (endpoint, table) in endpoints.iter_mut().zip(tables) {
        fit(endpoint, &table, (scenario, fabric));
        endpoint.channels = Channels::new(table);
    }
    Ok(())
}

/// Limits the packets of an endpoint: each must fit every wire and every peer's NIC, so the smallest limit holds.
fn fit<'c>(
    endpoint: &mut Endpoint,
    paths: impl IntoIterator<Item = &'c Channel>,
    (scenario, fabric): (&Scenario, &Fabric),
) {
    let longest = |nic: NicId| scenario.profile_of(nic).memory.max_packet.get();
    for path in paths {
        let to = scenario.endpoints[path.peer].nic;
        endpoint.max_packet = endpoint.max_packet.min(longest(to));
        for direction in fabric.way(endpoint.nic, to) {
            endpoint.max_packet = endpoint.max_packet.min(direction.wire.longest);
        }
    }
}

/// Limits the packet lengths of endpoints that write to windows.
fn fit_windows(
    states: &States,
    scenario: &Scenario,
    fabric: &Fabric,
    endpoints: &mut Table<EndpointId, Endpoint>,
) {
    for (id, endpoint) in (0u32..).map(EndpointId).zip(endpoints) {
        fit(endpoint, states.window_paths(id), (scenario, fabric));
    }
}

fn check_payloads(scenario: &Scenario, users: &Table<EndpointId, User>) -> Result<(), SimError> {
    for (index, send) in scenario.sends.iter().enumerate() {
        let room = users[send.endpoint].region.longest();
        let length = send.payload.len();
        if length > at(room) {
            return Err(SimError::PayloadTooLong {
                send: index,
                length,
                room,
            });
        }
    }
    Ok(())
}

/// Returns how many send slots the messages of each endpoint may hold; empty if no interface limits them.
fn send_slots_left(scenario: &Scenario) -> Table<EndpointId, i32> {
    let endpoints = scenario.endpoints.iter();
    let shares = endpoints.map(|spec| spec.interface.send_slots_share(scenario, spec.nic));
    let shares: Vec<Option<i32>> = shares.collect();
    if shares.iter().all(Option::is_none) {
        return Table::new();
    }
    let shares = shares.into_iter();
    shares.map(|share| share.unwrap_or(i32::MAX)).collect()
}

/// Returns the hashed names of the endpoints, which seed the random draws of faulty links. The list of hashed names is
/// empty if no link has faults.
fn names(scenario: &Scenario) -> Table<EndpointId, Name> {
    if !scenario.links.iter().any(|link| wire(link, 0).is_faulty()) {
        return Table::new();
    }
    let endpoints = scenario.endpoints.iter();
    endpoints.map(|spec| Name::new(0, &[&spec.name])).collect()
}

/// Builds the NICs.
fn nics(
    scenario: &Scenario,
    may_have_applet: &Table<EndpointId, bool>,
    has_pending_calls: bool,
) -> Table<NicId, Nic> {
    let mut on_nic = Table::filled(scenario.nics.len(), Vec::new());
    for (id, spec) in (0u32..).map(EndpointId).zip(&scenario.endpoints) {
        on_nic[spec.nic].push(id);
    }
    let has_applet = |id: &&EndpointId| may_have_applet[**id];
    let mut processors = 0;
    let nics = on_nic.into_iter().zip(&scenario.nics);
    let nics = (0u32..).map(NicId).zip(nics);
    let nics = nics.map(|(id, (endpoints, spec))| {
        let applets = endpoints.iter().filter(has_applet).count();
        let unasked = endpoints.iter().filter(|id| {
            let interface = scenario.endpoints[**id].interface;
            !has_applet(id) && !interface.reserves_arrival()
        });
        let unasked = unasked.count();
        let groups = endpoints.iter().map(|endpoint| {
            let interface = scenario.endpoints[*endpoint].interface;
            interface.repeated_together(scenario.profile_of(id))
        });
        let group = groups.max().unwrap_or(1);
        let owners = Owners {
            applets,
            unasked,
            group,
            others: applets + unasked < endpoints.len(),
        };
        let first = processors;
        processors += spec.processors;
        let processors_here = (first, spec.processors);
        Nic::new(
            scenario.profile_of(id),
            processors_here,
            spec.placement,
            endpoints,
            owners,
            has_pending_calls,
        )
    });
    nics.collect()
}

/// Builds the processors of all NICs, in order.
fn processors<'a>(
    arena: &'a Bump,
    scenario: &Scenario,
    may_have_applet: &Table<EndpointId, bool>,
    nics: &Table<NicId, Nic>,
    is_heard: bool,
) -> Table<ProcessorId, Processor<'a>> {
    let mut costs_of = KnownCosts::new(arena);
    let mut processors = Table::new();
    for ((id, spec), nic) in (0u32..).map(NicId).zip(&scenario.nics).zip(nics) {
        let profile = scenario.profile_of(id);
        let costs = costs_of.of(profile);
        let first = nic.first_processor().0;
        let slice = slice(scenario, may_have_applet, nic);
        for number in 0..spec.processors {
            let places = (first, number, spec.processors);
            let contention = profile.processor.contention;
            let has_chain = nic
                .endpoints
                .iter()
                .any(|id| scenario.endpoints[*id].has_chain());
            let role = ProcessorRole::new(
                places,
                &spec.placement,
                contention,
                slice,
                is_heard || has_chain,
                profile.is_on_host(),
            );
            let taking = Taking::new(profile.base.as_ref(), costs.interrupt, nic.endpoints.len());
            processors.push(Processor::new(
                (id, costs),
                role,
                taking,
                call_stack(arena, costs),
            ));
        }
    }
    processors
}

/// Returns for how long a call may hold a processor of a NIC while work waits that keeps connections alive. Returns
/// `None` if the NIC has no such work or no applets.
fn slice(
    scenario: &Scenario,
    may_have_applet: &Table<EndpointId, bool>,
    nic: &Nic,
) -> Option<SimDuration> {
    let here = || nic.endpoints.iter().copied();
    let has_timeouts = |id: EndpointId| scenario.endpoints[id].interface.has_timeouts();
    let profile = scenario.profile_of(scenario.endpoints[here().next()?].nic);
    let needs = here().any(has_timeouts) && here().any(|id| may_have_applet[id]);
    profile.nic.filter(|_| needs).map(|nic| nic.slice)
}

/// The processor costs of each profile, computed once for each profile.
struct KnownCosts<'a, 's> {
    arena: &'a Bump,
    known: Vec<(&'s Profile, &'a Costs)>,
}

impl<'a, 's> KnownCosts<'a, 's> {
    fn new(arena: &'a Bump) -> KnownCosts<'a, 's> {
        let known = Vec::new();
        KnownCosts { arena, known }
    }

    fn of(&mut self, profile: &'s Profile) -> &'a Costs {
        let mut known = self.known.iter();
        if let Some(&(_, costs)) = known.find(|(known, _)| std::ptr::eq(*known, profile)) {
            return costs;
        }
        let costs = &*self.arena.alloc(Costs::new(profile));
        self.known.push((profile, costs));
        costs
    }
}

/// Returns the [`EndpointInfo`] of each endpoint, with the fixed facts about the endpoint. Applets are numbered in the
/// order in which [`applets`] builds them. An endpoint that has an applet, or may get one, has arrival slots of its
/// own, and so has one whose packets come without asking for a slot. The other endpoints of a NIC share theirs.
fn infos(
    scenario: &Scenario,
    may_have_applet: &Table<EndpointId, bool>,
    nics: &Table<NicId, Nic>,
) -> Table<EndpointId, EndpointInfo> {
    let mut applets = (0u32..).map(AppletId);
    let info = |spec: &EndpointSpec| EndpointInfo {
        // The other applets of a chain have the numbers after that of its first applet.
        applet: spec
            .applets()
            .filter_map(|_| applets.next())
            .reduce(|first, _| first),
        interface: spec.interface,
        position: 0,
        reserves_arrival: spec.interface.reserves_arrival(),
        makes_packets: spec.interface.makes_packets(),
        arrivals_keep_alive: spec.interface.arrivals_keep_alive(),
        tenancy: Tenancy(0),
    };
    let mut infos: Table<EndpointId, EndpointInfo> = scenario.endpoints.iter().map(info).collect();
    for nic in nics {
        let mut applets = 0;
        for (position, id) in (0u32..).zip(&nic.endpoints) {
            let info = &mut infos[*id];
            info.position = position;
            if may_have_applet[*id] {
                info.tenancy = Tenancy(applets);
                applets += 1;
            }
        }
        let mut owners = applets;
        let others = nic.endpoints.iter().copied();
        let others = others.filter(|id| !may_have_applet[*id]);
        for place in others.clone() {
            if !infos[place].reserves_arrival {
                infos[place].tenancy = Tenancy(owners);
                owners += 1;
            }
        }
        for place in others {
            if infos[place].reserves_arrival {
                infos[place].tenancy = Tenancy(owners);
            }
        }
    }
    infos
}

/// Returns the initial changing state of each endpoint.
fn live(scenario: &Scenario) -> Table<EndpointId, LiveEndpoint> {
    let native_fuel = |nic: NicId| {
        let fuel = scenario.profile_of(nic).native_fuel;
        fuel.map_or(0, |fuel| fuel.max())
    };
    let live_endpoint = |spec: &EndpointSpec| LiveEndpoint {
        fuel: fuel_of_call(spec.fuel, scenario.bytecodes_max, native_fuel(spec.nic)),
        packets_made: 0,
        claims: [Progress::None; 2],
        has_post_under_way: false,
        suspended_on: None,
        fault: FaultRecord::default(),
    };
    scenario.endpoints.iter().map(live_endpoint).collect()
}

/// Returns how many bytes the heaps of all applets need, `RxBuf` included.
pub(crate) fn applet_memory_bytes(scenario: &Scenario) -> usize {
    let endpoints = scenario.endpoints.iter();
    let bytes = endpoints.map(|spec| {
        let profile = scenario.profile_of(spec.nic);
        spec.applets().count() * memory_bytes(spec.heap, profile.rx_buf_bytes())
    });
    bytes.sum()
}

/// Builds the applets in the order of their endpoints.
fn applets<'a>(
    (arena, mut memory): (&'a Bump, &'a mut [u8]),
    scenario: &Scenario,
    classes: Classes<'a>,
) -> Result<(Table<AppletId, Applet<'a>>, Collectors<'a>), SimError> {
    let mut applets = Table::new();
    let mut collectors = Collectors::new();
    // The classes of applets to which the scenario gives a state; each class is loaded again only once.
    let mut reloaded = vec![None; classes.len()];
    // The classes that have been checked, with the offers against which they were.
    let mut offered = BTreeSet::new();
    for (spec, class, state) in scenario.endpoints.iter().flat_map(|spec| {
        spec.applets()
            .map(move |(class, state)| (spec, class, state))
    }) {
        let profile = scenario.profile_of(spec.nic);
        let rx_buf = profile.rx_buf_bytes();
        let own;
        (own, memory) = memory.split_at_mut(memory_bytes(spec.heap, rx_buf));
        let loaded = classes[class].as_ref();
        let loaded = loaded.map_err(|error| SimError::Class {
            class,
            error: *error,
        })?;
        if !fits(loaded, profile.receive) {
            // The class is an applet for the other kind of NIC, of which it is too.
            let bytes = &scenario.classes[class].bytes;
            let policy = profile.receive.policy();
            if let Err(error) = load_class(arena, bytes, policy, NicNative::TABLE) {
                return Err(SimError::Class { class, error });
            }
        }
        if offered.insert((class, profile.offers()))
            && let Some(call) = not_offered(&loaded.class, profile.offers()).next()
        {
            let nic = spec.nic;
            return Err(SimError::NotOffered { class, nic, call });
        }
        if spec.is_collected {
            let bytes = &scenario.classes[class].bytes;
            let (applet, collector) = collected((arena, own), profile, (class, bytes, state))?;
            let number = u32::try_from(applets.len()).expect("applets have u32 numbers");
            collectors.insert(AppletId(number), collector);
            applets.push(applet);
            continue;
        }
        let class_loaded = match (state.is_empty(), reloaded[class]) {
            (true, _) => loaded,
            (false, Some(known)) => known,
            (false, None) => {
                let bytes = &scenario.classes[class].bytes;
                let linked = reload(arena, bytes, loaded);
                let linked = linked.map_err(|error| SimError::Class { class, error })?;
                *reloaded[class].insert(arena.alloc(linked))
            }
        };
        let fields = arena.alloc_slice_fill_copy(class_loaded.program.field_count(), 0);
        let applet = Applet::lent(class_loaded, fields, own, rx_buf);
        applets.push(applet.map_err(|error| SimError::Applet { class, error })?);
    }
    Ok((applets, collectors))
}

/// Builds an applet whose arrays are collected, and its collector.
fn collected<'a>(
    (arena, memory): (&'a Bump, &'a mut [u8]),
    profile: &Profile,
    (class, bytes, state): (usize, &[u8], &[FieldState]),
) -> Result<(Applet<'a>, AppletCollector<'a>), SimError> {
    let (policy, natives) = (profile.receive.policy(), NicNative::TABLE);
    let bytes = &*arena.alloc_slice_copy(bytes);
    let refused = |error| SimError::Class { class, error };
    let loaded = load_collected(arena, bytes, policy, natives).map_err(refused)?;
    let linked = match state.is_empty() {
        true => loaded,
        false => load_preset_collected(arena, bytes, &loaded, policy, natives).map_err(refused)?,
    };
    let linked = &*arena.alloc(linked);
    let fields = arena.alloc_slice_fill_copy(linked.class.program.field_count(), 0);
    let applet = Applet::lent(&linked.class, fields, memory, profile.rx_buf_bytes());
    let mut applet = applet.map_err(|error| SimError::Applet { class, error })?;
    applet.lifetime = Lifetime::Persistent;
    let slots = at(profile.processor.call_slots.get());
    let collector = AppletCollector::new(arena, linked, &applet.instance, slots);
    Ok((applet, collector))
}
