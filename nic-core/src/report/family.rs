//! An event: its time, its place, and what happened.

use super::fields::{FieldSink, Fields, PayloadMode};
use super::names::Names;
use crate::id::{EndpointId, NicId};
use crate::time::SimTime;

/// One event of a run: its time, its place, and what happened.
///
/// `K` is [`EventKind`](crate::event::EventKind) where the event may be of any interface. Firmware builds events of one [`Family`], so that it
/// holds no code for the other interfaces.
#[derive(Copy, Clone, Debug)]
pub struct EventOf<K> {
    /// When the event happened. Times never decrease within a run.
    pub time: SimTime,
    /// The NIC at which the event happened.
    pub nic: NicId,
    /// The endpoint that the event belongs to, if it belongs to one.
    pub endpoint: Option<EndpointId>,
    /// What happened.
    pub kind: K,
}

/// The events of one or all interfaces, with what a line of the trace shows of them.
pub trait Family {
    /// Returns the name of the event in the trace.
    fn name(&self) -> &'static str;

    /// Writes the fields of the event to a sink.
    ///
    /// # Errors
    ///
    /// Returns the first error of the sink, and writes no more fields after that error.
    fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error>;
}

impl<K: Family> EventOf<K> {
    /// Writes the event's own fields to `sink`. The time, NIC, endpoint and name, which all events have, are not
    /// included.
    ///
    /// # Errors
    ///
    /// Returns the first error of the sink, and writes no more fields after that error.
    pub fn visit<S: FieldSink>(
        &self,
        names: &dyn Names,
        payload_mode: PayloadMode,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let fields = &mut Fields::new(names, self.endpoint, payload_mode, sink);
        self.kind.visit(fields)
    }
}
