//! What a simulated NIC and firmware share: ids, virtual time, regions of memory, the checked operations of the
//! interfaces, natives, and events.
//!
//! Nothing here needs an operating system or an allocator. Queues keep their elements in a [`storage::Storage`]:
//! firmware takes [`storage::Fixed`], a simulator brings one that grows.
#![cfg_attr(not(test), no_std)]

pub mod chain;
pub mod cost_class;
pub mod event;
pub mod host;
pub mod id;
pub mod memory;
pub mod random;
pub mod sle;
pub mod storage;
pub mod time;
pub mod unet;
