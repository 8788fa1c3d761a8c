//! The interfaces that a NIC offers: one row for each, and the trait that its engine implements.
//!
//! The simulation provides the NIC: clock, processors, memory, DMA engines and wires. The loop of a processor takes a
//! transmit descriptor or a packet, and calls the engine of the endpoint's interface to handle it. An applet runs
//! before the interface of its endpoint. The module [`applet`](crate::applet) runs the calls of applets.
//!
//! An interface may also have packets with a header (`protocol`), which it handles as soon as they arrive, items of its
//! own for processors, and delays and state of its own. The table at the end of this file generates every function that
//! dispatches to an interface.

pub(crate) mod emp;
pub(crate) mod remote;
pub mod unet;
pub(crate) mod via;

use crate::ids::{AppletId, ProcessorId, Table, WatchId, WindowId};
use std::fmt::Debug;

use nic_core::event::{Made, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId, PostId};
use nic_core::memory::HostSpan;
pub(crate) use nic_core::remote::EventQueue;
use nic_core::remote::{Watch, WindowRights};
use nic_core::sle::ArraySpan;
use nic_core::time::SimDuration;
use nic_core::unet::{Channel, Completion};

use self::emp::Emp;
use self::remote::{Remote, WindowState};
use self::unet::Endpoint;
use self::unet::engine::Unet;
use self::via::Via;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::{Item, Next, Posted, Taking};
use crate::nic::stage::Stage;
use crate::nic::waiting::Waiters;
use crate::profile::Profile;
use crate::run::Simulation;
use crate::slab::{DelayRef, JobRef};
use crate::spec::interface::interfaces;
use crate::spec::{EndpointSpec, InterfaceKind, Scenario, SendSpec};
use crate::wire::protocol::{Header, protocols};
use crate::wire::{Fabric, PacketRef};

/// The engine of an interface: what a NIC does for its endpoints.
///
/// U-Net is the fast path, whose functions are inlined in the loop of a processor. The functions of other interfaces
/// are `#[cold]`, so that they do not slow down the loop of a processor.
pub(crate) trait Interface {
    /// The state of the interface's endpoints, in addition to their queues.
    type State<'a>: Debug;

