//! Control packets between the NICs of a connection.

use nic_core::event::Trigger;
use nic_core::id::EndpointId;
use nic_core::via::{CONTROL_BYTES, ViaHeader};

use super::state::HasVia;
use crate::protocol::Header;
use crate::sim::Parts;
use crate::wire::{Fate, Packet};

/// Sends a control packet to the peer of a VI.
pub(super) fn send_control(
    sim: &mut Parts<'_, impl HasVia>,
    from: EndpointId,
    header: ViaHeader,
    trigger: Trigger,
) {
    send_setup(sim, from, header, (trigger, &[0; CONTROL_BYTES as usize]));
}

/// Sends a control packet with these bytes to the peer of a VI.
pub(super) fn send_setup(
    sim: &mut Parts<'_, impl HasVia>,
    from: EndpointId,
    header: ViaHeader,
    (trigger, bytes): (Trigger, &[u8]),
) {
    let Some(connection) = sim.engines.via_mut().end(from).map(|end| end.connection) else {
        return;
    };
    let packet = Packet {
        fate: Some(Fate::EXEMPT),
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Via(header),
        ..sim.new_packet(from, &connection, trigger)
    };
    let packet = sim.packets.add(packet, bytes);
    sim.enqueue(packet);
}
