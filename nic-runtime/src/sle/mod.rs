//! U-Net/SLE in a simulator: what a NIC does with applets.
//!
//! `load` initialises them before the clock starts. `engine` makes their calls, step by step; a call that is under way
//! is `call`, what its natives do on the NIC `port`. `agenda` is what an applet is called for besides messages, `suspend`
//! how a call waits for places while others run; `quota` and `fault` bound what it may do and what its traps lead to,
//! `tell` reports all of it. Apart from the simulation: an endpoint without a NIC (`detached`), and what is written from
//! the table of natives (`stub`).

pub(crate) mod agenda;
pub(crate) mod call;
mod detached;
pub(crate) mod engine;
pub(crate) mod fault;
pub(crate) mod load;
mod port;
pub(crate) mod quota;
mod stub;
pub(crate) mod suspend;
mod tell;
mod transfer;

/// The sections that a profile needs for endpoints with an applet.
pub(crate) const SECTIONS: &[&str] = &["entry", "native", "native_fuel", "quota"];

pub use detached::{DetachedEndpoint, DetachedShape};
pub use stub::{java_stub, natives_reference};
pub(crate) use transfer::{host_to_nic, nic_to_host};
