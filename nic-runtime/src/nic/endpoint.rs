//! The simulation's own data about an endpoint, apart from its queues.

use std::num::NonZeroU32;

#[cfg(doc)]
use super::Purpose;
use super::fault::FaultRecord;
use super::{Progress, Tenancy};
use crate::ids::{AppletId, ProcessorId};
use crate::spec::InterfaceKind;
use nic_core::id::EndpointId;

/// The fixed facts about an endpoint. Every access to an endpoint starts with them. They are small, so that those of
/// thousands of endpoints stay in the processor's caches.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EndpointInfo {
    /// The endpoint's applet.
    pub(crate) applet: Option<AppletId>,
    /// The interface that the endpoint's user sees.
    pub(crate) interface: InterfaceKind,
    /// The endpoint's position among the endpoints of its NIC.
    pub(crate) position: u32,
    /// Whether a packet for the endpoint reserves an arrival slot before it leaves, on wires that reserve slots.
    pub(crate) reserves_arrival: bool,
    /// Whether, without an applet, the endpoint's send slots are for packets that its interface makes itself.
    pub(crate) makes_packets: bool,
    /// Whether, without an applet, a peer would take the connection for broken if an arrival waited too long.
    pub(crate) arrivals_keep_alive: bool,
    /// The group with which the endpoint shares arrival slots.
    pub(crate) tenancy: Tenancy,
}

impl EndpointInfo {
    /// Returns the endpoint's position among the endpoints of its NIC as an index.
    pub(crate) fn position(&self) -> usize {
        self.position as usize
    }

    /// Returns whether the endpoint's interface makes the packets for which the endpoint gets send slots.
    pub(crate) fn makes_packets(&self) -> bool {
        self.makes_packets && self.applet.is_none()
    }

    /// Returns whether a peer would take the connection for broken if an arrival waited too long.
    pub(crate) fn arrivals_keep_alive(&self) -> bool {
        self.arrivals_keep_alive && self.applet.is_none()
    }
}

/// The state of an endpoint that changes with each packet. The changing state is in one struct, so that a packet, which
/// needs most of it, touches few cache lines.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LiveEndpoint {
    /// Fuel of each call of the endpoint's applet.
    pub(crate) fuel: u64,
    /// Number of packets made.
    pub(crate) packets_made: u64,
    /// Progress towards the slots for the endpoint's next packets, by [`Purpose`].
    pub(crate) claims: [Progress; 2],
    /// Whether one of the endpoint's transmit descriptors was handed to another processor and has not ended. Until that
    /// descriptor ends, the NIC takes no other one of the endpoint, because it reserves slots for one packet at a time.
    pub(crate) has_post_under_way: bool,
    /// The number of the processor that continues the endpoint's suspended call, plus one, so that four bytes hold it.
    pub(crate) suspended_on: Option<NonZeroU32>,
    /// Record of the traps of the endpoint's applet.
    pub(crate) fault: FaultRecord,
}

impl LiveEndpoint {
    /// Returns the processor that continues the suspended call of the endpoint's applet, if one is suspended.
    pub(crate) fn suspended_on(&self) -> Option<ProcessorId> {
        self.suspended_on
            .map(|number| ProcessorId(number.get() - 1))
    }

    /// Records that the call of the endpoint's applet is suspended, and that this processor continues it.
    pub(crate) fn suspend_on(&mut self, on: ProcessorId) {
        self.suspended_on = Some(NonZeroU32::MIN.saturating_add(on.0));
    }
}

/// An endpoint with an applet, and that applet.
#[derive(Copy, Clone, Debug)]
pub(crate) struct AppletAt {
    pub(crate) endpoint: EndpointId,
    pub(crate) applet: AppletId,
}
