//! Timers, refills and watches: the reasons to call an applet other than messages. This module holds each applet's
//! timer, the receive buffers that the applet's user has returned, and the events of its watches.

use crate::engine;
use crate::ids::ProcessorId;
use std::collections::VecDeque;

use crate::engine::EventQueue;
use crate::ids::WatchId;
use jive_core::MethodId;
use nic_core::id::{ChannelId, EndpointId, NicId};
use nic_core::sle::NicEntry;
use nic_core::time::SimDuration;
use nic_core::unet::{INLINE_MAX, MessageBody};

use crate::calls::call::{Call, Cause};
use crate::calls::pending::{PendingCalls, Refill, Watched};
use crate::nic::endpoint::AppletAt;
use crate::nic::item::Next;
use crate::nic::work::Work;
use crate::run::Simulation;

/// Sets the timer of an applet, replacing any earlier setting; zero clears the timer. The timer counts from now, but
/// its check is scheduled only when the [call has ended](Simulation::arm).
#[cold]
pub(crate) fn set_timer(sim: &mut Simulation<'_>, applet_at: AppletAt, after: SimDuration) {
    let has_entry = sim.applets[applet_at.applet].members.do_timer.is_some();
    if let Some(pending) = sim.pending_calls.0.get_mut(applet_at.applet) {
        pending.cancel_timer();
        pending.timer = (has_entry && after > SimDuration::ZERO).then(|| sim.now + after);
    }
}

/// Forgets everything that an applet waits for, because nothing calls it any more.
pub(crate) fn clear(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    if let Some(pending) = sim.pending_calls.0.get_mut(applet_at.applet) {
        *pending = PendingCalls::default();
    }
}

/// Schedules a check of the applet's timer. An applet's call schedules the timer's check once, at the end, so that a
/// call that sets the timer often schedules one check only.
#[cold]
pub(crate) fn arm(sim: &mut Simulation<'_>, AppletAt { endpoint, applet }: AppletAt) {
    let Some(pending) = sim.pending_calls.0.get_mut(applet) else {
        return;
    };
    let Some(timer) = pending.timer else { return };
    if pending.look.is_none_or(|look| timer < look) {
        pending.look = Some(timer);
        sim.schedule
            .insert(timer.max(sim.now), Work::Timer(endpoint));
    }
}

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
        come_back(sim, id);
    }
    is_over
}

fn look_at_timer_of(sim: &mut Simulation<'_>, applet_at: AppletAt) -> bool {
    let pending = &mut sim.pending_calls.0[applet_at.applet];
    if pending.look.is_some_and(|look| look <= sim.now) {
        pending.look = None;
    }
    if pending.timer.is_none_or(|timer| timer > sim.now) {
        arm(sim, applet_at);
        return false;
    }
    pending.timer = None;
    pending.is_over = true;
    true
}

/// Records the buffers that the user is about to return, if the applet has `doRefill`.
#[cold]
pub(crate) fn note_refills(sim: &mut Simulation<'_>, id: EndpointId) {
    let Some(applet) = sim.infos[id].applet else {
        return;
    };
    if sim.applets[applet].members.do_refill.is_none() {
        return;
    }
    // A detached applet never learns of this buffer, even if the processor gets to it only later.
    if !sim.live[id].fault.is_attached(sim.now) {
        return;
    }
    let endpoint = &sim.endpoints[id];
    let Some(message) = endpoint.receive.first() else {
        return;
    };
    let refills = &mut sim.pending_calls.0[applet].refills;
    let channel = message.channel;
    match &message.body {
        MessageBody::Inline(_) => refills.push_back(Refill {
            length: INLINE_MAX as u32,
            channel,
            offset: None,
        }),
        MessageBody::Buffers(list) => refills.extend(list.owed().map(|offset| Refill {
            length: endpoint.free.buffer_length(),
            channel,
            offset: Some(offset),
        })),
    }
    come_back(sim, id);
}

/// Records that the next applet towards the user has taken a message of this applet of a chain, if this applet has
/// `doRefill`.
#[cold]
pub(crate) fn note_taken(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    channel: ChannelId,
    buffers: &[u32],
) {
    if sim.applets[applet_at.applet].members.do_refill.is_none() {
        return;
    }
    let length = sim.endpoints[applet_at.endpoint].free.buffer_length();
    let refills = &mut sim.pending_calls.0[applet_at.applet].refills;
    refills.extend(buffers.iter().map(|&offset| Refill {
        length,
        channel,
        offset: Some(offset),
    }));
    if buffers.is_empty() {
        refills.push_back(Refill {
            length: INLINE_MAX as u32,
            channel,
            offset: None,
        });
    }
    come_back(sim, applet_at.endpoint);
}

/// Adds the event of a watch, unless the applet is detached. Returns whether the event was added and did not wait
/// already.
pub(crate) fn add_watch(sim: &mut Simulation<'_>, applet_at: AppletAt, watch: WatchId) -> bool {
    let is_attached = sim.live[applet_at.endpoint].fault.is_attached(sim.now);
    let pending = sim.pending_calls.0.get_mut(applet_at.applet);
    is_attached && pending.is_some_and(|pending| pending.events.add(watch))
}

