//! What LMMC does at a later time.

use nic_core::id::EndpointId;
use nic_core::lmmc::PortId;

use super::site::SiteId;

/// What is due at a later time.
#[derive(Copy, Clone, Debug)]
pub(super) enum Delay {
    /// The next step of a fault is over.
    Fault(SiteId),
    /// The interface raises its trap.
    Raise(SiteId),
    /// The next step of the interface's trap is over.
    Serve(SiteId),
    /// Gathered writes are old enough to leave: those of the port's line with this number.
    Line(SiteId, PortId, u32),
    /// A process has looked for its word for long enough, in this wait.
    Spin(EndpointId, u32),
    /// A process waits no longer for its word.
    Until(EndpointId, u32),
}
