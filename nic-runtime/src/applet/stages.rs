//! Runs the calls of applets on a NIC's processor, stage by stage, with each native at its own time.
//!
//! The stages of a call are compiled twice: with `HEARD`, for the loops of processors whose events are reported, and
//! without, for the loop of a run without a sink. A packet takes some forty stages, and most of them would ask for the sink.

use crate::ids::{AppletId, ProcessorId};
use jive_core::{ArrayKind, BareStep, TrapKind};
use nic_core::event::{DmaDirection, DropReason, Made, SleEvent, Trigger, TxStatus};
use nic_core::sle::{Effect, NicNative, Rights, check, perform};
use nic_core::time::SimDuration;
use nic_core::unet::resolve;

use super::arguments;
use super::port::{OnNic, Push};
use super::{collected, host_to_nic, suspend, tell, trapped};
use crate::calls::budget::Exceeded;
use crate::calls::call::{Call, Cause, Way};
use crate::calls::quota::Spent;
use crate::engine::{self, Simulation, unet};
use crate::nic::claim::{Grant, Waiter};
use crate::nic::endpoint::AppletAt;
use crate::nic::fault::Detachment;
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::spec::FaultPolicy;
use crate::wire::PacketRef;

/// Begins the call of `doRx` for a packet, on this processor or another.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn arrived(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet: AppletId,
    arrival: PacketRef,
) -> Next {
    let item = Item::Arrival(arrival);
    if let Some(other) = sim.processors[on].role.arrivals_to {
        return sim.hand_over(other, item);
    }
    let (packet, endpoint, channel, length) = sim.arrival(arrival);
    if !sim.live[endpoint].fault.is_attached(sim.now) {
        return engine::handle_without_applet(sim, item);
    }
    let call = Call::new(
        AppletAt { endpoint, applet },
        sim.applets[applet].members.do_rx,
        Cause::Arrival {
            packet,
            channel,
            length,
            arrival,
        },
    );
    let processor = &mut sim.processors[on];
    processor.activation.begin(call);
    Next::after(processor.costs.rx.setup, Stage::Enter)
}

/// Begins the call of `doTx` for the transmit descriptor in hand, on this processor or another.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn posted(sim: &mut Simulation<'_>, on: ProcessorId, applet: AppletId) -> Next {
    // The descriptor is read from the item here, because an argument would be copied through memory on its way.
    let Item::Post(posted) = *sim.in_hand(on) else {
        return Next::Look;
    };
    let (endpoint, item) = (posted.endpoint, Item::Post(posted));
    if let Some(other) = sim.processors[on].role.posts_to {
        sim.live[endpoint].has_post_under_way = true;
        return sim.hand_over(other, item);
    }
    if sim.has_lost_places(on, posted) {
        return sim.take_back(posted);
    }
    if !sim.live[endpoint].fault.is_attached(sim.now) {
        return engine::handle_without_applet(sim, item);
    }
    if resolve(&sim.endpoints[endpoint], posted.descriptor).is_err() {
        sim.give_up_post(endpoint);
        return sim.end_post(posted, TxStatus::Refused);
    }
    let call = Call::new(
        AppletAt { endpoint, applet },
        sim.applets[applet].members.do_tx,
        Cause::Post(posted),
    );
    let processor = &mut sim.processors[on];
    processor.activation.begin(call);
    Next::after(processor.costs.tx.setup, Stage::Enter)
}

/// Enters an applet, with the arrived packet in `RxBuf` if the call is for a packet.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn enter<const HEARD: bool>(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    if sim.processors[on].role.is_recorded
        && let Some(next) = sim.enter_recorded(on)
    {
        return next;
    }
    enter_call::<HEARD>(sim, on)
}

