//! The interfaces that a NIC offers, one row each, and what the engine of each answers.
//!
//! A NIC is clock, processors, memory, DMA engines and wires; the simulation has these. A processor's loop finds a
//! transmit descriptor or a packet. It asks the engine of the endpoint's interface what handling that costs and does.
//! An applet stands in front of its endpoint's interface; what becomes of its calls is the business of
//! [`sle`](crate::sle).

use nic_core::event::Sink;
use nic_core::sle::NicNative;

use crate::fabric::PacketRef;
use crate::nic::ProcessorId;
use crate::sim::processor::{Item, Next, Posted, Processor};
use crate::sim::{Simulation, at};
use crate::sle::engine;
use crate::unet::engine::Unet;

/// What a NIC does for the endpoints of one interface.
pub(crate) trait Interface {
    /// How far a processor is with the item that it has in hand, and what it needs to know beside the item.
    type Stage: Copy;

    /// The sections that a profile needs for its endpoints.
    const SECTIONS: &'static [&'static str];

    /// Goes on with a stage: does what can be done now, and says when the processor goes on, and with what.
    fn step<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, stage: Self::Stage) -> Next;

    /// Returns the key of a placement for the work that ends with a stage.
    fn work_before(stage: Self::Stage, processor: &Processor<'_>) -> &'static str;

    /// A processor takes a packet for an endpoint.
    fn arrived<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, packet: PacketRef) -> Next;

    /// A processor takes a transmit descriptor of an endpoint.
    fn posted<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, posted: Posted) -> Next;

    /// Returns the stage at which a processor goes on with an item that another one has taken and handed over.
    fn handed_over(item: &Item) -> Stage;

    /// An item goes its way as if its endpoint had no applet: the applet is detached, or has trapped. What
    /// goes out has its places.
    fn pass<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, item: Item) -> Next;
}

/// Declares the interfaces: which there are, and that each is asked.
macro_rules! interfaces {
    ($($(#[$doc:meta])* $interface:ident = $name:literal;)*) => {
        /// What an endpoint is to its user.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum InterfaceKind {
            $($(#[$doc])* $interface,)*
        }

        impl InterfaceKind {
            /// Each with its name in a scenario; the first is that of an endpoint that names none.
            pub const ALL: [(&'static str, InterfaceKind); [$($name),*].len()] =
                [$(($name, InterfaceKind::$interface)),*];

            /// Returns its name in a scenario.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(InterfaceKind::$interface => $name,)*
                }
            }

            /// Returns the sections that a profile needs for its endpoints.
            #[must_use]
            pub fn sections(self) -> &'static [&'static str] {
                match self {
                    $(InterfaceKind::$interface => $interface::SECTIONS,)*
                }
            }
        }

        /// What a processor does when it goes on.
        ///
        /// The stages of an applet's call are listed here themselves. They are most of the twenty stages of a packet,
        /// and telling them from others first takes 2 % of its time.
        #[derive(Copy, Clone, Debug)]
        pub(crate) enum Stage {
            /// Nothing; whatever comes in wakes it.
            Idle,
            /// Looks for something to do.
            Look,
            /// Calls an applet.
            Enter,
            /// Runs an applet's code.
            Run,
            /// Performs a native whose own time is over.
            Perform(NicNative),
            /// Has the bytes that a native waited for.
            Landed,
            /// Returns from an applet.
            Return,
            /// Ends a call that has trapped.
            Trap,
            /// Sends what an applet has trapped on; it had to wait for its places.
            SendTrapped,
            $(
                #[doc = concat!("Goes on with something of interface `", $name, "`.")]
                $interface(<$interface as Interface>::Stage),
            )*
        }

        impl Stage {
            /// Returns the key of a placement for the work that ends with this stage.
            pub(crate) fn work_before(self, processor: &Processor<'_>) -> &'static str {
                match self {
                    Stage::Idle | Stage::Look => "look",
                    Stage::Enter
                    | Stage::Run
                    | Stage::Perform(_)
                    | Stage::Landed
                    | Stage::Return
                    | Stage::Trap
                    | Stage::SendTrapped => processor.activation.call().entry().decl().name,
                    $(Stage::$interface(stage) => $interface::work_before(stage, processor),)*
                }
            }
        }

        /// Goes on with a stage.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn step<S: Sink>(
            sim: &mut Simulation<'_, S>,
            on: ProcessorId,
            stage: Stage,
        ) -> Next {
            // Each of these has one caller, and its code is here.
            match stage {
                Stage::Idle => Next::Stopped,
                Stage::Look => sim.look(on),
                Stage::Enter => engine::enter(sim, on),
                Stage::Run => engine::run(sim, on),
                Stage::Perform(native) => engine::perform_reached(sim, on, native),
                Stage::Landed => engine::landed(sim, on),
                Stage::Return => engine::return_from(sim, on),
                Stage::Trap => engine::end_trapped(sim, on),
                Stage::SendTrapped => engine::go_on_trapped(sim, on),
                $(Stage::$interface(stage) => $interface::step(sim, on, stage),)*
            }
        }

        /// Has a processor take a packet.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn arrived<S: Sink>(
            sim: &mut Simulation<'_, S>,
            on: ProcessorId,
            packet: PacketRef,
        ) -> Next {
            let (to, _) = sim.packets[packet].to;
            match sim.seats[at(to.0)].interface {
                $(InterfaceKind::$interface => $interface::arrived(sim, on, packet),)*
            }
        }

        /// Has a processor take a transmit descriptor.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn posted<S: Sink>(
            sim: &mut Simulation<'_, S>,
            on: ProcessorId,
            posted: Posted,
        ) -> Next {
            match sim.seats[at(posted.endpoint.0)].interface {
                $(InterfaceKind::$interface => $interface::posted(sim, on, posted),)*
            }
        }

        /// Returns the stage at which a processor goes on with an item that it was handed.
        pub(crate) fn handed_over<S: Sink>(sim: &Simulation<'_, S>, item: &Item) -> Stage {
            let endpoint = item.endpoint(&sim.packets);
            match sim.seats[at(endpoint.0)].interface {
                $(InterfaceKind::$interface => $interface::handed_over(item),)*
            }
        }

        /// Has an item go its way without an applet.
        #[cold]
        pub(crate) fn pass<S: Sink>(
            sim: &mut Simulation<'_, S>,
            on: ProcessorId,
            item: Item,
        ) -> Next {
            let endpoint = item.endpoint(&sim.packets);
            match sim.seats[at(endpoint.0)].interface {
                $(InterfaceKind::$interface => $interface::pass(sim, on, item),)*
            }
        }
    };
}

interfaces! {
    /// A U-Net endpoint: queues of transmit, receive and free descriptors, and channels.
    Unet = "unet";
}

/// A packet takes some twenty stages, and each is handed on in a register.
const _: () = assert!(size_of::<Stage>() <= 8);
