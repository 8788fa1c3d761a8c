//! Classes in memory that holds something already: what another class left, or worse.
//!
//! Parser, verifier, linker and interpreter work in memory that the caller lends, and its contents must not
//! matter. [`compare`] loads and runs a class in clean memory and in filled memory, and compares all
//! that a caller can see.

mod campaign;
mod memory;
mod seen;

pub use campaign::{Campaign, compare};
pub use memory::{Filling, Lent, Loaded, Memory, Storage, Work};
pub use seen::{Seen, look, see};
