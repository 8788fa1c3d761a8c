//! U-Net/SLE in the simulator: how a NIC runs applets.
//!
//! Parts of the simulation:
//!
//! - `load` initializes applets before the clock starts
//! - `stages` runs their calls stage by stage, `port` performs the natives of a call
//! - `pending_calls` sets timers, and notes refills and watched writes
//! - `swap` replaces applets while the NIC runs, `carry` moves their state, `swap_port` performs natives meanwhile
//! - `capsule` takes class files that arrive in packets, `answers` answers their senders
//! - `chained` runs the calls of a chain, `chain` gives each its message
//! - `suspend` makes a call wait for slots while others run, `exclusive` makes it wait for its applet
//! - `tell` reports events, `trapped` reports traps with what their calls left
//!
//! Apart from the simulation, `detached` is an endpoint without a NIC. `environment` describes a NIC to the analysis of
//! worst cases, `site` the place of an applet, `arguments` the arguments of its calls. `stub` generates the Java stub of
//! the natives and the reference of natives.

mod answers;
mod arguments;
pub(crate) mod capsule;
pub(crate) mod chain;
pub(crate) mod chained;
pub(crate) mod collected;
mod detached;
mod environment;
mod exclusive;
pub(crate) mod load;
pub(crate) mod pending_calls;
mod port;
mod site;
pub(crate) mod stages;
pub(crate) mod state;
mod stub;
pub(crate) mod suspend;
pub(crate) mod swap;
mod swap_port;
mod tell;
mod transfer;
mod trapped;

pub(crate) use crate::profile::APPLET_SECTIONS as SECTIONS;

pub use crate::calls::needs::{NotOffered, not_offered};
pub use detached::{DetachedEndpoint, DetachedShape};
pub use environment::{class_environment, environment};
pub use site::AppletSite;
pub use stub::{java_stub, natives_reference, program_stub};
pub(crate) use transfer::{host_to_nic, nic_to_host};
