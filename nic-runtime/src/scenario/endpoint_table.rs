//! What the readers of other tables need of `[[endpoint]]` tables.

use nic_core::id::{EndpointId, NicId};

use super::names::NameIndex;
use crate::spec::{CompletionQueueSpec, EndpointSpec, Span};

/// Each message to send begins at a multiple of this number of bytes in the buffer area.
const SEND_ALIGNMENT: u64 = 8;

/// The endpoints of a scenario, in file order, as far as their tables could be read.
pub(super) struct Endpoints<'t> {
    /// The contents of each `[[endpoint]]` table, in which a field with a mistake holds a placeholder.
    pub(super) specs: Vec<EndpointSpec>,
    /// The completion queues of the endpoints' processes.
    pub(super) completion_queues: Vec<CompletionQueueSpec>,
    /// The place of each `[[endpoint]]` table.
    pub(super) places: Vec<Span>,
    /// The NIC of each endpoint; `None` if the endpoint's table names no NIC of the scenario.
    pub(super) nics: Vec<Option<NicId>>,
    /// Whether each endpoint names an applet, even an applet whose class cannot be read.
    pub(super) names_applet: Vec<bool>,
    /// The endpoints that accept capsules, each with the place of its key for capsules.
    pub(super) capsule_keys: Vec<(EndpointId, Span)>,
    /// The names of the endpoints, each with its position in the lists of endpoints.
    pub(super) names: NameIndex<'t>,
}

/// Returns the size of the transmit region in bytes: the part of the buffer area after the free buffers or receives.
#[must_use]
pub(super) fn transmit_region(endpoint: &EndpointSpec) -> u64 {
    let from = u64::from(endpoint.transmit_from).next_multiple_of(SEND_ALIGNMENT);
    u64::from(endpoint.buffer_area).saturating_sub(from)
}
