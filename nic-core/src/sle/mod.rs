//! U-Net/SLE: applets on endpoints, the natives that they call, and the checks that protect endpoints from each other.

mod applet;
mod breach;
pub mod capsule;
mod cause;
mod entries;
mod event;
mod executed;
mod natives;
mod port;
mod request;
mod windows;

pub use self::capsule::{CapsuleRefusal, FragmentHeader, checksum};
pub use applet::{Applet, AppletError, Members, POISON, memory_bytes};
pub use breach::{Bound, Breach};
pub use cause::TrapCause;
pub use entries::{EntryCost, NicEntry};
pub use event::{NativeArg, SleEvent, SwapRefusal, TracedCall, TrapDetails};
pub use executed::Executed;
pub use natives::{ArraySpan, Effect, NicNative, Rights, check};
pub use port::{Port, perform};
pub use request::{NATIVE_ARGUMENTS_MAX, Request};
