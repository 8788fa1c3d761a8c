//! What a simulation knows of an endpoint beside its queues: in one place, since a packet needs most of it.

use super::AppletId;
use super::fault::FaultRecord;
use crate::nic::Tenancy;

/// What a simulation knows of an endpoint.
#[derive(Copy, Clone, Debug)]
pub(super) struct Resident {
    /// Its applet.
    pub(super) applet: Option<AppletId>,
    /// Its position among the endpoints of its NIC.
    pub(super) position: u32,
    /// With whom it shares arrival slots.
    pub(super) tenancy: Tenancy,
    /// Fuel of each call of its applet.
    pub(super) fuel: u64,
    /// How many packets it has made.
    pub(super) packets_made: u64,
    /// How its applet has fared.
    pub(super) fault: FaultRecord,
}

impl Resident {
    /// Returns its position among the endpoints of its NIC, to index with.
    pub(super) fn position(&self) -> usize {
        self.position as usize
    }
}
