//! What a simulation knows of an endpoint beside its queues.

use super::AppletId;
use crate::interface::InterfaceKind;
#[cfg(doc)]
use crate::nic::Purpose;
use crate::nic::{Progress, Tenancy};
use crate::sle::fault::FaultRecord;

/// Where an endpoint lives. It never changes, and every search for something of the endpoint starts here. Seats are
/// small, so that those of thousands of endpoints stay in the processor's caches.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Seat {
    /// Its applet.
    pub(crate) applet: Option<AppletId>,
    /// What it is to its user.
    pub(crate) interface: InterfaceKind,
    /// Its position among the endpoints of its NIC.
    pub(crate) position: u32,
    /// With whom it shares arrival slots.
    pub(crate) tenancy: Tenancy,
}

impl Seat {
    /// Returns its position among the endpoints of its NIC, to index with.
    pub(crate) fn position(&self) -> usize {
        self.position as usize
    }
}

/// What changes about an endpoint from packet to packet: in one place, since a packet needs most of it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Resident {
    /// Fuel of each call of its applet.
    pub(crate) fuel: u64,
    /// How many packets it has made.
    pub(crate) packets_made: u64,
    /// How far it has come towards the places for its next packets, by [`Purpose`].
    pub(crate) claims: [Progress; 2],
    /// Whether one of its transmit descriptors has passed from one processor to another and has not ended. Meanwhile no
    /// other descriptor is taken, because the NIC makes places for one packet at a time.
    pub(crate) has_post_under_way: bool,
    /// How its applet has fared.
    pub(crate) fault: FaultRecord,
}
