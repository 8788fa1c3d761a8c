//! The simulated NIC: clock, fabric, NIC engine, U-Net endpoints, applets, events, exports and the
//! command line.
pub mod input;
pub mod profile;
pub mod random;
pub mod sched;
pub mod time;
pub mod units;
