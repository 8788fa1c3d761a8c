//! Who learns of a run's events: nobody, or a sink. The simulation is compiled for each of the two, so that a run
//! without a sink builds no events.

use nic_core::event::Sink;

/// Who learns of a run's events.
pub(crate) trait Audience {
    /// Whether there is a sink. If not, the compiler removes the code that builds events.
    const LISTENS: bool;

    /// Returns the sink, or `None` if nobody listens.
    fn sink(&mut self) -> Option<&mut dyn Sink>;
}

/// The audience of a run without a sink.
pub(crate) struct Nobody;

impl Audience for Nobody {
    const LISTENS: bool = false;

    #[inline(always)]
    fn sink(&mut self) -> Option<&mut dyn Sink> {
        None
    }
}

/// The audience of a run with a sink.
pub(crate) struct Listener<'s>(pub(crate) &'s mut dyn Sink);

impl Audience for Listener<'_> {
    const LISTENS: bool = true;

    #[inline(always)]
    fn sink(&mut self) -> Option<&mut dyn Sink> {
        Some(self.0)
    }
}
