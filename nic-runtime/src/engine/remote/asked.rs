//! What programs ask for at the windows that the scenario gives to their endpoints.

use nic_core::event::{Trigger, WriteHow};
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::remote::{PeerWindow, Watch, WindowId, WindowRights};
use nic_core::time::SimDuration;
use nic_core::via::ConnectionId;

use super::costs::Costs;
use super::noticed::{self, look_at_words, tell};
use super::reading::Into;
use super::reads;
use super::state::HasRemote;
use super::waiting::Word;
use crate::host::program::Action;
use crate::host::{WindowAsked, WindowNews};
use crate::nic::work::Work;
use crate::protocol::{Header, RemoteWrite};
use crate::sim::Parts;
use crate::wire::Packet;

/// A range of a window: the window's number, the offset and the length.
type Range = (i32, u32, u32);

/// Does what a process asks for at a window. Returns how long the process is busy.
pub(crate) fn asked(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    asked: WindowAsked,
) -> SimDuration {
    let possible = match asked {
        WindowAsked::Read {
            ticket,
            range,
            into,
        } => read(sim, id, ticket, (range, into)).ok_or(ticket),
        WindowAsked::Store {
            ticket,
            window,
            offset,
            bytes,
        } => store(sim, id, (ticket, window, offset), bytes).ok_or(ticket),
        WindowAsked::Leave {
            ticket: _,
            window,
            offset,
            bytes,
        } => Ok(leave(sim, id, (window, offset), &bytes)),
        WindowAsked::Load { ticket, range } => load(sim, id, ticket, range).ok_or(ticket),
        WindowAsked::Watch { ticket, range } => watch(sim, id, ticket, range).ok_or(ticket),
        WindowAsked::WaitWord {
            ticket,
            window,
            offset,
            was,
            within,
        } => wait_word(sim, id, (ticket, window, offset), (was, within)).ok_or(ticket),
        WindowAsked::Event { within } => Ok(noticed::ask(sim, id, within)),
    };
    possible.unwrap_or_else(|ticket| {
        tell(sim, id, WindowNews::NotPossible { ticket });
        SimDuration::ZERO
    })
}

/// Returns whether a range of bytes lies inside a window.
fn is_inside((_, offset, length): Range, window: u32) -> bool {
    u64::from(offset) + u64::from(length) <= u64::from(window)
}

/// Begins a read of a peer's window.
fn read(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    ticket: u64,
    (range, into): (Range, u32),
) -> Option<SimDuration> {
    let (_, offset, length) = range;
    let peer = readable(&sim.engines.remote().rights(id), range)?;
    let endpoint = &sim.endpoints[id];
    let span = endpoint.area.span(into.into(), length.into()).ok()?;
    if length > endpoint.max_packet {
        return None;
    }
    let into = Into::Memory(ticket, span);
    let place = (peer, offset, length);
    let request = reads::begin(sim, id, place, into, Trigger::Timer)?;
    let sent = &mut sim.packets[request];
    (sent.has_arrival_slot, sent.has_send_slot) = (false, false);
    sim.enqueue(request);
    let nic = sim.endpoints[id].nic;
    Some(sim.setup.host_costs(nic).post)
}

/// Returns the position of a peer's window that the endpoint may read.
fn readable(rights: &WindowRights<'_>, range: Range) -> Option<u32> {
    let place = rights.peer(range.0)?;
    let peer = rights.peers.get(place)?;
    let may_read = peer.is_readable && is_inside(range, peer.length) && rights.reads_left > 0;
    may_read.then(|| u32::try_from(place).ok()).flatten()
}

/// Returns the window of a peer that has a range, if the endpoint may write to it.
fn writable(sim: &Parts<'_, impl HasRemote>, id: EndpointId, range: Range) -> Option<PeerWindow> {
    let rights = sim.engines.remote().rights(id);
    let peer = rights.peers.get(rights.peer(range.0)?)?;
    let fits = range.2 <= sim.endpoints[id].max_packet;
    (fits && is_inside(range, peer.length)).then_some(*peer)
}

