//! What a user does with messages, and where those that are sent lie.

mod program;
mod region;

pub use program::{Program, Reaction};
pub use region::{TransmitRegion, TransmitSpace};
