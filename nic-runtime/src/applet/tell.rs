//! Reports the events of applets: calls, natives and notes.

use crate::calls::call::Cause;
use crate::calls::call::Way;
use crate::ids::ProcessorId;
use jive_core::MethodId;
use nic_core::event::{DropReason, Made, NicEvent, SleEvent, Trigger};
use nic_core::id::PacketId;
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Request};
use nic_core::time::SimTime;

use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::wire::PacketRef;

/// Reports a note that an applet wrote to the trace.
pub(crate) fn note(sim: &mut Simulation<'_>, applet_at: AppletAt, tag: i32, value: i32) {
    let kind = SleEvent::AppletTrace { tag, value };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
}

/// Reports that the message which an applet's call handles is dropped.
pub(crate) fn dropped(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    packet: Option<PacketId>,
    reason: DropReason,
) {
    let kind = NicEvent::Drop { packet, reason };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
}

/// Notes which post the bytes come from that a call has fetched.
pub(crate) fn fetched(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    (to, host): (ArraySpan, HostSpan),
) {
    let call = sim.processors[on].activation.call();
    if let Some(posts) = sim.report.posts_mut() {
        posts.fetched(
            call.applet_at,
            call.trigger(),
            (to, host),
            sim.memory.bytes(host),
        );
    }
}

/// Notes which post a packet comes from that an applet has made.
pub(crate) fn made(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    trigger: Trigger,
    ((id, packet), from): ((PacketId, PacketRef), ArraySpan),
) {
    let chain = sim.chains.of(applet_at.endpoint);
    let handled = chain.and_then(|chain| chain.handled_post());
    if let Some(posts) = sim.report.posts_mut() {
        let pushed = (from, &*sim.packets[packet].bytes);
        let of = posts.pushed(applet_at, (trigger, handled), pushed);
        posts.made(id, of);
    }
}

/// Reports that a processor's call begins. `is_reattached` says whether the call attaches the applet again.
#[cold]
#[inline(never)]
pub(crate) fn called(sim: &mut Simulation<'_>, on: ProcessorId, is_reattached: bool) {
    let call = *sim.processors[on].activation.call();
    let (endpoint, trigger) = (call.applet_at.endpoint, call.trigger());
    if is_reattached {
        let kind = SleEvent::AppletAttach { trigger };
        sim.report.emit(sim.now, endpoint, kind);
    }
    let packet = match call.cause {
        Cause::Arrival { arrival, .. } => &*sim.packets[arrival].bytes,
        Cause::Chain(message) if message.way == Way::Up => sim.chains.handled(endpoint),
        Cause::Read(done) => sim.engines.bytes_read(endpoint, done.number),
        Cause::Post(_) | Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Chain(_) => {
            &[]
        }
    };
    let mut place = [0; 3];
    let kind = SleEvent::AppletCall {
        method: call.method,
        args: call.arguments(&mut place),
        packet,
        trigger,
        processor: sim.number(on),
    };
    sim.report.emit(sim.now, endpoint, kind);
}

/// Reports that an applet's call has returned.
pub(crate) fn returned(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet_at: AppletAt,
    method: MethodId,
    value: Option<i32>,
) {
    if sim.report.listens() {
        let bytecodes = sim.processors[on].activation.stack.executed();
        let kind = SleEvent::AppletReturn {
            method,
            value,
            bytecodes,
        };
        sim.report.emit(sim.now, applet_at.endpoint, kind);
        sim.levels_changed(applet_at.endpoint);
    }
}

/// Reports that the native of a processor's call has completed.
#[inline(always)]
pub(crate) fn performed(sim: &mut Simulation<'_>, on: ProcessorId, value: i32, made: Made) {
    let activation = &sim.processors[on].activation;
    if made == Made::Nothing && activation.reached.is_some() && !sim.report.details() {
        let endpoint = activation.call().applet_at.endpoint;
        sim.levels_changed(endpoint);
    } else if sim.report.listens() {
        tell_performed(sim, on, value, made);
    }
}

#[cold]
#[inline(never)]
fn tell_performed(sim: &mut Simulation<'_>, on: ProcessorId, value: i32, made: Made) {
    let activation = &sim.processors[on].activation;
    let Some(reached) = activation.reached else {
        return;
    };
    let begun = activation.reported.reached;
    let applet_at = activation.call().applet_at;
    if !sim.report.wants_detail() {
        tell_made(sim, applet_at, (reached.decl().name, begun), made);
        return;
    }
    let request = Request::new(reached.id(), activation.stack.native_arguments());
    if let Some(request) = request {
        native(sim, applet_at, &request.begun_at(begun), value, made);
    }
}

/// Reports that a native has completed with the result `value`.
pub(crate) fn native(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    request: &Request,
    value: i32,
    made: Made,
) {
    if !sim.report.listens() {
        return;
    }
    if made == Made::Nothing && !sim.report.details() {
        sim.levels_changed(applet_at.endpoint);
        return;
    }
    if !sim.report.wants_detail() {
        tell_made(sim, applet_at, (request.name(), request.begun()), made);
        return;
    }
    let heap = sim.applets[applet_at.applet].instance.heap();
    let args = request.shown_args(heap);
    let kind = SleEvent::Native {
        name: request.name(),
        args: &args[..request.args().len()],
        result: request.shown_result(heap, value),
        moved: request.moved(heap),
        begun: request.begun(),
        made,
    };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
    sim.levels_changed(applet_at.endpoint);
}

/// Reports to outputs that do without details that a native has created something: without arguments and result.
fn tell_made(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    (name, begun): (&'static str, SimTime),
    made: Made,
) {
    let kind = SleEvent::Native {
        name,
        args: &[],
        result: None,
        moved: &[],
        begun,
        made,
    };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
    sim.levels_changed(applet_at.endpoint);
}
