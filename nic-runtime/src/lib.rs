//! The simulated NIC: clock, fabric, NIC engine, U-Net endpoints, applets, events, exports and the
//! command line.
//!
//! Without the feature `std` what is left needs neither an operating system nor an allocator: events and
//! their line of text, U-Net endpoints, the natives and what they may do. Firmware is built from it.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

#[cfg(feature = "std")]
pub mod analysis;
pub mod bounded;
#[cfg(feature = "std")]
pub mod cli;
pub mod cost_class;
pub mod event;
pub mod export;
pub mod fabric;
pub mod host;
#[cfg(feature = "std")]
pub mod input;
#[cfg(feature = "std")]
pub mod nic;
#[cfg(feature = "std")]
pub mod paper;
#[cfg(feature = "std")]
pub mod profile;
pub mod random;
#[cfg(feature = "std")]
pub mod scenario;
#[cfg(feature = "std")]
pub mod sched;
#[cfg(feature = "std")]
pub mod sim;
pub mod sle;
pub mod time;
pub mod unet;
#[cfg(feature = "std")]
pub mod units;
