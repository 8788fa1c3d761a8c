//! The DMA requests of a host's NIC (S5, section 4.2): the NIC takes one request at a time, and an interrupt ends each
//! request. The routine of the interrupt starts the next one, so the host is busy and the NIC idle meanwhile.
//!
//! The scheduler of the requests writes the bytes of a short request itself, if the profile has `clan.dma_min`.

use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;

use super::costs::{Costs, schedules};
use super::requested::Due;
use super::state::HasRemote;
use crate::nic::transfer::TransferRef;
use crate::sim::Parts;

/// Returns the costs of a NIC, if a scheduler on its host takes the requests one by one.
fn costs(sim: &Parts<'_, impl HasRemote>, nic: NicId) -> Option<Costs> {
    let profile = sim.scenario.profile_of(nic);
    let schedules = profile.clan.is_some_and(|clan| schedules(&clan));
    Costs::of(profile).filter(|_| schedules)
}

/// Passes a DMA request to the NIC, after all earlier requests of the host.
pub(super) fn submit(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, transfer: TransferRef) {
    let nic = sim.endpoints[id].nic;
    if costs(sim, nic).is_none() {
        return sim.queue_transfer(transfer);
    }
    let Some(requests) = sim.engines.remote_mut().requests.get_mut(nic) else {
        return;
    };
    if requests.is_busy {
        requests.waiting.push_back(transfer);
    } else {
        requests.is_busy = true;
        start(sim, transfer);
    }
}

/// Starts a request: the NIC moves its bytes, or the scheduler on the host writes them.
fn start(sim: &mut Parts<'_, impl HasRemote>, transfer: TransferRef) {
    let request = sim.transfers.entries[transfer].transfer;
    let id = request.endpoint;
    let Some(costs) = costs(sim, sim.endpoints[id].nic) else {
        return;
    };
    match costs.scheduler_takes(request.host.length()) {
        None => sim.queue_transfer(transfer),
        Some(takes) => {
            let time = HasRemote::interrupt(sim, id, takes);
            HasRemote::schedule_request(sim, time, Due::Written(transfer));
        }
    }
}

/// Handles the end of a request. The next request begins when the host has handled the interrupt.
pub(crate) fn over(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, length: u32) {
    let Some(costs) = costs(sim, sim.endpoints[id].nic) else {
        return;
    };
    match (costs.scheduler_takes(length), costs.dma_interrupt()) {
        (Some(_), _) | (None, SimDuration::ZERO) => next(sim, id),
        (None, takes) => {
            let time = HasRemote::interrupt(sim, id, takes);
            HasRemote::schedule_request(sim, time, Due::Next(id));
        }
    }
}

/// Starts the oldest request that waits, if there is one.
fn next(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId) {
    let nic = sim.endpoints[id].nic;
    let Some(requests) = sim.engines.remote_mut().requests.get_mut(nic) else {
        return;
    };
    match requests.waiting.pop_front() {
        Some(transfer) => start(sim, transfer),
        None => requests.is_busy = false,
    }
}

/// Continues with the requests when the host's processor has done its part.
pub(crate) fn due(sim: &mut Parts<'_, impl HasRemote>, due: Due) {
    match due {
        Due::Written(transfer) => {
            let waits = sim.transfer_ends(transfer);
            debug_assert!(waits.is_none(), "no call waits for a request of a library");
        }
        Due::Next(id) => next(sim, id),
    }
}
