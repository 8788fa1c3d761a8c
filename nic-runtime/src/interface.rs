//! The interfaces that a NIC offers: one row for each, and the trait that its engine implements.
//!
//! The simulation provides the NIC: clock, processors, memory, DMA engines and wires. The loop of a processor takes a
//! transmit descriptor or a packet, and calls the engine of the endpoint's interface to handle it. An applet runs
//! before the interface of its endpoint. The engine in [`sle`](crate::sle) runs the calls of applets.
//!
//! An interface may also have packets with a [header](crate::fabric::Header), which it handles as soon as they arrive.
//! An interface may have items of its own for processors, and delays and state of its own. The table at the end of this
//! file generates every function that dispatches to an interface.

use crate::ids::{ProcessorId, Table};
use std::convert::Infallible;
use std::fmt::Debug;

use nic_core::event::Part;
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;

use crate::emp::Emp;
use crate::fabric::{PacketRef, PacketStore};
use crate::memory::HostMemory;
use crate::sim::Simulation;
use crate::sim::processor::{Item, Next, Posted, Processor};
use crate::sim::resident::Seat;
use crate::sim::stage::Stage;
use crate::sim::stuck::Waiters;
use crate::spec::interface::interfaces;
use crate::spec::{EndpointSpec, InterfaceKind, Scenario, SendSpec};
use crate::unet::Endpoint;
use crate::unet::engine::Unet;
use crate::via::Via;

/// The engine of an interface: what a NIC does for its endpoints.
///
/// U-Net is the fast path, whose functions are inlined in the loop of a processor. The functions of other interfaces
/// are `#[cold]`, so that they do not slow down the loop of a processor.
pub(crate) trait Interface {
    /// The interface's own items for processors, in addition to packets and transmit descriptors:
    /// [`Infallible`] if the interface has no items of its own.
    type Own: OwnItem;

    /// What the interface schedules for later times: [`Infallible`] if the interface schedules nothing.
    type Delay: Copy + Debug;

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
    fn time_of_arrival(processor: &Processor<'_>) -> SimDuration {
        processor.taking.arrival
    }

    /// Returns how long a processor takes to fetch a transmit descriptor before it can handle the descriptor.
    fn time_of_post(processor: &Processor<'_>) -> SimDuration {
        processor.taking.post
    }

