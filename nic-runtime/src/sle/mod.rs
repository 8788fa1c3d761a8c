//! U-Net/SLE: applets on endpoints, the natives that they call and the protection between them.

mod applet;
mod detached;
mod effect;
mod load;
mod natives;
mod request;
mod stub;

pub use applet::Applet;
pub(crate) use applet::memory_bytes;
pub use detached::{DetachedEndpoint, DetachedShape};
pub use effect::Applied;
pub(crate) use effect::{host_to_nic, nic_to_host};
pub use load::{LoadError, LoadedClass, Policy, load_class, verify_class};
pub use natives::{ArraySpan, Effect, NicNative, Rights, check};
pub use request::{NATIVE_ARGUMENTS_MAX, Request};
pub use stub::{java_stub, natives_reference};
