//! Runs the calls of a chain of applets. The calls of an endpoint with a single applet never use this module.
//!
//! The stages of a call are those of [`stages`], which also performs most natives. This module performs the pushes of
//! an applet to its neighbour in the chain, and the copies between neighbours.

use crate::ids::{AppletId, ProcessorId, at};
use jive_core::{Trap, TrapKind};
use nic_core::event::{DropReason, Made, Trigger, TxStatus};
use nic_core::memory::Region;
use nic_core::sle::{Effect, NATIVE_ARGUMENTS_MAX, NativeKind, NicEntry, NicNative, Rights, check};
use nic_core::time::SimDuration;

use super::chain;
use super::{stages, tell, trapped};
use crate::calls::call::{Call, Cause, ChainMessage, Way};
use crate::calls::chain::{Chain, free_bytes};
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::{Item, Next};
use crate::nic::stage::Stage;

/// Runs a stage of a call in a chain. Returns `None` if the processor's call is in no chain, or if the stage is the same
/// there.
pub(crate) fn step(sim: &mut Simulation<'_>, on: ProcessorId, stage: Stage) -> Option<Next> {
    if !is_chained(sim, on) {
        return None;
    }
    match stage {
        Stage::Enter => Some(enter(sim, on)),
        Stage::Run => Some(run(sim, on)),
        Stage::Perform => Some(perform(sim, on)),
        Stage::Return => Some(returned(sim, on)),
        Stage::Trap => Some(end_trapped(sim, on)),
        Stage::Idle
        | Stage::Look
        | Stage::Taken
        | Stage::HandedOver
        | Stage::Landed
        | Stage::SendTrapped => None,
    }
}

/// Returns whether the processor's call is that of an applet in a chain.
fn is_chained(sim: &Simulation<'_>, on: ProcessorId) -> bool {
    let applet_at = sim.processors[on].activation.applet_at();
    applet_at.is_some_and(|applet_at| sim.chains.of(applet_at.endpoint).is_some())
}

/// Begins a round of a chain with the item in hand, if the item is for a chain.
#[cold]
pub(crate) fn take(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
    let item = *sim.in_hand(on);
    let chain = sim.chains.of(item.endpoint(&sim.packets))?;
    match item {
        Item::Arrival(packet) => {
            let last = chain.last();
            Some(stages::arrived(sim, on, last, packet))
        }
        Item::Post(_) => {
            let first = chain.first();
            Some(stages::posted(sim, on, first))
        }
        Item::Own(..) => None,
    }
}

#[cold]
fn enter(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let call = *sim.processors[on].activation.call();
    let AppletAt { endpoint, applet } = call.applet_at;
    // Within a chain's round, the processor keeps other processors out of the chain.
    if !matches!(call.cause, Cause::Chain(_)) {
        if sim.processors[on].role.is_recorded
            && let Some(next) = sim.enter_recorded(on)
        {
            return next;
        }
        if let Some(chain) = sim.chains.of_mut(endpoint) {
            chain.begin(call);
        }
    }
    chain::report_as(sim, endpoint, applet);
    if let Cause::Chain(ChainMessage { way: Way::Up, .. }) = call.cause {
        chain::receive(sim, endpoint, applet);
    }
    stages::enter_call::<true>(sim, on)
}

#[cold]
fn run(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let next = stages::run::<true>(sim, on);
    match next {
        // A copy within the NIC needs no DMA engine. The time of a copy within the NIC is added when the copy is
        // performed.
        Next::After((delay, Stage::Perform)) => {
            let native = sim.processors[on].activation.native();
            let native = sim.processors[on].costs.of(native).time;
            let saved = native.less(native_takes(sim, on));
            Next::after(delay.less(saved), Stage::Perform)
        }
        next => next,
    }
}

/// Returns how long the native that a call in a chain has reached takes before it is performed.
pub(crate) fn native_takes(sim: &Simulation<'_>, on: ProcessorId) -> SimDuration {
    let native = sim.processors[on].activation.native();
    match between(sim, on, native) {
        Some(Between::Staged | Between::Kept) => SimDuration::ZERO,
        Some(Between::Down | Between::Up) | None => sim.processors[on].costs.of(native).time,
    }
}

/// The effect of a native between two applets of a chain.
#[derive(Copy, Clone, Debug)]
enum Between {
    /// Pushes a packet to the next applet towards the wire.
    Down,
    /// Pushes a descriptor to the next applet towards the user.
    Up,
    /// Copies from the message that `doTx` handles.
    Staged,
    /// Copies to a free buffer, for a descriptor to the next applet towards the user.
    Kept,
}

