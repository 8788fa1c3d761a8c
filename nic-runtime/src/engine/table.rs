//! The table of interfaces: their states, and every function that dispatches to the engine of an endpoint's interface.

use crate::ids::{AppletId, ProcessorId, Table, WatchId, WindowId};

use nic_core::event::{Made, Trigger};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::remote::{Watch, WindowRights};
use nic_core::sle::ArraySpan;
use nic_core::time::SimDuration;
use nic_core::unet::Channel;

use super::interface::{Description, Interface};
use super::remote::{self, WindowState};
use crate::nic::endpoint::AppletAt;
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::nic::waiting::Waiters;
use crate::profile::Profile;
use crate::sim::Parts;
use crate::slab::{DelayRef, JobRef};
use crate::spec::interface::interfaces;
use crate::spec::{EndpointSpec, InterfaceKind, Scenario};
use crate::storage::Endpoint;
use crate::wire::{Fabric, PacketRef};

/// A simulation with all interfaces.
pub(crate) type Simulation<'a> = Parts<'a, States>;

/// Calls a function of the engine of an interface, or names a constant of it: `engine!([interface] function(arguments))`.
/// `engine!([interface] => function(arguments))` calls a function with the engine as its type parameter.
macro_rules! engine {
    ([$kind:expr] $name:ident $($arguments:tt)?) => {
        interfaces!(of_engine [$kind] $name $($arguments)?)
    };
    ([$kind:expr] => $function:ident $arguments:tt) => {
        interfaces!(of_engine [$kind] => $function $arguments)
    };
}
pub(super) use engine;

