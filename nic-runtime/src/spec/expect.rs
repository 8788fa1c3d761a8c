//! What a scenario expects of its run.

use jive_core::TrapKind;
use nic_core::id::{ChannelId, EndpointId};

use super::field::{FieldKind, FieldName, FieldValue};
use super::span::Span;

/// One expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The expectation's place in the file.
    pub place: Span,
    /// The endpoint whose results are compared; `None` for the sum over all endpoints.
    pub endpoint: Option<EndpointId>,
    /// The expected result of the run.
    pub what: Expected,
}

/// An expected result of a run.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The endpoint that the expectation names gets receive descriptors with these messages.
    Messages {
        /// The receiver's number of the messages' channel; `None` for any channel.
        channel: Option<ChannelId>,
        /// The bytes of the messages.
        payloads: Vec<Vec<u8>>,
        /// How many times each message arrives.
        repeat: u64,
        /// Whether the order of the messages matters.
        order: Order,
    },
    /// The expected number of receive descriptors.
    Count {
        /// The receiver's number of the messages' channel; `None` for any channel.
        channel: Option<ChannelId>,
        /// The number.
        count: u64,
    },
    /// The expected number of dropped packets.
    Drops(Tally),
    /// The number of traps.
    Traps(Tally),
    /// The run has at least one trap of this kind.
    Trap(TrapKind),
    /// The value of a field at the end of the run. At least one of the classes that the endpoint's applet may have has
    /// this field.
    Field {
        /// The text that names the field: `NAME`, `NAME:TYPE`, and `CLASS.` before either for a chain.
        name: String,
        /// The field.
        field: FieldName,
        /// The type of the field.
        kind: FieldKind,
        /// The expected value.
        value: FieldValue,
    },
}

/// The order in which messages are expected.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the messages in the file.
    File,
    /// Any order.
    Any,
}

/// An expected number of drops or traps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tally {
    /// The total.
    All(u64),
    /// The number for each of these kinds of drops or traps; other kinds are ignored.
    Each(Vec<(&'static str, u64)>),
}
