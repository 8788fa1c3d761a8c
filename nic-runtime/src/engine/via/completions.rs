//! Entries of completion queues.

use crate::ids::at;
use nic_core::event::ViaEvent;
use nic_core::id::EndpointId;
use nic_core::via::{Completed, Side};

use super::state::HasVia;
use crate::sim::Parts;

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