/// Returns the effect between two applets that the reached native of a call has. Returns `None` if the reached native
/// acts as it does without a chain.
fn between(sim: &Simulation<'_>, on: ProcessorId, native: NicNative) -> Option<Between> {
    let activation = &sim.processors[on].activation;
    let call = activation.call();
    let AppletAt { endpoint, applet } = call.applet_at;
    let chain = sim.chains.of(endpoint)?;
    // The offset is the third argument of both natives that copy.
    let offset = activation.stack.native_arguments().get(2);
    let offset = offset.and_then(|offset| u32::try_from(*offset).ok());
    let is_first = applet == chain.first();
    match native.kind() {
        NativeKind::Push => (applet != chain.last()).then_some(Between::Down),
        NativeKind::DescribeBuffers | NativeKind::CarryMessage => {
            (!is_first).then_some(Between::Up)
        }
        NativeKind::Fetch => match call.cause {
            Cause::Chain(ChainMessage {
                way: Way::Down,
                staged_at,
                ..
            }) => (offset? >= staged_at).then_some(Between::Staged),
            Cause::Chain(_)
            | Cause::Post(_)
            | Cause::Arrival { .. }
            | Cause::Timer(_)
            | Cause::Refill(_)
            | Cause::Watch(_)
            | Cause::Read(_) => None,
        },
        NativeKind::Store => {
            let is_free = at(offset?) < chain.buffers.len();
            (!is_first && is_free).then_some(Between::Kept)
        }
        NativeKind::Pure
        | NativeKind::Timer
        | NativeKind::ArrivalOffset
        | NativeKind::Peek
        | NativeKind::Allocate
        | NativeKind::BufferLength
        | NativeKind::PopBuffer
        | NativeKind::Watch
        | NativeKind::WriteWindow
        | NativeKind::ReadWindow => None,
    }
}

#[cold]
fn perform(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let native = sim.processors[on].activation.native();
    match between(sim, on, native) {
        None => stages::perform_reached::<true>(sim, on),
        Some(between) => match perform_between(sim, on, native, between) {
            Ok(time) => Next::after(time, Stage::Run),
            Err(kind) => stages::refuse_native(sim, on, kind),
        },
    }
}

/// Performs a native between two applets. Returns the time that the native takes in addition to its cost.
fn perform_between(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    native: NicNative,
    between: Between,
) -> Result<SimDuration, TrapKind> {
    let effect = admit(sim, on, native, between)?;
    sim.budget.spend_bytes(effect.bytes_moved().into());
    let processor = &mut sim.processors[on];
    let costs = processor.costs;
    let (applet_at, trigger) = {
        let call = processor.activation.call();
        (call.applet_at, call.trigger())
    };
    let AppletAt { endpoint, applet } = applet_at;
    let heap = sim.applets[applet].instance.heap_mut();
    let state = &mut sim.endpoints[endpoint];
    let chain = sim.chains.of_mut(endpoint).ok_or(TrapKind::Unverified)?;
    let below = AppletId(applet.0 + 1);
    let above = AppletId(applet.0.saturating_sub(1));
    let mut time = SimDuration::ZERO;
    let message = match effect {
        Effect::HostToNic { to, host } => {
            let bytes = chain.handled().get(host.range()).unwrap_or_default();
            to.bytes_mut(heap).copy_from_slice(bytes);
            if let Some(posts) = sim.report.posts_mut() {
                posts.copied(applet_at, to, bytes, chain.handled_post());
            }
            time = costs.of_copy(host.length());
            None
        }
        Effect::NicToHost { from, host } => {
            chain.buffers[host.range()].copy_from_slice(from.bytes(heap));
            time = costs.of_copy(host.length());
            None
        }
        Effect::Send { from, channel } => {
            let mut message = chain.message(below, Way::Down, channel.id);
            message.bytes.extend_from_slice(from.bytes(heap));
            message.post = sim.report.posts_mut().and_then(|posts| {
                let of_call = (trigger, chain.handled_post());
                posts.pushed(applet_at, of_call, (from, &message.bytes))
            });
            Some(message)
        }
        Effect::Carry { from, channel } => {
            let mut message = chain.message(above, Way::Up, channel);
            message.bytes.extend_from_slice(from.bytes(heap));
            Some(message)
        }
        Effect::Describe {
            offsets,
            channel,
            length,
        } => {
            let mut message = chain.message(above, Way::Up, channel);
            let share = state.free.buffer_length();
            let mut left = length;
            for offset in offsets.offsets(heap) {
                // `check` proved that offsets are not negative, and that the shares are within the free buffers.
                let (offset, here) = (offset.cast_unsigned(), left.min(share));
                let start = at(offset);
                let bytes = chain.buffers.get(start..start + at(here));
                message.bytes.extend_from_slice(bytes.unwrap_or_default());
                left -= here;
                if state.free.name(offset) {
                    message.buffers.push(offset);
                }
            }
            for offset in message.buffers.iter().rev() {
                state.free.put_first(*offset);
            }
            Some(message)
        }
        Effect::Local(_)
        | Effect::Peek { .. }
        | Effect::WriteWindow { .. }
        | Effect::ReadWindow { .. } => {
            return Err(TrapKind::Unverified);
        }
    };
    let is_full = message.is_some_and(|message| !chain.push(message));
    tell::performed(sim, on, 0, Made::Nothing);
    if is_full {
        let call = sim.processors[on].activation.call();
        let (applet_at, packet) = (call.applet_at, call.packet());
        tell::dropped(sim, applet_at, packet, DropReason::ChainFull);
    }
    sim.processors[on].activation.stack.resume(Ok(0));
    Ok(time)
}

