//! A NIC with a single endpoint that is connected to itself. This NIC performs one event after another.
//!
//! The clock is that of the profile `instructions.toml`: an instruction takes a nanosecond, and transfers and wires
//! take almost no time. So each transfer ends before the next transfer begins, and only one event can come next. The
//! NIC needs no scheduler, because it performs each event at once, in the simulator's order.

mod perform;
mod swap;

use core::mem;

use heapless::Deque;
use jive_core::{
    CallStack, Heap, Instance, Lifetime, LinkedClass, MethodId, NativeId, Natives, Pc, Trap,
    TrapKind,
};
use nic_core::event::{DropReason, NicEvent, SleEvent, TrapDetails, Trigger, TxStatus, UnetEvent};
use nic_core::host::{TransmitRegion, TransmitSpace};
use nic_core::id::{
    ChannelId, DirectionId, EndpointId, NicId, PacketId, PostId, PostNumber, post_number,
};
use nic_core::memory::Region;
use nic_core::sle::{Applet, Members, Request};
use nic_core::storage::Fixed;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{
    Channel, Channels, Endpoint, FreeQueue, QueueSizes, TransmitDescriptor, resolve, resolve_packet,
};

use self::perform::Sent;
pub(crate) use self::swap::Swapped;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::memory::{AREA_BYTES, ARRIVALS, PACKET_BYTES_MAX, PacketSlot};
use crate::trace::Trace;
use crate::traffic::Message;

/// The only endpoint.
const ENDPOINT: EndpointId = EndpointId(0);

/// The endpoint's numbers for both ends of its channel. As in the scenarios.
const CHANNEL: [ChannelId; 2] = [ChannelId(1), ChannelId(2)];

/// Number of free buffers of the endpoint, and the length of each buffer in bytes. As in the scenarios.
const FREE_BUFFERS: [u32; 2] = [8, 1024];

/// Descriptors of each queue. As in the scenarios.
const QUEUES: QueueSizes = QueueSizes {
    transmit: 8,
    receive: 8,
};

/// How many instructions a call of the applet may execute, which is the default of a scenario.
pub(crate) const FUEL: u64 = 1_000_000;

/// Time of an instruction. As in the profile.
const INSTRUCTION: SimDuration = SimDuration::from_ns(1);

/// Maximum number of returned buffers that can wait for `doRefill`.
const REFILLS: usize = 32;

/// The NIC, its endpoint, and the endpoint's user.
pub(crate) struct Nic<'p, 'n, M: Machine, C = LinkedClass<'p>> {
    applet: Applet<'p, C>,
    /// What stays when the applet is replaced, and is too large to be moved then.
    state: &'n mut NicState<'n, M>,
}

/// All of a NIC but the applet.
pub(crate) struct NicState<'n, M: Machine> {
    now: SimTime,
    endpoint: Endpoint<Fixed>,
    region: TransmitRegion<Fixed>,
    area: &'n mut [u8],
    stack: CallStack<'n>,
    arrivals: Deque<Arrival, ARRIVALS>,
    slots: &'n mut [PacketSlot],
    packets_made: u64,
    /// The time at which the NIC calls `doTimer`, if the applet has set the timer.
    timer: Option<SimTime>,
    /// Whether the initializers of a class that is to replace the applet are running.
    is_swapping: bool,
    /// Whether these initializers have called `setTimer`.
    was_timer_set: bool,
    /// Arguments of pending calls of `doRefill`: length, channel and offset.
    refills: Deque<[i32; 3], REFILLS>,
    trace: Trace<'n, M>,
}

/// A packet that waits for the NIC, with the slot that holds its bytes.
#[derive(Copy, Clone)]
struct Arrival {
    id: PacketId,
    channel: ChannelId,
    length: u32,
    slot: usize,
    /// The post that the packet's message comes from, if it comes from one.
    post: Option<PostNumber>,
}

/// Result of a call of the applet.
pub(crate) type Outcome = Result<Option<i32>, Trap>;

