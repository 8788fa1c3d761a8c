//! Which pages a process has, and how a message lies in a page.

use nic_core::id::EndpointId;

use crate::spec::PortSpec;

/// Length of the number at the end of each message, in bytes.
pub const NUMBER_BYTES: u32 = 4;

/// The pages of an endpoint, which the ports of the scenario give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagesOf {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The pages to which its process writes.
    pub sends: Vec<i32>,
    /// The pages that its process reads.
    pub receives: Vec<i32>,
}

impl PagesOf {
    /// Returns the pages of an endpoint. Their numbers are the places of their ports in the scenario.
    #[must_use]
    pub fn of(endpoint: EndpointId, ports: &[PortSpec]) -> PagesOf {
        let of = |ends: fn(&PortSpec) -> &[EndpointId]| {
            let numbered = (0i32..).zip(ports);
            let own = numbered.filter(|(_, port)| ends(port).contains(&endpoint));
            own.map(|(number, _)| number).collect()
        };
        PagesOf {
            endpoint,
            sends: of(|port| &port.from),
            receives: of(|port| &port.to),
        }
    }
}

/// Returns a message of this length with this number, whose other bytes count up from the number.
pub(super) fn message(number: u32, length: u32) -> Vec<u8> {
    let filling = length.saturating_sub(NUMBER_BYTES);
    let bytes = (0..filling).map(|place| number.wrapping_add(place).to_le_bytes()[0]);
    bytes.chain(number.to_le_bytes()).collect()
}

/// Returns where the number of a message of this length lies.
pub(super) const fn number_at(length: u32) -> u32 {
    length.saturating_sub(NUMBER_BYTES)
}
