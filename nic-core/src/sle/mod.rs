//! U-Net/SLE: applets on endpoints, the natives that they call and the protection between them.

mod applet;
mod effect;
mod natives;
mod request;

pub use applet::{Applet, AppletError, memory_bytes};
pub use effect::Applied;
pub use jive_core::LoadedClass;
pub use natives::{ArraySpan, Effect, NicNative, Rights, check};
pub use request::{NATIVE_ARGUMENTS_MAX, Request};
