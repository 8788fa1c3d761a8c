//! The simulated NIC: clock, fabric, NIC engine, U-Net endpoints, applets, events, exports and the
//! command line.

mod analysis;
pub mod cli;
pub mod event;
pub mod export;
pub mod fabric;
pub mod host;
pub mod input;
pub mod nic;
pub mod paper;
pub mod profile;
pub mod random;
pub mod scenario;
pub mod sched;
pub mod sim;
pub mod sle;
pub mod time;
pub mod unet;
pub mod units;
