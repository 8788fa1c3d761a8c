//! Measurements of loading, of the packet path and of memory: see `bench/run` and `bench/gate`.

pub mod clock;
pub mod loading;
pub mod memory;
pub mod traffic;
