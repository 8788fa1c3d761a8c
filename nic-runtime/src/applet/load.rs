//! Loading, before the clock starts: runs the initializers of applets, whose classes have been verified and linked.
//!
//! Natives that initializers call take effect at once, at time 0. Packets that initializers send are queued on their
//! links when all applets are loaded.

use crate::ids::{ProcessorId, at};
use std::convert::Infallible;

use crate::ids::WindowId;
use jive_core::{ArrayKind, FieldId, Heap, Lifetime, MethodId, Step, Trap, TrapKind};
use jive_embed::preset::Stores;
use nic_core::event::{DmaDirection, DropReason, Made, SleEvent, Trigger};
use nic_core::id::{ChannelId, EndpointId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Effect, Port, Request, Rights, check, perform};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::state;
use super::{chain, host_to_nic, nic_to_host, tell, trapped};
use crate::calls::budget::Exceeded;
use crate::calls::quota::Spent;
use crate::engine;
use crate::engine::Simulation;
use crate::nic::endpoint::AppletAt;
use crate::spec::{EndpointSpec, FieldState, preset};
use crate::storage::Endpoint;
use crate::storage::Growing;
use crate::wire::PacketRef;

/// Maximum number of packets that an endpoint may send while it is loaded; more are dropped.
///
/// Packets sent during loading need no send slots, because no time passes during loading, so that no send slot could
/// become free. The maximum of 16 packets is chosen: it allows a message to each neighbour, and bounds the packets that
/// a hostile initializer holds.
const LOAD_PACKETS_MAX: usize = 16;

/// The reason why an initializer stopped.
enum Reached {
    /// The initializer has returned.
    Return(Option<i32>),
    /// The initializer has called a native, which may be unknown.
    Native(Result<Request, TrapKind>),
    /// The initializer stores a value in a static field. An initializer stops at stores to static fields only if the
    /// scenario sets fields of the class.
    Store(FieldId, i32),
    /// The initializer makes an array. It stops there only if the applet's arrays are collected.
    Array(ArrayKind, i32),
}

/// The reason why an initializer failed.
pub(crate) enum Uninitialized {
    /// The initializer trapped.
    Trapped(Trap),
    /// The initializer exceeded the rest of the run's instruction budget.
    Exceeded,
}

impl From<Trap> for Uninitialized {
    fn from(trap: Trap) -> Uninitialized {
        Uninitialized::Trapped(trap)
    }
}

impl From<Exceeded> for Uninitialized {
    fn from(_: Exceeded) -> Uninitialized {
        Uninitialized::Exceeded
    }
}

/// The reason why loading failed.
pub(crate) enum NotLoaded {
    /// An applet of this endpoint trapped; the trap has been reported.
    Trap(EndpointId),
    /// An applet exceeded the run's instruction budget.
    Exceeded,
}

