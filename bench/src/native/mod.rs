//! The programs in native Rust, with which all peers are compared.

pub mod held_out;
pub mod public;
pub mod validation;
