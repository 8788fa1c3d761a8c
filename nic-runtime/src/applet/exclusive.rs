//! Exclusive access to applets on NICs with several processors: an applet runs on one processor at a time.
//!
//! A call may wait for its applet while another processor runs it. The running call may end what the waiting call is for:
//! it sets the timer again, removes the watch, or traps, so that the applet is detached.

use crate::ids::ProcessorId;

use super::pending_calls;
use crate::calls::call::Cause;
use crate::engine::{self, Simulation};
use crate::nic::item::Next;
use crate::nic::stage::Stage;

impl Simulation<'_> {
    /// Begins a call on a processor that records its calls. Returns what the processor does instead if it cannot begin
    /// the call now.
    #[cold]
    pub(crate) fn enter_recorded(&mut self, on: ProcessorId) -> Option<Next> {
        let now = self.now;
        let role = &mut self.processors[on].role;
        if let Some(slicing) = &mut role.slicing {
            slicing.begins(now);
        }
        match role.is_alone {
            true => None,
            false => self.enter_alone(on),
        }
    }

    /// Begins a call if no other processor runs the applet. If another processor runs the applet, this processor waits,
    /// or puts the new call aside if the running call is suspended.
    fn enter_alone(&mut self, on: ProcessorId) -> Option<Next> {
        let call = self.processors[on].activation.call();
        let (applet_at, cause) = (call.applet_at, call.cause);
        let applet = self.place_of(applet_at);
        if let Cause::Post(posted) = cause {
            let is_suspended = self.suspensions.of(applet).is_some();
            if is_suspended || self.has_lost_places(on, posted) {
                self.leave_call(on);
                return Some(self.take_back(posted));
            }
        } else if let Some(suspended) = self.suspensions.of(applet) {
            match cause {
                Cause::Arrival { arrival, .. } => {
                    suspended.activation.parked.taken.push_back(arrival)
                }
                Cause::Post(_)
                | Cause::Timer(_)
                | Cause::Refill(_)
                | Cause::Watch(_)
                | Cause::Read(_)
                | Cause::Chain(_) => pending_calls::put_off(self, applet_at, cause),
            }
            self.leave_call(on);
            return Some(Next::Look);
        }
        if let Some(next) = turn_aside(self, on) {
            return Some(next);
        }
        let nic = self.processors[on].nic;
        let is_running = |other: ProcessorId| {
            let role = &self.processors[other].role;
            other != on && role.running == Some(applet)
        };
        if self.nics[nic].processors().any(is_running) {
            let role = &mut self.processors[on].role;
            // The processor had been admitted to the applet, but a suspended call continued first, so the processor
            // waits again.
            role.running = None;
            role.awaits = Some((applet, self.now));
            return Some(self.wait(on, Stage::Enter));
        }
        self.processors[on].role.running = Some(applet);
        None
    }

    /// Records that a processor has left its applet, and lets the processor that has waited longest enter the applet.
    #[inline]
    pub(crate) fn leave_call(&mut self, on: ProcessorId) {
        if self.processors[on].role.is_recorded {
            self.leave_recorded(on);
        }
    }

    #[cold]
    fn leave_recorded(&mut self, on: ProcessorId) {
        let now = self.now;
        if let Some(slicing) = &mut self.processors[on].role.slicing {
            slicing.ends(now);
        }
        self.let_next_enter(on);
    }

    /// Makes a processor that was to enter an applet look for other work, because the applet has no entry for the call.
    #[cold]
    pub(crate) fn turn_away(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        *processor.stage_of_call() = Stage::Look;
        if processor.role.awaits.take().is_some() {
            self.rouse(on);
        }
        self.leave_call(on);
    }

    /// Records that a processor continues a suspended call.
    pub(crate) fn reenter(&mut self, on: ProcessorId) {
        let applet_at = self.processors[on].activation.call().applet_at;
        let (now, running) = (self.now, self.place_of(applet_at));
        let role = &mut self.processors[on].role;
        role.running = Some(running);
        if let Some(slicing) = &mut role.slicing {
            slicing.begins(now);
        }
    }

    fn let_next_enter(&mut self, on: ProcessorId) {
        let Some(applet) = self.processors[on].role.running.take() else {
            return;
        };
        let nic = self.processors[on].nic;
        let waiting = self.nics[nic].processors().filter_map(|other| {
            let awaits = self.processors[other].role.awaits;
            awaits.and_then(|(awaited, since)| (awaited == applet).then_some((since, other)))
        });
        let Some((since, next)) = waiting.min_by_key(|&(since, other)| (since, other.0)) else {
            return;
        };
        let role = &mut self.processors[next].role;
        role.awaits = None;
        role.running = Some(applet);
        let waits = &mut self.waits[applet];
        waits.count += 1;
        waits.time += self.now.since(since);
        self.rouse(next);
    }
}

/// Makes a processor that is about to enter an applet do something else if the reason for its call has ceased to be.
/// Returns `None` if the call may begin.
fn turn_aside(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
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
        Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Read(_) | Cause::Chain(_) => {
            pending_calls::detached(sim, applet_at, cause);
            Next::Look
        }
    })
}
