//! Calls of applets on a NIC's processor, step by step: each native at its own time.

use jive_core::{Heap, Lifetime, MethodId, NativeId, NativeType, Step, Trap};

use super::dma::{Cargo, Transfer};
use super::processor::{Next, Posted, Slot, Stage};
use super::{Simulation, at};
use crate::event::{
    ChannelId, DropReason, EndpointId, EventKind, NativeArg, NicId, PacketId, Sink, TxStatus,
};
use crate::fabric::{PacketRef, PostId};
use crate::sle::{Applied, ArraySpan, NicNative, Rights, check, host_to_nic};
use crate::time::SimDuration;
use crate::unet::HostSpan;

/// Most arguments that a native takes.
const ARGUMENTS_MAX: usize = {
    let mut most = 0;
    let mut row = 0;
    while row < NicNative::TABLE.len() {
        let parameters = NicNative::TABLE[row].parameters.len();
        if parameters > most {
            most = parameters;
        }
        row += 1;
    }
    most
};

/// A call of `doTx` or `doRx`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Call {
    pub(super) endpoint: EndpointId,
    pub(super) method: MethodId,
    pub(super) cause: Cause,
}

/// Why an applet is called.
#[derive(Copy, Clone, Debug)]
pub(super) enum Cause {
    /// For a transmit descriptor.
    Post(Posted),
    /// For a packet in `RxBuf`.
    Arrival {
        packet: PacketId,
        channel: ChannelId,
        length: u32,
    },
}

impl Call {
    /// Returns the packet that is being handled.
    pub(super) fn packet(self) -> Option<PacketId> {
        match self.cause {
            Cause::Post(_) => None,
            Cause::Arrival { packet, .. } => Some(packet),
        }
    }

    /// Returns the descriptor that waits for the packets that the call makes.
    fn post(self) -> Option<PostId> {
        match self.cause {
            Cause::Post(posted) => Some(posted.post),
            Cause::Arrival { .. } => None,
        }
    }

    fn arguments(self, place: &mut [i32; 3]) -> &[i32] {
        // The buffer area and packets are shorter than 2³¹ bytes.
        match self.cause {
            Cause::Post(Posted { descriptor, .. }) => {
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
        }
    }
}

/// A call of a native, with its arguments as they were passed.
#[derive(Copy, Clone, Debug)]
pub(super) struct Request {
    id: NativeId,
    args: [i32; ARGUMENTS_MAX],
    count: u8,
}

impl Request {
    pub(super) fn new(id: NativeId, args: &[i32]) -> Request {
        let mut request = Request {
            id,
            args: [0; ARGUMENTS_MAX],
            count: 0,
        };
        for (place, &arg) in request.args.iter_mut().zip(args) {
            *place = arg;
            request.count += 1;
        }
        request
    }

    pub(super) fn id(&self) -> NativeId {
        self.id
    }