impl<'n, M: Machine> NicState<'n, M> {
    /// Returns the state of a NIC at time 0.
    pub(crate) fn new(
        stack: CallStack<'n>,
        area: &'n mut [u8],
        slots: &'n mut [PacketSlot],
        trace: Trace<'n, M>,
    ) -> NicState<'n, M> {
        let [count, length] = FREE_BUFFERS;
        // The cast is lossless: the length of the buffer area is a constant far below 2³².
        let region = Region::sole(AREA_BYTES as u32);
        let free = FreeQueue::new(count, length);
        let of = (NicId(0), PACKET_BYTES_MAX as u32);
        let mut endpoint = Endpoint::new(of, region, free, QUEUES);
        let [one, other] = CHANNEL;
        endpoint.channels =
            Channels::new([(one, other), (other, one)].map(|(id, peer_id)| Channel {
                id,
                peer: ENDPOINT,
                peer_id,
                route: DirectionId(0),
            }));
        NicState {
            now: SimTime::ZERO,
            endpoint,
            region: TransmitRegion::new(region, count * length),
            area,
            stack,
            arrivals: Deque::new(),
            slots,
            packets_made: 0,
            timer: None,
            is_swapping: false,
            was_timer_set: false,
            refills: Deque::new(),
            trace,
        }
    }
}

impl<'p, 'n, M: Machine, C: Class> Nic<'p, 'n, M, C> {
    /// Returns a NIC at time 0, which has not yet called the applet or sent a packet.
    pub(crate) fn new(applet: Applet<'p, C>, state: &'n mut NicState<'n, M>) -> Nic<'p, 'n, M, C> {
        Nic { applet, state }
    }

    /// Ends the simulation. Returns the trace and the applet.
    pub(crate) fn finish(self) -> (&'n mut Trace<'n, M>, Applet<'p, C>) {
        (&mut self.state.trace, self.applet)
    }

    /// Initialises the applet at time 0. The calls that initialise the applet take no simulated time.
    pub(crate) fn load(&mut self) -> Result<(), Failure> {
        let program = self.applet.instance.program();
        let mut sent = Deque::new();
        for method in program.initializers() {
            match self.call(Call::without_message(method, Trigger::Load), &[], &mut sent)? {
                Ok(value) => self.returned(method, value)?,
                Err(trap) => {
                    self.trapped(trap)?;
                    return Err(Failure::LoadTrap);
                }
            }
        }
        let kind = SleEvent::Load {
            code_bytes: program.code_bytes(),
            heap_bytes: self.applet.heap_bytes(),
        };
        self.state.trace.event(self.state.now, kind)?;
        while let Some(packet) = sent.pop_front() {
            self.state.carry(packet)?;
        }
        self.take_arrivals()
    }

    /// Sends a message of the user, and performs all events that follow from the message.
    pub(crate) fn send(&mut self, message: Message) -> Result<(), Failure> {
        self.take_timers(message.time)?;
        // A message that is due at the current time is refused too, because only a scheduler could order simultaneous
        // events.
        if self.state.now >= message.time {
            return Err(Failure::Busy);
        }
        self.state.now = message.time;
        let TransmitSpace::Free(space) = self.state.region.take(message.length) else {
            return Err(Failure::Busy);
        };
        message.write_to(&mut self.state.area[space.range()])?;
        let descriptor = TransmitDescriptor {
            channel: CHANNEL[0],
            offset: space.offset(),
            length: space.length(),
        };
        let post = self.state.endpoint.transmit.post(descriptor);
        let post = post.map_err(|_| Failure::Busy)?;
        let kind = UnetEvent::TxPost {
            channel: descriptor.channel,
            offset: descriptor.offset,
            length: descriptor.length,
            payload: &self.state.area[space.range()],
            post,
            number: post_number(ENDPOINT, post),
        };
        self.state.trace.event(self.state.now, kind)?;
        self.take_posted()?;
        self.take_arrivals()
    }

    /// Calls `doTimer` for each timer that expires before `end`. A timer that the applet sets after the last message
    /// never fires.
    fn take_timers(&mut self, end: SimTime) -> Result<(), Failure> {
        while let (Some(method), Some(timer)) =
            (self.applet.members.do_timer.get(), self.state.timer)
            && timer < end
        {
            self.state.timer = None;
            self.state.now = self.state.now.max(timer);
            let trigger = Trigger::Timer;
            self.handle(Call::without_message(method, trigger), &[])?;
            self.take_arrivals()?;
        }
        Ok(())
    }

    /// Calls `doRefill` for each buffer that the user has returned.
    fn take_refills(&mut self) -> Result<(), Failure> {
        let Some(method) = self.applet.members.do_refill.get() else {
            return Ok(());
        };
        while let Some(args) = self.state.refills.pop_front() {
            let trigger = Trigger::Refill;
            self.handle(Call::without_message(method, trigger), &args)?;
        }
        Ok(())
    }

