//! Suspended calls: an applet's call waits for the slots of a packet that it pushes, while its processor does other
//! work.
//!
//! In the model, the frames and registers of a suspended call are in the free part of the applet's heap. The heap's
//! memory belongs to the endpoint, and the suspended call cannot allocate while it waits. A push that gets neither
//! slots nor enough heap is dropped.

use crate::engine;
use crate::ids::{ProcessorId, at};

use nic_core::event::SleEvent;
use nic_core::id::EndpointId;
use nic_core::time::SimDuration;

use super::swap;
use crate::calls::call::Activation;
use crate::calls::suspended::{Place, Suspended, Suspensions, call_stack};
use crate::engine::Simulation;
use crate::nic::item::{Item, Next};
use crate::nic::stage::Stage;

/// Suspends the call of a processor, so that the call will continue at `stage`.
#[cold]
pub(crate) fn suspend(sim: &mut Simulation<'_>, on: ProcessorId, stage: Stage) -> Next {
    let activation = &mut sim.processors[on].activation;
    let has_asides = activation.has_asides;
    let (applet_at, trigger) = (activation.call().applet_at, activation.call().trigger());
    let endpoint = applet_at.endpoint;
    let place_of = sim.place_of(applet_at);
    // Arm the applet's timer now, because the call may stay suspended beyond the timer's expiry.
    if has_asides {
        sim.arm_timer(applet_at);
    }
    // A message on which an applet trapped waits for slots too, but outside any call, so no event is emitted.
    if stage.is_native() {
        let kind = SleEvent::AppletSuspend { trigger };
        sim.report.emit(sim.now, endpoint, kind);
    }
    let place = match vacant_place(sim, on) {
        Some(place) => place,
        None => {
            let calls = &mut sim.suspensions.calls;
            let place = u32::try_from(calls.len()).expect("an applet has one call at a time");
            calls.push(Suspended {
                activation: Activation::new(call_stack(sim.arena, sim.processors[on].costs)),
                stage,
                on,
            });
            place
        }
    };
    sim.suspensions.of_applet[place_of] = Some(Place::of(place));
    sim.suspensions.count += 1;
    sim.live[endpoint].suspend_on(on);
    sim.more_sources += 1;
    let kept = &mut sim.suspensions.calls[at(place)];
    kept.stage = stage;
    kept.on = on;
    let activation = &mut sim.processors[on].activation;
    std::mem::swap(activation, &mut kept.activation);
    activation.was_suspended = false;
    // Free the slots that are reserved for `endpoint` only after the call is marked as suspended. The call may itself
    // wait for these slots, and freed slots resume suspended calls only.
    sim.give_up_post(endpoint);
    sim.leave_call(on);
    Next::Look
}

/// Returns a vacant entry for a suspended call, whose call stack is as deep as this processor's.
fn vacant_place(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<u32> {
    let depth = |on: ProcessorId| sim.processors[on].costs.stack;
    let Suspensions { calls, vacant, .. } = &mut sim.suspensions;
    let fits = |place: &u32| depth(calls[at(*place)].on) == depth(on);
    let found = vacant.iter().rposition(fits)?;
    Some(vacant.swap_remove(found))
}

/// Continues the suspended call of an endpoint on a processor.
#[cold]
pub(crate) fn go_on_with(sim: &mut Simulation<'_>, on: ProcessorId, id: EndpointId) -> Next {
    let place = sim.infos[id]
        .applet
        .and_then(|applet| sim.suspensions.of_applet[applet].take())
        .expect("only a suspended call waits for places")
        .number();
    sim.suspensions.vacant.push(place);
    sim.suspensions.count -= 1;
    sim.live[id].suspended_on = None;
    sim.more_sources -= 1;
    let kept = &mut sim.suspensions.calls[at(place)];
    let stage = kept.stage;
    let activation = &mut sim.processors[on].activation;
    std::mem::swap(activation, &mut kept.activation);
    activation.was_suspended = true;
    if stage.is_native() {
        // The native of the suspended call continues, so the native's span in the timeline starts again.
        activation.reported.reached = sim.now;
        let trigger = activation.call().trigger();
        let kind = SleEvent::AppletResume { trigger };
        sim.report.emit(sim.now, id, kind);
        sim.reenter(on);
    }
    Next::after(SimDuration::ZERO, stage)
}

/// Handles what had to wait for the end of a call: packets that arrived during its suspension, the timer that it set,
/// and swaps.
#[inline]
pub(crate) fn end_asides(sim: &mut Simulation<'_>, on: ProcessorId) {
    let activation = &sim.processors[on].activation;
    if activation.was_suspended | activation.has_asides {
        end_these(sim, on);
    }
}

#[cold]
fn end_these(sim: &mut Simulation<'_>, on: ProcessorId) {
    let activation = &mut sim.processors[on].activation;
    if std::mem::take(&mut activation.has_asides) {
        let applet_at = activation.call().applet_at;
        sim.arm_timer(applet_at);
        engine::call_over(sim, applet_at.endpoint);
        swap::make(sim, applet_at.endpoint, Some(on));
    }
    if std::mem::take(&mut sim.processors[on].activation.was_suspended) {
        unpark(sim, on);
    }
}

#[cold]
fn unpark(sim: &mut Simulation<'_>, on: ProcessorId) {
    let processor = &mut sim.processors[on];
    let (id, nic) = (
        processor.activation.call().applet_at.endpoint,
        processor.nic,
    );
    let nic = &mut sim.nics[nic];
    while let Some(packet) = processor.activation.parked.arrivals.pop_back() {
        nic.arrivals.push_front(packet);
    }
    if !sim.endpoints[id].transmit.is_drained() {
        nic.posted.insert(sim.infos[id].position());
    }
    if !processor.role.is_alone {
        unpark_items(sim, on);
    }
    sim.come_back(id);
}

/// Returns parked packets to the processor of `doRx` if that processor had already taken them, and then wakes the other
/// processors.
#[cold]
fn unpark_items(sim: &mut Simulation<'_>, on: ProcessorId) {
    let processor = &mut sim.processors[on];
    let taken = std::mem::take(&mut processor.activation.parked.taken);
    let nic = &sim.nics[processor.nic];
    let placed = |place| nic.processor(place);
    let (do_tx, do_rx) = (placed(nic.placement.do_tx), placed(nic.placement.do_rx));
    let looks = [nic.placement.transmit, nic.placement.receive].map(placed);
    for packet in taken.into_iter().rev() {
        let handed = &mut sim.processors[do_rx].role.handed;
        handed.push_front(Item::Arrival(packet));
    }
    for other in [do_tx, do_rx].into_iter().chain(looks) {
        if other != on {
            sim.wake(other);
        }
    }
}
