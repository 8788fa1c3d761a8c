//! The audience of a run's events: nobody, or a sink. The simulation is compiled separately for each kind of audience,
//! so that a run without a sink builds no events.

use nic_core::event::Sink;

/// The receiver of a run's events: a sink, or nobody.
pub(crate) trait Audience {
    /// Whether a sink listens to the run; if none does, the compiler removes the code that builds events.
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
