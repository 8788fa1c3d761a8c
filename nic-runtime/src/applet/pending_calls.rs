//! Timers, refills, watches and reads: the reasons to call an applet other than messages. This module takes
//! what is due, and begins the calls; `calls::pending` holds what waits.

use crate::engine;
use crate::ids::ProcessorId;
use std::collections::VecDeque;

use jive_core::MethodId;
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::NicEntry;
use nic_core::time::SimDuration;

use crate::calls::call::{Call, Cause};
use crate::calls::pending::{PendingCalls, Watched};
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::Next;
use crate::nic::stage::Stage;

/// Checks the timers of an endpoint's applets; returns whether one has expired.
pub(crate) fn look_at_timer(sim: &mut Simulation<'_>, id: EndpointId) -> bool {
    let mut is_over = false;
    for applet in sim.applets_of(id) {
        let applet_at = AppletAt {
            endpoint: id,
            applet,
        };
        is_over |= look_at_timer_of(sim, applet_at);
    }
    if is_over {
        sim.come_back(id);
    }
    is_over
}

fn look_at_timer_of(sim: &mut Simulation<'_>, applet_at: AppletAt) -> bool {
    let pending = &mut sim.pending_calls.0[applet_at.applet];
    if pending.look.is_some_and(|look| look <= sim.now) {
        pending.look = None;
    }
    if pending.timer.is_none_or(|timer| timer > sim.now) {
        sim.arm_timer(applet_at);
        return false;
    }
    pending.timer = None;
    pending.is_over = true;
    true
}

/// Takes the next expired timer of a NIC and begins the call of `doTimer`.
pub(crate) fn take_timer(sim: &mut Simulation<'_>, on: ProcessorId, nic: NicId) -> Option<Next> {
    loop {
        let timers = &mut sim.nics[nic].timers;
        let position = timers.take_turn()?;
        timers.remove(position);
        let Some((applet_at, method)) =
            applet_due_at(sim, nic, position, NicEntry::DoTimer, |pending| {
                pending.is_over
            })
        else {
            continue;
        };
        let pending = &mut sim.pending_calls.0[applet_at.applet];
        pending.is_over = false;
        let turn = pending.turn;
        if !sim.live[applet_at.endpoint].fault.is_attached(sim.now) {
            call_timer_again(sim, applet_at);
            continue;
        }
        let call = Call::new(applet_at, method, Cause::Timer(turn));
        let processor = &mut sim.processors[on];
        processor.activation.begin(call);
        let setup = processor.costs.timer.setup;
        // The timers of several applets of a chain may have expired.
        if sim.chains.of(applet_at.endpoint).is_some() {
            sim.come_back(applet_at.endpoint);
        }
        return Some(Next::after(setup, Stage::Enter));
    }
}

/// Makes the expired timer of a detached applet expire again when the applet is attached.
fn call_timer_again(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    let attached_from = sim.live[applet_at.endpoint].fault.attached_from();
    sim.pending_calls.0[applet_at.applet].timer = Some(attached_from);
    sim.arm_timer(applet_at);
}

/// Returns whether the cause of a call that has not begun is void: the timer was set again, or the watch was removed.
pub(crate) fn is_void(sim: &Simulation<'_>, applet_at: AppletAt, cause: &Cause) -> bool {
    match cause {
        Cause::Timer(turn) => sim.pending_calls.0[applet_at.applet].turn != *turn,
        Cause::Watch(watched) => {
            let owner = (applet_at.endpoint, &sim.endpoints[applet_at.endpoint]);
            sim.engines.watched(owner, watched.watch).is_none()
        }
        Cause::Read(done) => !sim.engines.has_read(applet_at.endpoint, done.number),
        Cause::Post(_) | Cause::Arrival { .. } | Cause::Refill(_) | Cause::Chain(_) => false,
    }
}

/// Takes the next refill of a NIC, endpoint by endpoint, and begins the call of `doRefill`.
pub(crate) fn take_refill(sim: &mut Simulation<'_>, on: ProcessorId, nic: NicId) -> Option<Next> {
    loop {
        let position = sim.nics[nic].refills.take_turn()?;
        let found = applet_due_at(sim, nic, position, NicEntry::DoRefill, |pending| {
            !pending.refills.is_empty()
        });
        let refills =
            found.map(|(applet_at, _)| &mut sim.pending_calls.0[applet_at.applet].refills);
        let refill = refills.and_then(VecDeque::pop_front);
        let (Some((applet_at, method)), Some(refill)) = (found, refill) else {
            sim.nics[nic].refills.remove(position);
            continue;
        };
        // For a detached applet, `doRefill` is not called.
        let fault = &sim.live[applet_at.endpoint].fault;
        if !fault.is_attached(sim.now) {
            continue;
        }
        let call = Call::new(applet_at, method, Cause::Refill(refill));
        let processor = &mut sim.processors[on];
        processor.activation.begin(call);
        let setup = processor.costs.refill.setup;
        return Some(Next::after(setup, Stage::Enter));
    }
}

/// Takes the next ended read or event of a watch on a NIC, endpoint by endpoint, and begins the call of `doRead` or
/// `doWatch`.
pub(crate) fn take_watched(sim: &mut Simulation<'_>, on: ProcessorId, nic: NicId) -> Option<Next> {
    loop {
        let position = sim.nics[nic].watched.take_turn()?;
        let due = match next_read(sim, nic, position) {
            Due::Nothing => next_event(sim, nic, position),
            due => due,
        };
        let (applet_at, method, cause) = match due {
            Due::Call(applet_at, method, cause) => (applet_at, method, cause),
            Due::Void => continue,
            Due::Nothing => {
                sim.nics[nic].watched.remove(position);
                continue;
            }
        };
        let call = Call::new(applet_at, method, cause);
        let processor = &mut sim.processors[on];
        processor.activation.begin(call);
        let setup = processor.costs.watch.setup;
        return Some(Next::after(setup, Stage::Enter));
    }
}

