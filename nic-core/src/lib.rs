//! The code that the simulator and NIC firmware share: ids, virtual time, memory regions, queues, natives and events.
//!
//! The code of this crate needs neither an operating system nor an allocator. Queues keep their elements in a
//! [`storage::Storage`]: firmware uses [`storage::Fixed`], and the simulator brings a storage that grows.
#![cfg_attr(not(test), no_std)]

pub mod chain;
pub mod cost_class;
pub mod emp;
pub mod event;
pub mod host;
pub mod id;
pub mod javia;
mod limits;
pub mod lmmc;
pub mod memory;
mod native;
mod nic;
pub mod random;
pub mod remote;
mod report;
pub mod sle;
pub mod storage;
pub mod time;
pub mod unet;
pub mod via;