    /// Handles the processor's item in hand. Returns the processor's next stage and the time until that stage.
    fn handle(sim: &mut Simulation<'_>, on: ProcessorId) -> Next;

    /// Handles a delay of the interface that has become due. Returns false if no work was left to do when
    /// the delay was due. Such a delay does not count as an event of the run.
    fn due(sim: &mut Simulation<'_>, delay: Self::Delay) -> bool;

    /// Returns whether a delay will have no effect when it becomes due, whatever happens until then.
    fn is_obsolete(_sim: &Simulation<'_>, _delay: Self::Delay) -> bool {
        false
    }

    /// Whether connections of the interface end if nothing answers for some time. If so, calls of applets on the same
    /// NIC yield to the items for which `keeps_alive` returns true.
    const HAS_TIMEOUTS: bool = false;

    /// Returns whether a peer waits for this item's effect, and would take a connection for broken if it waited too
    /// long. The item must not run an applet.
    fn keeps_alive(_seat: Seat, _item: &Item) -> bool {
        false
    }

    /// Prepares the interface's endpoints, before applets are loaded.
    fn prepare(_sim: &mut Simulation<'_>) {}

    /// Starts the interface's part of the run, after applets were loaded.
    fn start(_sim: &mut Simulation<'_>) {}

    /// Handles a packet with a header that has arrived. A packet for the NIC itself has no arrival slot.
    fn came(sim: &mut Simulation<'_>, packet: PacketRef) {
        sim.end_arrival(packet);
    }

    /// Tells the interface that the first bit of a packet with a header leaves.
    fn goes(_sim: &mut Simulation<'_>, _packet: PacketRef) {}

    /// Returns the header fields that the trace shows for a packet with a header at a NIC.
    fn part<'s>(
        _shown: &Shown<'s, '_>,
        _packet: PacketRef,
        _at: (NicId, Passes),
    ) -> Option<Part<'s>> {
        None
    }

    /// Returns whether an endpoint's send slots are for packets that the interface makes itself. If the result is true,
    /// `slot_found` tells the interface of each send slot that the endpoint gets.
    fn makes_packets(_seat: Seat) -> bool {
        false
    }

    /// Returns whether an endpoint may hold another send slot. An interface whose packets keep their slots for long must
    /// leave slots to the other endpoints of a NIC.
    fn may_take_send_slot(_sim: &Simulation<'_>, _endpoint: EndpointId) -> bool {
        true
    }

    /// Returns whether an arriving packet with a header already has a place in NIC memory, and needs no arrival slot.
    fn has_place(_sim: &Simulation<'_>, _packet: PacketRef) -> bool {
        false
    }

    /// Tells the interface that an endpoint has the send slot for which it waited.
    fn slot_found(_sim: &mut Simulation<'_>, _endpoint: EndpointId) {}

    /// Tells the interface that the user is about to push the transmit descriptor for a message of the scenario.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn send_begins(_sim: &mut Simulation<'_>, _endpoint: EndpointId, _spec: &SendSpec) {}

    /// Tells the interface that the user of an endpoint has pushed a transmit descriptor.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn post_came(sim: &mut Simulation<'_>, endpoint: EndpointId) {
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

    /// Returns how many arrival slots the interface's endpoints may hold on a NIC when nothing is due any more. Adds
    /// what waits in the interface's own state for anything but users.
    fn held_at_rest(_sim: &Simulation<'_>, _nic: NicId, _waiters: &mut Waiters<'_>) -> usize {
        0
    }

    /// Returns how many transmit descriptors of an endpoint wait for a user, for as long as the user likes.
    fn posts_for_users(_sim: &Simulation<'_>, _endpoint: EndpointId) -> usize {
        0
    }

    /// Handles an item as if its endpoint had no applet, because the applet is detached or has trapped. A packet to
    /// send already has its arrival slot and its send slot.
    fn pass(sim: &mut Simulation<'_>, on: ProcessorId, item: Item) -> Next;
}

/// An item for processors that only one interface can handle.
pub(crate) trait OwnItem: Copy + Debug {
    /// Begins with the item, which is for this endpoint. Returns how long a processor takes before it can handle the
    /// item.
    fn begin(self, sim: &mut Simulation<'_>, on: ProcessorId, endpoint: EndpointId) -> SimDuration;

    /// Returns the key under which a placement lists the work on this item.
    fn work(self) -> &'static str;
}

impl OwnItem for Infallible {
    fn begin(
        self,
        _sim: &mut Simulation<'_>,
        _on: ProcessorId,
        _endpoint: EndpointId,
    ) -> SimDuration {
        match self {}
    }

    fn work(self) -> &'static str {
        match self {}
    }
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
        }

        impl<'a> States<'a> {
            /// Returns the states of all interfaces at the start of a run.
            pub(crate) fn new(scenario: &'a Scenario, endpoints: &Table<EndpointId, Endpoint>) -> States<'a> {
                States {
                    $($module: $interface::state(scenario, endpoints),)*
                }
            }
        }

        /// A delay that an interface has scheduled.
        #[derive(Copy, Clone, Debug)]
        #[expect(dead_code, reason = "an interface without delays makes none")]
        pub(crate) enum Delay {
            $(
                #[doc = concat!("A delay of interface `", $name, "`.")]
                $interface(<$interface as Interface>::Delay),
            )*
        }

        /// Handles a delay that an interface has scheduled for now. Returns false if no work was left to do.
        pub(crate) fn due(sim: &mut Simulation<'_>, delay: Delay) -> bool {
            match delay {
                $(Delay::$interface(delay) => $interface::due(sim, delay),)*
            }
        }

        /// Returns whether a delay will have no effect when it becomes due.
        pub(crate) fn is_obsolete(sim: &Simulation<'_>, delay: Delay) -> bool {
            match delay {
                $(Delay::$interface(delay) => $interface::is_obsolete(sim, delay),)*
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
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::posts_for_users(sim, endpoint),)*
            }
        }

        /// Starts each interface's part of the run.
        pub(crate) fn start(sim: &mut Simulation<'_>) {
            $($interface::start(sim);)*
        }

        /// Passes a packet with a header that has arrived to the interface of its endpoint.
        pub(crate) fn came(sim: &mut Simulation<'_>, packet: PacketRef) {
            let (to, _) = sim.packets[packet].to;
            match sim.seats[to].interface {
                $(InterfaceKind::$interface => $interface::came(sim, packet),)*
            }
        }

        /// Tells an interface that the first bit of a packet with a header leaves.
        pub(crate) fn goes(sim: &mut Simulation<'_>, packet: PacketRef) {
            let (from, _) = sim.packets[packet].from;
            match sim.seats[from].interface {
                $(InterfaceKind::$interface => $interface::goes(sim, packet),)*
            }
        }

        impl<'s> Shown<'s, '_> {
            /// Returns the header fields that the trace shows for a packet with a header at an endpoint's NIC.
            pub(crate) fn part(
                &self,
                packet: PacketRef,
                (seat, nic): (Seat, NicId),
                passes: Passes,
            ) -> Option<Part<'s>> {
                match seat.interface {
                    $(InterfaceKind::$interface => $interface::part(self, packet, (nic, passes)),)*
                }
            }
        }

        /// Returns whether an endpoint's interface makes the packets for which the endpoint gets send slots.
        pub(crate) fn makes_packets(seat: Seat) -> bool {
            match seat.interface {
                $(InterfaceKind::$interface => $interface::makes_packets(seat),)*
            }
        }

        /// Returns whether an endpoint may hold another send slot.
        pub(crate) fn may_take_send_slot(
            sim: &Simulation<'_>,
            endpoint: EndpointId,
        ) -> bool {
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::may_take_send_slot(sim, endpoint),)*
            }
        }

