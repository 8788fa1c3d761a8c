//! Reports the fill levels of an endpoint's queues and its applet's heap, whenever they change.

use super::{Simulation, at};
use nic_core::event::{Levels, NicEvent};
use nic_core::id::EndpointId;

impl Simulation<'_> {
    /// Reports an endpoint's levels if they differ from the last report.
    pub(crate) fn levels_changed(&mut self, id: EndpointId) {
        if !self.report.wants_levels {
            return;
        }
        let levels = self.levels_of(id);
        if levels != self.levels[at(id.0)] {
            self.levels[at(id.0)] = levels;
            self.report.emit(self.now, id, NicEvent::Levels(levels));
        }
    }

    fn levels_of(&self, id: EndpointId) -> Levels {
        let endpoint = &self.endpoints[at(id.0)];
        let applet = self.seats[at(id.0)]
            .applet
            .map(|applet| &self.applets[at(applet.0)]);
        // Queue capacities are far below 2³².
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Levels {
            transmit: count(endpoint.transmit.pending()),
            receive: count(endpoint.receive.visible()),
            free: count(endpoint.free.len()),
            heap: applet.map_or(0, |applet| applet.heap_bytes()),
        }
    }
}
