//! What programs ask for at the windows that the scenario gives to their endpoints.

use nic_core::event::Trigger;
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::remote::WindowRights;
use nic_core::time::SimDuration;

use super::reading::Into;
use super::reads;
use super::state::HasRemote;
use crate::host::{Happened, WindowAsked, WindowNews};
use crate::sim::Parts;

/// Does what a process asks for at a window. Returns how long the process is busy.
pub(crate) fn asked(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    asked: WindowAsked,
) -> SimDuration {
    match asked {
        WindowAsked::Read {
            ticket,
            window,
            offset,
            length,
            into,
        } => read(sim, id, ticket, ((window, offset, length), into)),
    }
}

pub(super) fn tell(
    sim: &mut Parts<'_, impl HasRemote>,
    endpoint: EndpointId,
    what: WindowNews<'_>,
) {
    sim.tell_program(endpoint, Happened::Window { endpoint, what });
}

/// Returns whether a range of bytes lies inside a window.
fn is_inside((offset, length): (u32, u32), window: u32) -> bool {
    u64::from(offset) + u64::from(length) <= u64::from(window)
}

/// Begins a read.
fn read(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    ticket: u64,
    ((window, offset, length), into): ((i32, u32, u32), u32),
) -> SimDuration {
    let range = (offset, length);
    let peer = readable(&sim.engines.remote().rights(id), window, range)
        .filter(|_| length <= sim.endpoints[id].max_packet);
    let area = sim.endpoints[id].area;
    let span: Option<HostSpan> = area.span(into.into(), length.into()).ok();
    let (Some(peer), Some(span)) = (peer, span) else {
        tell(sim, id, WindowNews::NotPossible { ticket });
        return SimDuration::ZERO;
    };
    let into = Into::Memory(ticket, span);
    let place = (peer, offset, length);
    if let Some(request) = reads::begin(sim, id, place, into, Trigger::Timer) {
        let sent = &mut sim.packets[request];
        (sent.has_arrival_slot, sent.has_send_slot) = (false, false);
        sim.enqueue(request);
    }
    let nic = sim.endpoints[id].nic;
    sim.setup.host_costs(nic).post
}

/// Returns the position of a peer's window that the endpoint may read.
fn readable(rights: &WindowRights<'_>, window: i32, range: (u32, u32)) -> Option<u32> {
    let place = rights.peer(window)?;
    let peer = rights.peers.get(place)?;
    let may_read = peer.is_readable && is_inside(range, peer.length) && rights.reads_left > 0;
    may_read.then(|| u32::try_from(place).ok()).flatten()
}