        /// Returns whether an arriving packet with a header already has a place in NIC memory.
        pub(crate) fn has_place(sim: &Simulation<'_>, packet: PacketRef) -> bool {
            let (to, _) = sim.packets[packet].to;
            match sim.seats[to].interface {
                $(InterfaceKind::$interface => $interface::has_place(sim, packet),)*
            }
        }

        /// Returns whether a peer of an endpoint would take a connection for broken if this item waited too long.
        pub(crate) fn keeps_alive(seat: Seat, item: &Item) -> bool {
            match seat.interface {
                $(InterfaceKind::$interface => $interface::keeps_alive(seat, item),)*
            }
        }

        /// Tells an endpoint's interface that the endpoint has the send slot for which it waited.
        pub(crate) fn slot_found(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.seats[endpoint].interface {
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
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::send_begins(sim, endpoint, spec),)*
            }
        }

        /// An item that an interface itself defines.
        #[derive(Copy, Clone, Debug)]
        #[expect(dead_code, reason = "an interface without items of its own makes none")]
        pub(crate) enum Own {
            $(
                #[doc = concat!("An item of interface `", $name, "`.")]
                $interface(<$interface as Interface>::Own),
            )*
        }

        /// Makes a processor begin with an item that an interface itself defines.
        pub(crate) fn take_own(
            sim: &mut Simulation<'_>,
            on: ProcessorId,
            endpoint: EndpointId,
            own: Own,
        ) -> Next {
            sim.processors[on].in_hand = Some(Item::Own(endpoint, own));
            Next::after(own.begin(sim, on, endpoint), Stage::Taken)
        }

        impl OwnItem for Own {
            fn begin(
                self,
                sim: &mut Simulation<'_>,
                on: ProcessorId,
                endpoint: EndpointId,
            ) -> SimDuration {
                match self {
                    $(Own::$interface(own) => own.begin(sim, on, endpoint),)*
                }
            }

            fn work(self) -> &'static str {
                match self {
                    $(Own::$interface(own) => own.work(),)*
                }
            }
        }

        /// Sends a packet that an applet has made and that has its arrival and send slots.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn send(sim: &mut Simulation<'_>, packet: PacketRef) {
            let (from, _) = sim.packets[packet].from;
            match sim.seats[from].interface {
                $(InterfaceKind::$interface => $interface::send(sim, packet),)*
            }
        }

        /// Tells an endpoint's interface that the user has pushed a transmit descriptor.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn post_came(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::post_came(sim, endpoint),)*
            }
        }

        /// Tells an endpoint's interface that the receive queue has room for another message.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn message_gone(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::message_gone(sim, endpoint),)*
            }
        }

        /// Tells an endpoint's interface that the user is about to give the oldest message back.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn message_read(sim: &mut Simulation<'_>, endpoint: EndpointId) {
            match sim.seats[endpoint].interface {
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
            let takes = match sim.seats[to].interface {
                $(InterfaceKind::$interface => $interface::time_of_arrival(processor),)*
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
            let takes = match sim.seats[posted.endpoint].interface {
                $(InterfaceKind::$interface => $interface::time_of_post(processor),)*
            };
            Next::after(takes, Stage::Taken)
        }

        /// Makes the interface of an item's endpoint handle the item in hand.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn handle(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
            let endpoint = sim.in_hand(on).endpoint(&sim.packets);
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::handle(sim, on),)*
            }
        }

        /// Handles an item as if its endpoint had no applet.
        #[cold]
        pub(crate) fn pass(
            sim: &mut Simulation<'_>,
            on: ProcessorId,
            item: Item,
        ) -> Next {
            let endpoint = item.endpoint(&sim.packets);
            match sim.seats[endpoint].interface {
                $(InterfaceKind::$interface => $interface::pass(sim, on, item),)*
            }
        }
    };
}

interfaces!(dispatch);

/// Returns whether any endpoint of a scenario uses an interface with items or delays of its own.
pub(crate) fn have_own_work(endpoints: &[EndpointSpec]) -> bool {
    endpoints.iter().any(|spec| spec.interface.has_own_work())
}

/// Whether a packet leaves a NIC or reaches it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    /// The packet leaves.
    Out,
    /// The packet arrives.
    In,
}

/// The parts of the simulation that an interface needs to show a packet with a header.
pub(crate) struct Shown<'s, 'a> {
    pub(crate) states: &'s States<'a>,
    pub(crate) memory: &'s HostMemory,
    pub(crate) packets: &'s PacketStore,
}

/// A processor has some twenty stages for each packet, so the value of a stage must fit in a register.
const _: () = assert!(size_of::<Stage>() <= 8);
