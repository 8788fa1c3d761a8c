//! Calls that wait for their applet while another processor runs it. The running call may end what they are for: it sets
//! the timer again, removes the watch, or traps, so that the applet is detached.
use crate::applet::pending_calls;
use crate::calls::call::Cause;
use crate::engine;
use crate::engine::Simulation;
use crate::ids::ProcessorId;
use crate::nic::item::Next;

/// Makes a processor that is about to enter an applet do something else if the reason for its call has ceased to be.
/// Returns `None` if the call may begin.
pub(crate) fn turn_aside(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
    let call = sim.processors[on].activation.call();
    let (applet_at, cause) = (call.applet_at, call.cause);
    if pending_calls::is_void(sim, applet_at, &cause) {
        sim.leave_call(on);
        return Some(Next::Look);
    }
    let fault = &sim.live[applet_at.endpoint].fault;
    if fault.is_attached(sim.now) {
        return None;
    }
    sim.leave_call(on);
    Some(match cause {
        Cause::Post(_) | Cause::Arrival { .. } => {
            let item = *sim.in_hand(on);
            engine::handle_without_applet(sim, item)
        }
        Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Chain(_) => {
            pending_calls::detached(sim, applet_at, cause);
            Next::Look
        }
    })
}
