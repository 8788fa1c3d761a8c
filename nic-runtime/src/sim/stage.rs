//! The stages of a processor: what it does next, and the function that does it.

use nic_core::sle::NicEntry;

use super::Simulation;
use super::audience::Audience;
use super::processor::{Item, Next, Processor};
use crate::interface::{self, OwnItem};
use crate::nic::ProcessorId;
use crate::sle::{chained, engine};

/// The next step of a processor.
///
/// It has no fields, so that [`Next`] is returned in registers and the loop of a processor jumps by it directly. What a
/// stage needs is in the processor: the item in hand, or the state of its call.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Stage {
    /// Idle, until an arrival or a descriptor wakes the processor.
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
    /// Perform the native that the call has reached, whose cost has been paid.
    Perform,
    /// Continue after the DMA that a native waited for.
    Landed,
    /// Return from an applet.
    Return,
    /// End a call that has trapped.
    Trap,
    /// Send the message on which an applet trapped, which had to wait for slots.
    SendTrapped,
    /// As [`Stage::Enter`], in a chain.
    ChainEnter,
    /// As [`Stage::Run`], in a chain.
    ChainRun,
    /// As [`Stage::Perform`], in a chain.
    ChainPerform,
    /// As [`Stage::Landed`], in a chain.
    ChainLanded,
    /// As [`Stage::Return`], in a chain.
    ChainReturn,
    /// As [`Stage::Trap`], in a chain.
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
                Some(Item::Own(_, own)) => own.work(),
            },
            Stage::HandedOver => match processor.in_hand {
                Some(Item::Arrival(_)) => NicEntry::DoRx.decl().name,
                Some(Item::Post(_)) | None => NicEntry::DoTx.decl().name,
                Some(Item::Own(_, own)) => own.work(),
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

    /// Returns whether a processor that stops at this stage is inside an applet's call. At [`Stage::Enter`] no code of
    /// the applet has run.
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

    /// Returns whether a native is performed next.
    pub(crate) fn is_native(self) -> bool {
        matches!(self, Stage::Perform | Stage::ChainPerform)
    }
}

/// Runs a stage.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn step<A: Audience>(
    sim: &mut Simulation<'_, A>,
    on: ProcessorId,
    stage: Stage,
) -> Next {
    // Each of these functions has only this caller and is inlined here.
    match stage {
        Stage::Idle => Next::Stopped,
        Stage::Look => sim.look(on),
        Stage::Taken | Stage::HandedOver => interface::handle(sim, on),
        Stage::Enter => engine::enter(sim, on),
        Stage::Run => engine::run(sim, on),
        Stage::Perform => engine::perform_reached(sim, on),
        Stage::Landed => engine::landed(sim, on),
        Stage::Return => engine::return_from(sim, on),
        Stage::Trap => engine::end_trapped(sim, on),
        Stage::SendTrapped => engine::go_on_trapped(sim, on),
        Stage::ChainEnter => chained::enter(sim, on),
        Stage::ChainRun => chained::run(sim, on),
        Stage::ChainPerform => chained::perform(sim, on),
        Stage::ChainLanded => chained::landed(sim, on),
        Stage::ChainReturn => chained::returned(sim, on),
        Stage::ChainTrap => chained::end_trapped(sim, on),
    }
}
