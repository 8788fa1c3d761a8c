//! The stages of a processor: what it does next, and the function that does it.

use crate::ids::ProcessorId;
use nic_core::sle::NicEntry;

use super::Simulation;
use super::processor::{Item, Next, Processor};
use crate::interface::{self, Handled};
use crate::sle::{chained, engine};

/// The next step of a processor.
///
/// A [`Stage`] has no fields, so that [`Next`] is returned in registers and a processor's loop can jump directly to the
/// stage's code. The data that a stage needs are in the processor: the item in hand, or the state of the processor's
/// call.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Stage {
    /// The processor is idle until an arrival or a descriptor wakes it.
    Idle,
    /// Look for work.
    Look,
    /// Handle the item in hand, which this processor has taken.
    Taken,
    /// Handle the item in hand, which another processor has taken and handed over.
    HandedOver,
    /// Enter an applet.
    Enter,
    /// Run an applet's code.
    Run,
    /// Perform the native that the applet's call has reached and whose cost has been paid.
    Perform,
    /// Continue after the DMA that a native waited for.
    Landed,
    /// Return from an applet.
    Return,
    /// End a call that has trapped.
    Trap,
    /// Send the message on which an applet trapped, now that the message's packet has slots.
    SendTrapped,
    /// [`Stage::Enter`] for an applet of a chain.
    ChainEnter,
    /// [`Stage::Run`] for an applet of a chain.
    ChainRun,
    /// [`Stage::Perform`] for an applet of a chain.
    ChainPerform,
    /// [`Stage::Landed`] for an applet of a chain.
    ChainLanded,
    /// [`Stage::Return`] for an applet of a chain.
    ChainReturn,
    /// [`Stage::Trap`] for an applet of a chain.
    ChainTrap,
}

const _: () = assert!(size_of::<Stage>() == 1);

impl Stage {
    /// Returns the key in a placement for the work that precedes this stage.
    pub(crate) fn work_before(self, processor: &Processor<'_>) -> &'static str {
        match self {
            Stage::Idle | Stage::Look => "look",
            Stage::Taken => match processor.in_hand {
                Some(Item::Arrival(_)) => "receive",
                Some(Item::Post(_)) | None => "transmit",
                Some(Item::Own(_, own)) => own.work,
            },
            Stage::HandedOver => match processor.in_hand {
                Some(Item::Arrival(_)) => NicEntry::DoRx.decl().name,
                Some(Item::Post(_)) | None => NicEntry::DoTx.decl().name,
                Some(Item::Own(_, own)) => own.work,
            },
            Stage::Enter
            | Stage::Run
            | Stage::Perform
            | Stage::Landed
            | Stage::Return
            | Stage::Trap
            | Stage::SendTrapped
            | Stage::ChainEnter
            | Stage::ChainRun
            | Stage::ChainPerform
            | Stage::ChainLanded
            | Stage::ChainReturn
            | Stage::ChainTrap => processor.activation.call().entry().decl().name,
        }
    }

    /// Returns whether a processor that stops at this stage is inside an applet's call. A processor at [`Stage::Enter`]
    /// is outside, because no code of the applet has run.
    pub(crate) fn is_in_call(self) -> bool {
        match self {
            Stage::Run
            | Stage::Perform
            | Stage::Landed
            | Stage::Return
            | Stage::Trap
            | Stage::SendTrapped
            | Stage::ChainEnter
            | Stage::ChainRun
            | Stage::ChainPerform
            | Stage::ChainLanded
            | Stage::ChainReturn
            | Stage::ChainTrap => true,
            Stage::Idle | Stage::Look | Stage::Taken | Stage::HandedOver | Stage::Enter => false,
        }
    }

    /// Returns whether a call that continues at this stage has entered its applet.
    pub(super) fn has_entered(self) -> bool {
        self.is_in_call() && !matches!(self, Stage::ChainEnter)
    }

    /// Returns whether this stage performs a native.
    pub(crate) fn is_native(self) -> bool {
        matches!(self, Stage::Perform | Stage::ChainPerform)
    }
}

/// Runs a stage of a processor whose work is recorded, or may end later than it was to end. Not inlined, since few
/// processors are such.
#[cold]
#[inline(never)]
pub(crate) fn step_apart(sim: &mut Simulation<'_>, on: ProcessorId, stage: Stage) -> Next {
    step::<true>(sim, on, stage)
}

/// Runs a stage.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn step<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    stage: Stage,
) -> Next {
    // Each function that this `match` calls has no other caller. It is inlined here: once in the loop of `go_on`, and once
    // in `step_apart`.
    let next = match stage {
        Stage::Idle => Next::Stopped,
        Stage::Look => Next::Look,
        Stage::Taken | Stage::HandedOver => match interface::handle(sim, on) {
            Handled::Here(next) => next,
            Handled::AppletRx(applet, packet) => engine::arrived(sim, on, applet, packet),
            Handled::AppletTx(applet) => engine::posted(sim, on, applet),
        },
        Stage::Enter => engine::enter::<HEARD>(sim, on),
        Stage::Run => engine::run::<HEARD>(sim, on),
        Stage::Perform => engine::perform_reached::<HEARD>(sim, on),
        Stage::Landed => engine::landed::<HEARD>(sim, on),
        Stage::Return => engine::return_from::<HEARD>(sim, on),
        Stage::Trap => engine::end_trapped(sim, on),
        Stage::SendTrapped => engine::go_on_trapped(sim, on),
        Stage::ChainEnter => chained::enter(sim, on),
        Stage::ChainRun => chained::run(sim, on),
        Stage::ChainPerform => chained::perform(sim, on),
        Stage::ChainLanded => chained::landed(sim, on),
        Stage::ChainReturn => chained::returned(sim, on),
        Stage::ChainTrap => chained::end_trapped(sim, on),
    };
    match next {
        Next::Look => sim.look(on),
        Next::After(_) | Next::Stopped => next,
    }
}