/// Checks the arguments of a native between two applets, and its quota.
fn admit(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    native: NicNative,
    between: Between,
) -> Result<Effect, TrapKind> {
    let processor = &sim.processors[on];
    let activation = &processor.activation;
    let AppletAt { endpoint, applet } = activation.call().applet_at;
    let mut rights = Rights::of(&sim.endpoints[endpoint]);
    let given = activation.stack.native_arguments();
    let mut args = [0; NATIVE_ARGUMENTS_MAX];
    let args = args.get_mut(..given.len()).ok_or(TrapKind::Unverified)?;
    args.copy_from_slice(given);
    let area = rights.area;
    let length = match between {
        Between::Down => area.length(),
        Between::Up | Between::Kept => free_bytes(&sim.specs[endpoint]),
        Between::Staged => {
            // Offsets of the handled message follow those of the buffer area.
            args[2] -= area.length().cast_signed();
            let message = sim.chains.handled(endpoint).len();
            u32::try_from(message).unwrap_or(u32::MAX)
        }
    };
    rights.area = Region::new(area.index(), length);
    let heap = sim.applets[applet].instance.heap();
    let effect = check(native, args, heap, &rights)?;
    let spent = activation.spent.and(&effect, &processor.costs.quota);
    let spent = spent.map_err(|_| TrapKind::QuotaExceeded)?;
    sim.processors[on].activation.spent = spent;
    Ok(effect)
}

#[cold]
fn returned(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let activation = &sim.processors[on].activation;
    let (call, value) = (*activation.call(), activation.reported.returned);
    tell::returned(sim, on, call.applet_at, call.method, value);
    sim.endpoints[call.applet_at.endpoint].free.keep_popped();
    go_on(sim, on, call)
}

#[cold]
fn end_trapped(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    let activation = &mut sim.processors[on].activation;
    let (call, trap): (Call, Option<Trap>) = (*activation.call(), activation.trap.take());
    let endpoint = call.applet_at.endpoint;
    if let Some(trap) = trap {
        trapped::tell(sim, on, (call.applet_at, Some(&call)), trap);
    }
    sim.endpoints[endpoint].free.return_popped();
    sim.levels_changed(endpoint);
    if call.is_for_message() {
        tell::dropped(sim, call.applet_at, call.packet(), DropReason::AppletTrap);
    }
    if call.entry() == NicEntry::DoTx
        && let Some(chain) = sim.chains.of_mut(endpoint)
        && let Some(round) = &mut chain.round
    {
        round.status = TxStatus::Trap;
    }
    go_on(sim, on, call)
}

/// Continues with the next message of the round, or ends the round.
fn go_on(sim: &mut Simulation<'_>, on: ProcessorId, ended: Call) -> Next {
    let AppletAt { endpoint, applet } = ended.applet_at;
    if sim.processors[on].activation.has_asides {
        sim.arm_timer(ended.applet_at);
    }
    let message = sim.chains.of_mut(endpoint).and_then(Chain::end_handled);
    if let Some(message) = message {
        if message.way == Way::Up {
            let below = AppletAt {
                endpoint,
                applet: AppletId(applet.0 + 1),
            };
            sim.note_taken(below, message.channel, &message.buffers);
        }
        if let Some(chain) = sim.chains.of_mut(endpoint) {
            chain.give_back(message);
        }
    }
    let Some(chain) = sim.chains.of_mut(endpoint) else {
        return Next::Look;
    };
    if let Some(message) = chain.take() {
        let (to, way, channel) = (message.to, message.way, message.channel);
        let length = u32::try_from(message.bytes.len()).unwrap_or(u32::MAX);
        let members = &sim.applets[to].members;
        let processor = &mut sim.processors[on];
        let area = sim.endpoints[endpoint].area.length();
        let (method, setup) = match way {
            Way::Down => (members.do_tx, processor.costs.tx.setup),
            Way::Up => (members.do_rx, processor.costs.rx.setup),
        };
        let trigger = match ended.trigger() {
            Trigger::Arrival(packet) => Trigger::Passed(packet),
            trigger @ (Trigger::Load
            | Trigger::Post(_)
            | Trigger::Passed(_)
            | Trigger::Timer
            | Trigger::Refill
            | Trigger::Watch
            | Trigger::Read) => trigger,
        };
        let message = ChainMessage {
            trigger,
            length,
            channel,
            way,
            staged_at: area,
        };
        processor.activation.begin(Call::new(
            AppletAt {
                endpoint,
                applet: to,
            },
            method,
            Cause::Chain(message),
        ));
        return Next::after(setup, Stage::Enter);
    }
    let Some(round) = chain.round.take() else {
        return Next::Look;
    };
    sim.processors[on].activation.begin(round.call);
    sim.leave_call(on);
    stages::end_call(sim, on, round.status)
}
