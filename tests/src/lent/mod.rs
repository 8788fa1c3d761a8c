//! Loads classes into memory with hostile contents, such as the remains of other classes.
//!
//! Parser, verifier, linker and interpreter work in memory that the caller lends, whose contents must not matter.
//! [`compare`] loads and runs a class in clean memory and in filled memory, and compares everything that a caller can
//! observe.

mod campaign;
mod memory;
mod seen;

pub use campaign::{Campaign, compare};
pub use memory::{Filling, Lent, Loaded, Memory, Storage, Work};
pub use seen::{Seen, look, see};
