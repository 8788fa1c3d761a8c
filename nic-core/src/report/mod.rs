//! How an event is described: its fields, its roles, and the names of what it mentions.
//!
//! Each interface declares an enum of its own events and describes each by [`roles::Roles`] and [`fields::Fields`].
//! Outputs read nothing else, so they need no code for an interface. [`event`](crate::event) puts the interfaces' events
//! together.

mod family;
pub mod fields;
mod levels;
pub mod line;
mod names;
pub mod roles;
mod trigger;

pub use family::{EventOf, Family};
pub use levels::{DmaDirection, Levels};
pub use names::Names;
pub use trigger::{Made, Trigger};
