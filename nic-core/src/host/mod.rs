//! The host's side of an endpoint: the user's program, and the memory from which it sends.

mod program;
mod region;

pub use program::{Program, Reaction};
pub use region::{TransmitRegion, TransmitSpace};
