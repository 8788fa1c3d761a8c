//! What every part of VIA uses: delays, control packets, and entries of completion queues.

use crate::ids::at;
use nic_core::event::{Trigger, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use nic_core::via::{CONTROL_BYTES, Completed, Side, ViaHeader};

use super::state::{Delay, HasVia};
use crate::nic::work::{OwnDelay, Work};
use crate::protocol::Header;
use crate::sim::Parts;
use crate::spec::InterfaceKind;
use crate::wire::{Fate, Packet};

/// Schedules the end of a delay for the given time.
pub(super) fn schedule(sim: &mut Parts<'_, impl HasVia>, time: SimTime, delay: Delay) {
    let place = sim.engines.via_mut().delays.add(delay);
    let own = OwnDelay::new(InterfaceKind::Via, place);
    sim.schedule.insert(time, Work::Own(own));
}

pub(super) fn send_control(
    sim: &mut Parts<'_, impl HasVia>,
    from: EndpointId,
    header: ViaHeader,
    trigger: Trigger,
) {
    let Some(connection) = sim.engines.via_mut().end(from).map(|end| end.connection) else {
        return;
    };
    let packet = Packet {
        fate: Some(Fate::default()),
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Via(header),
        ..sim.new_packet(from, &connection, trigger)
    };
    let packet = sim.packets.add(packet, &[0; CONTROL_BYTES as usize]);
    sim.enqueue(packet);
}

/// Adds an entry to the completion queue for sends or receives of a VI, if the VI has this queue.
pub(super) fn enter_completion(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, side: Side) {
    let Some(queue) = queue(sim, id, side) else {
        return;
    };
    let has_room = sim.engines.via_mut().queues[at(queue)].push(Completed { vi: id, side });
    debug_assert!(has_room, "the reader of scenarios has checked the size");
    let kind = ViaEvent::Completion {
        queue: &sim.scenario.completion_queues[at(queue)].name,
        side,
    };
    sim.report.emit(sim.now, id, kind);
}

/// Removes the oldest entry of the completion queue for sends or receives of a VI, if the VI has this queue.
pub(super) fn take_completion(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, side: Side) {
    if let Some(queue) = queue(sim, id, side) {
        sim.engines.via_mut().queues[at(queue)].take();
    }
}

/// Returns the position of the completion queue for sends or receives of a VI.
fn queue(sim: &Parts<'_, impl HasVia>, id: EndpointId, side: Side) -> Option<u32> {
    let [of_sends, of_receives] = sim.engines.via().end(id)?.queues;
    match side {
        Side::Send => of_sends,
        Side::Receive => of_receives,
    }
}
