//! The command `jive`, and the reproductions of papers' results.

pub mod cli;
pub mod paper;