    /// Processes the posted transmit descriptor.
    fn take_posted(&mut self) -> Result<(), Failure> {
        let Some((post, descriptor)) = self.state.endpoint.transmit.take() else {
            return Ok(());
        };
        let status = match resolve(&self.state.endpoint, descriptor) {
            Err(_) => TxStatus::Refused,
            Ok(_) => self.transmit(post, descriptor)?,
        };
        // All packets of the transmit descriptor have left the NIC here, so `end` completes the descriptor.
        if let Some(done) = self.state.endpoint.transmit.end(post, status) {
            let TransmitDescriptor {
                channel,
                offset,
                length,
            } = done.descriptor;
            let kind = UnetEvent::TxDone {
                channel,
                offset,
                length,
                status: done.status,
                refusal: match done.status {
                    TxStatus::Refused => {
                        resolve_packet(&self.state.endpoint, done.descriptor).err()
                    }
                    _ => None,
                },
                post,
            };
            self.state.trace.event(self.state.now, kind)?;
            self.state.region.complete(done.descriptor);
        }
        Ok(())
    }

    /// Calls `doTx`.
    fn transmit(
        &mut self,
        post: PostId,
        descriptor: TransmitDescriptor,
    ) -> Result<TxStatus, Failure> {
        let method = self.applet.members.do_tx;
        let args = [
            descriptor.length.cast_signed(),
            descriptor.channel.0,
            descriptor.offset.cast_signed(),
        ];
        self.handle(
            Call {
                method,
                trigger: Trigger::Post(post),
                post: Some(post_number(ENDPOINT, post)),
            },
            &args,
        )
    }

    /// Calls `doRx` for each packet that has arrived.
    fn take_arrivals(&mut self) -> Result<(), Failure> {
        loop {
            self.take_refills()?;
            let Some(arrival) = self.state.arrivals.pop_front() else {
                return Ok(());
            };
            let length = arrival.length as usize;
            self.applet
                .receive(&self.state.slots[arrival.slot][..length]);
            let method = self.applet.members.do_rx;
            let args = [arrival.length.cast_signed(), arrival.channel.0];
            self.handle(
                Call {
                    method,
                    trigger: Trigger::Arrival(arrival.id),
                    post: arrival.post,
                },
                &args,
            )?;
        }
    }

    /// Calls a method of the applet, and handles the call's return value or trap.
    fn handle(&mut self, call: Call, args: &[i32]) -> Result<TxStatus, Failure> {
        match self.call(call, args, &mut Deque::new())? {
            Ok(value) => {
                self.returned(call.method, value)?;
                Ok(TxStatus::Ok)
            }
            Err(trap) => {
                self.trapped(trap)?;
                self.state.endpoint.free.return_popped();
                if let Trigger::Post(_) | Trigger::Arrival(_) = call.trigger {
                    self.state
                        .drop_message(call.packet(), DropReason::AppletTrap)?;
                }
                Ok(TxStatus::Trap)
            }
        }
    }

    /// Calls a method and performs the natives that it calls. Packets that the applet sends while it is loaded wait in
    /// `sent`.
    fn call(
        &mut self,
        call: Call,
        args: &[i32],
        sent: &mut Deque<Sent, ARRIVALS>,
    ) -> Result<Outcome, Failure> {
        let Call {
            method, trigger, ..
        } = call;
        let kind = SleEvent::AppletCall {
            method,
            args,
            // The firmware's trace does not show the packet that a call handles.
            packet: &[],
            trigger,
            processor: 0,
        };
        self.state.trace.event(self.state.now, kind)?;
        // The call has the stack, and its natives have the rest of the state.
        let none = CallStack::new(&mut [], &mut []);
        let mut stack = mem::replace(&mut self.state.stack, none);
        let mut natives = Performing {
            state: &mut *self.state,
            members: &self.applet.members,
            call,
            sent,
            passed: 0,
            failure: None,
        };
        let instance = &mut self.applet.instance;
        let outcome = C::call(instance, &mut stack, call, args, &mut natives);
        natives.reached(stack.executed());
        let failure = natives.failure;
        self.state.stack = stack;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(outcome),
        }
    }

    fn returned(&mut self, method: MethodId, value: Option<i32>) -> Result<(), Failure> {
        let kind = SleEvent::AppletReturn {
            method,
            value,
            bytecodes: self.state.stack.executed(),
        };
        // A class that is to replace the applet may still be refused, and then its buffers return.
        if !self.state.is_swapping {
            self.state.endpoint.free.keep_popped();
        }
        self.state.trace.event(self.state.now, kind)
    }

    fn trapped(&mut self, trap: Trap) -> Result<(), Failure> {
        let Trap { kind, method, pc } = trap;
        let kind = SleEvent::Trap {
            kind,
            method,
            pc,
            line: Class::line(self.applet.class, method, pc),
            details: TrapDetails::default(),
            bytecodes: self.state.stack.executed(),
        };
        self.state.trace.event(self.state.now, kind)
    }
}