    pub(super) fn args(&self) -> &[i32] {
        &self.args[..usize::from(self.count)]
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Calls `doRx`: the packet moves to `RxBuf`, its arrival slot is free.
    pub(super) fn enter_arrival(&mut self, nic: NicId, call: Call, packet: PacketRef) -> Next {
        if let Some(applet) = &mut self.applets[at(call.endpoint.0)] {
            applet.receive(&self.packets[packet].bytes);
        }
        self.end_arrival(packet);
        self.enter(nic, call)
    }

    pub(super) fn enter(&mut self, nic: NicId, call: Call) -> Next {
        let mut place = [0; 3];
        let args = call.arguments(&mut place);
        let kind = EventKind::AppletCall {
            method: call.method,
            args,
        };
        self.report.emit(self.now, call.endpoint, kind);
        let cost = match call.cause {
            Cause::Post(_) => self.profile.entry.tx_call,
            Cause::Arrival { .. } => self.profile.entry.rx_call,
        };
        let Some(applet) = &mut self.applets[at(call.endpoint.0)] else {
            return Next::Look;
        };
        let stack = &mut self.processors[at(nic.0)].stack;
        let fuel = self.fuel[at(call.endpoint.0)];
        let started = applet
            .instance
            .start(stack, call.method, args, fuel, Lifetime::PerCall);
        Next::After(
            cost,
            started.map_or_else(|trap| Stage::Trap(call, trap), |()| Stage::Run(call)),
        )
    }

    /// Runs an applet up to its next native, its return or its trap, and charges the instructions.
    pub(super) fn run_applet(&mut self, nic: NicId, call: Call) -> Next {
        let Some(applet) = &mut self.applets[at(call.endpoint.0)] else {
            return Next::Look;
        };
        let stack = &mut self.processors[at(nic.0)].stack;
        let before = stack.executed();
        let (native_cost, stage) = match applet.instance.run(stack) {
            Step::Returned(value) => (SimDuration::ZERO, Stage::Return(call, value)),
            Step::Trapped(trap) => (SimDuration::ZERO, Stage::Trap(call, trap)),
            Step::Native { id, args } => {
                let request = Request::new(id, args);
                let class = NicNative::from_id(id).map(NicNative::cost);
                match stack.charge(class.map_or(0, |class| self.profile.native_fuel.of(class))) {
                    Ok(()) => {
                        let cost = class.map(|class| self.profile.native.of(class));
                        (cost.unwrap_or_default(), Stage::Perform(call, request))
                    }
                    Err(kind) => {
                        stack.resume(Err(kind));
                        (SimDuration::ZERO, Stage::Run(call))
                    }
                }
            }
        };
        // Saturating: a native that there was no fuel for is taken back.
        let instructions = stack.executed().saturating_sub(before);
        Next::After(
            self.profile.processor.bytecode.times(instructions) + native_cost,
            stage,
        )
    }

    /// Performs a native whose own time is over, or holds the processor until there is a slot for it.
    pub(super) fn perform(&mut self, nic: NicId, call: Call, request: Request) -> Next {
        let id = call.endpoint;
        let Some(applet) = &mut self.applets[at(id.0)] else {
            return Next::Look;
        };
        let endpoint = &mut self.endpoints[at(id.0)];
        let rights = Rights {
            area: endpoint.area,
            buffer_length: endpoint.free.buffer_length(),
            channels: &endpoint.channels,
            max_packet: self.profile.memory.max_packet.get(),
        };
        let heap = applet.instance.heap_mut();
        let applied = check(request.id, request.args(), heap, &rights)
            .and_then(|effect| effect.apply(endpoint, heap, call.packet()));
        let applied = match applied {
            Ok(applied) => applied,
            Err(kind) => {
                self.processors[at(nic.0)].stack.resume(Err(kind));
                return Next::After(SimDuration::ZERO, Stage::Run(call));
            }
        };
        match applied {
            Applied::Value(value) => return self.resume(nic, call, &request, value),
            Applied::HostToNic { to, host } => {
                let cargo = Cargo::IntoArray;
                let transfer = self.transfers.add(
                    Transfer {
                        endpoint: id,
                        host,
                        cargo,
                    },
                    &[],
                );
                self.queue_transfer(transfer);
                return Next::Wait(Stage::Landed(call, request, to, host));
            }
            Applied::NicToHost { from, host } => {
                if !self.nics[at(nic.0)].dma_slots.take() {
                    return Next::Hold(Slot::Dma, Stage::Perform(call, request));
                }
                let transfer = Transfer {
                    endpoint: id,
                    host,
                    cargo: Cargo::Staged,
                };
                let transfer = self.transfers.add(transfer, from.bytes(heap));
                self.emit_native(id, &request, 0);
                self.queue_transfer(transfer);
            }
            Applied::Send { from, channel } => {
                if !self.nics[at(nic.0)].send_slots.take() {
                    return Next::Hold(Slot::Send, Stage::Perform(call, request));
                }
                let packet = self.make_packet(id, &channel, call.post());
                self.fill_packet(packet, id, from);
                self.emit_native(id, &request, 0);
                self.enqueue(packet);
            }
            Applied::Described => {
                self.emit_native(id, &request, 0);
                self.publish_in_turn(id);
            }
            Applied::RxQueueFull => {
                self.emit_native(id, &request, 0);
                self.drop_described(id, call.packet());
            }
        }
        self.processors[at(nic.0)].stack.resume(Ok(0));
        Next::After(SimDuration::ZERO, Stage::Run(call))
    }

    /// Ends a native that waited for bytes from the buffer area.
    pub(super) fn landed(
        &mut self,
        nic: NicId,
        call: Call,
        request: &Request,
        (to, host): (ArraySpan, HostSpan),
    ) -> Next {
        if let Some(applet) = &mut self.applets[at(call.endpoint.0)] {
            host_to_nic(applet.instance.heap_mut(), to, &self.memory, host);
        }
        self.resume(nic, call, request, 0)
    }

    /// Has a native return, and its applet go on.
    fn resume(&mut self, nic: NicId, call: Call, request: &Request, value: i32) -> Next {
        self.emit_native(call.endpoint, request, value);
        self.processors[at(nic.0)].stack.resume(Ok(value));
        Next::After(SimDuration::ZERO, Stage::Run(call))
    }

    /// Fills a packet with bytes of an array of its sender's applet.
    pub(super) fn fill_packet(&mut self, packet: PacketRef, sender: EndpointId, from: ArraySpan) {
        if let Some(applet) = &self.applets[at(sender.0)] {
            let bytes = &mut self.packets[packet].bytes;
            bytes.extend_from_slice(from.bytes(applet.instance.heap()));
        }
    }

    /// Drops the message of a receive descriptor for which the queue has no place.
    pub(super) fn drop_described(&mut self, endpoint: EndpointId, packet: Option<PacketId>) {
        let kind = EventKind::Drop {
            packet,
            reason: DropReason::RxQueueFull,
        };
        self.report.emit(self.now, endpoint, kind);
    }

    pub(super) fn return_from(&mut self, nic: NicId, call: Call, value: Option<i32>) -> Next {
        let bytecodes = self.processors[at(nic.0)].stack.executed();
        let kind = EventKind::AppletReturn {
            method: call.method,
            value,
            bytecodes,
        };
        self.report.emit(self.now, call.endpoint, kind);
        self.endpoints[at(call.endpoint.0)].free.keep_popped();
        match call.cause {
            Cause::Post(posted) => self.end_post(posted, TxStatus::Ok),
            Cause::Arrival { .. } => Next::Look,
        }
    }

    pub(super) fn end_trapped(&mut self, call: Call, trap: Trap) -> Next {
        self.emit_trap(call.endpoint, trap);
        self.endpoints[at(call.endpoint.0)].free.return_popped();
        let kind = EventKind::Drop {
            packet: call.packet(),
            reason: DropReason::AppletTrap,
        };
        self.report.emit(self.now, call.endpoint, kind);
        match call.cause {
            Cause::Post(posted) => self.end_post(posted, TxStatus::Trap),
            Cause::Arrival { .. } => Next::Look,
        }
    }

    pub(super) fn emit_trap(&mut self, endpoint: EndpointId, trap: Trap) {
        let Trap { kind, method, pc } = trap;
        let applet = self.applets[at(endpoint.0)].as_ref();
        let line = applet.and_then(|applet| applet.class.line(method, pc));
        self.report.emit(
            self.now,
            endpoint,
            EventKind::Trap {
                kind,
                method,
                pc,
                line,
            },
        );
    }

    /// Emits the completion of a native that gave back `value`.
    pub(super) fn emit_native(&mut self, endpoint: EndpointId, request: &Request, value: i32) {
        let Some(applet) = &self.applets[at(endpoint.0)] else {
            return;
        };
        let Some(native) = NicNative::from_id(request.id).map(NicNative::decl) else {
            return;
        };
        let heap = applet.instance.heap();
        let mut args = [NativeArg::Null; ARGUMENTS_MAX];
        for ((shown, &arg), parameter) in args.iter_mut().zip(request.args()).zip(native.parameters)
        {
            *shown = shown_value(heap, parameter.kind, arg);
        }
        let kind = EventKind::Native {
            name: native.name,
            args: &args[..usize::from(request.count)],
            result: native.result.map(|kind| shown_value(heap, kind, value)),
        };
        self.report.emit(self.now, endpoint, kind);
    }
}

fn shown_value(heap: &Heap<'_>, kind: NativeType, value: i32) -> NativeArg {
    match kind {
        NativeType::Int => NativeArg::Int(value),
        NativeType::ByteArray | NativeType::ShortArray | NativeType::IntArray => heap
            .array(value)
            .map_or(NativeArg::Null, |array| NativeArg::Array {
                element: array.kind.element_name(),
                length: array.length,
            }),
    }
}
