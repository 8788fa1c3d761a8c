//! Items of EMP for processors, and its delays.

use crate::ids::ProcessorId;
use nic_core::event::{DropReason, NicEvent};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

use super::state::{Delay, HasEmp, Job, Subject};
use crate::nic::item::{Item, OwnItem};
use crate::nic::stage::Stage;
use crate::nic::work::{OwnDelay, Work};
use crate::sim::Parts;
use crate::spec::{EmpPlacement, EmpStage, InterfaceKind};
use crate::wire::PacketRef;

/// Schedules the end of a delay for the given time.
pub(super) fn schedule(sim: &mut Parts<'_, impl HasEmp>, time: SimTime, delay: Delay) {
    let place = sim.engines.emp_mut().delays.add(delay);
    let own = OwnDelay::new(InterfaceKind::Emp, place);
    sim.schedule.insert(time, Work::Own(own));
}

/// Queues an item of EMP for the processor that runs its stage. `from` is the processor that had the item before.
pub(super) fn ready(
    sim: &mut Parts<'_, impl HasEmp>,
    endpoint: EndpointId,
    (stage, subject): (EmpStage, Subject),
    from: Option<ProcessorId>,
) {
    let nic = sim.endpoints[endpoint].nic;
    let to = match sim.engines.emp_mut().nic_state(nic).placement {
        EmpPlacement::Fixed(places) => Some(sim.nics[nic].processor(places[stage])),
        EmpPlacement::Dynamic => idle(sim, nic),
    };
    let job = Job {
        stage,
        subject,
        is_handed_over: from.is_some() && to != from,
    };
    let item = item(sim, endpoint, job);
    match to {
        Some(on) => {
            sim.processors[on].role.handed.push_back(item);
            sim.wake(on);
        }
        None => sim.shared[nic].push_back(item),
    }
    sim.must_not_wait(nic, to);
}

/// Makes an item for processors.
pub(super) fn item(sim: &mut Parts<'_, impl HasEmp>, endpoint: EndpointId, job: Job) -> Item {
    let own = OwnItem {
        work: job.stage.name(),
        job: sim.engines.emp_mut().jobs.add(job),
    };
    Item::Own(endpoint, own)
}

/// Returns an idle processor of a NIC.
fn idle(sim: &Parts<'_, impl HasEmp>, nic: NicId) -> Option<ProcessorId> {
    let mut processors = sim.nics[nic].processors();
    processors.find(|on| matches!(sim.processors[*on].stage, Stage::Idle))
}

/// Drops a frame that has arrived.
pub(super) fn drop_frame(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef, reason: DropReason) {
    let (to, _) = sim.packets[packet].to;
    let kind = NicEvent::Drop {
        packet: Some(sim.packets[packet].id),
        reason,
    };
    sim.report.emit(sim.now, to, kind);
    sim.end_arrival(packet);
}

/// Returns whether this processor also runs the next stage of its item, so that this stage may follow at once.
pub(super) fn runs_here(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    stage: EmpStage,
) -> bool {
    let nic = sim.processors[on].nic;
    match sim.engines.emp_mut().nic_state(nic).placement {
        EmpPlacement::Fixed(places) => sim.nics[nic].processor(places[stage]) == on,
        EmpPlacement::Dynamic => true,
    }
}
