//! The provider over remote memory: a library of each process, which writes to the memory of the peer (S5-11 to S5-24).
//!
//! The library runs on the host. For each message the library needs time of its own before its writes leave. The
//! processor's writes or DMA requests move each message, and the pointer of the transfer queue is written after the
//! data. No processor of a NIC takes part in the transfer of a message.

use crate::ids::{Table, at};
use std::collections::{BTreeMap, VecDeque};

use nic_core::event::{DropReason, NicEvent, Trigger, TxStatus};
use nic_core::id::{EndpointId, PostId};
use nic_core::memory::Region;
use nic_core::remote::{RING_POINTER_BYTES, RemoteMemory, RingError, WindowId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{self, Refusal, TransmitDescriptor};
use nic_core::via::{
    ControlLayout, Library, LibraryError, Reason, Reliability, Share, Status, Target,
    Transfer as Entry, Unsent, Vi,
};

use super::delays::schedule;
use super::library::{Coming, Opened, Order, Over, SendTurn};
use super::named;
use super::own::Named;
use super::segments::divided;
use super::setup;
use super::state::{Delay, HasVia, Sent, ViEndpoint, ViaState, over};
use crate::engine::remote::{self, AllMappings, AllWindows, Due, Moving, Writes};
use crate::memory::HostMemory;
use crate::profile::Profile;
use crate::sim::Parts;
use crate::spec::{Notify, OnEmpty, Provider, ViSpec};
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
            came: VecDeque::new(),
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

/// Returns how long a process is busy with the library for a message that it posts.
pub(super) fn post_takes(sim: &Parts<'_, impl HasVia>, id: EndpointId, length: u32) -> SimDuration {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.map_or(SimDuration::ZERO, |over| over.takes(length))
}

/// Writes to the peer's memory the receive descriptors that are posted before the run. No packet carries
/// these writes, because they are part of the connection's set-up.
pub(super) fn post_first(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if !sim.engines.via_mut().is_over_memory(id) {
        return;
    }
    let free = &sim.endpoints[id].free;
    let (count, length) = (free.count(), free.buffer_length());
    for number in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let Ok(writes) = posts(sim, id, number * length) else {
            continue;
        };
        for write in writes.0 {
            let length = u32::try_from(write.bytes.len()).unwrap_or(u32::MAX);
            let span =
                sim.engines
                    .remote_mut()
                    .windows
                    .resolve(write.window, id, (write.offset, length));
            if let Ok(span) = span {
                sim.memory.bytes_mut(span).copy_from_slice(&write.bytes);
            }
        }
    }
}

/// Returns the writes that make a posted receive descriptor visible to the peer. There are none while the peer may write
/// nothing.
fn posts(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    offset: u32,
) -> Result<Writes, LibraryError> {
    let mut writes = Writes::default();
    let endpoint = &sim.endpoints[id];
    let (area, length) = (endpoint.area, endpoint.free.buffer_length());
    let (via, remote) = sim.engines.via_and_remote();
    let Some(end) = via.end_mut(id) else {
        return Ok(writes);
    };
    let peer = end.connection.peer;
    let Some(over) = end.over.as_deref_mut() else {
        return Ok(writes);
    };
    let (window, offset) = match &mut over.opened {
        Opened::Area(window) => (*window, offset),
        Opened::Descriptors(windows) => {
            let window = remote.windows.open(area, (offset, length), peer)?;
            windows.push_back(window);
            (window, 0)
        }
        Opened::Nothing => return Ok(writes),
    };
    let segment = Share {
        window,
        offset,
        length,
    };
    let own = sim.memory.region(over.control);
    over.library.post_receive(own, &mut writes, &[segment])?;
    Ok(writes)
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

/// Announces the posted receive descriptors that did not fit into the set-up of the connection.
pub(super) fn post_rest(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(over) = over(sim, id) else { return };
    let announced = over.announced;
    let rest: Vec<u32> = sim.endpoints[id].free.queued().skip(announced).collect();
    for offset in rest {
        post_again(sim, id, offset);
    }
    for own in posted_from(sim, id, announced) {
        if !announce(sim, id, &own) {
            // The peer would use the descriptors in another order.
            return ViaState::breaks(sim, id, Reason::Loss);
        }
    }
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

/// Returns the writes that announce a receive descriptor of a program to the peer.
fn posts_named(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    own: &Named,
) -> Result<Writes, LibraryError> {
    let mut writes = Writes::default();
    let strict = over(sim, id).is_some_and(|over| over.strict);
    let Some(shares) = named::shares(sim, id, own, strict) else {
        return Err(RingError::Full.into());
    };
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return Ok(writes);
    };
    let Some(over) = end.over.as_deref_mut() else {
        return Ok(writes);
    };
    let control = sim.memory.region(over.control);
    let posted = over.library.post_receive(control, &mut writes, &shares);
    if posted.is_err() && strict {
        named::not_announced(sim, id);
    }
    posted.map(|()| writes)
}

/// Announces a receive descriptor of a program to the peer. Returns false if the cookie queue has no room for it.
pub(super) fn announce(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, own: &Named) -> bool {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return false;
    };
    match posts_named(sim, id, own) {
        Ok(writes) => {
            remote::carry_out(sim, id, &connection, &writes, Trigger::Refill);
            true
        }
        Err(_) => false,
    }
}

