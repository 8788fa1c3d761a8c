//! The NIC simulator: clock, fabric, NIC engine, U-Net endpoints, applets, scenarios and exports.
//!
//! This library for other programs reads scenarios and writes traces to writers, but prints nothing itself.

#[cfg(test)]
mod at_rest;
mod emp;
pub mod export;
pub mod fabric;
pub mod hexdump;
pub mod host;
pub mod ids;
pub mod interface;
pub mod judge;
pub mod memory;
pub mod nic;
pub mod profile;
mod protocol;
mod remote;
pub mod scenario;
pub mod sched;
pub mod sim;
pub mod sle;
pub mod spec;
pub mod storage;
pub mod unet;
pub mod units;
mod via;

pub use sim::{Outcome, Run, RunEnd, SimError};