    /// The profile sections that endpoints of this interface need.
    const SECTIONS: &'static [&'static str];

    /// The protocol of the interface's packets. A channel joins endpoints of one protocol.
    const PROTOCOL: &'static str = "packets";

    /// Whether the interface has items or delays of its own. If an endpoint uses an interface with its own items, each
    /// processor looks for items, and groups of NICs are not simulated one after another.
    const HAS_OWN_WORK: bool = false;

    /// Whether applets can be replaced during a run, by `[[swap]]` and by capsules, and joined to a chain.
    const REPLACES_APPLETS: bool = true;

    /// Bytes of NIC memory for the records of the messages that may be outstanding on a channel.
    const RECORD_BYTES: u64 = 0;

    /// Whether a packet of an applet reserves an arrival slot at its receiver, on wires that reserve slots.
    const RESERVES_ARRIVAL: bool = true;

    /// Returns the interface's state at the start of a run.
    fn state<'a>(
        scenario: &'a Scenario,
        endpoints: &Table<EndpointId, Endpoint>,
    ) -> Self::State<'a>;

    /// Returns how long a processor takes to fetch a packet before it can handle the packet.
    fn time_of_arrival(taking: &Taking) -> SimDuration {
        taking.arrival
    }

    /// Returns how long a processor takes to fetch a transmit descriptor before it can handle the descriptor.
    fn time_of_post(taking: &Taking) -> SimDuration {
        taking.post
    }

    /// Handles the processor's item in hand, a packet or a transmit descriptor, if an applet must not see it, or if it
    /// must wait. Returns `None` if the endpoint's applet handles the item, or the interface if the endpoint has no
    /// applet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn before_applet(_sim: &mut Simulation<'_>, _on: ProcessorId) -> Option<Next> {
        None
    }

    /// Begins with an item of the interface's own. Returns how long a processor takes before it can handle the item. Only
    /// the interface queues such items, so an interface without them is never asked.
    fn begin_own(
        _sim: &mut Simulation<'_>,
        _on: ProcessorId,
        _endpoint: EndpointId,
        _job: JobRef,
    ) -> SimDuration {
        SimDuration::ZERO
    }

    /// Handles an item of the interface's own, when the processor has had the time for it.
    fn handle_own(
        _sim: &mut Simulation<'_>,
        _on: ProcessorId,
        _endpoint: EndpointId,
        _job: JobRef,
    ) -> Next {
        Next::Look
    }

    /// Delivers a packet that no applet handles: its endpoint has none, or the applet is detached or has trapped.
    fn deliver(sim: &mut Simulation<'_>, packet: PacketRef) -> Next;

    /// Sends the message of a transmit descriptor that no applet handles. The packet already has its arrival slot and
    /// its send slot.
    fn transmit(sim: &mut Simulation<'_>, posted: Posted) -> Next;

    /// Handles a delay of the interface that has become due. Returns false if no work was left to do when
    /// the delay was due. Such a delay does not count as an event of the run.
    fn due(_sim: &mut Simulation<'_>, _delay: DelayRef) -> bool {
        false
    }

    /// Returns whether a delay will have no effect when it becomes due, whatever happens until then.
    fn is_obsolete(_sim: &Simulation<'_>, _delay: DelayRef) -> bool {
        false
    }

    /// Whether connections of the interface end if nothing answers for some time. If so, calls of applets on the same
    /// NIC yield to the items for which `keeps_alive` returns true.
    const HAS_TIMEOUTS: bool = false;

    /// Whether a peer waits for the effect of an arrival that no applet handles, and would take a connection for broken
    /// if the arrival waited too long. An interface's own items always count as such.
    const ARRIVALS_KEEP_ALIVE: bool = false;

    /// Prepares the interface's endpoints, before applets are loaded.
    fn prepare(_sim: &mut Simulation<'_>) {}

    /// Starts the interface's part of the run, after applets were loaded.
    fn start(_sim: &mut Simulation<'_>) {}

    /// Whether the send slots of an endpoint without an applet are for packets that the interface makes itself. If so,
    /// `slot_found` tells the interface of each send slot that the endpoint gets.
    const MAKES_PACKETS: bool = false;

    /// Returns how many send slots an endpoint's messages may hold, if there is a limit. An interface whose packets keep
    /// their slots for long must leave slots to the other endpoints of a NIC.
    fn send_slots_share(_scenario: &Scenario, _nic: NicId) -> Option<i32> {
        None
    }

    /// Tells the interface that an endpoint has the send slot for which it waited.
    fn slot_found(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Tells the interface that the user is about to push the transmit descriptor for a message of the scenario.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send_begins(_sim: &mut Simulation<'_>, _endpoint: EndpointId, _spec: &SendSpec) {}

    /// Tells the interface that the user of an endpoint has pushed a transmit descriptor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descriptor_posted(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        sim.offer_post(endpoint);
    }

    /// Sends a packet that an applet has made and that has its arrival and send slots.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send(sim: &mut Simulation<'_>, packet: PacketRef) {
        sim.enqueue(packet);
    }

    /// Tells the interface that the user is about to give the oldest message back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_read(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Tells the interface that the receive queue of an endpoint has room for another message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_gone(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Whether users act independently of the interface. If not, a program is asked and told of each message.
    const USERS_ARE_ALONE: bool = true;

    /// Returns how many entries the receive queue of an endpoint has.
    fn receive_entries(spec: &EndpointSpec) -> u32 {
        spec.rx_queue
    }

    /// Returns how many packets for an endpoint its peer repeats together, if they come without asking for a slot.
    fn repeated_together(_profile: &Profile) -> u32 {
        1
    }

    /// Returns the span that the transmit descriptor of a message names, whose payload is in `space`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn message_span(
        _sim: &Simulation<'_>,
        _endpoint: EndpointId,
        _spec: &SendSpec,
        space: HostSpan,
    ) -> HostSpan {
        space
    }

    /// Returns how long a user is busy with a message that it posts, in addition to the costs of its host.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn post_takes(_sim: &Simulation<'_>, _endpoint: EndpointId, _length: u32) -> SimDuration {
        SimDuration::ZERO
    }

    /// Reports that the user of an endpoint has pushed a transmit descriptor for the message in `space`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn posted(
        sim: &mut Simulation<'_>,
        endpoint: EndpointId,
        (channel, space): (ChannelId, HostSpan),
        post: PostId,
    ) {
        if sim.report.listens() {
            sim.report_posted(endpoint, (channel, space), post);
        }
    }

    /// Ends what the interface keeps for a transmit descriptor that is complete, and reports the completion. Returns
    /// the status that the user sees.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn completed(
        sim: &mut Simulation<'_>,
        endpoint: EndpointId,
        post: PostId,
        completion: Completion,
    ) -> TxStatus {
        if sim.report.listens() {
            sim.report_completed(endpoint, post, completion);
        }
        completion.status
    }

    /// Makes the oldest invisible receive descriptor of an endpoint visible.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn publish(sim: &mut Simulation<'_>, endpoint: EndpointId) {
        sim.publish_message(endpoint);
    }

    /// Tells the interface that the last DMA request of a message is done.
    fn requests_done(_sim: &mut Simulation<'_>, _endpoint: EndpointId, _trigger: Trigger) {}

    /// Returns whether the oldest visible receive descriptor of an endpoint has no message for the user.
    fn is_first_empty(_sim: &Simulation<'_>, _endpoint: EndpointId) -> bool {
        false
    }

    /// Ends the connection of an endpoint at the request of its process.
    fn disconnect(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Writes bytes of a process to a window of the endpoint's peer.
    fn write_window(
        _sim: &mut Simulation<'_>,
        _endpoint: EndpointId,
        _place: (u32, u32),
        _bytes: Vec<u8>,
    ) {
    }

    /// Puts bytes of a process on the wire as a frame.
    fn send_frame(_sim: &mut Simulation<'_>, _from: (EndpointId, ChannelId), _bytes: &[u8]) {}

    /// Returns what an applet's call makes when it delivers a short message: a descriptor or nothing. Returns `None` if
    /// the message goes into a receive descriptor itself.
    fn placing(_sim: &Simulation<'_>, _endpoint: EndpointId, _length: u32) -> Option<Made> {
        None
    }

    /// Uses up receive descriptors for a message of an applet, and returns the places of the message's parts in host
    /// memory, in order. Returns `None` if the message is lost, which has been reported.
    fn place(
        _sim: &mut Simulation<'_>,
        _endpoint: EndpointId,
        _message: (Option<PacketId>, ChannelId, u32),
        _trigger: Trigger,
    ) -> Option<Vec<HostSpan>> {
        None
    }

    /// Returns the immediate data of the message that a call of an applet handles.
    fn immediate(_sim: &Simulation<'_>, _endpoint: EndpointId, _trigger: Trigger) -> Option<u32> {
        None
    }

    /// Sets the immediate data of the packets that the running call of an applet sends.
    fn set_immediate(_sim: &mut Simulation<'_>, _endpoint: EndpointId, _value: u32) {}

    /// Tells the interface that a call ends during which an applet has set immediate data.
    fn call_over(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Returns how many arrival slots the interface's endpoints may hold on a NIC when nothing is due any more. Adds
    /// what waits in the interface's own state for anything but users.
    fn held_at_rest(_sim: &Simulation<'_>, _nic: NicId, _waiters: &mut Waiters<'_>) -> usize {
        0
    }

    /// Returns how many transmit descriptors of an endpoint wait for a user, for as long as the user likes.
    fn posts_for_users(_sim: &Simulation<'_>, _endpoint: EndpointId) -> usize {
        0
    }
}

/// The engine of a protocol: what NICs do with packets that have its header.
pub(crate) trait Protocol {
    /// Reports that the first bit of a packet leaves.
    fn transmit_started(sim: &mut Simulation<'_>, packet: PacketRef, duration: SimDuration);

    /// Tells the protocol that a packet has left. Returns whether the packet completes its transmit descriptor as a
    /// packet without a header does. If not, the protocol decides when the descriptor is complete.
    fn packet_left(sim: &mut Simulation<'_>, packet: PacketRef) -> bool;

    /// Handles a packet that has arrived.
    fn packet_received(sim: &mut Simulation<'_>, packet: PacketRef);

    /// Returns whether an arriving packet already has a place in NIC memory, and needs no arrival slot.
    fn has_place(_sim: &Simulation<'_>, _packet: PacketRef) -> bool {
        false
    }

    /// Tells the protocol that the receiving NIC has finished with a packet.
    fn arrival_over(_sim: &mut Simulation<'_>, _packet: PacketRef) {}
}

/// Dispatches to the engine of each interface.
macro_rules! dispatch {
    ($($(#[$doc:meta])* $module:ident: $interface:ident = $name:literal;)*) => {
        impl InterfaceKind {
            /// Returns whether a packet of an applet reserves an arrival slot at its receiver.
            pub(crate) fn reserves_arrival(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::RESERVES_ARRIVAL,)*
                }
            }

            /// Returns whether the send slots of an endpoint without an applet are for packets that the interface makes.
            pub(crate) fn makes_packets(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::MAKES_PACKETS,)*
                }
            }

            /// Returns whether a peer would take a connection for broken if an arrival waited too long.
            pub(crate) fn arrivals_keep_alive(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::ARRIVALS_KEEP_ALIVE,)*
                }
            }

            /// Returns how many send slots the messages of an endpoint on a NIC may hold, if there is a limit.
            pub(crate) fn send_slots_share(self, scenario: &Scenario, nic: NicId) -> Option<i32> {
                match self {
                    $(InterfaceKind::$interface => $interface::send_slots_share(scenario, nic),)*
                }
            }

            /// Returns the profile sections that endpoints of this interface need.
            #[must_use]
            pub fn sections(self) -> &'static [&'static str] {
                match self {
                    $(InterfaceKind::$interface => $interface::SECTIONS,)*
                }
            }

            /// Returns the protocol of the interface's packets. A channel joins endpoints of one protocol.
            #[must_use]
            pub fn protocol(self) -> &'static str {
                match self {
                    $(InterfaceKind::$interface => $interface::PROTOCOL,)*
                }
            }

            /// Returns whether applets of the interface's endpoints can be replaced during a run, and joined to a
            /// chain.
            #[must_use]
            pub fn replaces_applets(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::REPLACES_APPLETS,)*
                }
            }

            /// Returns the bytes of NIC memory for the records of the messages that may be outstanding on a channel.
            pub(crate) fn record_bytes(self) -> u64 {
                match self {
                    $(InterfaceKind::$interface => $interface::RECORD_BYTES,)*
                }
            }

            /// Returns whether connections of the interface end if nothing answers for some time.
            pub(crate) fn has_timeouts(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::HAS_TIMEOUTS,)*
                }
            }

            /// Returns whether users act independently of the interface.
            pub(crate) fn users_are_alone(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::USERS_ARE_ALONE,)*
                }
            }

            /// Returns how many packets for an endpoint its peer repeats together.
            pub(crate) fn repeated_together(self, profile: &Profile) -> u32 {
                match self {
                    $(InterfaceKind::$interface => $interface::repeated_together(profile),)*
                }
            }

            /// Returns how many entries the receive queue of an endpoint has.
            pub(crate) fn receive_entries(self, spec: &EndpointSpec) -> u32 {
                match self {
                    $(InterfaceKind::$interface => $interface::receive_entries(spec),)*
                }
            }

            /// Returns whether the interface has items or delays of its own.
            pub(crate) fn has_own_work(self) -> bool {
                match self {
                    $(InterfaceKind::$interface => $interface::HAS_OWN_WORK,)*
                }
            }
        }

        /// The state of each interface.
        #[derive(Debug)]
        #[expect(dead_code, reason = "nothing reads the state of an interface that has none")]
        pub(crate) struct States<'a> {
            $(
                #[doc = concat!("That of interface `", $name, "`.")]
                pub(crate) $module: <$interface as Interface>::State<'a>,
            )*
            /// The windows of all nodes.
            pub(crate) remote: WindowState,
        }

        impl<'a> States<'a> {
            /// Returns the states of all interfaces at the start of a run.
            pub(crate) fn new(
                scenario: &'a Scenario,
                endpoints: &Table<EndpointId, Endpoint>,
                fabric: &Fabric,
            ) -> States<'a> {
                States {
                    $($module: $interface::state(scenario, endpoints),)*
                    remote: WindowState::new(scenario, fabric, endpoints),
                }
            }
        }

        /// Handles a delay that an interface has scheduled for now. Returns false if no work was left to do.
        pub(crate) fn due(sim: &mut Simulation<'_>, interface: InterfaceKind, delay: DelayRef) -> bool {
            match interface {
                $(InterfaceKind::$interface => $interface::due(sim, delay),)*
            }
        }

        /// Returns whether a delay will have no effect when it becomes due.
        pub(crate) fn is_obsolete(sim: &Simulation<'_>, interface: InterfaceKind, delay: DelayRef) -> bool {
            match interface {
                $(InterfaceKind::$interface => $interface::is_obsolete(sim, delay),)*
            }
        }

        /// Prepares the endpoints of every interface.
        pub(crate) fn prepare(sim: &mut Simulation<'_>) {
            $($interface::prepare(sim);)*
        }

        /// Returns how many arrival slots of a NIC the interfaces may hold when nothing is due any more. Adds what
        /// waits in their own states for anything but users.
        pub(crate) fn held_at_rest(
            sim: &Simulation<'_>,
            nic: NicId,
            waiters: &mut Waiters<'_>,
        ) -> usize {
            let held = [$($interface::held_at_rest(sim, nic, waiters)),*];
            held.iter().sum()
        }

        /// Returns how many transmit descriptors of an endpoint wait for a user.
        pub(crate) fn posts_for_users(
            sim: &Simulation<'_>,
            endpoint: EndpointId,
        ) -> usize {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::posts_for_users(sim, endpoint),)*
            }
        }

        /// Starts each interface's part of the run.
        pub(crate) fn start(sim: &mut Simulation<'_>) {
            $($interface::start(sim);)*
        }

        /// Tells an endpoint's interface that the endpoint has the send slot for which it waited.
        pub(crate) fn slot_found(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::slot_found(sim, endpoint),)*
            }
        }

        /// Tells an endpoint's interface that the user is about to push the descriptor for a message of the scenario.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn send_begins(
            sim: &mut Simulation<'_>,
            endpoint: EndpointId,
            spec: &SendSpec,
        ) {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::send_begins(sim, endpoint, spec),)*
            }
        }

        /// Returns the span that the transmit descriptor of a message names.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn message_span(sim: &Simulation<'_>, id: EndpointId, spec: &SendSpec, space: HostSpan) -> HostSpan {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::message_span(sim, id, spec, space),)*
            }
        }

        /// Returns how long a user is busy with a message that it posts, in addition to the costs of its host.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn post_takes(sim: &Simulation<'_>, id: EndpointId, length: u32) -> SimDuration {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::post_takes(sim, id, length),)*
            }
        }

        /// Reports that the user of an endpoint has pushed a transmit descriptor.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn user_posted(sim: &mut Simulation<'_>, id: EndpointId, message: (ChannelId, HostSpan), post: PostId) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::posted(sim, id, message, post),)*
            }
        }

        /// Ends what an interface keeps for a transmit descriptor that is complete, and reports the completion.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn completed(sim: &mut Simulation<'_>, id: EndpointId, post: PostId, completion: Completion) -> TxStatus {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::completed(sim, id, post, completion),)*
            }
        }

        /// Makes the oldest invisible receive descriptor of an endpoint visible.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn publish(sim: &mut Simulation<'_>, id: EndpointId) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::publish(sim, id),)*
            }
        }

        /// Tells an endpoint's interface that the last DMA request of a message is done.
        #[cold]
        pub(crate) fn requests_done(sim: &mut Simulation<'_>, id: EndpointId, trigger: Trigger) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::requests_done(sim, id, trigger),)*
            }
        }

        /// Returns whether the oldest visible receive descriptor of an endpoint has no message for the user.
        #[cold]
        pub(crate) fn is_first_empty(sim: &Simulation<'_>, id: EndpointId) -> bool {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::is_first_empty(sim, id),)*
            }
        }

        /// Ends the connection of an endpoint at the request of its process.
        #[cold]
        pub(crate) fn disconnect(sim: &mut Simulation<'_>, id: EndpointId) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::disconnect(sim, id),)*
            }
        }

        /// Writes bytes of a process to a window of an endpoint's peer.
        #[cold]
        pub(crate) fn write_window(sim: &mut Simulation<'_>, id: EndpointId, place: (u32, u32), bytes: Vec<u8>) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::write_window(sim, id, place, bytes),)*
            }
        }

        /// Puts bytes of a process on the wire as a frame.
        #[cold]
        pub(crate) fn send_frame(sim: &mut Simulation<'_>, (id, channel): (EndpointId, ChannelId), bytes: &[u8]) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::send_frame(sim, (id, channel), bytes),)*
            }
        }

        /// Returns what an applet's call makes when it delivers a short message.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn placing(sim: &Simulation<'_>, id: EndpointId, length: u32) -> Option<Made> {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::placing(sim, id, length),)*
            }
        }

        /// Uses up receive descriptors for a message of an applet.
        #[cold]
        pub(crate) fn place(sim: &mut Simulation<'_>, id: EndpointId, message: (Option<PacketId>, ChannelId, u32), trigger: Trigger) -> Option<Vec<HostSpan>> {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::place(sim, id, message, trigger),)*
            }
        }

        /// Returns the immediate data of the message that a call of an applet handles.
        #[cold]
        pub(crate) fn immediate(sim: &Simulation<'_>, id: EndpointId, trigger: Trigger) -> Option<u32> {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::immediate(sim, id, trigger),)*
            }
        }

        /// Sets the immediate data of the packets that the running call of an applet sends.
        #[cold]
        pub(crate) fn set_immediate(sim: &mut Simulation<'_>, id: EndpointId, value: u32) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::set_immediate(sim, id, value),)*
            }
        }

        /// Tells an endpoint's interface that a call ends during which an applet has set immediate data.
        #[cold]
        pub(crate) fn call_over(sim: &mut Simulation<'_>, id: EndpointId) {
            match sim.infos[id].interface {
                $(InterfaceKind::$interface => $interface::call_over(sim, id),)*
            }
        }

        /// Begins with an item that only an endpoint's interface can handle. Returns how long that takes.
        pub(crate) fn begin_own(sim: &mut Simulation<'_>, on: ProcessorId, endpoint: EndpointId, job: JobRef) -> SimDuration {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::begin_own(sim, on, endpoint, job),)*
            }
        }

        /// Sends a packet that an applet has made and that has its arrival and send slots.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn send(sim: &mut Simulation<'_>, packet: PacketRef) {
            let (from, _) = sim.packets[packet].from;
            match sim.infos[from].interface {
                $(InterfaceKind::$interface => $interface::send(sim, packet),)*
            }
        }

        /// Tells an endpoint's interface that the user has pushed a transmit descriptor.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn descriptor_posted(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::descriptor_posted(sim, endpoint),)*
            }
        }

        /// Tells an endpoint's interface that the receive queue has room for another message.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn message_gone(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::message_gone(sim, endpoint),)*
            }
        }

        /// Tells an endpoint's interface that the user is about to give the oldest message back.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn message_read(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::message_read(sim, endpoint),)*
            }
        }

        /// Makes a processor begin with a packet.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn arrived(
            sim: &mut Simulation<'_>,
            on: ProcessorId,
            packet: PacketRef,
        ) -> Next {
            let (to, _) = sim.packets[packet].to;
            let processor = &mut sim.processors[on];
            processor.in_hand = Some(Item::Arrival(packet));
            let takes = match sim.infos[to].interface {
                $(InterfaceKind::$interface => $interface::time_of_arrival(&processor.taking),)*
            };
            Next::after(takes, Stage::Taken)
        }

        /// Makes a processor begin with a transmit descriptor. The descriptor is passed by reference, because a copy
        /// would be written in parts and read as words, for which a CPU has to wait.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn posted(
            sim: &mut Simulation<'_>,
            on: ProcessorId,
            posted: &Posted,
        ) -> Next {
            let processor = &mut sim.processors[on];
            processor.in_hand = Some(Item::Post(*posted));
            let takes = match sim.infos[posted.endpoint].interface {
                $(InterfaceKind::$interface => $interface::time_of_post(&processor.taking),)*
            };
            Next::after(takes, Stage::Taken)
        }

        /// Handles the item in hand, unless the applet of its endpoint is to handle it.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn handle(sim: &mut Simulation<'_>, on: ProcessorId) -> Handled {
            let endpoint = sim.in_hand(on).endpoint(&sim.packets);
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => handle_item::<$interface>(sim, on),)*
            }
        }

        /// Handles an item of an interface's own.
        #[cold]
        fn handle_own(
            sim: &mut Simulation<'_>,
            on: ProcessorId,
            endpoint: EndpointId,
            job: JobRef,
        ) -> Next {
            match sim.infos[endpoint].interface {
                $(InterfaceKind::$interface => $interface::handle_own(sim, on, endpoint, job),)*
            }
        }

        /// Handles an item as if its endpoint had no applet, because the applet is detached or has trapped.
        #[cold]
        pub(crate) fn handle_without_applet(sim: &mut Simulation<'_>, item: Item) -> Next {
            let endpoint = item.endpoint(&sim.packets);
            match (item, sim.infos[endpoint].interface) {
                $(
                    (Item::Arrival(packet), InterfaceKind::$interface) => {
                        $interface::deliver(sim, packet)
                    }
                    (Item::Post(posted), InterfaceKind::$interface) => {
                        $interface::transmit(sim, posted)
                    }
                )*
                // No applet handles an interface's own items.
                (Item::Own(..), _) => Next::Look,
            }
        }
    };
}

