//! Tools and oracles for tests that span several crates.
#![forbid(unsafe_code)]

pub mod blessed;
pub mod captures;
pub mod certified;
pub mod defensive;
pub mod delivery;
pub mod fixture;
pub mod fuzzing;
pub mod isolation;
pub mod judge;
pub mod lent;
pub mod machine;
pub mod openjdk;
pub mod placed;
pub mod random;
pub mod reference;
pub mod scenario_keys;
pub mod scope;
pub mod seen;
pub mod simulation;
pub mod skipped;
pub mod stated;
pub mod tshark;
pub mod worst;
