//! The DMA requests that a NIC has yet to carry out, and what follows when the host has done its part.

use std::collections::VecDeque;

use nic_core::id::EndpointId;

use crate::nic::transfer::TransferRef;

/// The requests of a NIC.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    /// Whether a request is under way, or the interrupt that ends it.
    pub(super) is_busy: bool,
    /// The requests that wait, oldest first.
    pub(super) waiting: VecDeque<TransferRef>,
}

/// What happens to the requests of a NIC when the host's processor has done its part.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Due {
    /// The host's processor has written the bytes of a request.
    Written(TransferRef),
    /// The interrupt for a request is over, so the NIC takes the next one.
    Next(EndpointId),
}
