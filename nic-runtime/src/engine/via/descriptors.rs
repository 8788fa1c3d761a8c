//! What programs ask of a VI's memory and descriptors: they register memory, post descriptors that name it by handle,
//! offset and length, and take messages.

use nic_core::event::ViaEvent;
use nic_core::id::EndpointId;
use nic_core::time::SimDuration;
use nic_core::via::{Handle, RegionAction, Segment, Side, Status};

use super::completions::take_completion;
use super::delays::schedule;
use super::named::{bytes, complete, name, posts_own, receives, released};
use super::own::Named;
use super::regions::handle;
use super::state::{Delay, Extras, HasVia};
use super::{announcing, over_memory};
use crate::host::program::Action;
use crate::host::{Asked, Asking, Descriptor, Happened, OwnMemory, RegionRefusal, ViNews};
use crate::ids::at;
use crate::sim::Parts;

fn tell(sim: &mut Parts<'_, impl HasVia>, endpoint: EndpointId, what: ViNews<'_>) {
    sim.tell_program(endpoint, Happened::Vi { endpoint, what });
}

/// Registers memory for the descriptors of a VI.
pub(super) fn register(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (memory, (offset, length), ticket): (OwnMemory, (u32, u32), u64),
) {
    let area = match memory {
        OwnMemory::Area(endpoint) => sim.endpoints[endpoint].area,
        OwnMemory::Linear(region) => region,
    };
    let registered = sim
        .engines
        .via_mut()
        .registry
        .register(area, (offset, length), id.0);
    if registered.is_ok() {
        let kind = ViaEvent::Region {
            action: RegionAction::Registered,
            region: area.index(),
            length,
        };
        sim.report.emit(sim.now, id, kind);
    }
    let registered = registered.map_err(RegionRefusal::from);
    tell(sim, id, ViNews::Registered { ticket, registered });
}

/// Tells the program of a VI the handle of the buffer area.
pub(super) fn tell_area(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, ticket: u64) {
    let registered = handle(sim, id).ok_or(RegionRefusal::NotRegistered);
    tell(sim, id, ViNews::Registered { ticket, registered });
}

/// Deregisters memory of the descriptors of a VI. The peer's windows to it close.
pub(super) fn deregister(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (handle, ticket): (Handle, u64),
) {
    // The buffer area is registered for as long as the scenario says so.
    let is_area = sim
        .engines
        .via()
        .end(id)
        .is_some_and(|end| end.region == Some(handle));
    let deregistered = match is_area {
        true => None,
        false => Some(sim.engines.via_mut().registry.deregister(handle, id.0)),
    };
    let deregistered = match deregistered {
        Some(Ok(range)) => {
            let window = receives(sim, id).and_then(|own| own.windows.remove(&handle));
            if let Some(window) = window {
                sim.engines.remote_mut().windows.close(window);
            }
            let kind = ViaEvent::Region {
                action: RegionAction::Deregistered,
                region: range.region(),
                length: range.length(),
            };
            sim.report.emit(sim.now, id, kind);
            Ok(handle)
        }
        Some(Err(error)) => Err(error.into()),
        None => Err(RegionRefusal::NotRegistered),
    };
    tell(
        sim,
        id,
        ViNews::Deregistered {
            ticket,
            deregistered,
        },
    );
}

/// Posts a send descriptor. Returns how the process goes on.
pub(super) fn send(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (ticket, segments, immediate): (u64, Vec<Segment>, Option<u32>),
) -> Asking {
    if !posts_own(sim, id) {
        tell(sim, id, ViNews::NotPossible { ticket });
        return Asking::Ignored;
    }
    if !sim.endpoints[id].transmit.has_room() {
        return Asking::Later(Asked::Send(ticket, segments, immediate));
    }
    let mut named = name(sim, id, (ticket, &segments));
    if named.error.is_none() && named.length > sim.endpoints[id].max_packet {
        named.error = Some(Status::LengthError);
    }
    let length = named.length;
    let Some(connection) = sim.engines.via().end(id).map(|end| end.connection) else {
        return Asking::Ignored;
    };
    sim.engines.via_mut().next = Extras {
        immediate,
        named: Some(Box::new(named)),
        ..Extras::default()
    };
    sim.post_elsewhere(id, connection.id, length);
    let nic = sim.endpoints[id].nic;
    let takes = sim.setup.host_costs(nic).post + over_memory::post_takes(sim, id, length);
    Asking::Busy(takes)
}

