//! U-Net/SLE in a simulator: transfers between hosts and applets, an endpoint without a NIC, and what is
//! written from the table of natives.

mod detached;
mod stub;
mod transfer;

pub use detached::{DetachedEndpoint, DetachedShape};
pub use stub::{java_stub, natives_reference};
pub(crate) use transfer::{host_to_nic, nic_to_host};