/// Returns the posted receive descriptors of a program, without the first ones.
fn posted_from(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, first: usize) -> Vec<Named> {
    let own = named::receives(sim, id);
    own.map_or(Vec::new(), |own| {
        own.posted.iter().skip(first).cloned().collect()
    })
}

/// Makes a receive descriptor that the user has posted again visible to the peer.
pub(super) fn post_again(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, offset: u32) {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return;
    };
    if sim.engines.via_mut().is_broken(id) {
        return;
    }
    match posts(sim, id, offset) {
        Ok(writes) => {
            remote::carry_out(sim, id, &connection, &writes, Trigger::Refill);
        }
        // The peer's read pointer is wrong, or the peer has not read the cookie queue for too long.
        Err(_) => ViaState::breaks(sim, id, Reason::Loss),
    }
}

/// Schedules the end of the library's work for a send descriptor that the user has posted.
pub(super) fn posted(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let now = sim.now;
    let newest = sim.endpoints[id].transmit.newest();
    let length = newest.map_or(0, |descriptor| descriptor.length);
    let Some(over) = over(sim, id) else { return };
    let (takes, home, turn) = (over.takes(length), over.home, over.turn);
    let time = works_until(sim.engines.via_mut(), home, now, takes);
    schedule(sim, time, Delay::Library(id, turn));
}

/// Sends a message when the library's work for the next posted descriptor is over. Returns false if that descriptor was
/// flushed.
pub(super) fn library_over(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    turn: SendTurn,
) -> bool {
    let Some(over) = over(sim, id).filter(|over| over.turn == turn) else {
        return false;
    };
    over.due += 1;
    send_due(sim, id);
    true
}

/// Returns whether the descriptors of a turn were flushed.
pub(super) fn is_flushed(sim: &Parts<'_, impl HasVia>, id: EndpointId, turn: SendTurn) -> bool {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.is_none_or(|over| over.turn != turn)
}

/// Sends the messages whose time in the library is over, as far as the peer has receive descriptors.
pub(super) fn send_due(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    while over(sim, id).is_some_and(|over| over.due > 0) && !is_ending(sim, id) {
        let Some((post, descriptor)) = sim.endpoints[id].transmit.take() else {
            if let Some(over) = over(sim, id) {
                over.due = 0;
            }
            return;
        };
        if let Some(over) = over(sim, id) {
            over.due -= 1;
        }
        if !send(sim, id, post, descriptor) {
            sim.endpoints[id].transmit.take_back(post);
            if let Some(over) = over(sim, id) {
                over.due += 1;
            }
            return;
        }
    }
}

