//! Calls of applets on a NIC's processor, step by step: each native at its own time.

use jive_core::{Heap, Lifetime, MethodId, Step, Trap, TrapKind};
use nic_core::event::{DropReason, Made, NicEvent, Sink, SleEvent, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Effect, NicNative, Port, Request, Rights, check, perform};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::agenda::Refill;
use super::ahead::Way;
use super::budget::Exceeded;
use super::dma::{Cargo, Transfer};
use super::fault::Detachment;
use super::processor::{Next, Processor, Stage};
use super::quota::Spent;
use super::staging::{Grant, Waiter};
use super::unet::Posted;
use super::{AppletId, Simulation, Tenant, at};
use crate::fabric::PacketRef;
use crate::nic::ProcessorId;
use crate::scenario::model::FaultPolicy;
use crate::sle::host_to_nic;
use crate::storage::Growing;
use crate::unet::Endpoint;

/// A call of one of an applet's [entries](nic_core::sle::NicEntry).
#[derive(Copy, Clone, Debug)]
pub(super) struct Call {
    pub(super) tenant: Tenant,
    pub(super) method: MethodId,
    pub(super) cause: Cause,
}

/// Why an applet is called.
#[derive(Copy, Clone, Debug)]
pub(super) enum Cause {
    /// For the transmit descriptor that the processor has taken.
    Post(PostId),
    /// For a packet in `RxBuf`.
    Arrival {
        packet: PacketId,
        channel: ChannelId,
        length: u32,
        /// The packet itself; it has its arrival slot until the call is over.
        arrival: PacketRef,
    },
    /// The time is over that it has set.
    Timer,
    /// The user gave a receive buffer back.
    Refill(Refill),
}

/// No call yet.
impl Default for Call {
    fn default() -> Call {
        Call {
            tenant: Tenant {
                endpoint: EndpointId(0),
                applet: AppletId(0),
            },
            method: MethodId(0),
            cause: Cause::Post(PostId { entry: 0, turn: 0 }),
        }
    }
}

impl Call {
    /// Returns the packet that is being handled.
    fn packet(&self) -> Option<PacketId> {
        match self.cause {
            Cause::Arrival { packet, .. } => Some(packet),
            Cause::Post(_) | Cause::Timer | Cause::Refill(_) => None,
        }
    }

    /// Returns the cause as the trace knows it.
    pub(super) fn trigger(&self) -> Trigger {
        match self.cause {
            Cause::Post(post) => Trigger::Post(post),
            Cause::Arrival { packet, .. } => Trigger::Arrival(packet),
            Cause::Timer => Trigger::Timer,
            Cause::Refill(_) => Trigger::Refill,
        }
    }

    /// Returns whether there is a message that it is for.
    fn is_for_message(&self) -> bool {
        matches!(self.cause, Cause::Post(_) | Cause::Arrival { .. })
    }

    /// Returns which way goes what is handled.
    fn way(&self) -> Way {
        match self.cause {
            Cause::Arrival { .. } => Way::In,
            Cause::Post(_) | Cause::Timer | Cause::Refill(_) => Way::Out,
        }
    }

