//! Registered memory of VIs: the region of a VI is its buffer area, which its user may deregister and register again.
//!
//! The region of a VI is in use while a send descriptor is posted. The region is also in use while a receive descriptor
//! is posted, until the user sees the message. A region in use stays registered.

use nic_core::event::ViaEvent;
use nic_core::id::EndpointId;
use nic_core::via::{Handle, RegionAction};

use super::state::HasVia;
use crate::sim::Parts;

/// Registers the region of a VI. Descriptors under way use the region from this time on.
pub(super) fn register(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let area = sim.endpoints[id].area;
    let registered = sim
        .engines
        .via_mut()
        .registry
        .register(area, (0, area.length()), id.0);
    debug_assert!(registered.is_ok(), "the table of regions grows");
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        end.region = registered.ok();
        let uses = std::mem::take(&mut end.under_way);
        hold(sim, id, uses);
    }
    tell(sim, id, RegionAction::Registered);
}

/// Records posted descriptors, which use the region of a VI.
pub(super) fn hold(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, uses: u32) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    end.under_way += uses;
    let Some(handle) = end.region else { return };
    for _ in 0..uses {
        let held = sim.engines.via_mut().registry.hold(handle);
        debug_assert_eq!(held, Ok(()), "the region is registered");
    }
}

/// Records that descriptors have completed, which used the region of a VI.
pub(super) fn release(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, uses: u32) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    end.under_way = end.under_way.saturating_sub(uses);
    let Some(handle) = end.region else { return };
    for _ in 0..uses {
        let released = sim.engines.via_mut().registry.release(handle);
        debug_assert_eq!(released, Ok(()), "a region in use stays registered");
    }
}

/// Returns whether the region of a VI is registered.
pub(crate) fn is_registered(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    handle(sim, id).is_some()
}

pub(super) fn handle(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> Option<Handle> {
    sim.engines.via().end(id)?.region
}

pub(super) fn tell(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, action: RegionAction) {
    let area = sim.endpoints[id].area;
    let kind = ViaEvent::Region {
        action,
        region: area.index(),
        length: area.length(),
    };
    sim.report.emit(sim.now, id, kind);
}