interfaces!(dispatch);

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
fn handle_item<I: Interface>(sim: &mut Simulation<'_>, on: ProcessorId) -> Handled {
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

/// Dispatches to the engine of each protocol.
macro_rules! protocol_dispatch {
    ($($(#[$doc:meta])* $protocol:ident($header:ty);)*) => {
        /// Reports that the first bit of a packet with a header leaves.
        #[cold]
        pub(crate) fn transmit_started(sim: &mut Simulation<'_>, packet: PacketRef, duration: SimDuration) {
            match sim.packets[packet].header {
                Header::None => {}
                $(Header::$protocol(_) => $protocol::transmit_started(sim, packet, duration),)*
            }
        }

        /// Tells a packet's protocol that the packet has left. Returns whether the packet completes its transmit
        /// descriptor.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn packet_left(sim: &mut Simulation<'_>, packet: PacketRef) -> bool {
            match sim.packets[packet].header {
                Header::None => true,
                $(Header::$protocol(_) => $protocol::packet_left(sim, packet),)*
            }
        }

        /// Passes a packet with a header that has arrived to its protocol.
        #[cold]
        pub(crate) fn packet_received(sim: &mut Simulation<'_>, packet: PacketRef) {
            match sim.packets[packet].header {
                Header::None => {}
                $(Header::$protocol(_) => $protocol::packet_received(sim, packet),)*
            }
        }

        /// Returns whether an arriving packet already has a place in NIC memory, and needs no arrival slot.
        pub(crate) fn has_place(sim: &Simulation<'_>, packet: PacketRef) -> bool {
            match sim.packets[packet].header {
                Header::None => false,
                $(Header::$protocol(_) => $protocol::has_place(sim, packet),)*
            }
        }

        /// Tells a packet's protocol that the receiving NIC has finished with the packet.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn arrival_over(sim: &mut Simulation<'_>, packet: PacketRef) {
            match sim.packets[packet].header {
                Header::None => {}
                $(Header::$protocol(_) => $protocol::arrival_over(sim, packet),)*
            }
        }
    };
}

protocols!(protocol_dispatch);

impl States<'_> {
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

/// A processor has some twenty stages for each packet, so the value of a stage must fit in a register.
const _: () = assert!(size_of::<Stage>() <= 8);
