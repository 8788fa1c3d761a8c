//! The programs in Rust: what everything is compared with.

pub mod public;