    fn arguments<'p>(&self, posted: &Posted, place: &'p mut [i32; 3]) -> &'p [i32] {
        // The buffer area and packets are shorter than 2³¹ bytes.
        match self.cause {
            Cause::Post(_) => {
                let descriptor = &posted.descriptor;
                *place = [
                    descriptor.length.cast_signed(),
                    descriptor.channel.0,
                    descriptor.offset.cast_signed(),
                ];
                &place[..]
            }
            Cause::Arrival {
                channel, length, ..
            } => {
                *place = [length.cast_signed(), channel.0, 0];
                &place[..2]
            }
            Cause::Timer => &[],
            Cause::Refill(refill) => {
                let offset = refill.offset.map_or(-1, u32::cast_signed);
                *place = [refill.length.cast_signed(), refill.channel.0, offset];
                &place[..]
            }
        }
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Calls an applet; a packet that it is called for becomes `RxBuf`.
    pub(super) fn enter(&mut self, on: ProcessorId) -> Next {
        if !self.processors[at(on.0)].share.is_alone
            && let Some(next) = self.enter_alone(on)
        {
            return next;
        }
        let Processor { call, posted, .. } = &self.processors[at(on.0)];
        let Tenant { endpoint, applet } = call.tenant;
        let (method, mut place) = (call.method, [0; 3]);
        let args = call.arguments(posted, &mut place);
        let cost = match call.cause {
            Cause::Post(_) => self.costs.tx_call,
            Cause::Arrival { arrival, .. } => {
                self.applets[at(applet.0)].receive(&self.packets[arrival].bytes);
                self.costs.rx_call
            }
            Cause::Timer => self.costs.timer_call,
            Cause::Refill(_) => self.costs.refill_call,
        };
        let is_reattached = self.residents[at(endpoint.0)].fault.reattached();
        if S::LISTENS {
            let trigger = call.trigger();
            if is_reattached {
                let kind = SleEvent::AppletAttach { trigger };
                self.report.emit(self.now, endpoint, kind);
            }
            let kind = SleEvent::AppletCall {
                method,
                args,
                trigger,
                processor: self.number(on),
            };
            self.report.emit(self.now, endpoint, kind);
        }
        let instance = &mut self.applets[at(applet.0)].instance;
        let processor = &mut self.processors[at(on.0)];
        processor.spent = Spent::default();
        let stack = &mut processor.stack;
        let fuel = self.residents[at(endpoint.0)].fuel;
        let started = instance.start(stack, method, args, fuel, Lifetime::PerCall);
        let stage = match started {
            Ok(()) => Stage::Run,
            Err(trap) => {
                processor.trap = trap;
                Stage::Trap
            }
        };
        Next::After(cost, stage)
    }

    /// Runs an applet up to its next native, its return or its trap, and charges the instructions.
    pub(super) fn run_applet(&mut self, on: ProcessorId) -> Next {
        let processor = &mut self.processors[at(on.0)];
        let stack = &mut processor.stack;
        let instance = &mut self.applets[at(processor.call.tenant.applet.0)].instance;
        let before = stack.executed();
        let (native_fuel, native_cost, stage) = match instance.run(stack) {
            Step::Returned(value) => {
                if S::LISTENS {
                    processor.returned = value;
                }
                (0, SimDuration::ZERO, Stage::Return)
            }
            Step::Trapped(trap) => {
                processor.trap = trap;
                (0, SimDuration::ZERO, Stage::Trap)
            }
            Step::Native { id, .. } => {
                let native = NicNative::from_id(id).ok_or(TrapKind::Unverified);
                let affordable = native.and_then(|native| {
                    let cost = self.costs.of(native);
                    stack.charge(cost.fuel)?;
                    Ok((native, cost))
                });
                match affordable {
                    Ok((native, cost)) => {
                        processor.native = native;
                        if S::LISTENS {
                            let instructions = stack.executed().saturating_sub(before);
                            processor.begun = self.now + self.costs.bytecode.times(instructions);
                        }
                        (cost.fuel, cost.time, Stage::Perform)
                    }
                    Err(kind) => {
                        stack.resume(Err(kind));
                        (0, SimDuration::ZERO, Stage::Run)
                    }
                }
            }
        };
        // Saturating: a native that there was no fuel for is taken back.
        let instructions = stack.executed().saturating_sub(before);
        if let Err(Exceeded) = self.budget.spend(instructions + native_fuel) {
            return self.exceed_budget(on);
        }
        let bytecode_cost = self.costs.bytecode.times(instructions);
        Next::After(bytecode_cost + native_cost, stage)
    }

    /// Performs a native whose own time is over, or holds the processor until there is a slot for it.
    pub(super) fn perform(&mut self, on: ProcessorId) -> Next {
        // Each native has code of its own, in which its effect stays in registers.
        match self.processors[at(on.0)].native {
            NicNative::NewAlignedArray => self.perform_native(on, NicNative::NewAlignedArray),
            NicNative::GetFreeBufferLength => {
                self.perform_native(on, NicNative::GetFreeBufferLength)
            }
            NicNative::GetFreeBuffer => self.perform_native(on, NicNative::GetFreeBuffer),
            NicNative::DoHtoLDma => self.perform_native(on, NicNative::DoHtoLDma),
            NicNative::DoLtoHDma => self.perform_native(on, NicNative::DoLtoHDma),
            NicNative::TxPush => self.perform_native(on, NicNative::TxPush),
            NicNative::DmaRxd => self.perform_native(on, NicNative::DmaRxd),
            NicNative::DmaRxdPayload => self.perform_native(on, NicNative::DmaRxdPayload),
            NicNative::CurrentTime => self.perform_rare(on, NicNative::CurrentTime),
            NicNative::SetTimer => self.perform_rare(on, NicNative::SetTimer),
            NicNative::Trace => self.perform_rare(on, NicNative::Trace),
        }
    }

    /// Performs a native that does little and that few applets call.
    #[cold]
    fn perform_rare(&mut self, on: ProcessorId, native: NicNative) -> Next {
        self.perform_native(on, native)
    }

    // Where nothing is optimised each copy would take room of its own on the stack, which may be small.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn perform_native(&mut self, on: ProcessorId, native: NicNative) -> Next {
        let tenant = self.processors[at(on.0)].call.tenant;
        let (effect, push) = match self.admit(on, native) {
            Ok(admitted) => admitted,
            Err(Refused::Stop(next)) => return next,
            Err(Refused::Trap(kind)) => return self.refuse_native(on, kind),
        };
        let mut port = OnNic {
            simulation: self,
            on,
            tenant,
            push,
        };
        match perform(effect, &mut port) {
            Ok(Ok(value)) => {
                self.processors[at(on.0)].stack.resume(Ok(value));
                Next::After(SimDuration::ZERO, Stage::Run)
            }
            Ok(Err(kind)) => self.refuse_native(on, kind),
            Err(next) => next,
        }
    }

    /// Checks a native, its quota and the places that it needs.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&mut self, on: ProcessorId, native: NicNative) -> Result<(Effect, Push), Refused> {
        let Processor {
            stack, spent, call, ..
        } = &self.processors[at(on.0)];
        let Tenant { endpoint, applet } = call.tenant;
        let heap = self.applets[at(applet.0)].instance.heap();
        let max_packet = self.profile.memory.max_packet.get();
        let rights = Rights::of(&self.endpoints[at(endpoint.0)], max_packet);
        let effect = check(native, stack.native_arguments(), heap, &rights)?;
        let spent = spent.and(&effect, &self.profile.quota)?;
        if let Some(array) = effect.array() {
            self.last_arrays.note(applet, call.way(), array);
        }
        let mut push = Push::Leaves;
        match &effect {
            Effect::NicToHost { .. } => {
                let nic = self.processors[at(on.0)].nic;
                if !self.nics[at(nic.0)].dma_slots.take() {
                    return Err(Refused::Stop(self.await_dma_slot(on)));
                }
            }
            Effect::Send { channel, .. } => {
                match self.claim_for_push(on, Waiter::Call(on), endpoint, channel) {
                    Grant::Given => {}
                    Grant::Waits => return Err(Refused::Stop(self.suspend(on, Stage::Perform))),
                    Grant::Refused => push = Push::IsDropped,
                }
            }
            Effect::HostToNic { .. } => {}
            // Nothing that the quota counts.
            Effect::NewArray { .. }
            | Effect::BufferLength
            | Effect::PopBuffer
            | Effect::Describe { .. }
            | Effect::Carry { .. }
            | Effect::Time
            | Effect::Timer { .. }
            | Effect::Note { .. } => return Ok((effect, push)),
        }
        self.processors[at(on.0)].spent = spent;
        Ok((effect, push))
    }

    /// Has a native end in a trap.
    fn refuse_native(&mut self, on: ProcessorId, kind: TrapKind) -> Next {
        self.processors[at(on.0)].stack.resume(Err(kind));
        Next::After(SimDuration::ZERO, Stage::Run)
    }

    /// Ends a native that waited for bytes from the buffer area.
    pub(super) fn landed(&mut self, on: ProcessorId) -> Next {
        let Processor { call, landing, .. } = &self.processors[at(on.0)];
        if let Some((to, host)) = *landing {
            let heap = self.applets[at(call.tenant.applet.0)].instance.heap_mut();
            host_to_nic(heap, to, &self.memory, host);
        }
        self.resume(on, 0)
    }

    /// Has a native return, and its applet go on.
    fn resume(&mut self, on: ProcessorId, value: i32) -> Next {
        self.emit_performed(on, value, Made::Nothing);
        self.processors[at(on.0)].stack.resume(Ok(value));
        Next::After(SimDuration::ZERO, Stage::Run)
    }

    pub(super) fn return_from(&mut self, on: ProcessorId) -> Next {
        let Processor { call, returned, .. } = &self.processors[at(on.0)];
        let (tenant, is_for_message) = (call.tenant, call.is_for_message());
        self.emit_return(on, tenant, call.method, *returned);
        self.endpoints[at(tenant.endpoint.0)].free.keep_popped();
        if is_for_message {
            self.residents[at(tenant.endpoint.0)].fault.returned();
        }
        self.leave_call(on);
        self.end_call(on, TxStatus::Ok)
    }

    pub(super) fn end_trapped(&mut self, on: ProcessorId) -> Next {
        let Processor { call, trap, .. } = self.processors[at(on.0)];
        self.emit_trap(call.tenant, trap);
        self.leave_call(on);
        if !call.is_for_message() {
            // There is no message that it could have lost.
            self.endpoints[at(call.tenant.endpoint.0)]
                .free
                .return_popped();
            self.levels_changed(call.tenant.endpoint);
            self.end_asides(on);
            return self.look(on);
        }
        let now = self.now;
        let policy = self.specs[at(call.tenant.endpoint.0)].on_trap;
        let fault = &mut self.residents[at(call.tenant.endpoint.0)].fault;
        let detachment = fault.trapped(policy, now);
        self.endpoints[at(call.tenant.endpoint.0)]
            .free
            .return_popped();
        self.levels_changed(call.tenant.endpoint);
        if policy == FaultPolicy::BasePath {
            return self.fall_back(on, call);
        }
        self.drop_message(call.tenant, call.packet(), DropReason::AppletTrap);
        if let Some(Detachment { traps, duration }) = detachment {
            let kind = SleEvent::AppletDetach {
                traps,
                duration,
                trigger: call.trigger(),
            };
            self.report.emit(now, call.tenant.endpoint, kind);
        }
        self.end_call(on, TxStatus::Trap)
    }

    /// Has what an applet trapped on take the base path.
    fn fall_back(&mut self, on: ProcessorId, call: Call) -> Next {
        match call.cause {
            Cause::Post(_) => self.fall_back_post(on),
            Cause::Arrival { arrival, .. } => {
                self.accept(arrival);
                self.end_asides(on);
                self.look(on)
            }
            Cause::Timer | Cause::Refill(_) => self.look(on),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_call(&mut self, on: ProcessorId, status: TxStatus) -> Next {
        match self.processors[at(on.0)].call.cause {
            Cause::Post(_) => return self.end_post(on, status),
            Cause::Arrival { arrival, .. } => self.end_arrival(arrival),
            Cause::Timer | Cause::Refill(_) => {}
        }
        self.end_asides(on);
        self.look(on)
    }

    /// Reports what an applet notes.
    pub(super) fn emit_note(&mut self, tenant: Tenant, tag: i32, value: i32) {
        let kind = SleEvent::AppletTrace { tag, value };
        self.report.emit(self.now, tenant.endpoint, kind);
    }

    /// Reports that the message that is being handled is dropped.
    pub(super) fn drop_message(
        &mut self,
        tenant: Tenant,
        packet: Option<PacketId>,
        reason: DropReason,
    ) {
        let kind = NicEvent::Drop { packet, reason };
        self.report.emit(self.now, tenant.endpoint, kind);
    }

    /// Reports the return of a call that the runtime made.
    pub(super) fn emit_return(
        &mut self,
        on: ProcessorId,
        tenant: Tenant,
        method: MethodId,
        value: Option<i32>,
    ) {
        let bytecodes = self.processors[at(on.0)].stack.executed();
        let kind = SleEvent::AppletReturn {
            method,
            value,
            bytecodes,
        };
        self.report.emit(self.now, tenant.endpoint, kind);
        self.levels_changed(tenant.endpoint);
    }

    /// Reports a trap.
    pub(super) fn emit_trap(&mut self, tenant: Tenant, trap: Trap) {
        if !S::LISTENS {
            return;
        }
        let Trap { kind, method, pc } = trap;
        let line = self.applets[at(tenant.applet.0)].class.line(method, pc);
        let kind = SleEvent::Trap {
            kind,
            method,
            pc,
            line,
        };
        self.report.emit(self.now, tenant.endpoint, kind);
    }

    /// Reports the completion of the native that a processor performs.
    fn emit_performed(&mut self, on: ProcessorId, value: i32, made: Made) {
        if S::LISTENS {
            let Processor {
                stack,
                call,
                native,
                begun,
                ..
            } = &self.processors[at(on.0)];
            let request = Request::new(native.id(), stack.native_arguments());
            let (tenant, begun) = (call.tenant, *begun);
            if let Some(request) = request {
                self.emit_native(tenant, &request.begun_at(begun), value, made);
            }
        }
    }

    /// Reports the completion of a native that gave back `value`.
    pub(super) fn emit_native(
        &mut self,
        tenant: Tenant,
        request: &Request,
        value: i32,
        made: Made,
    ) {
        if !S::LISTENS {
            return;
        }
        let heap = self.applets[at(tenant.applet.0)].instance.heap();
        let args = request.shown_args(heap);
        let kind = SleEvent::Native {
            name: request.name(),
            args: &args[..request.args().len()],
            result: request.shown_result(heap, value),
            begun: request.begun(),
            made,
        };
        self.report.emit(self.now, tenant.endpoint, kind);
        self.levels_changed(tenant.endpoint);
    }
}

/// Why a native does not take effect now.
enum Refused {
    /// It waits for places.
    Stop(Next),
    /// The endpoint may not have it.
    Trap(TrapKind),
}

impl From<TrapKind> for Refused {
    fn from(kind: TrapKind) -> Refused {
        Refused::Trap(kind)
    }
}

/// What becomes of a packet that is pushed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Push {
    /// It has its places.
    Leaves,
    /// It can neither have them nor wait.
    IsDropped,
}

