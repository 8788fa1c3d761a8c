//! The ends of a connection over remote memory: their libraries, their rings, and the windows that the peer may write
//! (S5-15). An end is joined before the run, or set up for each connection that programs make.

use crate::ids::{Table, at};
use std::collections::{BTreeMap, VecDeque};

use nic_core::id::EndpointId;
use nic_core::memory::Region;
use nic_core::remote::WindowId;
use nic_core::time::SimTime;
use nic_core::via::{ControlLayout, Library};

use super::announcing::{posted_from, posts, posts_named};
use super::library::{Coming, Opened, Order, Over, SendTurn};
use super::named;
use super::over_memory::flush_sends;
use super::setup;
use super::state::{HasVia, over};
use crate::engine::remote::{self, AllMappings, AllWindows, Moving, Writes};
use crate::memory::HostMemory;
use crate::profile::Profile;
use crate::sim::Parts;
use crate::spec::{Notify, Provider, ViSpec};
use crate::storage::Endpoint;

/// The memory and windows of one end, which are created before the libraries of both ends.
struct Half {
    control: Region,
    /// `None` if programs make the connection.
    control_window: Option<WindowId>,
    opened: Opened,
}

/// Bytes that are enough to announce a receive descriptor in the set-up of a connection: two entries of a ring and a
/// pointer, each with its place.
const ANNOUNCEMENT_BYTES: usize = 100;

/// The number of a window that does not exist, to which a library without a peer would write.
const NO_WINDOW: WindowId = WindowId(u32::MAX);

/// One end of a connection whose libraries are created.
#[derive(Copy, Clone)]
pub(super) struct Joining<'s> {
    id: EndpointId,
    spec: &'s ViSpec,
    profile: &'s Profile,
    /// The first endpoint of the process.
    home: EndpointId,
    /// Whether the user waits for upcalls.
    upcalls: bool,
}

