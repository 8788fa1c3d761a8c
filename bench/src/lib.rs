//! Benchmarks: programs beside other VMs, loading, the packet path, memory. `bench/README.md` describes the method;
//! `bench/run` and `bench/gate` run them.

pub mod applets;
pub mod clock;
pub mod copies;
pub mod figures;
pub mod handlers;
pub mod kernel;
pub mod loading;
pub mod markdown;
pub mod memory;
pub mod native;
pub mod pace;
pub mod peer;
pub mod peers;
pub mod plot;
pub mod promises;
pub mod report;
pub mod rounds;
pub mod sizes;
pub mod table;
pub mod traffic;