/// Returns how many posted descriptors wait for receive descriptors that the user of the peer has not posted.
pub(super) fn posts_for_users(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> usize {
    let over = sim
        .engines
        .via()
        .end(id)
        .and_then(|end| end.over.as_deref());
    over.map_or(0, |over| at(over.due))
}

/// Sends a posted message, or completes its descriptor with an error. Returns false if the message waits for receive
/// descriptors of the peer.
fn send(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    descriptor: TransmitDescriptor,
) -> bool {
    // The descriptor may have been posted without a connection, which was made before the library looks at it.
    if sim.engines.via().is_broken(id) || sim.engines.via().is_void(id, post) {
        end(sim, id, post, TxStatus::Failed);
        return true;
    }
    let immediate = sim.engines.via_mut().immediate(id, post);
    let Some(vi) = sim.engines.via_mut().end(id).map(|end| end.vi) else {
        return true;
    };
    let resolved = match named::named(sim.engines.via(), id, post) {
        Some(own) => match own.error {
            None => Ok(own.length),
            Some(_) => Err(Refusal::OutsideArea),
        },
        None => unet::resolve_packet(&sim.endpoints[id], descriptor).map(|(_, host)| host.length()),
    };
    let length = match resolved {
        Ok(length) if named::may_send(sim, id, post) => length,
        Ok(_) => {
            end(sim, id, post, TxStatus::Refused);
            return true;
        }
        Err(Refusal::UnknownChannel | Refusal::OutsideArea | Refusal::TooLong) => {
            end(sim, id, post, TxStatus::Refused);
            return true;
        }
    };
    let Some(over) = sim
        .engines
        .via_mut()
        .end(id)
        .and_then(|end| end.over.as_deref())
    else {
        return true;
    };
    let own = sim.memory.region(over.control);
    let target = over.library.target(own, length, vi.splits());
    match target {
        Ok(target) => {
            let message = Outgoing::Message {
                descriptor,
                length,
                target: &target,
                immediate,
            };
            if carry_out(sim, id, post, message).is_err() {
                fail(sim, id, post, Reason::Loss);
            }
        }
        Err(Unsent::Empty) if over.on_empty == OnEmpty::Defer => return false,
        Err(Unsent::Empty) => {
            let reason = DropReason::NoFreeBuffer;
            let kind = NicEvent::Drop {
                packet: None,
                reason,
            };
            sim.report.emit(sim.now, id, kind);
            ends_after(sim, id, &vi, post, (Status::Dropped, Reason::Overrun));
            over_with(sim, id, post);
            end_in_turn(sim, id);
        }
        Err(Unsent::TooLong) => {
            let failed = (Status::LengthError, Reason::LengthError);
            ends_after(sim, id, &vi, post, failed);
            match carry_out(sim, id, post, Outgoing::TooLong) {
                Ok(()) => end_in_turn(sim, id),
                Err(_) => fail(sim, id, post, Reason::Loss),
            }
        }
        Err(Unsent::Failed(_)) => fail(sim, id, post, Reason::Loss),
    }
    true
}

/// Notes that a message fails. At the reliable levels the connection ends for it, after the messages before it.
fn ends_after(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    vi: &Vi,
    post: PostId,
    (status, reason): (Status, Reason),
) {
    let Some(over) = over(sim, id) else { return };
    over.failed.insert(post, status);
    if vi.reliability().is_reliable() {
        over.ends = Some(reason);
    }
}

/// Returns whether the connection ends as soon as all messages have left.
fn is_ending(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    !sim.engines.via_mut().is_broken(id) && over(sim, id).is_some_and(|over| over.ends.is_some())
}

/// Ends the connection if a message has failed for which it must end, and all messages before it have left.
pub(crate) fn end_in_turn(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if remote::is_waiting(sim, id) {
        return;
    }
    let Some(over) = over(sim, id) else { return };
    if over.moving.count() == 0
        && let Some(reason) = over.ends.take()
    {
        ViaState::breaks(sim, id, reason);
    }
}

/// Completes a send descriptor as flushed, and ends the connection at once.
fn fail(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId, reason: Reason) {
    end(sim, id, post, TxStatus::Failed);
    ViaState::breaks(sim, id, reason);
}

pub(super) fn end(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    status: TxStatus,
) {
    let completion = sim.endpoints[id].transmit.end(post, status);
    sim.complete(id, post, completion);
}

/// Takes the status of a send descriptor that failed, if the library has recorded one.
pub(super) fn failed_with(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
) -> Option<Status> {
    over(sim, id)?.failed.remove(&post)
}

/// What the library tells the peer for a send descriptor.
enum Outgoing<'t> {
    /// A message, which goes to its target.
    Message {
        descriptor: TransmitDescriptor,
        length: u32,
        target: &'t Target,
        immediate: Option<u32>,
    },
    /// That a message did not fit, so that the peer's receive descriptor completes with an error.
    TooLong,
}