/// Creates the libraries of both ends of a connection.
pub(super) fn join(
    (memory, windows, mappings): (&mut HostMemory, &mut AllWindows, &mut AllMappings),
    endpoints: &Table<EndpointId, Endpoint>,
    ends: [Joining<'_>; 2],
    queue: u32,
) -> Option<[Box<Over>; 2]> {
    let receives = ends.map(|end| endpoints[end.id].free.count());
    let receives = u32::try_from(receives[0].max(receives[1])).ok()?;
    let by_program = ends.iter().any(|end| end.spec.connects_by_program);
    let layout = match by_program {
        true => ControlLayout::with_segments(receives.max(queue)),
        false => ControlLayout::new(receives),
    };
    let layout = layout.ok()?;
    let ids = ends.map(|end| end.id);
    let mut half = |own: usize| {
        let Joining { id, spec, .. } = ends[own];
        let peer = ids[1 - own];
        let control = memory.pin(layout.bytes());
        if spec.connects_by_program {
            return Some(Half {
                control,
                control_window: None,
                opened: Opened::Nothing,
            });
        }
        let control_window = windows.open(control, (0, layout.bytes()), peer).ok()?;
        let area = endpoints[id].area;
        let opened = match spec.strict {
            true => Opened::Descriptors(VecDeque::new()),
            false => Opened::Area(windows.open(area, (0, area.length()), peer).ok()?),
        };
        Some(Half {
            control,
            control_window: Some(control_window),
            opened,
        })
    };
    let mut halves = [half(0)?, half(1)?];
    for own in [0, 1] {
        let nic = endpoints[ids[own]].nic;
        let peer = &halves[1 - own];
        if let Some(control) = peer.control_window {
            mappings.keep((nic, ids[own]), control);
        }
        if let Opened::Area(area) = peer.opened {
            mappings.set_up(nic, area);
        }
    }
    let mut over = |own: usize| {
        let Joining {
            spec,
            profile,
            home,
            upcalls,
            ..
        } = ends[own];
        let costs = remote::Costs::of(profile)?;
        let interrupts = spec.queues.map(|queue| {
            let is_told = queue.is_some() || upcalls;
            costs.event_takes().filter(|_| is_told)
        });
        let posted = &endpoints[ids[1 - own]].free;
        let room = posted.count() as u64 * u64::from(posted.buffer_length());
        Some(Box::new(Over {
            library: Library::new(
                layout,
                halves[1 - own].control_window.unwrap_or(NO_WINDOW),
                room,
            ),
            layout,
            control: halves[own].control,
            control_window: halves[own].control_window,
            room,
            announced: 0,
            opened: std::mem::replace(&mut halves[own].opened, Opened::Nothing),
            costs: (profile.via?, costs),
            transfer: spec.transfer,
            on_empty: spec.on_empty,
            strict: spec.strict,
            home,
            interrupts,
            turn: SendTurn::default(),
            due: 0,
            failed: BTreeMap::new(),
            moving: Moving::default(),
            ends: None,
            coming: Coming::default(),
            order: Order::default(),
            came: BTreeMap::new(),
        }))
    };
    Some([over(0)?, over(1)?])
}

/// Creates the libraries at both ends of each connection over remote memory.
pub(super) fn join_ends(sim: &mut Parts<'_, impl HasVia>) {
    let scenario = sim.scenario;
    let mut homes = vec![None; scenario.processes.len()];
    let endpoints = (0u32..).map(EndpointId).zip(&scenario.endpoints);
    for (id, process) in endpoints.filter_map(|(id, spec)| Some((id, spec.process?))) {
        homes[at(process)].get_or_insert(id);
    }
    let mut vis = scenario.endpoints.iter().filter_map(|spec| spec.vi);
    if vis.any(|vi| vi.provider == Provider::Clan) {
        let none = Table::filled(scenario.endpoints.len(), SimTime::ZERO);
        sim.engines.via_mut().libraries_end = none;
    }
    for channel in &scenario.channels {
        let of = |id: EndpointId| {
            let endpoint = &scenario.endpoints[id];
            let spec = endpoint.vi.as_ref()?;
            let is_over = spec.provider == Provider::Clan;
            is_over.then_some(Joining {
                id,
                spec,
                profile: scenario.profile_of(endpoint.nic),
                home: endpoint
                    .process
                    .map_or(id, |process| homes[at(process)].unwrap_or(id)),
                upcalls: endpoint.notify == Notify::Upcall,
            })
        };
        let (Some(one), Some(other)) = (of(channel.a.0), of(channel.b.0)) else {
            continue;
        };
        let ids = [one.id, other.id];
        let remote = sim.engines.remote_mut();
        let place = (&mut sim.memory, &mut remote.windows, &mut remote.mappings);
        let queues = ids.map(|id| scenario.endpoints[id].rx_queue);
        let queue = queues[0].max(queues[1]);
        let joined = join(place, &sim.endpoints, [one, other], queue);
        debug_assert!(
            joined.is_some(),
            "the reader has checked profiles and sizes"
        );
        for (id, over) in ids.into_iter().zip(joined.into_iter().flatten()) {
            if let Some(end) = sim.engines.via_mut().end_mut(id) {
                end.over = Some(over);
            }
        }
    }
}

/// Prepares an end for a new connection: its rings are empty, and the peer may write to them. Returns the bytes that tell
/// the peer so, and that announce as many of the posted receive descriptors as fit into a packet. Returns `None` if the
/// provider of the VI is not the one over remote memory.
pub(super) fn set_up(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> Option<Vec<u8>> {
    forget_peer(sim, id);
    // These descriptors were posted without a connection.
    flush_sends(sim, id);
    let area = sim.endpoints[id].area;
    let (via, remote) = sim.engines.via_and_remote();
    let end = via.end_mut(id)?;
    let (peer, is_registered) = (end.connection.peer, end.region.is_some());
    let new = end.over.as_deref_mut()?;
    let (control, bytes) = (new.control, new.layout.bytes());
    let window = remote.windows.open(control, (0, bytes), peer).ok();
    new.control_window = window;
    new.opened = match is_registered {
        false => Opened::Nothing,
        true if new.strict => Opened::Descriptors(VecDeque::new()),
        true => {
            let window = remote.windows.open(area, (0, area.length()), peer);
            window.map_or(Opened::Nothing, Opened::Area)
        }
    };
    new.library = Library::new(new.layout, NO_WINDOW, new.room);
    new.turn.0 = new.turn.0.wrapping_add(1);
    new.due = 0;
    new.failed.clear();
    debug_assert_eq!(
        new.moving.count(),
        0,
        "a VI connects when the requests of its former connection are done"
    );
    new.moving = Moving::default();
    new.ends = None;
    new.coming = Coming::default();
    new.order = Order::default();
    new.came.clear();
    new.announced = 0;
    if let Ok(rings) = control.span(0, bytes.into()) {
        sim.memory.bytes_mut(rings).fill(0);
    }
    let most = at(sim.endpoints[id].max_packet);
    let posted: Vec<u32> = sim.endpoints[id].free.queued().collect();
    let mut all = Writes::default();
    for offset in posted {
        if setup::takes(&all) + ANNOUNCEMENT_BYTES > most {
            break;
        }
        let Ok(mut writes) = posts(sim, id, offset) else {
            break;
        };
        all.0.append(&mut writes.0);
        if let Some(over) = over(sim, id) {
            over.announced += 1;
        }
    }
    for own in posted_from(sim, id, 0) {
        let needs = ANNOUNCEMENT_BYTES * (1 + own.spans.len());
        if setup::takes(&all) + needs > most {
            break;
        }
        let Ok(mut writes) = posts_named(sim, id, &own) else {
            break;
        };
        all.0.append(&mut writes.0);
        if let Some(over) = over(sim, id) {
            over.announced += 1;
        }
    }
    Some(setup::encode(window?, &all))
}

/// Learns from the bytes of the peer's set-up where its rings are, and which receive descriptors it has posted. Returns
/// false if the bytes cannot be right, and then has changed nothing.
pub(super) fn meet(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, bytes: &[u8]) -> bool {
    let Some(control) = over(sim, id).map(|over| over.control) else {
        return true;
    };
    let Ok(rings) = control.span(0, control.length().into()) else {
        return false;
    };
    let Some(window) = setup::apply(bytes, sim.memory.bytes_mut(rings)) else {
        return false;
    };
    if let Some(over) = over(sim, id) {
        over.library.meet(window);
    }
    let nic = sim.endpoints[id].nic;
    sim.engines.remote_mut().mappings.keep((nic, id), window);
    true
}

/// Forgets the packets whose data has come without an entry of the transfer queue: no message will name them.
pub(super) fn forget_data(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if let Some(over) = over(sim, id) {
        over.came.clear();
    }
}

/// Closes the windows of the peer to this end, because the connection has ended or was not made.
pub(super) fn forget_peer(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    named::close_windows(sim, id);
    let Some(over) = over(sim, id) else { return };
    over.came.clear();
    let mut closed = over.opened.withdraw();
    closed.extend(over.control_window.take());
    for window in closed {
        sim.engines.remote_mut().windows.close(window);
    }
}

/// Closes the peer's windows to a region that was deregistered.
pub(super) fn close(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(over) = over(sim, id) else { return };
    for window in over.opened.withdraw() {
        sim.engines.remote_mut().windows.close(window);
    }
}

/// Lets the peer write to a region that is registered again. The peer learns of the new window with the next receive
/// descriptor.
pub(super) fn open_again(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let area = sim.endpoints[id].area;
    let (via, remote) = sim.engines.via_and_remote();
    let Some(end) = via.end_mut(id).filter(|end| end.region.is_some()) else {
        return;
    };
    let peer = end.connection.peer;
    let Some(over) = end.over.as_deref_mut() else {
        return;
    };
    match over.opened {
        Opened::Nothing if over.strict => over.opened = Opened::Descriptors(VecDeque::new()),
        Opened::Nothing => {
            let window = remote.windows.open(area, (0, area.length()), peer);
            over.opened = window.map_or(Opened::Nothing, Opened::Area);
        }
        Opened::Area(_) | Opened::Descriptors(_) => {}
    }
}