/// Calls a function of the engine that an expression names, with the rows of all interfaces.
macro_rules! of_engine {
    ({ [$kind:expr] $name:ident } $($(#[$doc:meta])* $module:ident: $interface:ident = $key:literal;)*) => {
        match $kind {
            $(InterfaceKind::$interface => crate::engine::$module::$interface::$name,)*
        }
    };
    ({ [$kind:expr] => $function:ident $arguments:tt } $($(#[$doc:meta])* $module:ident: $interface:ident = $key:literal;)*) => {
        match $kind {
            $(InterfaceKind::$interface => $function::<crate::engine::$module::$interface> $arguments,)*
        }
    };
    ({ [$kind:expr] $name:ident $arguments:tt } $($(#[$doc:meta])* $module:ident: $interface:ident = $key:literal;)*) => {
        match $kind {
            $(InterfaceKind::$interface => crate::engine::$module::$interface::$name $arguments,)*
        }
    };
}
pub(super) use of_engine;

/// Declares what concerns all interfaces together.
macro_rules! all_engines {
    ({} $($(#[$doc:meta])* $module:ident: $interface:ident = $name:literal;)*) => {
        /// The state of each interface.
        #[derive(Debug)]
        #[expect(dead_code, reason = "nothing reads the state of an interface that has none")]
        pub(crate) struct States {
            $(
                #[doc = concat!("That of interface `", $name, "`.")]
                pub(crate) $module: <crate::engine::$module::$interface as Description>::State,
            )*
            /// The windows of all nodes.
            pub(crate) remote: WindowState,
        }

        impl States {
            /// Returns the states of all interfaces at the start of a run.
            pub(crate) fn new(
                scenario: &Scenario,
                endpoints: &Table<EndpointId, Endpoint>,
                fabric: &Fabric,
            ) -> States {
                States {
                    $($module: crate::engine::$module::$interface::state(scenario, endpoints),)*
                    remote: WindowState::new(scenario, fabric, endpoints),
                }
            }
        }

        /// Prepares the endpoints of every interface.
        pub(crate) fn prepare(sim: &mut Simulation<'_>) {
            $(crate::engine::$module::$interface::prepare(sim);)*
        }

        /// Returns how many arrival slots of a NIC the interfaces may hold when nothing is due any more. Adds what
        /// waits in their own states for anything but users.
        pub(crate) fn held_at_rest(
            sim: &Simulation<'_>,
            nic: NicId,
            waiters: &mut Waiters<'_>,
        ) -> usize {
            let held = [$(crate::engine::$module::$interface::held_at_rest(sim, nic, waiters)),*];
            held.iter().sum()
        }

        /// Starts each interface's part of the run.
        pub(crate) fn start(sim: &mut Simulation<'_>) {
            $(crate::engine::$module::$interface::start(sim);)*
        }
    };
}

interfaces!(all_engines);

impl InterfaceKind {
    /// Returns whether a packet of an applet reserves an arrival slot at its receiver.
    pub(crate) fn reserves_arrival(self) -> bool {
        engine!([self] RESERVES_ARRIVAL)
    }

    /// Returns whether the send slots of an endpoint without an applet are for packets that the interface makes.
    pub(crate) fn makes_packets(self) -> bool {
        engine!([self] MAKES_PACKETS)
    }

    /// Returns whether a peer would take a connection for broken if an arrival waited too long.
    pub(crate) fn arrivals_keep_alive(self) -> bool {
        engine!([self] ARRIVALS_KEEP_ALIVE)
    }

    /// Returns how many send slots the messages of an endpoint on a NIC may hold, if there is a limit.
    pub(crate) fn send_slots_share(self, scenario: &Scenario, nic: NicId) -> Option<i32> {
        engine!([self] send_slots_share(scenario, nic))
    }

    /// Returns the profile sections that endpoints of this interface need.
    #[must_use]
    pub fn sections(self) -> &'static [&'static str] {
        engine!([self] SECTIONS)
    }

    /// Returns the protocol of the interface's packets. A channel joins endpoints of one protocol.
    #[must_use]
    pub fn protocol(self) -> &'static str {
        engine!([self] PROTOCOL)
    }

    /// Returns whether applets of the interface's endpoints can be replaced during a run, and joined to a
    /// chain.
    #[must_use]
    pub fn replaces_applets(self) -> bool {
        engine!([self] REPLACES_APPLETS)
    }

    /// Returns the bytes of NIC memory for the records of the messages that may be outstanding on a channel.
    pub(crate) fn record_bytes(self) -> u64 {
        engine!([self] RECORD_BYTES)
    }

    /// Returns whether connections of the interface end if nothing answers for some time.
    pub(crate) fn has_timeouts(self) -> bool {
        engine!([self] HAS_TIMEOUTS)
    }

    /// Returns how many packets for an endpoint its peer repeats together.
    pub(crate) fn repeated_together(self, profile: &Profile) -> u32 {
        engine!([self] repeated_together(profile))
    }

    /// Returns how many entries the receive queue of an endpoint has.
    pub(crate) fn receive_entries(self, spec: &EndpointSpec) -> u32 {
        engine!([self] receive_entries(spec))
    }

    /// Returns whether the processes of the interface's endpoints access pages, and no windows.
    pub(crate) fn has_pages(self) -> bool {
        engine!([self] HAS_PAGES)
    }

    /// Returns whether the interface has items or delays of its own.
    fn has_own_work(self) -> bool {
        engine!([self] HAS_OWN_WORK)
    }
}

/// Handles a delay that an interface has scheduled for now. Returns false if no work was left to do.
pub(crate) fn due(sim: &mut Simulation<'_>, interface: InterfaceKind, delay: DelayRef) -> bool {
    engine!([interface] due(sim, delay))
}

/// Returns whether a delay will have no effect when it becomes due.
pub(crate) fn is_obsolete(sim: &Simulation<'_>, interface: InterfaceKind, delay: DelayRef) -> bool {
    engine!([interface] is_obsolete(sim, delay))
}

/// Returns how many transmit descriptors of an endpoint wait for a user.
pub(crate) fn posts_for_users(sim: &Simulation<'_>, endpoint: EndpointId) -> usize {
    engine!([sim.infos[endpoint].interface] posts_for_users(sim, endpoint))
}

/// Returns what an applet's call makes when it delivers a short message.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn placing(sim: &Simulation<'_>, id: EndpointId, length: u32) -> Option<Made> {
    engine!([sim.infos[id].interface] placing(sim, id, length))
}

/// Uses up receive descriptors for a message of an applet.
#[cold]
pub(crate) fn place(
    sim: &mut Simulation<'_>,
    id: EndpointId,
    message: (Option<PacketId>, ChannelId, u32),
    trigger: Trigger,
) -> Option<Vec<HostSpan>> {
    engine!([sim.infos[id].interface] place(sim, id, message, trigger))
}

/// Returns the immediate data of the message that a call of an applet handles.
#[cold]
pub(crate) fn immediate(sim: &Simulation<'_>, id: EndpointId, trigger: Trigger) -> Option<u32> {
    engine!([sim.infos[id].interface] immediate(sim, id, trigger))
}

/// Sets the immediate data of the packets that the running call of an applet sends.
#[cold]
pub(crate) fn set_immediate(sim: &mut Simulation<'_>, id: EndpointId, value: u32) {
    engine!([sim.infos[id].interface] set_immediate(sim, id, value))
}

/// Tells an endpoint's interface that a call ends during which an applet has set immediate data.
#[cold]
pub(crate) fn call_over(sim: &mut Simulation<'_>, id: EndpointId) {
    engine!([sim.infos[id].interface] call_over(sim, id))
}

/// Begins with an item that only an endpoint's interface can handle. Returns how long that takes.
pub(crate) fn begin_own(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    endpoint: EndpointId,
    job: JobRef,
) -> SimDuration {
    engine!([sim.infos[endpoint].interface] begin_own(sim, on, endpoint, job))
}

/// Sends a packet that an applet has made and that has its arrival and send slots.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn send(sim: &mut Simulation<'_>, packet: PacketRef) {
    let (from, _) = sim.packets[packet].from;
    engine!([sim.infos[from].interface] send(sim, packet))
}

/// Makes a processor begin with a packet.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn arrived(sim: &mut Simulation<'_>, on: ProcessorId, packet: PacketRef) -> Next {
    let (to, _) = sim.packets[packet].to;
    let processor = &mut sim.processors[on];
    processor.in_hand = Some(Item::Arrival(packet));
    let takes = engine!([sim.infos[to].interface] time_of_arrival(&processor.taking));
    Next::after(takes, Stage::Taken)
}

/// Makes a processor begin with a transmit descriptor. The descriptor is passed by reference, because a copy
/// would be written in parts and read as words, for which a CPU has to wait.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn posted(sim: &mut Simulation<'_>, on: ProcessorId, posted: &Posted) -> Next {
    let processor = &mut sim.processors[on];
    processor.in_hand = Some(Item::Post(*posted));
    let takes = engine!([sim.infos[posted.endpoint].interface] time_of_post(&processor.taking));
    Next::after(takes, Stage::Taken)
}

/// Handles an item of an interface's own.
#[cold]
fn handle_own(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    endpoint: EndpointId,
    job: JobRef,
) -> Next {
    engine!([sim.infos[endpoint].interface] handle_own(sim, on, endpoint, job))
}

/// Handles the item in hand, unless the applet of its endpoint is to handle it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn handle(sim: &mut Simulation<'_>, on: ProcessorId) -> Handled {
    let endpoint = sim.in_hand(on).endpoint(&sim.packets);
    engine!([sim.infos[endpoint].interface] => handle_item(sim, on))
}

/// Handles an item as if its endpoint had no applet, because the applet is detached or has trapped.
#[cold]
pub(crate) fn handle_without_applet(sim: &mut Simulation<'_>, item: Item) -> Next {
    let interface = sim.infos[item.endpoint(&sim.packets)].interface;
    match item {
        Item::Arrival(packet) => engine!([interface] deliver(sim, packet)),
        Item::Post(posted) => engine!([interface] transmit(sim, posted)),
        // No applet handles an interface's own items.
        Item::Own(..) => Next::Look,
    }
}

/// Returns whether any endpoint of a scenario uses an interface with items or delays of its own.
pub(crate) fn have_own_work(endpoints: &[EndpointSpec]) -> bool {
    endpoints.iter().any(|spec| spec.interface.has_own_work())
}

/// What became of the item in hand.
pub(crate) enum Handled {
    /// The interface has handled the item.
    Here(Next),
    /// The item is a packet, which this applet handles.
    AppletRx(AppletId, PacketRef),
    /// The item is a transmit descriptor, which this applet handles.
    AppletTx(AppletId),
}

/// Handles the item in hand for an endpoint of an interface, unless the endpoint has an applet.
#[cfg_attr(not(debug_assertions), inline(always))]
fn handle_item<I: Interface<States>>(sim: &mut Simulation<'_>, on: ProcessorId) -> Handled {
    if let Some(next) = I::before_applet(sim, on) {
        return Handled::Here(next);
    }
    match *sim.in_hand(on) {
        Item::Arrival(packet) => match sim.infos[sim.packets[packet].to.0].applet {
            Some(applet) => Handled::AppletRx(applet, packet),
            None => Handled::Here(I::deliver(sim, packet)),
        },
        Item::Post(posted) => match sim.infos[posted.endpoint].applet {
            Some(applet) => Handled::AppletTx(applet),
            None => Handled::Here(I::transmit(sim, posted)),
        },
        Item::Own(endpoint, own) => Handled::Here(handle_own(sim, on, endpoint, own.job)),
    }
}

impl States {
    /// Returns the windows that the applet of an endpoint may name.
    pub(crate) fn window_rights(&self, id: EndpointId) -> WindowRights<'_> {
        self.remote.rights(id)
    }

    /// Returns the path of writes to a peer's window, which an earlier check found at this position.
    pub(crate) fn window_path(&self, id: EndpointId, peer: u32) -> Channel {
        self.remote.path(id, peer)
    }

    /// Returns the paths from an endpoint to the owners of its peer windows.
    pub(crate) fn window_paths(&self, id: EndpointId) -> impl Iterator<Item = &Channel> {
        self.remote.paths(id)
    }

    /// Returns whether a read of an endpoint waits for an answer, or its program for a time.
    pub(crate) fn has_waits(&self, id: EndpointId) -> bool {
        self.remote.has_waits(id)
    }

    /// Returns the bytes of a read that has ended.
    pub(crate) fn bytes_read(&self, id: EndpointId, number: u32) -> &[u8] {
        self.remote.bytes_read(id, number)
    }

    /// Returns whether an applet's read has not been forgotten.
    pub(crate) fn has_read(&self, id: EndpointId, number: u32) -> bool {
        self.remote.has_read(id, number)
    }

    /// Returns a watch of an endpoint: the number of the watched window, and the watched range.
    pub(crate) fn watched(
        &self,
        owner: (EndpointId, &Endpoint),
        watch: WatchId,
    ) -> Option<(i32, Watch)> {
        self.remote.watched(owner, watch)
    }
}

