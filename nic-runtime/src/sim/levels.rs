//! Reports the fill levels of an endpoint's queues and its applet's heap, whenever they change.

use super::{Engines, Parts};
use nic_core::event::{Levels, NicEvent};
use nic_core::id::EndpointId;

impl<E: Engines> Parts<'_, E> {
    /// Reports an endpoint's levels if they differ from the last report.
    #[inline(always)]
    pub(crate) fn levels_changed(&mut self, id: EndpointId) {
        if self.report.wants_levels {
            self.report_levels(id);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_levels(&mut self, id: EndpointId) {
        let levels = self.levels_of(id);
        if levels != self.levels[id] {
            self.levels[id] = levels;
            self.report.emit(self.now, id, NicEvent::Levels(levels));
        }
    }

    fn levels_of(&self, id: EndpointId) -> Levels {
        let endpoint = &self.endpoints[id];
        let applet = self.infos[id].applet.map(|applet| &self.applets[applet]);
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