/// Enters an applet that no other processor runs.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn enter_call<const HEARD: bool>(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let processor = &sim.processors[on];
    let (call, costs) = (processor.activation.call(), processor.costs);
    let AppletAt { endpoint, applet } = call.applet_at;
    debug_assert!(arguments::are_stated(sim, call), "{call:?}");
    let (method, cause, mut place) = (call.method, call.cause, [0; 3]);
    let args = call.arguments(&mut place);
    let cost = match cause {
        Cause::Post(_) => costs.tx.call,
        Cause::Arrival { arrival, .. } => {
            if sim.setup.receives_directly() {
                sim.adopt_buffer(arrival);
            }
            let bytes = &sim.packets[arrival].bytes;
            sim.applets[applet].receive(bytes);
            if sim.setup.poisons_rx_buf() {
                sim.applets[applet].poison(bytes.len());
            }
            costs.rx.call
        }
        Cause::Timer(_) => costs.timer.call,
        Cause::Refill(_) => costs.refill.call,
        Cause::Watch(_) => costs.watch.call,
        Cause::Read(_) => costs.watch.call,
        Cause::Chain(message) => match message.way {
            Way::Down => costs.tx.call,
            Way::Up => costs.rx.call,
        },
    };
    let is_reattached = sim.live[endpoint].fault.reattached();
    if HEARD && sim.report.listens() {
        tell::called(sim, on, is_reattached);
    }
    if let Cause::Read(done) = cause {
        engine::land_read(sim, AppletAt { endpoint, applet }, done.number);
    }
    let lifetime = sim.applets[applet].lifetime;
    let instance = &mut sim.applets[applet].instance;
    let activation = &mut sim.processors[on].activation;
    activation.spent = Spent::default();
    let stack = &mut activation.stack;
    let fuel = sim.live[endpoint].fuel;
    let started = instance.start(stack, method, args, fuel, lifetime);
    let stage = match started {
        Ok(()) => Stage::Run,
        Err(trap) => {
            activation.trap = Some(trap);
            Stage::Trap
        }
    };
    Next::after(cost, stage)
}

/// Runs an applet up to its next native, its return or its trap, and charges the executed instructions to the run's
/// budget. All instructions up to the next native take one event, because nothing can observe an applet between two
/// natives.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn run<const HEARD: bool>(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let processor = &mut sim.processors[on];
    let (activation, costs) = (&mut processor.activation, processor.costs);
    let AppletAt { endpoint, applet } = activation.call().applet_at;
    let stack = &mut activation.stack;
    let instance = &mut sim.applets[applet].instance;
    let before = stack.fuel_left();
    let step = match HEARD {
        true => {
            let step = sim.report.run(endpoint, costs.bytecode, (instance, stack));
            BareStep::from(step)
        }
        false => instance.run_bare(stack),
    };
    let (native_fuel, native_cost, stage) = match step {
        BareStep::Returned(value) => {
            activation.reported.returned = value;
            (0, SimDuration::ZERO, Stage::Return)
        }
        BareStep::Trapped(trap) => {
            activation.trap = Some(trap);
            (0, SimDuration::ZERO, Stage::Trap)
        }
        BareStep::Native(id) => {
            let native = NicNative::from_id(id).ok_or(TrapKind::Unverified);
            let affordable = native.and_then(|native| {
                let cost = costs.of(native);
                stack.charge(cost.fuel)?;
                Ok((native, cost))
            });
            match affordable {
                Ok((native, cost)) => {
                    activation.reached = Some(native);
                    (cost.fuel, cost.time, Stage::Perform)
                }
                Err(kind) => {
                    if let Some(array) = id.allocates() {
                        return make_array(sim, on, before, array);
                    }
                    sim.report.take_back(endpoint);
                    stack.resume(Err(kind));
                    (0, SimDuration::ZERO, Stage::Run)
                }
            }
        }
    };
    // The subtraction saturates, because a native without enough fuel is taken back from the count.
    let spent = before.saturating_sub(stack.fuel_left());
    // The memory of arrays is used again only when the call has ended.
    if matches!(stage, Stage::Return | Stage::Trap) {
        let heap = sim.applets[applet].instance.heap_mut();
        if heap.has_cleared() {
            sim.budget.spend_bytes(heap.take_cleared().into());
        }
    }
    if let Err(Exceeded) = sim.budget.spend(spent) {
        return sim.exceed_budget(on);
    }
    let instructions = spent - native_fuel;
    let bytecode_cost = costs.bytecode.times(instructions);
    activation.reported.reached = sim.now + bytecode_cost;
    Next::after(bytecode_cost + native_cost, stage)
}

/// Performs a `newarray` of an applet whose arrays are collected.
#[cold]
fn make_array(sim: &mut Simulation<'_>, on: ProcessorId, before: u64, kind: ArrayKind) -> Next {
    let processor = &sim.processors[on];
    let spent = before.saturating_sub(processor.activation.stack.fuel_left());
    let takes = processor.costs.bytecode.times(spent);
    if let Err(Exceeded) = sim.budget.spend(spent) {
        return sim.exceed_budget(on);
    }
    let pause = collected::new_array(sim, on, kind);
    Next::after(takes + pause, Stage::Run)
}