/// Removes the event of a watch that is removed.
pub(crate) fn forget_watch(sim: &mut Simulation<'_>, applet_at: AppletAt, watch: WatchId) {
    if let Some(pending) = sim.pending_calls.0.get_mut(applet_at.applet) {
        pending.events.forget(watch);
    }
}

/// Wakes the processors that serve an endpoint's expired timer, refills and events.
#[cold]
pub(crate) fn come_back(sim: &mut Simulation<'_>, id: EndpointId) {
    let (mut is_over, mut has_refills, mut has_events) = (false, false, false);
    for applet in sim.applets_of(id) {
        let Some(pending) = sim.pending_calls.0.get(applet) else {
            return;
        };
        is_over |= pending.is_over;
        has_refills |= !pending.refills.is_empty();
        has_events |= !pending.events.is_empty();
    }
    let position = sim.infos[id].position();
    let nic = &mut sim.nics[sim.endpoints[id].nic];
    let timers_on = nic.processor(nic.placement.do_timer);
    let refills_on = nic.processor(nic.placement.do_refill);
    if is_over {
        nic.timers.insert(position);
        sim.wake(timers_on);
    }
    if has_refills {
        let nic = &mut sim.nics[sim.endpoints[id].nic];
        nic.refills.insert(position);
        sim.wake(refills_on);
    }
    if has_events {
        let nic = &mut sim.nics[sim.endpoints[id].nic];
        let on = nic.processor(nic.placement.do_watch);
        nic.watched.insert(position);
        sim.wake(on);
    }
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
            come_back(sim, applet_at.endpoint);
        }
        return Some(Next::after(setup, sim.entrance(applet_at.endpoint)));
    }
}

/// Makes the expired timer of a detached applet expire again when the applet is attached.
fn call_timer_again(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    let attached_from = sim.live[applet_at.endpoint].fault.attached_from();
    sim.pending_calls.0[applet_at.applet].timer = Some(attached_from);
    arm(sim, applet_at);
}

/// Returns whether the cause of a call that has not begun is void: the timer was set again, or the watch was removed.
pub(crate) fn is_void(sim: &Simulation<'_>, applet_at: AppletAt, cause: &Cause) -> bool {
    match cause {
        Cause::Timer(turn) => sim.pending_calls.0[applet_at.applet].turn != *turn,
        Cause::Watch(watched) => {
            let owner = (applet_at.endpoint, &sim.endpoints[applet_at.endpoint]);
            sim.states.watched(owner, watched.watch).is_none()
        }
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
        return Some(Next::after(setup, sim.entrance(applet_at.endpoint)));
    }
}

/// Takes the next event of a watch on a NIC, endpoint by endpoint, and begins the call of `doWatch`.
pub(crate) fn take_watched(sim: &mut Simulation<'_>, on: ProcessorId, nic: NicId) -> Option<Next> {
    loop {
        let position = sim.nics[nic].watched.take_turn()?;
        let found = applet_due_at(sim, nic, position, NicEntry::DoWatch, |pending| {
            !pending.events.is_empty()
        });
        let events = found.map(|(applet_at, _)| &mut sim.pending_calls.0[applet_at.applet].events);
        let event = events.and_then(EventQueue::take);
        let (Some((applet_at, method)), Some(event)) = (found, event) else {
            sim.nics[nic].watched.remove(position);
            continue;
        };
        let owner = (applet_at.endpoint, &sim.endpoints[applet_at.endpoint]);
        let watched = sim.states.watched(owner, event);
        // For a detached applet, `doWatch` is not called.
        let fault = &sim.live[applet_at.endpoint].fault;
        let (Some((window, watch)), true) = (watched, fault.is_attached(sim.now)) else {
            continue;
        };
        let call = Call::new(
            applet_at,
            method,
            Cause::Watch(Watched {
                watch: event,
                window,
                range: (watch.offset, watch.length),
            }),
        );
        let processor = &mut sim.processors[on];
        processor.activation.begin(call);
        let setup = processor.costs.watch.setup;
        return Some(Next::after(setup, sim.entrance(applet_at.endpoint)));
    }
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

/// Gives up a timer, a refill or an event whose call was to begin when another processor's call detached the applet. A
/// timer waits until the applet is attached again.
pub(crate) fn detached(sim: &mut Simulation<'_>, applet_at: AppletAt, cause: Cause) {
    match cause {
        Cause::Timer(_) => call_timer_again(sim, applet_at),
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
    if let Some(after) = timer {
        set_timer(sim, applet_at, after);
    }
    arm(sim, applet_at);
    come_back(sim, applet_at.endpoint);
}

/// Puts a timer, a refill or the event of a watch back, because another call of the applet is suspended. Nothing is
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
        Cause::Post(_) | Cause::Arrival { .. } | Cause::Chain(_) => {}
    }
}
