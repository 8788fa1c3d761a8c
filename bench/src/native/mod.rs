//! The programs in Rust: what everything is compared with.

pub mod held_out;
pub mod public;