/// Begins a write of the host's processor to a peer's window. The bytes leave when the processor has written them.
fn store(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (ticket, window, offset): (u64, i32, u32),
    bytes: Vec<u8>,
) -> Option<SimDuration> {
    let length = u32::try_from(bytes.len()).ok()?;
    writable(sim, id, (window, offset, length))?;
    let nic = sim.endpoints[id].nic;
    let costs = Costs::of(sim.scenario.profile_of(nic))?;
    let leave = WindowAsked::Leave {
        ticket,
        window,
        offset,
        bytes,
    };
    sim.put_action(id, Action::Window(id, leave));
    Some(costs.write_takes(length))
}

/// Sends the bytes that the host's processor has written.
fn leave(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (window, offset): (i32, u32),
    bytes: &[u8],
) -> SimDuration {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if let Some(PeerWindow { window, path, .. }) = writable(sim, id, (window, offset, length)) {
        let write = RemoteWrite {
            window,
            offset,
            opens: None,
            how: WriteHow::Pio,
            connection: ConnectionId::default(),
            number: None,
        };
        let packet = Packet {
            has_arrival_slot: false,
            has_send_slot: false,
            header: Header::Remote(write),
            ..sim.new_packet(id, &path, Trigger::Timer)
        };
        let packet = sim.packets.add(packet, bytes);
        sim.enqueue(packet);
    }
    SimDuration::ZERO
}

/// Returns a range of a window of the endpoint's own memory.
fn own(
    sim: &Parts<'_, impl HasRemote>,
    id: EndpointId,
    range: Range,
) -> Option<(WindowId, HostSpan)> {
    let remote = sim.engines.remote();
    let window = remote.rights(id).own(range.0)?.window;
    let spec = remote.declared.get(window)?;
    let (_, offset, length) = range;
    let start = i64::from(spec.offset) + i64::from(offset);
    let span = sim.endpoints[id].area.span(start, length.into()).ok()?;
    is_inside(range, spec.length).then_some((window, span))
}

/// Reads bytes of a window of the endpoint's own memory.
fn load(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    ticket: u64,
    range: Range,
) -> Option<SimDuration> {
    let (_, span) = own(sim, id, range)?;
    let bytes = sim.memory.bytes(span).to_vec();
    let payload = &bytes;
    tell(sim, id, WindowNews::Loaded { ticket, payload });
    let nic = sim.endpoints[id].nic;
    Some(sim.setup.host_costs(nic).rate.time(range.2))
}

/// Sets a watch of a window, or removes the watches of the window if the range is empty. The watches of an endpoint with
/// an applet are the applet's.
fn watch(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    ticket: u64,
    range: Range,
) -> Option<SimDuration> {
    let (window, _) = own(sim, id, range)?;
    if sim.infos[id].applet.is_some() {
        return None;
    }
    let (_, offset, length) = range;
    let wanted = Watch {
        window,
        offset,
        length,
    };
    match length {
        0 => noticed::unwatch(sim, id, window),
        _ => noticed::set(sim, id, wanted)?,
    }
    tell(sim, id, WindowNews::Watching { ticket });
    Some(SimDuration::ZERO)
}

/// Waits until a word of a window of the endpoint's own memory has another value.
fn wait_word(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (ticket, window, offset): (u64, i32, u32),
    (was, within): (u32, Option<SimDuration>),
) -> Option<SimDuration> {
    let (window, _) = own(sim, id, (window, offset, 4))?;
    let until = within.map(|within| sim.now + within);
    let word = Word {
        ticket,
        window,
        offset,
        was,
        until,
    };
    let end = sim.engines.remote_mut().ends.get_mut(id)?;
    if !end.noticing.add(word) {
        return None;
    }
    if let Some(until) = until {
        sim.schedule.insert(until, Work::LookWindows(id));
    }
    look_at_words(sim, id, window);
    Some(SimDuration::ZERO)
}
