//! Calls that wait for their applet while another processor runs it. The running call may end what they are for: it sets
//! the timer again, removes the watch, or traps, so that the applet is detached.
use super::Simulation;
use super::processor::Next;
use crate::ids::ProcessorId;
use crate::interface;
use crate::sle::agenda;
use crate::sle::call::Cause;

/// Makes a processor that is about to enter an applet do something else if the reason for its call has ceased to be.
/// Returns `None` if the call may begin.
pub(crate) fn turn_aside(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
    let call = sim.processors[on].activation.call();
    let (tenant, cause) = (call.tenant, call.cause);
    if agenda::is_void(sim, tenant, &cause) {
        sim.leave_call(on);
        return Some(sim.look(on));
    }
    let fault = &sim.residents[tenant.endpoint].fault;
    if fault.is_attached(sim.now) {
        return None;
    }
    sim.leave_call(on);
    Some(match cause {
        Cause::Post(_) | Cause::Arrival { .. } => {
            let item = *sim.in_hand(on);
            interface::pass(sim, on, item)
        }
        Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Handed(_) => {
            agenda::detached(sim, tenant, cause);
            sim.look(on)
        }
    })
}