/// Initializes every applet, in file order, and then queues the packets that the applets have sent.
pub(crate) fn load_applets(sim: &mut Simulation<'_>) -> Result<(), NotLoaded> {
    let mut sent = Vec::new();
    for index in 0..sim.endpoints.len() {
        let endpoint = EndpointId(u32::try_from(index).expect("endpoints have u32 numbers"));
        let mut of_endpoint = Vec::new();
        let specs: &[EndpointSpec] = sim.specs;
        for (applet, (_, state)) in sim.applets_of(endpoint).zip(specs[index].applets()) {
            chain::report_as(sim, endpoint, applet);
            let applet_at = AppletAt { endpoint, applet };
            match load_applet(sim, (applet_at, state), &mut of_endpoint) {
                Ok(()) => {}
                Err(NotLoaded::Trap(_)) if sim.setup.lenient_load() => {
                    leave(sim, applet_at);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        sent.append(&mut of_endpoint);
    }
    for packet in sent {
        match sim.packets[packet].header.is_none() {
            true => engine::send(sim, packet),
            // A write to a window does not involve the interface of its sender.
            false => sim.enqueue(packet),
        }
    }
    Ok(())
}

/// Makes an endpoint one without applets, because one of its applets has trapped while it was loaded. What natives have
/// done stands, as after every trap, but nothing calls the applets any more.
#[cold]
fn leave(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    let AppletAt { endpoint, .. } = applet_at;
    sim.endpoints[endpoint].free.return_popped();
    for applet in sim.applets_of(endpoint) {
        let applet_at = AppletAt { endpoint, applet };
        sim.clear_pending(applet_at);
        engine::unwatch_all(sim, applet_at);
        engine::forget_reads(sim, applet_at);
    }
    sim.swaps.leave(endpoint);
    sim.chains.leave(endpoint);
    sim.infos[endpoint].applet = None;
    sim.report.set_class(endpoint, None);
    sim.levels_changed(endpoint);
}

fn load_applet(
    sim: &mut Simulation<'_>,
    (applet_at, state): (AppletAt, &[FieldState]),
    sent: &mut Vec<PacketRef>,
) -> Result<(), NotLoaded> {
    let program = sim.applets[applet_at.applet].class.program;
    let mut stores = preset::stores(state);
    preset::set(&mut sim.applets[applet_at.applet].instance, state);
    let nic = sim.endpoints[applet_at.endpoint].nic;
    let on = sim.nics[nic].first_processor();
    match run_initializers(sim, on, applet_at, (&mut stores, &mut BeforeStart { sent })) {
        Ok(()) => {}
        Err(Uninitialized::Trapped(_)) => return Err(NotLoaded::Trap(applet_at.endpoint)),
        Err(Uninitialized::Exceeded) => return Err(NotLoaded::Exceeded),
    }
    sim.endpoints[applet_at.endpoint].free.keep_popped();
    sim.arm_timer(applet_at);
    let heap_bytes = sim.applets[applet_at.applet].heap_bytes();
    let kind = SleEvent::Load {
        code_bytes: program.code_bytes(),
        heap_bytes,
    };
    sim.report.emit(sim.now, applet_at.endpoint, kind);
    Ok(())
}

/// How the natives that an initializer calls take effect.
pub(crate) trait Natives {
    /// Performs a native whose arguments and quota have been checked.
    fn perform(
        &mut self,
        sim: &mut Simulation<'_>,
        applet_at: AppletAt,
        request: &Request,
        effect: Effect,
    ) -> Result<i32, TrapKind>;
}

/// Runs the static initializer and the constructor of an applet with the call stack of a processor, in no virtual time.
/// Reports the calls and returns of initializers, and a trap.
pub(crate) fn run_initializers(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet_at: AppletAt,
    (stores, natives): (&mut Stores, &mut impl Natives),
) -> Result<(), Uninitialized> {
    let program = sim.applets[applet_at.applet].class.program;
    for method in program.initializers() {
        let kind = SleEvent::AppletCall {
            method,
            args: &[],
            packet: &[],
            trigger: Trigger::Load,
            processor: 0,
        };
        sim.report.emit(sim.now, applet_at.endpoint, kind);
        let value = initialize(sim, on, applet_at, method, (stores, natives));
        if let Err(Uninitialized::Trapped(trap)) = value {
            trapped::tell(sim, on, (applet_at, None), trap);
        }
        tell::returned(sim, on, applet_at, method, value?);
    }
    Ok(())
}

/// Runs an initializer to its end, in no virtual time.
fn initialize(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet_at: AppletAt,
    method: MethodId,
    (stores, natives): (&mut Stores, &mut impl Natives),
) -> Result<Option<i32>, Uninitialized> {
    let fuel = sim.live[applet_at.endpoint].fuel;
    let instance = &mut sim.applets[applet_at.applet].instance;
    let processor = &mut sim.processors[on];
    processor.activation.spent = Spent::default();
    let stack = &mut processor.activation.stack;
    instance.start(stack, method, &[], fuel, Lifetime::Persistent)?;
    loop {
        let request = match run_to_native(sim, on, applet_at)? {
            Reached::Return(value) => return Ok(value),
            Reached::Native(request) => request,
            Reached::Store(field, value) => {
                let instance = &mut sim.applets[applet_at.applet].instance;
                stores.store(instance, field, value);
                sim.processors[on].activation.stack.resume(Ok(0));
                continue;
            }
            // Nothing is garbage yet that a collection could free.
            Reached::Array(kind, length) => {
                let heap = sim.applets[applet_at.applet].instance.heap_mut();
                let made = heap.allocate(kind, length);
                sim.processors[on].activation.stack.resume(made);
                continue;
            }
        };
        let processor = &mut sim.processors[on];
        let (stack, costs) = (&mut processor.activation.stack, processor.costs);
        let affordable = request.and_then(|request| {
            let extra_fuel = costs.of(request.native()).fuel;
            stack.charge(extra_fuel)?;
            Ok((request, extra_fuel))
        });
        let outcome = match affordable {
            Ok((request, extra_fuel)) => {
                sim.budget.spend(extra_fuel)?;
                perform_now(sim, on, applet_at, &request, natives)
            }
            Err(kind) => {
                sim.report.take_back(applet_at.endpoint);
                Err(kind)
            }
        };
        sim.processors[on].activation.stack.resume(outcome);
    }
}

/// Runs an initializer up to its next native or its return.
fn run_to_native(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet_at: AppletAt,
) -> Result<Reached, Uninitialized> {
    let instance = &mut sim.applets[applet_at.applet].instance;
    let stack = &mut sim.processors[on].activation.stack;
    let before = stack.executed();
    let ran = (instance, &mut *stack);
    let step = sim.report.run(applet_at.endpoint, SimDuration::ZERO, ran);
    let (reached, trap) = match step {
        Step::Returned(value) => (Reached::Return(value), None),
        Step::Trapped(trap) => (Reached::Return(None), Some(trap)),
        Step::Native { id, args } => match (state::stored_field(id), id.allocates(), args) {
            (Some(field), _, &[value]) => (Reached::Store(field, value), None),
            (None, Some(kind), &[length]) => (Reached::Array(kind, length), None),
            _ => {
                let request = Request::new(id, args).ok_or(TrapKind::Unverified);
                (Reached::Native(request), None)
            }
        },
    };
    let instructions = stack.executed().saturating_sub(before);
    let heap = sim.applets[applet_at.applet].instance.heap_mut();
    sim.budget.spend_bytes(heap.take_cleared().into());
    sim.budget.spend(instructions)?;
    match trap {
        Some(trap) => Err(Uninitialized::Trapped(trap)),
        None => Ok(reached),
    }
}

/// Checks a native's arguments and its quota, and performs it at once.
fn perform_now(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    applet_at: AppletAt,
    request: &Request,
    natives: &mut impl Natives,
) -> Result<i32, TrapKind> {
    let heap = sim.applets[applet_at.applet].instance.heap_mut();
    let rights = Rights::of(&sim.endpoints[applet_at.endpoint]);
    let windows = sim.engines.window_rights(applet_at.endpoint);
    let rights = rights.with(&windows);
    let effect = check(request.native(), request.args(), heap, &rights)?;
    let processor = &mut sim.processors[on];
    let spent = &mut processor.activation.spent;
    let after = spent.and(&effect, &processor.costs.quota);
    *spent = after.map_err(|_| TrapKind::QuotaExceeded)?;
    natives.perform(sim, applet_at, request, effect)
}

/// Performs natives of initializers before the clock starts: each native takes effect at once. Packets that
/// initializers send are kept until all applets are loaded.
struct BeforeStart<'l> {
    sent: &'l mut Vec<PacketRef>,
}

impl Natives for BeforeStart<'_> {
    fn perform(
        &mut self,
        sim: &mut Simulation<'_>,
        applet_at: AppletAt,
        request: &Request,
        effect: Effect,
    ) -> Result<i32, TrapKind> {
        if chain::is_between(sim, applet_at, &effect) {
            return Err(TrapKind::ProtectionFault);
        }
        let mut port = Loading {
            simulation: sim,
            applet_at,
            request,
            sent: self.sent,
        };
        let Ok(returned) = perform(effect, &mut port);
        returned
    }
}

/// Performs natives of initializers at once, and keeps packets until all applets are loaded.
struct Loading<'l, 's> {
    simulation: &'l mut Simulation<'s>,
    applet_at: AppletAt,
    request: &'l Request,
    sent: &'l mut Vec<PacketRef>,
}

impl Port for Loading<'_, '_> {
    type Storage = Growing;
    type Packet = PacketRef;
    type Stop = Infallible;

    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint, &mut Heap<'_>) -> R) -> R {
        let AppletAt { endpoint, applet } = self.applet_at;
        let heap = self.simulation.applets[applet].instance.heap_mut();
        then(&mut self.simulation.endpoints[endpoint], heap)
    }

    fn handled(&self) -> Option<PacketId> {
        None
    }

    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Infallible> {
        let AppletAt { endpoint, applet } = self.applet_at;
        let simulation = &mut *self.simulation;
        let heap = simulation.applets[applet].instance.heap_mut();
        host_to_nic(heap, to, &simulation.memory, host);
        simulation.emit_dma(
            endpoint,
            (DmaDirection::HostToNic, host),
            Trigger::Load,
            None,
        );
        Ok(())
    }

    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Infallible> {
        let AppletAt { endpoint, applet } = self.applet_at;
        let simulation = &mut *self.simulation;
        let heap = simulation.applets[applet].instance.heap();
        nic_to_host(heap, from, &mut simulation.memory, host);
        simulation.emit_dma(
            endpoint,
            (DmaDirection::NicToHost, host),
            Trigger::Load,
            None,
        );
        Ok(())
    }

    fn make(
        &mut self,
        from: ArraySpan,
        channel: Channel,
    ) -> Result<(PacketId, PacketRef), Infallible> {
        let simulation = &mut *self.simulation;
        Ok(simulation.make_full_packet(self.applet_at, &channel, Trigger::Load, from))
    }

    fn send(&mut self, packet: PacketRef) -> Result<(), Infallible> {
        if self.sent.len() < LOAD_PACKETS_MAX {
            self.sent.push(packet);
        } else {
            self.simulation.drop_unsent(packet);
        }
        Ok(())
    }

    fn placing(&mut self, length: u32) -> Option<Made> {
        engine::placing(self.simulation, self.applet_at.endpoint, length)
    }

    fn place(&mut self, from: ArraySpan, channel: ChannelId) -> Result<(), Infallible> {
        let AppletAt { endpoint, applet } = self.applet_at;
        let message = (None, channel, from.length());
        let simulation = &mut *self.simulation;
        let placed = engine::place(simulation, endpoint, message, Trigger::Load);
        let Some(placed) = placed else {
            return Ok(());
        };
        let heap = simulation.applets[applet].instance.heap();
        let mut bytes = from.bytes(heap);
        for host in placed {
            let share;
            (share, bytes) = bytes.split_at(at(host.length()));
            simulation.memory.bytes_mut(host).copy_from_slice(share);
        }
        simulation.publish(endpoint);
        Ok(())
    }

    fn publish(&mut self) -> Result<(), Infallible> {
        self.simulation.publish(self.applet_at.endpoint);
        Ok(())
    }

    fn refuse(&mut self) -> Result<(), Infallible> {
        let simulation = &mut *self.simulation;
        tell::dropped(simulation, self.applet_at, None, DropReason::RxQueueFull);
        Ok(())
    }

    fn now(&self) -> SimTime {
        self.simulation.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), Infallible> {
        self.simulation.set_timer(self.applet_at, after);
        Ok(())
    }

    fn watch(&mut self, window: WindowId, range: (u32, u32)) -> Result<(), Infallible> {
        engine::watch(self.simulation, self.applet_at, window, range);
        Ok(())
    }

    fn write_window(&mut self, from: ArraySpan, peer: u32, offset: u32) -> Result<(), Infallible> {
        let place = (from, peer, offset);
        match engine::make_window_write(self.simulation, self.applet_at, Trigger::Load, place) {
            Some(packet) => self.send(packet),
            None => Ok(()),
        }
    }

    fn read_window(&mut self, into: ArraySpan, peer: u32, offset: u32) -> Result<(), Infallible> {
        let place = (into, peer, offset);
        match engine::make_window_read(self.simulation, self.applet_at, Trigger::Load, place) {
            Some(packet) => self.send(packet),
            None => Ok(()),
        }
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), Infallible> {
        tell::note(self.simulation, self.applet_at, tag, value);
        Ok(())
    }

    fn tell(&mut self, value: i32, made: Made) -> Result<(), Infallible> {
        let simulation = &mut *self.simulation;
        tell::native(simulation, self.applet_at, self.request, value, made);
        Ok(())
    }
}
