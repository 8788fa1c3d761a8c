//! U-Net/SLE: applets on endpoints, the natives that they call and the protection between them.

mod applet;
#[cfg(feature = "std")]
mod detached;
mod effect;
mod load;
mod natives;
mod request;
#[cfg(feature = "std")]
mod stub;

pub use applet::{Applet, memory_bytes};
#[cfg(feature = "std")]
pub use detached::{DetachedEndpoint, DetachedShape};
pub use effect::Applied;
#[cfg(feature = "std")]
pub(crate) use effect::{host_to_nic, nic_to_host};
pub use load::{LoadError, LoadedClass, Policy};
#[cfg(feature = "std")]
pub use load::{load_class, verify_class};
pub use natives::{ArraySpan, Effect, NicNative, Rights, check};
pub use request::{NATIVE_ARGUMENTS_MAX, Request};
#[cfg(feature = "std")]
pub use stub::{java_stub, natives_reference};