/// Performs a native whose cost has been paid, or makes the processor wait for what the native needs.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn perform_reached<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
) -> Next {
    let native = sim.processors[on].activation.native();
    // Each native has its own call here, and so its own inlined copy of `perform_native` with the effect in registers.
    match native {
        NicNative::NewAlignedArray => perform_native::<HEARD>(sim, on, NicNative::NewAlignedArray),
        NicNative::GetFreeBufferLength => {
            perform_native::<HEARD>(sim, on, NicNative::GetFreeBufferLength)
        }
        NicNative::GetFreeBuffer => perform_native::<HEARD>(sim, on, NicNative::GetFreeBuffer),
        NicNative::DoHtoLDma if sim.setup.awaits_engines() => {
            await_engine::<HEARD>(sim, on, native, DmaDirection::HostToNic)
        }
        NicNative::DoLtoHDma if sim.setup.awaits_engines() => {
            await_engine::<HEARD>(sim, on, native, DmaDirection::NicToHost)
        }
        NicNative::DoHtoLDma => perform_native::<HEARD>(sim, on, NicNative::DoHtoLDma),
        NicNative::DoLtoHDma => perform_native::<HEARD>(sim, on, NicNative::DoLtoHDma),
        NicNative::TxPush => perform_native::<HEARD>(sim, on, NicNative::TxPush),
        NicNative::DmaRxd => perform_native::<HEARD>(sim, on, NicNative::DmaRxd),
        NicNative::DmaRxdPayload => perform_native::<HEARD>(sim, on, NicNative::DmaRxdPayload),
        rare => perform_rare::<HEARD>(sim, on, rare),
    }
}

/// Performs a native that moves bytes, or makes the processor wait for a DMA engine that is busy and has no queue.
#[cold]
fn await_engine<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    native: NicNative,
    direction: DmaDirection,
) -> Next {
    match sim.await_engine(on, direction, Stage::Perform) {
        Some(waits) => waits,
        None => perform_rare::<HEARD>(sim, on, native),
    }
}

/// Makes a processor wait until a transfer ends and leaves its DMA slot.
#[cold]
fn await_dma_slot(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let nic = sim.processors[on].nic;
    sim.nics[nic].awaiting_dma_slot.push_back(on);
    sim.wait(on, Stage::Perform)
}

/// Performs a native that few applets call; not inlining this function keeps the hot path small.
#[cold]
fn perform_rare<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    native: NicNative,
) -> Next {
    perform_native::<HEARD>(sim, on, native)
}

// This function is not inlined in debug builds, where each copy would take stack of its own and the caller's stack may
// be small.
#[cfg_attr(not(debug_assertions), inline(always))]
fn perform_native<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    native: NicNative,
) -> Next {
    let applet_at = sim.processors[on].activation.call().applet_at;
    let effect = match checked(sim, on, native) {
        Ok(effect) => effect,
        Err(kind) => return refuse_native(sim, on, kind),
    };
    let push = match admit(sim, on, &effect) {
        Ok(push) => push,
        Err(Refused::Stop(next)) => return next,
        Err(Refused::Trap(kind)) => return refuse_native(sim, on, kind),
    };
    sim.budget.spend_bytes(effect.bytes_moved().into());
    let mut port = OnNic::<HEARD> {
        simulation: sim,
        on,
        applet_at,
        push,
    };
    match perform(effect, &mut port) {
        Ok(Ok(value)) => {
            sim.processors[on].activation.stack.resume(Ok(value));
            Next::after(SimDuration::ZERO, Stage::Run)
        }
        Ok(Err(kind)) => refuse_native(sim, on, kind),
        Err(next) => next,
    }
}

/// Checks the arguments of a native.
// The check is apart from `admit`, which would otherwise return the effect with its result. A copy of the effect
// from one result to another would stall on store forwarding.
#[cfg_attr(not(debug_assertions), inline(always))]
fn checked(sim: &Simulation<'_>, on: ProcessorId, native: NicNative) -> Result<Effect, TrapKind> {
    let processor = &sim.processors[on];
    let activation = &processor.activation;
    let call = activation.call();
    let AppletAt { endpoint, applet } = call.applet_at;
    let heap = sim.applets[applet].instance.heap();
    let mut rights = Rights::of(&sim.endpoints[endpoint]);
    let windows;
    if native.kind().names_windows() {
        windows = sim.engines.window_rights(endpoint);
        rights = rights.with(&windows);
    }
    if native.kind().names_arrival() {
        rights.arrival = sim.arrived(call);
    }
    check(native, activation.stack.native_arguments(), heap, &rights)
}

