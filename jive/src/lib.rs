//! The command `jive`, and the reports that reproduce the papers.

pub mod cli;
pub mod paper;
