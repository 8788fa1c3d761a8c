//! Registered memory of VIs: the region of a VI is its buffer area, which its user may deregister and register again.
//!
//! The region of a VI is in use while a send descriptor is posted. The region is also in use while a receive descriptor
//! is posted, until the user sees the message. A region in use stays registered.

use crate::ids::at;
use nic_core::event::ViaEvent;
use nic_core::id::EndpointId;
use nic_core::via::{Handle, RegionAction};

use super::HasVia;
use super::hardware::{Delay, schedule};
use super::over_memory;
use crate::sim::Parts;
use crate::spec::RegionRequest;

/// Registers the region of a VI. Descriptors under way use the region from this time on.
pub(super) fn register(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let area = sim.endpoints[id].area;
    let registered = sim.engines.via_mut().registry.register(area, id.0);
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

/// Schedules the scenario's requests to deregister and register regions.
pub(super) fn schedule_requests(sim: &mut Parts<'_, impl HasVia>) {
    let scenario = sim.scenario;
    for (number, region) in (0..).zip(&scenario.regions) {
        schedule(sim, region.at, Delay::Region(number));
    }
}

/// Handles the request of a VI's user to deregister or register the region.
pub(super) fn due(sim: &mut Parts<'_, impl HasVia>, number: u32) {
    let scenario = sim.scenario;
    let Some(region) = scenario.regions.get(at(number)) else {
        return;
    };
    let id = region.endpoint;
    match (region.request, handle(sim, id)) {
        (RegionRequest::Register, None) => {
            register(sim, id);
            over_memory::open_again(sim, id);
        }
        (RegionRequest::Deregister, Some(handle)) => {
            match sim.engines.via_mut().registry.deregister(handle) {
                Ok(_) => {
                    if let Some(end) = sim.engines.via_mut().end_mut(id) {
                        end.region = None;
                    }
                    over_memory::close(sim, id);
                    tell(sim, id, RegionAction::Deregistered);
                }
                Err(_) => tell(sim, id, RegionAction::Refused),
            }
        }
        (RegionRequest::Register, Some(_)) | (RegionRequest::Deregister, None) => {
            tell(sim, id, RegionAction::Refused);
        }
    }
}

fn handle(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> Option<Handle> {
    sim.engines.via().end(id)?.region
}

fn tell(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, action: RegionAction) {
    let area = sim.endpoints[id].area;
    let kind = ViaEvent::Region {
        action,
        region: area.index(),
        length: area.length(),
    };
    sim.report.emit(sim.now, id, kind);
}
