//! Requests of users to deregister and register the regions of their VIs.

use crate::host::{Asked, Asking};
use crate::ids::at;
use nic_core::event::Trigger;
use nic_core::id::EndpointId;
use nic_core::via::RegionAction;

use super::connect;
use super::control::send_setup;
use super::delays::schedule;
use super::descriptors;
use super::joining;
use super::regions::{handle, register, tell};
use super::state::{Delay, HasVia};
use crate::sim::Parts;
use crate::spec::RegionRequest;

/// Does what a process asks a VI for. Each request takes the process the time of a post.
pub(super) fn asked(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, asked: Asked) -> Asking {
    match asked {
        Asked::Connect(..) | Asked::Accept(..) if connect::is_ending(sim, id) => {
            return Asking::Later(asked);
        }
        Asked::Connect(tag, within) => connect::connect(sim, id, (tag, within)),
        Asked::Accept(tag, within) => connect::accept(sim, id, (tag, within)),
        Asked::Refuse => connect::refuse(sim, id),
        Asked::Register(memory, range, ticket) => {
            descriptors::register(sim, id, (memory, range, ticket));
        }
        Asked::Area(ticket) => {
            descriptors::tell_area(sim, id, ticket);
            return Asking::Ignored;
        }
        Asked::Deregister(handle, ticket) => descriptors::deregister(sim, id, (handle, ticket)),
        Asked::Send(ticket, segments, immediate) => {
            return descriptors::send(sim, id, (ticket, segments, immediate));
        }
        Asked::Receive(ticket, segments) => {
            descriptors::post_receive(sim, id, (ticket, &segments));
        }
        Asked::Take(within) => return descriptors::ask(sim, id, within),
        Asked::Control(header, bytes) => {
            let most = sim.endpoints[id].max_packet;
            let fits = u32::try_from(bytes.len()).is_ok_and(|length| length <= most);
            if fits && header.control().is_some() {
                send_setup(sim, id, header, (Trigger::Timer, &bytes));
            }
            return Asking::Ignored;
        }
        // These are for endpoints of LMMC.
        Asked::Port(_) | Asked::Page(_) => return Asking::Ignored,
    }
    let nic = sim.endpoints[id].nic;
    Asking::Busy(sim.setup.host_costs(nic).post)
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
            joining::open_again(sim, id);
        }
        (RegionRequest::Deregister, Some(handle)) => {
            match sim.engines.via_mut().registry.deregister(handle, id.0) {
                Ok(_) => {
                    if let Some(end) = sim.engines.via_mut().end_mut(id) {
                        end.region = None;
                    }
                    joining::close(sim, id);
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