/// What is due at a position of a NIC.
enum Due {
    Nothing,
    /// Something was due that needs no call any more.
    Void,
    Call(AppletAt, MethodId, Cause),
}

/// Takes the oldest ended read of the applets at a position of a NIC.
fn next_read(sim: &mut Simulation<'_>, nic: NicId, position: usize) -> Due {
    let found = applet_due_at(sim, nic, position, NicEntry::DoRead, |pending| {
        !pending.reads.is_empty()
    });
    let reads = found.map(|(applet_at, _)| &mut sim.pending_calls.0[applet_at.applet].reads);
    let done = reads.and_then(VecDeque::pop_front);
    let (Some((applet_at, method)), Some(done)) = (found, done) else {
        return Due::Nothing;
    };
    // A detached applet never learns of the read.
    if sim.live[applet_at.endpoint].fault.is_attached(sim.now) {
        return Due::Call(applet_at, method, Cause::Read(done));
    }
    engine::forget_read(sim, applet_at, done.number);
    Due::Void
}

/// Takes the oldest event of the watches of the applets at a position of a NIC.
fn next_event(sim: &mut Simulation<'_>, nic: NicId, position: usize) -> Due {
    let found = applet_due_at(sim, nic, position, NicEntry::DoWatch, |pending| {
        !pending.events.is_empty()
    });
    let events = found.map(|(applet_at, _)| &mut sim.pending_calls.0[applet_at.applet].events);
    let event = events.and_then(|events| events.take());
    let (Some((applet_at, method)), Some(event)) = (found, event) else {
        return Due::Nothing;
    };
    let owner = (applet_at.endpoint, &sim.endpoints[applet_at.endpoint]);
    let watched = sim.engines.watched(owner, event);
    // For a detached applet, `doWatch` is not called.
    let fault = &sim.live[applet_at.endpoint].fault;
    let (Some((window, watch)), true) = (watched, fault.is_attached(sim.now)) else {
        return Due::Void;
    };
    let watched = Watched {
        watch: event,
        window,
        range: (watch.offset, watch.length),
    };
    Due::Call(applet_at, method, Cause::Watch(watched))
}

/// Returns the first applet at a position of a NIC whose pending call is `due`, and the applet's method for the given
/// entry. Returns `None` if no applet's pending call is `due`, or if a call of the endpoint is suspended. The pending
/// calls of an endpoint with a suspended call [come back](come_back) when that call ends.
fn applet_due_at(
    sim: &Simulation<'_>,
    nic: NicId,
    position: usize,
    entry: NicEntry,
    due: impl Fn(&PendingCalls) -> bool,
) -> Option<(AppletAt, MethodId)> {
    let endpoint = sim.nics[nic].endpoints[position];
    if sim.suspensions.is_any() && sim.live[endpoint].suspended_on.is_some() {
        return None;
    }
    sim.applets_of(endpoint).find_map(|applet| {
        let method = sim.applets[applet].members.entry(entry)?;
        due(&sim.pending_calls.0[applet]).then_some((AppletAt { endpoint, applet }, method))
    })
}

/// Gives up a timer, a refill, an event or a read whose call was to begin when another processor's call detached the applet. A
/// timer waits until the applet is attached again.
pub(crate) fn detached(sim: &mut Simulation<'_>, applet_at: AppletAt, cause: Cause) {
    match cause {
        Cause::Timer(_) => call_timer_again(sim, applet_at),
        Cause::Read(done) => engine::forget_read(sim, applet_at, done.number),
        Cause::Refill(_)
        | Cause::Watch(_)
        | Cause::Post(_)
        | Cause::Arrival { .. }
        | Cause::Chain(_) => {}
    }
}

/// Adapts the pending calls of an endpoint to the class that has become its applet. An armed timer, returned buffers
/// and watches stay if the class has the entry for them. `timer` is the time that the initializers of the class passed
/// to `setTimer`.
#[cold]
pub(crate) fn adapt(sim: &mut Simulation<'_>, applet_at: AppletAt, timer: Option<SimDuration>) {
    let members = sim.applets[applet_at.applet].members;
    let Some(pending) = sim.pending_calls.0.get_mut(applet_at.applet) else {
        return;
    };
    if members.do_timer.is_none() {
        pending.cancel_timer();
    }
    if members.do_refill.is_none() {
        pending.refills.clear();
    }
    if members.do_watch.is_none() {
        engine::unwatch_all(sim, applet_at);
    }
    engine::forget_reads(sim, applet_at);
    if let Some(after) = timer {
        sim.set_timer(applet_at, after);
    }
    sim.arm_timer(applet_at);
    sim.come_back(applet_at.endpoint);
}

/// Puts a timer, a refill, the event of a watch or the end of a read back, because another call of the applet is suspended. Nothing is
/// left of a void cause.
pub(crate) fn put_off(sim: &mut Simulation<'_>, applet_at: AppletAt, cause: Cause) {
    if is_void(sim, applet_at, &cause) {
        return;
    }
    let pending = &mut sim.pending_calls.0[applet_at.applet];
    match cause {
        Cause::Timer(_) => pending.is_over = true,
        Cause::Refill(refill) => pending.refills.push_front(refill),
        Cause::Watch(watched) => {
            pending.events.add(watched.watch);
        }
        Cause::Read(done) => pending.reads.push_front(done),
        Cause::Post(_) | Cause::Arrival { .. } | Cause::Chain(_) => {}
    }
}
