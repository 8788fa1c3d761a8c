//! U-Net/SLE in the simulator: how a NIC runs applets.
//!
//! Parts of the simulation:
//!
//! - `load` initializes applets before the clock starts
//! - `stages` runs their calls stage by stage, `call` is the state of a call, `port` performs its natives
//! - `pending_calls` holds timers and refills
//! - `swap` replaces applets while the NIC runs, `carry` moves their state, `swap_port` performs natives meanwhile
//! - `capsule` takes class files that arrive in packets, `reassembly` puts them together
//! - `chain` holds the messages between the applets of a chain, `chained` runs their calls
//! - `suspend` keeps calls that wait for slots while others run
//! - `quota` limits a call, `budget` limits what all calls of a run execute
//! - `sram` adds up what a NIC's memory holds, `ledger` counts what is free for classes that come during the run, `refused`
//!   says why a scenario cannot be simulated
//! - `tell` reports events, `trapped` reports traps with what their calls left
//!
//! Apart from the simulation, `detached` is an endpoint without a NIC. `environment` describes a NIC to the analysis of
//! worst cases, `site` the place of an applet, `arguments` the arguments of its calls. `stub` generates the Java stub of
//! the natives and the reference of natives.

mod arguments;
pub(crate) mod budget;
pub(crate) mod call;
pub(crate) mod capsule;
mod carry;
pub(crate) mod chain;
pub(crate) mod chained;
mod detached;
mod environment;
pub(crate) mod ledger;
pub(crate) mod load;
pub(crate) mod pending_calls;
mod port;
pub(crate) mod quota;
mod reassembly;
pub(crate) mod refused;
mod site;
pub(crate) mod sram;
pub(crate) mod stages;
pub(crate) mod state;
mod stub;
pub(crate) mod suspend;
pub(crate) mod swap;
mod swap_port;
mod tell;
mod transfer;
mod trapped;

/// The profile sections that endpoints with an applet need.
pub(crate) const SECTIONS: &[&str] = &["entry", "native", "native_fuel", "quota"];

pub use detached::{DetachedEndpoint, DetachedShape};
pub use environment::{class_environment, environment};
pub use site::AppletSite;
pub use stub::{java_stub, natives_reference};
pub(crate) use transfer::{host_to_nic, nic_to_host};
