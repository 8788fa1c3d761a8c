//! Tools and oracles for tests that span several crates.
#![forbid(unsafe_code)]

#[cfg(feature = "simulation")]
pub mod captures;
pub mod defensive;
#[cfg(feature = "simulation")]
pub mod delivery;
pub mod fixture;
pub mod fuzzing;
pub mod generate;
#[cfg(feature = "simulation")]
pub mod isolation;
pub mod large;
pub mod lent;
#[cfg(feature = "simulation")]
pub mod library;
pub mod machine;
pub mod openjdk;
#[cfg(feature = "simulation")]
pub mod placed;
pub mod random;
pub mod reference;
#[cfg(feature = "simulation")]
pub mod seen;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod skipped;
#[cfg(feature = "simulation")]
pub mod stated;
#[cfg(feature = "simulation")]
pub mod tshark;
pub mod worst;
