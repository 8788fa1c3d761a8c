//! Requests of users to deregister and register the regions of their VIs.

use crate::ids::at;
use nic_core::via::RegionAction;

use super::delays::schedule;
use super::over_memory;
use super::regions::{handle, register, tell};
use super::state::{Delay, HasVia};
use crate::sim::Parts;
use crate::spec::RegionRequest;

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
