//! The command `jive`, and the reproductions of papers' results.

pub mod cli;
pub mod incast;
pub mod paper;