/// Writes a message to its target, the message's entry to the transfer queue, and the pointer after both.
fn carry_out(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    message: Outgoing<'_>,
) -> Result<(), LibraryError> {
    let area = sim.endpoints[id].area;
    let parts = match message {
        Outgoing::Message {
            descriptor, target, ..
        } => {
            let (offset, length) = (descriptor.offset.into(), descriptor.length.into());
            // The place of a message that its descriptor names elsewhere is not in the area.
            let host = area.span(offset, length).or_else(|_| area.span(0, 0));
            let host = host.expect("no bytes lie in every area");
            divided(
                &sim.engines.via_mut().pieces(id, post, (area, host)),
                target,
            )
        }
        Outgoing::TooLong => Vec::new(),
    };
    let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
        return Ok(());
    };
    let (connection, level) = (end_of.connection, end_of.vi.reliability());
    let Some(over) = end_of.over.as_deref_mut() else {
        return Ok(());
    };
    let own = sim.memory.region(over.control);
    let mut writes = Writes::default();
    let (entry, may_write, completes) = match message {
        Outgoing::Message {
            length,
            target,
            immediate,
            ..
        } => {
            over.library.take(&mut writes, target)?;
            let entry = Entry::Message {
                length,
                immediate,
                receives: target.receives,
            };
            let completes = match level {
                Reliability::Unreliable | Reliability::Delivery => Completes::WhenItHasLeft,
                Reliability::Reception => Completes::WhenItIsRead,
            };
            (entry, over.goes_by_pio(length), completes)
        }
        Outgoing::TooLong => {
            over.library.take_first(own, &mut writes)?;
            (Entry::TooLong, true, Completes::WhenItHasLeft)
        }
    };
    let mut told = Writes::default();
    let pointer = over.library.announce(own, &mut told, entry)?;
    let scratch = over.control.span(0, i64::from(RING_POINTER_BYTES));
    let scratch = scratch.expect("the control memory has pointers");
    let behind = over.moving.begin(may_write, scratch);
    if level == Reliability::Reception {
        // The peer's read pointer counts all entries.
        end_of.sent.push_back(Sent {
            at: sim.now,
            post: match completes {
                Completes::WhenItIsRead => Some(post),
                Completes::WhenItHasLeft => None,
            },
        });
    }
    // The first write of a message's data opens the message; without data, the write of its entry does.
    let mut opens = writes.0.len();
    let by_processor = behind.is_by_processor();
    let mut requests = 0;
    if by_processor {
        for (window, offset, part) in parts {
            writes.write(window, offset, sim.memory.bytes(part))?;
        }
        writes.0.append(&mut told.0);
    } else {
        writes.0.append(&mut told.0);
        if !parts.is_empty() {
            opens = writes.0.len();
        }
        // The pointer is a request too.
        requests = 1 + parts.len() as u64;
        for (window, offset, part) in parts {
            writes.request(window, offset, part);
        }
    }
    if let Outgoing::Message { .. } = message {
        writes.opens_at(opens);
    }
    pointer.publish(&mut writes, behind)?;
    start_requests(sim, id, requests);
    remote::carry_out(sim, id, &connection, &writes, Trigger::Post(post));
    if by_processor
        && completes == Completes::WhenItHasLeft
        && !remote::completes_later(sim, id, post)
    {
        writes_over(sim, id, post);
    }
    Ok(())
}

/// When a send descriptor completes whose message the library has put on the way.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Completes {
    /// With the last write of its message.
    WhenItHasLeft,
    /// With the peer's read pointer.
    WhenItIsRead,
}