/// Checks the quota of a native, and claims the slots that it needs.
#[cfg_attr(not(debug_assertions), inline(always))]
fn admit(sim: &mut Simulation<'_>, on: ProcessorId, effect: &Effect) -> Result<Push, Refused> {
    let processor = &sim.processors[on];
    let activation = &processor.activation;
    let call = activation.call();
    let AppletAt { endpoint, applet } = call.applet_at;
    let spent = activation.spent.and(effect, &processor.costs.quota);
    let spent = spent.map_err(|_| TrapKind::QuotaExceeded)?;
    if let Some(array) = effect.array() {
        sim.last_arrays.note(applet, call.way(), array);
    }
    let mut push = Push::Leaves;
    match effect {
        Effect::NicToHost { .. } => {
            let processor = &mut sim.processors[on];
            let has_slot = std::mem::take(&mut processor.activation.has_dma_slot);
            if !has_slot && !sim.nics[processor.nic].dma_slots.take() {
                return Err(Refused::Stop(await_dma_slot(sim, on)));
            }
        }
        Effect::Send { channel, .. } => {
            match sim.claim_for_push(on, Waiter::Call(on), endpoint, channel) {
                Grant::Given => {}
                Grant::Waits => {
                    return Err(Refused::Stop(suspend::suspend(sim, on, Stage::Perform)));
                }
                Grant::Refused => push = Push::IsDropped,
            }
        }
        // Without `doRead` the native does nothing.
        Effect::ReadWindow { .. } if sim.applets[applet].members.do_read.is_none() => {
            return Ok(push);
        }
        Effect::WriteWindow { peer, .. } | Effect::ReadWindow { peer, .. } => {
            let path = sim.engines.window_path(endpoint, *peer);
            match sim.claim_for_push(on, Waiter::Call(on), endpoint, &path) {
                Grant::Given => {}
                Grant::Waits => {
                    return Err(Refused::Stop(suspend::suspend(sim, on, Stage::Perform)));
                }
                Grant::Refused => push = Push::IsDropped,
            }
        }
        Effect::HostToNic { .. } => {}
        Effect::Carry { from, .. }
            if engine::placing(sim, endpoint, from.length()) == Some(Made::Descriptor) =>
        {
            let processor = &mut sim.processors[on];
            let has_slot = std::mem::take(&mut processor.activation.has_dma_slot);
            if !has_slot && !sim.nics[processor.nic].dma_slots.take() {
                return Err(Refused::Stop(await_dma_slot(sim, on)));
            }
            return Ok(push);
        }
        // The effects in this list do not count towards the call's quota.
        Effect::Local(_) | Effect::Peek { .. } | Effect::Describe { .. } | Effect::Carry { .. } => {
            return Ok(push);
        }
    }
    sim.processors[on].activation.spent = spent;
    Ok(push)
}

/// Makes an applet's native end in a trap.
#[cold]
pub(crate) fn refuse_native(sim: &mut Simulation<'_>, on: ProcessorId, kind: TrapKind) -> Next {
    if kind == TrapKind::OutOfMemoryError
        && let Some(next) = collected::try_again(sim, on)
    {
        return next;
    }
    sim.processors[on].activation.stack.resume(Err(kind));
    Next::after(SimDuration::ZERO, Stage::Run)
}

/// Ends an applet's native that waited for bytes from the buffer area.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn landed<const HEARD: bool>(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let activation = &sim.processors[on].activation;
    if let Some((to, host)) = activation.landing {
        let applet = activation.call().applet_at.applet;
        let heap = sim.applets[applet].instance.heap_mut();
        host_to_nic(heap, to, &sim.memory, host);
        if HEARD {
            tell::fetched(sim, on, (to, host));
        }
    }
    resume::<HEARD>(sim, on, 0)
}

