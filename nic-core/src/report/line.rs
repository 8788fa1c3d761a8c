//! An event as one line of the text trace, in aligned columns.

use core::fmt;

use super::family::{EventOf, Family};
use super::fields::{Escaped, FieldSink, PayloadMode, Value};
use super::names::Names;

/// Width of the time column, at which all times below one second align.
pub const TIME_WIDTH: usize = 14;
/// Least width of the NIC column. The least width of the NIC column does not depend on the run, so traces of different
/// runs can be compared line by line.
const NIC_WIDTH: usize = 4;
/// Least width of the endpoint column.
const ENDPOINT_WIDTH: usize = 8;
/// Width of the longest event name.
const EVENT_WIDTH: usize = 13;

/// Shows any event as a line of the trace, even an event that the trace omits.
pub struct Line<'a, K> {
    names: &'a dyn Names,
    event: &'a EventOf<K>,
    payload_mode: PayloadMode,
}

impl<'a, K: Family> Line<'a, K> {
    /// Returns the trace line of an event.
    #[must_use]
    pub fn new(
        names: &'a dyn Names,
        event: &'a EventOf<K>,
        payload_mode: PayloadMode,
    ) -> Line<'a, K> {
        Line {
            names,
            event,
            payload_mode,
        }
    }
}

impl<K: Family> fmt::Display for Line<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { names, event, .. } = self;
        let place = Place::new(*names, event);
        write!(f, "{:>TIME_WIDTH$}  {place}", event.time)?;
        event.visit(*names, self.payload_mode, &mut Pairs(f))
    }
}

/// The columns of a line between its time and its fields: NIC, endpoint and name of the event.
pub struct Place<'a, K> {
    names: &'a dyn Names,
    event: &'a EventOf<K>,
}

impl<'a, K: Family> Place<'a, K> {
    /// Returns the columns NIC, endpoint and name for an event.
    #[must_use]
    pub fn new(names: &'a dyn Names, event: &'a EventOf<K>) -> Place<'a, K> {
        Place { names, event }
    }
}

impl<K: Family> fmt::Display for Place<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { names, event } = self;
        let nic = Escaped(names.nic(event.nic));
        write!(f, "{nic:NIC_WIDTH$}  ")?;
        match event.endpoint {
            Some(endpoint) => write!(f, "{:ENDPOINT_WIDTH$}  ", Escaped(names.endpoint(endpoint)))?,
            None => write!(f, "{:ENDPOINT_WIDTH$}  ", "-")?,
        }
        write!(f, "{:EVENT_WIDTH$}", event.kind.name())
    }
}

/// Writes each field of an event as `key=value`.
struct Pairs<'f, 'b>(&'f mut fmt::Formatter<'b>);

impl FieldSink for Pairs<'_, '_> {
    type Error = fmt::Error;

    fn field(&mut self, key: &'static str, value: Value<'_>) -> fmt::Result {
        write!(self.0, " {key}={value}")
    }
}