/// Performs natives of a call that a processor runs, each at its time.
struct OnNic<'p, 's, S: Sink> {
    simulation: &'p mut Simulation<'s, S>,
    on: ProcessorId,
    tenant: Tenant,
    push: Push,
}

impl<S: Sink> OnNic<'_, '_, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call(&self) -> &Call {
        &self.simulation.processors[at(self.on.0)].call
    }
}

impl<S: Sink> Port for OnNic<'_, '_, S> {
    type Storage = Growing;
    type Packet = PacketRef;
    type Stop = Next;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint, &mut Heap<'_>) -> R) -> R {
        let Tenant { endpoint, applet } = self.tenant;
        let heap = self.simulation.applets[at(applet.0)].instance.heap_mut();
        then(&mut self.simulation.endpoints[at(endpoint.0)], heap)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn handled(&self) -> Option<PacketId> {
        self.call().packet()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Next> {
        let simulation = &mut *self.simulation;
        let Processor { call, landing, .. } = &mut simulation.processors[at(self.on.0)];
        *landing = Some((to, host));
        let transfer = Transfer {
            endpoint: self.tenant.endpoint,
            host,
            cargo: Cargo::IntoArray(self.on),
            trigger: call.trigger(),
        };
        let transfer = simulation.transfers.add(transfer, &[]);
        simulation.queue_transfer(transfer);
        Err(simulation.wait(self.on, Stage::Landed))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Next> {
        let (tenant, trigger) = (self.tenant, self.call().trigger());
        let simulation = &mut *self.simulation;
        let transfer = Transfer {
            endpoint: tenant.endpoint,
            host,
            cargo: Cargo::Staged,
            trigger,
        };
        let heap = simulation.applets[at(tenant.applet.0)].instance.heap();
        let transfer = simulation.transfers.add(transfer, from.bytes(heap));
        simulation.queue_transfer(transfer);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn make(&mut self, from: ArraySpan, channel: Channel) -> Result<(PacketId, PacketRef), Next> {
        let (tenant, trigger) = (self.tenant, self.call().trigger());
        let simulation = &mut *self.simulation;
        Ok(simulation.make_full_packet(tenant, &channel, trigger, from))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send(&mut self, packet: PacketRef) -> Result<(), Next> {
        match self.push {
            Push::Leaves => self.simulation.enqueue(packet),
            Push::IsDropped => self.simulation.drop_unsent(packet),
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish(&mut self) -> Result<(), Next> {
        let endpoint = self.tenant.endpoint;
        self.simulation.publish_in_turn(endpoint);
        Ok(())
    }

    fn refuse(&mut self) -> Result<(), Next> {
        let (tenant, packet) = (self.tenant, self.call().packet());
        let reason = DropReason::RxQueueFull;
        self.simulation.drop_message(tenant, packet, reason);
        Ok(())
    }

    fn now(&self) -> SimTime {
        self.simulation.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), Next> {
        self.simulation.set_timer(self.tenant, after);
        self.simulation.processors[at(self.on.0)].has_set_timer = true;
        Ok(())
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), Next> {
        self.simulation.emit_note(self.tenant, tag, value);
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tell(&mut self, value: i32, made: Made) -> Result<(), Next> {
        self.simulation.emit_performed(self.on, value, made);
        Ok(())
    }
}
