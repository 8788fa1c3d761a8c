//! Immediate data on VIs with an applet.
//!
//! Packets and receive descriptors that a call makes carry the immediate data of the message that the call handles. An
//! applet reads immediate data with `immediate`, and replaces it in the packets that it sends with `setImmediate`.

use nic_core::event::Trigger;
use nic_core::id::{EndpointId, PacketId};

use super::state::HasVia;
use crate::sim::Parts;

/// Returns the immediate data of the message that a call of an applet handles.
#[cold]
pub(super) fn immediate(
    sim: &Parts<'_, impl HasVia>,
    id: EndpointId,
    trigger: Trigger,
) -> Option<u32> {
    match trigger {
        Trigger::Post(post) => sim.engines.via().immediate(id, post),
        Trigger::Arrival(packet) | Trigger::Passed(packet) => arrived(sim, id, packet),
        Trigger::Timer | Trigger::Refill | Trigger::Watch | Trigger::Read | Trigger::Load => None,
    }
}

/// Returns the immediate data of an arrived packet.
pub(super) fn arrived(
    sim: &Parts<'_, impl HasVia>,
    id: EndpointId,
    packet: PacketId,
) -> Option<u32> {
    let mut arrived = sim.engines.via().end(id)?.arrived.iter();
    let found = arrived.find(|(of, _)| *of == packet);
    found.map(|(_, immediate)| *immediate)
}

/// Returns the immediate data of a packet that a call sends.
pub(super) fn of_packet(
    sim: &Parts<'_, impl HasVia>,
    id: EndpointId,
    trigger: Trigger,
) -> Option<u32> {
    let set = sim.engines.via().end(id).and_then(|end| end.set);
    set.or_else(|| immediate(sim, id, trigger))
}

/// Stores the immediate data of an arrived packet that an applet will handle.
pub(super) fn keep(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    packet: PacketId,
    immediate: Option<u32>,
) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    if let Some(immediate) = immediate {
        end.arrived.push_back((packet, immediate));
    }
}

/// Discards the immediate data of packets that came before a packet whose receive descriptor has become visible. No
/// call needs the data of earlier packets any more, because applets handle packets in order.
pub(super) fn forget_before(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, packet: PacketId) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    if let Some(place) = end.arrived.iter().position(|(of, _)| *of == packet) {
        end.arrived.drain(..place);
    }
}

/// Discards the immediate data of arrived packets, if no receive descriptor waits to become visible.
pub(super) fn forget_delivered(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let receive = &sim.endpoints[id].receive;
    let is_visible = receive.len() == receive.visible();
    if let Some(end) = sim.engines.via_mut().end_mut(id)
        && is_visible
    {
        end.arrived.clear();
    }
}

/// Sets the immediate data of the packets that the running call of an applet sends.
#[cold]
pub(super) fn set_immediate(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, value: u32) {
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        end.set = Some(value);
    }
}

/// Discards the immediate data that a call of an applet has set, when the call ends.
#[cold]
pub(super) fn call_over(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        end.set = None;
    }
}