/// Sets a watch of a window, or removes all watches of the window if the range is empty.
pub(crate) fn watch(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    window: WindowId,
    range: (u32, u32),
) {
    remote::watch(sim, applet_at, window, range);
}

/// Removes all watches of an endpoint.
pub(crate) fn unwatch_all(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    remote::unwatch_all(sim, applet_at);
}

/// Makes the packet of an applet's write to a window.
pub(crate) fn make_window_write(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    trigger: Trigger,
    place: (ArraySpan, u32, u32),
) -> Option<PacketRef> {
    remote::make_write(sim, applet_at, trigger, place)
}

/// Makes the request of an applet's read of a window; `None` if the applet has no `doRead`.
pub(crate) fn make_window_read(
    sim: &mut Simulation<'_>,
    applet_at: AppletAt,
    trigger: Trigger,
    place: (ArraySpan, u32, u32),
) -> Option<PacketRef> {
    remote::make_read(sim, applet_at, trigger, place)
}

/// Ends the reads of an endpoint, and the waits of its program, whose time is over. Returns whether there were any.
pub(crate) fn look_at_windows(sim: &mut Simulation<'_>, id: EndpointId) -> bool {
    remote::look_at_windows(sim, id)
}

/// Moves the bytes of a read into the applet's array, because the call of `doRead` begins.
pub(crate) fn land_read(sim: &mut Simulation<'_>, applet_at: AppletAt, number: u32) {
    remote::land_read(sim, applet_at, number);
}

/// Forgets a read whose end a detached applet does not learn of.
pub(crate) fn forget_read(sim: &mut Simulation<'_>, applet_at: AppletAt, number: u32) {
    remote::forget_read(sim, applet_at, number);
}

/// Forgets the reads of an applet whose arrays are gone.
pub(crate) fn forget_reads(sim: &mut Simulation<'_>, applet_at: AppletAt) {
    remote::forget_reads(sim, applet_at);
}

/// A processor has some twenty stages for each packet, so the value of a stage must fit in a register.
const _: () = assert!(size_of::<Stage>() <= 8);