/// Tells the program of a VI of a send descriptor of its own that has completed. Returns whether there was one.
pub(super) fn tell_sent(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return false;
    };
    let own = end.by_program.as_mut();
    let Some((ticket, status, length)) = own.and_then(|own| own.sent.pop_front()) else {
        return false;
    };
    let what = ViNews::Sent {
        ticket,
        status,
        length,
    };
    tell(sim, id, what);
    true
}

/// Posts a receive descriptor.
pub(super) fn post_receive(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (ticket, segments): (u64, &[Segment]),
) {
    let most = at(sim.specs[id].rx_queue);
    let posted = receives(sim, id).map(|own| own.posted.len() + own.filling.len() + own.done.len());
    if posted.is_none_or(|posted| posted >= most) {
        return tell(sim, id, ViNews::NotPossible { ticket });
    }
    let named = name(sim, id, (ticket, segments));
    let (offset, length) = (named.offset(), named.length);
    let error = named.error;
    let is_connected = !sim.engines.via().is_broken(id);
    if error.is_none() && is_connected && !announce(sim, id, &named) {
        // The cookie queue at the peer has no room for so many segments.
        released(sim, &named);
        return tell(sim, id, ViNews::NotPossible { ticket });
    }
    sim.report
        .emit(sim.now, id, ViaEvent::RxPost { offset, length });
    if let Some(status) = error {
        return complete(sim, id, named, status);
    }
    if let Some(own) = receives(sim, id) {
        own.posted.push_back(named);
    }
}

/// Announces a receive descriptor to the peer. Returns false if there is no room for it in the cookie queue.
fn announce(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, named: &Named) -> bool {
    if !sim.engines.via().is_over_memory(id) {
        return true;
    }
    announcing::announce(sim, id, named)
}

/// Lets the program of a VI ask again for the message for which it has waited.
pub(super) fn noticed(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, turn: u32) {
    if receives(sim, id).is_none_or(|own| own.turn != turn) {
        return;
    }
    sim.act_first(id, Action::Ask(id, Asked::Take(Some(None))));
}

/// Gives the program of a VI the oldest message that is visible. Without one, the program waits for as long as it likes:
/// `None` if it does not wait, `Some(None)` if it waits for ever.
pub(super) fn ask(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    within: Option<Option<SimDuration>>,
) -> Asking {
    let now = sim.now;
    let Some(own) = receives(sim, id) else {
        tell(sim, id, ViNews::NoMessage);
        return Asking::Ignored;
    };
    if !own.done.is_empty() {
        own.waits = false;
        own.turn = own.turn.wrapping_add(1);
        let nic = sim.endpoints[id].nic;
        let takes = sim.setup.host_costs(nic).receive;
        schedule(sim, now + takes, Delay::Taken(id));
        return Asking::Busy(takes);
    }
    let Some(within) = within else {
        tell(sim, id, ViNews::NoMessage);
        let nic = sim.endpoints[id].nic;
        return Asking::Busy(sim.setup.host_costs(nic).post);
    };
    own.waits = true;
    own.turn = own.turn.wrapping_add(1);
    let turn = own.turn;
    if let Some(within) = within {
        schedule(sim, now + within, Delay::NoMessage(id, turn));
    }
    Asking::Ignored
}

/// Returns whether the program of a VI is still in the turn of a wait for a message.
pub(super) fn waits(sim: &Parts<'_, impl HasVia>, id: EndpointId, turn: u32) -> bool {
    let end = sim.engines.via().end(id);
    let own = end.and_then(|end| end.by_program.as_deref()?.receives.as_ref());
    own.is_some_and(|own| own.waits && own.turn == turn)
}

/// Ends the wait of a program for a message, if it is still the same. Returns whether it was.
pub(super) fn waited(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, turn: u32) -> bool {
    let is_due = waits(sim, id, turn);
    if is_due {
        if let Some(own) = receives(sim, id) {
            own.waits = false;
            own.turn = own.turn.wrapping_add(1);
        }
        tell(sim, id, ViNews::NoMessage);
    }
    is_due
}

/// Tells the program of a VI of the message that it has taken.
pub(super) fn taken(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let Some(completed) = receives(sim, id).and_then(|own| own.done.pop_front()) else {
        return;
    };
    take_completion(sim, id, Side::Receive);
    let payload = bytes(sim, &completed.spans);
    let what = ViNews::Received(Descriptor {
        tickets: &completed.tickets,
        status: completed.status,
        immediate: completed.immediate,
        payload: &payload,
    });
    tell(sim, id, what);
}