impl<M: Machine> NicState<'_, M> {
    /// Advances the NIC's clock by `span`, except while the applet is loaded.
    fn pass(&mut self, call: Call, span: SimDuration) {
        if call.trigger != Trigger::Load {
            self.now = self.now + span;
        }
    }

    fn drop_message(
        &mut self,
        packet: Option<PacketId>,
        reason: DropReason,
    ) -> Result<(), Failure> {
        self.trace
            .event(self.now, NicEvent::Drop { packet, reason })
    }
}

/// The natives of a call.
pub(crate) struct Performing<'c, 'n, M: Machine> {
    state: &'c mut NicState<'n, M>,
    members: &'c Members,
    call: Call,
    sent: &'c mut Deque<Sent, ARRIVALS>,
    /// For how many instructions of the call time has passed.
    passed: u64,
    /// Why the run must stop, if it must. The call ends in a trap then.
    failure: Option<Failure>,
}

impl<M: Machine> Natives for Performing<'_, '_, M> {
    fn reached(&mut self, executed: u64) {
        let span = INSTRUCTION.times(executed.saturating_sub(self.passed));
        self.state.pass(self.call, span);
        self.passed = executed;
    }

    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let request = Request::new(id, args).ok_or(TrapKind::Unverified)?;
        let Performing {
            state,
            members,
            call,
            sent,
            ..
        } = self;
        match state.perform(*call, &request, heap, members, sent) {
            Ok(outcome) => outcome,
            Err(failure) => {
                self.failure = Some(failure);
                Err(TrapKind::Unverified)
            }
        }
    }
}

/// The code of an applet: linked ops, or printed Rust.
pub(crate) trait Class: Sized {
    /// Calls a method, and performs the natives that it calls.
    fn call<M: Machine>(
        instance: &mut Instance<'_>,
        stack: &mut CallStack<'_>,
        call: Call,
        args: &[i32],
        natives: &mut Performing<'_, '_, M>,
    ) -> Outcome;

    /// Returns the source line of an instruction, if it is known.
    fn line(&self, method: MethodId, pc: Pc) -> Option<u16>;
}

impl Class for LinkedClass<'_> {
    fn call<M: Machine>(
        instance: &mut Instance<'_>,
        stack: &mut CallStack<'_>,
        call: Call,
        args: &[i32],
        natives: &mut Performing<'_, '_, M>,
    ) -> Outcome {
        instance.call(stack, call.method, args, FUEL, call.lifetime(), natives)
    }

    fn line(&self, method: MethodId, pc: Pc) -> Option<u16> {
        LinkedClass::line(self, method, pc)
    }
}

/// A call of the applet.
#[derive(Copy, Clone)]
pub(crate) struct Call {
    pub(crate) method: MethodId,
    trigger: Trigger,
    /// The post of the message that the call handles, if it handles one that comes from a post.
    post: Option<PostNumber>,
}

impl Call {
    /// Returns a call that handles no message.
    fn without_message(method: MethodId, trigger: Trigger) -> Call {
        Call {
            method,
            trigger,
            post: None,
        }
    }

    /// Returns the packet that the call handles, if any.
    fn packet(self) -> Option<PacketId> {
        match self.trigger {
            Trigger::Arrival(packet) => Some(packet),
            // A call with any other trigger handles no packet. The firmware has no chains of applets, so no applet
            // passes a packet to another applet.
            Trigger::Load
            | Trigger::Post(_)
            | Trigger::Passed(_)
            | Trigger::Timer
            | Trigger::Refill
            | Trigger::Watch
            | Trigger::Read => None,
        }
    }

    /// Returns the lifetime of arrays that the call allocates.
    pub(crate) fn lifetime(self) -> Lifetime {
        match self.trigger {
            Trigger::Load => Lifetime::Persistent,
            Trigger::Arrival(_)
            | Trigger::Passed(_)
            | Trigger::Post(_)
            | Trigger::Timer
            | Trigger::Refill
            | Trigger::Watch
            | Trigger::Read => Lifetime::PerCall,
        }
    }
}
