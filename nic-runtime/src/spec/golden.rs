//! What the golden trace of a scenario contains.

/// What a golden trace contains.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GoldenSettings {
    /// Whether the trace contains the bytes of messages.
    pub payload: bool,
    /// Whether the trace contains times, and which order of events the trace shows.
    pub times: Times,
    /// Whether the trace contains the number of instructions of each call, and durations.
    pub costs: bool,
    /// Whether the trace contains the size of each class's code.
    pub code: Code,
}

impl Default for GoldenSettings {
    fn default() -> GoldenSettings {
        GoldenSettings {
            payload: true,
            times: Times::Exact,
            costs: true,
            code: Code::None,
        }
    }
}

/// The times and the order of events in a golden trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// The trace shows the time of each event.
    Exact,
    /// The trace shows the order of all events, without times.
    Order,
    /// The trace shows the order of events at each endpoint, one endpoint after the other, without times.
    None,
}

/// The size of the code of classes (`code_bytes`) in a golden trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// The trace does not show the size, so that a recompiled class need not change the trace.
    None,
    /// The trace shows the size.
    Exact,
}
