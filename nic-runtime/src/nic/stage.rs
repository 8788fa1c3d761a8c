//! The stages of a processor: what it does next.

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
}

const _: () = assert!(size_of::<Stage>() == 1);

impl Stage {
    /// Returns whether a processor that stops at this stage is inside an applet's call. A processor at [`Stage::Enter`]
    /// is outside, because no code of the applet has run.
    pub(crate) fn is_in_call(self) -> bool {
        match self {
            Stage::Run
            | Stage::Perform
            | Stage::Landed
            | Stage::Return
            | Stage::Trap
            | Stage::SendTrapped => true,
            Stage::Idle | Stage::Look | Stage::Taken | Stage::HandedOver | Stage::Enter => false,
        }
    }

    /// Returns whether this stage performs a native.
    pub(crate) fn is_native(self) -> bool {
        matches!(self, Stage::Perform)
    }
}
