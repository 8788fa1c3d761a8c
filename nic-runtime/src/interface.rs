//! The interfaces that a NIC offers: one row for each, and the trait that its engine implements.
//!
//! The simulation provides the NIC: clock, processors, memory, DMA engines and wires. The loop of a processor takes a
//! transmit descriptor or a packet, and asks the engine of the endpoint's interface what to do. An applet runs before
//! the interface of its endpoint. The engine in [`sle`](crate::sle) runs its calls.

use nic_core::event::Sink;
use nic_core::sle::NicNative;

use crate::fabric::PacketRef;
use crate::nic::ProcessorId;
use crate::sim::processor::{Item, Next, Posted, Processor};
use crate::sim::{Simulation, at};
use crate::sle::{chained, engine};
use crate::unet::engine::Unet;

/// The engine of an interface: what a NIC does for its endpoints.
pub(crate) trait Interface {
    /// The progress of a processor with its item.
    type Stage: Copy;

    /// The profile sections that endpoints of this interface need.
    const SECTIONS: &'static [&'static str];

    /// Runs a stage: does what is due now, and returns the next stage and the time until then.
    fn step<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, stage: Self::Stage) -> Next;

    /// Returns the key in a placement for the work that precedes a stage.
    fn work_before(stage: Self::Stage, processor: &Processor<'_>) -> &'static str;

    /// Begins to handle a packet that the processor has taken.
    fn arrived<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, packet: PacketRef) -> Next;

    /// Begins to handle a transmit descriptor that the processor has taken.
    fn posted<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, posted: Posted) -> Next;

    /// Returns the stage at which a processor continues an item that another one has handed over.
    fn handed_over(item: &Item) -> Stage;

    /// Handles an item as if its endpoint had no applet, because the applet is detached or has trapped. A packet to
    /// send has its slots already.
    fn pass<S: Sink>(sim: &mut Simulation<'_, S>, on: ProcessorId, item: Item) -> Next;
}

/// Declares the interfaces, and dispatches to the engine of each.
macro_rules! interfaces {
    ($($(#[$doc:meta])* $interface:ident = $name:literal;)*) => {
        /// The interface of an endpoint.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum InterfaceKind {
            $($(#[$doc])* $interface,)*
        }

        impl InterfaceKind {
            /// Every interface with its name in a scenario. The first is the default.
            pub const ALL: [(&'static str, InterfaceKind); [$($name),*].len()] =
                [$(($name, InterfaceKind::$interface)),*];

            /// Returns the name in a scenario.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(InterfaceKind::$interface => $name,)*
                }
            }

            /// Returns the profile sections that endpoints of this interface need.
            #[must_use]
            pub fn sections(self) -> &'static [&'static str] {
                match self {
                    $(InterfaceKind::$interface => $interface::SECTIONS,)*
                }
            }
        }

        /// The next step of a processor.
        ///
        /// The stages of an applet's call are listed here and not in an engine's own stage. They are most of a packet's
        /// twenty stages, and a second level of dispatch would take 2 % of its time.
        #[derive(Copy, Clone, Debug)]
        pub(crate) enum Stage {
            /// Idle, until an arrival or a descriptor wakes the processor.
            Idle,
            /// Look for work.
            Look,
            /// Enter an applet.
            Enter,
            /// Run an applet's code.
            Run,
            /// Perform a native whose cost has been paid.
            Perform(NicNative),
            /// Continue after the DMA that a native waited for.
            Landed,
            /// Return from an applet.
            Return,
            /// End a call that has trapped.
            Trap,
            /// Send the message on which an applet trapped, which had to wait for slots.
            SendTrapped,
            /// Continue with the call of an applet in a chain.
            Chained(chained::Stage),
            $(
                #[doc = concat!("Goes on with something of interface `", $name, "`.")]
                $interface(<$interface as Interface>::Stage),
            )*
        }

        impl Stage {
            /// Returns the key in a placement for the work that precedes this stage.
            pub(crate) fn work_before(self, processor: &Processor<'_>) -> &'static str {
                match self {
                    Stage::Idle | Stage::Look => "look",
                    Stage::Enter
                    | Stage::Run
                    | Stage::Perform(_)
                    | Stage::Landed
                    | Stage::Return
                    | Stage::Trap
                    | Stage::SendTrapped
                    | Stage::Chained(_) => processor.activation.call().entry().decl().name,
                    $(Stage::$interface(stage) => $interface::work_before(stage, processor),)*
                }
            }
        }

        impl Stage {
            /// Returns whether a processor that stops at this stage is inside an applet's call. At [`Stage::Enter`] no
            /// code of the applet has run.
            pub(crate) fn is_in_call(self) -> bool {
                match self {
                    Stage::Run
                    | Stage::Perform(_)
                    | Stage::Landed
                    | Stage::Return
                    | Stage::Trap
                    | Stage::SendTrapped
                    | Stage::Chained(_) => true,
                    Stage::Idle | Stage::Look | Stage::Enter => false,
                    $(Stage::$interface(_) => false,)*
                }
            }
        }

        /// Runs a stage.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn step<S: Sink>(
            sim: &mut Simulation<'_, S>,
            on: ProcessorId,
            stage: Stage,
        ) -> Next {
            // Each of these functions has only this caller and is inlined here.
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
                Stage::Chained(stage) => chained::step(sim, on, stage),
                $(Stage::$interface(stage) => $interface::step(sim, on, stage),)*
            }
        }

        /// Makes a processor begin with a packet.
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

        /// Makes a processor begin with a transmit descriptor.
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

        /// Returns the stage at which a processor continues an item that was handed over.
        pub(crate) fn handed_over<S: Sink>(sim: &Simulation<'_, S>, item: &Item) -> Stage {
            let endpoint = item.endpoint(&sim.packets);
            match sim.seats[at(endpoint.0)].interface {
                $(InterfaceKind::$interface => $interface::handed_over(item),)*
            }
        }

        /// Handles an item without its applet.
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

/// A packet takes some twenty stages, and each value must fit in a register.
const _: () = assert!(size_of::<Stage>() <= 8);