/// Makes a native return, so that its applet continues.
pub(crate) fn resume<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    value: i32,
) -> Next {
    if HEARD {
        tell::performed(sim, on, value, Made::Nothing);
    }
    sim.processors[on].activation.stack.resume(Ok(value));
    Next::after(SimDuration::ZERO, Stage::Run)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn return_from<const HEARD: bool>(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let activation = &sim.processors[on].activation;
    let (call, returned) = (activation.call(), activation.reported.returned);
    let (applet_at, is_for_message) = (call.applet_at, call.is_for_message());
    if HEARD {
        tell::returned(sim, on, applet_at, call.method, returned);
    }
    sim.endpoints[applet_at.endpoint].free.keep_popped();
    if is_for_message {
        sim.live[applet_at.endpoint].fault.returned();
    }
    sim.leave_call(on);
    end_call(sim, on, TxStatus::Ok)
}

pub(crate) fn end_trapped(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let activation = &mut sim.processors[on].activation;
    let (call, trap) = (*activation.call(), activation.trap.take());
    if let Some(trap) = trap {
        trapped::tell(sim, on, (call.applet_at, Some(&call)), trap);
    }
    sim.leave_call(on);
    if !call.is_for_message() {
        // The trapped call handles no message, so no `drop` is reported and the trap does not count towards detachment.
        sim.endpoints[call.applet_at.endpoint].free.return_popped();
        sim.levels_changed(call.applet_at.endpoint);
        suspend::end_asides(sim, on);
        return Next::Look;
    }
    let now = sim.now;
    let policy = sim.specs[call.applet_at.endpoint].on_trap;
    let fault = &mut sim.live[call.applet_at.endpoint].fault;
    let detachment = fault.trapped(policy, now);
    sim.endpoints[call.applet_at.endpoint].free.return_popped();
    sim.levels_changed(call.applet_at.endpoint);
    if policy == FaultPolicy::BasePath {
        return fall_back(sim, on, call);
    }
    tell::dropped(sim, call.applet_at, call.packet(), DropReason::AppletTrap);
    if let Some(Detachment { traps, duration }) = detachment {
        let kind = SleEvent::AppletDetach {
            traps,
            duration,
            trigger: call.trigger(),
        };
        sim.report.emit(now, call.applet_at.endpoint, kind);
    }
    end_call(sim, on, TxStatus::Trap)
}

/// Handles the message on which an applet trapped as if the endpoint had no applet.
fn fall_back(sim: &mut Simulation<'_>, on: ProcessorId, call: Call) -> Next {
    match call.cause {
        Cause::Post(posted) => send_trapped(sim, on, posted),
        Cause::Arrival { arrival, .. } => {
            suspend::end_asides(sim, on);
            engine::handle_without_applet(sim, Item::Arrival(arrival))
        }
        // A chain drops the message on which an applet traps.
        Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Read(_) | Cause::Chain(_) => {
            Next::Look
        }
    }
}

/// Sends a message on which an applet has trapped. The message needs slots of its own if the applet has used the slots
/// that were reserved for the message.
fn send_trapped(sim: &mut Simulation<'_>, on: ProcessorId, posted: Posted) -> Next {
    let Some((channel, _)) = unet::engine::sendable(sim, posted) else {
        return end_post(sim, on, posted, TxStatus::Refused);
    };
    match sim.claim_for_push(on, Waiter::Message, posted.endpoint, &channel) {
        Grant::Given => {
            suspend::end_asides(sim, on);
            engine::handle_without_applet(sim, Item::Post(posted))
        }
        Grant::Waits => suspend::suspend(sim, on, Stage::SendTrapped),
        Grant::Refused => {
            let trigger = Trigger::Post(posted.post);
            let packet = sim.make_packet(posted.endpoint, &channel, trigger);
            sim.drop_unsent(packet);
            end_post(sim, on, posted, TxStatus::Trap)
        }
    }
}

/// Continues with a message on which an applet has trapped, now that it has its slots.
#[cold]
pub(crate) fn go_on_trapped(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    match sim.processors[on].activation.call().cause {
        Cause::Post(posted) => send_trapped(sim, on, posted),
        Cause::Arrival { .. }
        | Cause::Timer(_)
        | Cause::Refill(_)
        | Cause::Watch(_)
        | Cause::Read(_)
        | Cause::Chain(_) => Next::Look,
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn end_call(sim: &mut Simulation<'_>, on: ProcessorId, status: TxStatus) -> Next {
    match sim.processors[on].activation.call().cause {
        Cause::Post(posted) => return end_post(sim, on, posted, status),
        Cause::Arrival { arrival, .. } => sim.end_arrival(arrival),
        Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Read(_) | Cause::Chain(_) => {
        }
    }
    suspend::end_asides(sim, on);
    Next::Look
}

/// Ends the transmit descriptor that a call was for.
#[cfg_attr(not(debug_assertions), inline(always))]
fn end_post(sim: &mut Simulation<'_>, on: ProcessorId, posted: Posted, status: TxStatus) -> Next {
    sim.give_up_post(posted.endpoint);
    suspend::end_asides(sim, on);
    sim.end_post(posted, status)
}

/// The reason why a native does not take effect now.
enum Refused {
    /// The native waits for slots or for a DMA engine.
    Stop(Next),
    /// The native traps: the endpoint is not entitled to it.
    Trap(TrapKind),
}

impl From<TrapKind> for Refused {
    fn from(kind: TrapKind) -> Refused {
        Refused::Trap(kind)
    }
}
