//! The host's side of an endpoint: the user's program, its events, and the memory from which it sends.

mod event;
mod program;
mod region;

pub use event::HostEvent;
pub use program::{Program, Reaction};
pub use region::{TransmitRegion, TransmitSpace};