/// Completes a send descriptor whose message the processor has written.
pub(crate) fn writes_over(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId) {
    over_with(sim, id, post);
}

/// Completes a send descriptor, with success unless the library has recorded that its message failed.
fn over_with(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, post: PostId) {
    let has_failed = over(sim, id).is_some_and(|over| over.failed.contains_key(&post));
    let status = if has_failed {
        TxStatus::Failed
    } else {
        TxStatus::Ok
    };
    end(sim, id, post, status);
}

/// Schedules what is to be done with the DMA requests of a NIC.
pub(crate) fn schedule_request(sim: &mut Parts<'_, impl HasVia>, time: SimTime, due: Due) {
    schedule(sim, time, Delay::Request(due));
}

/// Schedules the time at which a window of the peer is mapped.
pub(crate) fn schedule_mapped(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, time: SimTime) {
    schedule(sim, time, Delay::Mapped(id));
}

/// Charges the library's processor with the start of DMA requests, which delays its next message.
fn start_requests(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, requests: u64) {
    let Some(over) = over(sim, id) else { return };
    let takes = over.costs.1.starts_take(requests);
    occupy(sim, id, takes);
}

/// Charges the library's processor with a time, which delays its next message.
pub(crate) fn occupy(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, takes: SimDuration) {
    let now = sim.now;
    let Some(home) = over(sim, id).map(|over| over.home) else {
        return;
    };
    works_until(sim.engines.via_mut(), home, now, takes);
    sim.host_time += takes;
}

/// Adds work to a process that runs libraries, one piece after the other. Returns the end of the work.
fn works_until(via: &mut ViaState, home: EndpointId, now: SimTime, takes: SimDuration) -> SimTime {
    let mut end = now + takes;
    if let Some(free_at) = via.libraries_end.get_mut(home) {
        end = (*free_at).max(now) + takes;
        *free_at = end;
    }
    end
}

/// Handles the end of a message's last DMA request: completes the send descriptor unless it waits for reception.
#[cold]
pub(super) fn requests_done(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, trigger: Trigger) {
    let is_broken = sim.engines.via_mut().is_broken(id);
    let Some(end_of) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let level = end_of.vi.reliability();
    let Some(over) = end_of.over.as_deref_mut() else {
        return;
    };
    over.moving.over();
    if let Trigger::Post(post) = trigger {
        // After the end of the connection the peer reads nothing more.
        let awaits_reading = level == Reliability::Reception && !is_broken;
        if !awaits_reading || over.failed.contains_key(&post) {
            over_with(sim, id, post);
        }
    }
    end_in_turn(sim, id);
}

/// Writes bytes of a process to a window of the peer, without using the library.
pub(super) fn write_raw(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (window, offset): (u32, u32),
    bytes: &[u8],
) {
    let Some(connection) = sim.engines.via_mut().end(id).map(|end| end.connection) else {
        return;
    };
    let fits = u32::try_from(bytes.len()).is_ok_and(|length| {
        sim.engines.via_mut().is_over_memory(id) && length <= sim.endpoints[id].max_packet
    });
    if fits {
        let mut writes = Writes::default();
        let written = writes.write(WindowId(window), offset, bytes);
        debug_assert_eq!(written, Ok(()), "the NIC of the peer checks the window");
        remote::carry_out(sim, id, &connection, &writes, Trigger::Timer);
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

/// Returns how many of the newest messages that a VI has sent are moved by DMA.
pub(super) fn moving(end: &ViEndpoint) -> usize {
    let over = end.over.as_deref();
    over.map_or(0, |over| at(over.moving.count()))
}

/// Completes the posted send descriptors as flushed, because the connection has ended.
pub(super) fn flush_sends(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if let Some(over) = over(sim, id) {
        over.turn.0 = over.turn.0.wrapping_add(1);
        over.due = 0;
    }
    // A user that learns of a completion may post again, which belongs to the next turn.
    let queue = &mut sim.endpoints[id].transmit;
    let flushed: Vec<PostId> = std::iter::from_fn(|| queue.take())
        .map(|(post, _)| post)
        .collect();
    for post in flushed {
        end(sim, id, post, TxStatus::Failed);
    }
}
