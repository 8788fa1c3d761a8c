//! U-Net/SLE: applets on endpoints, the natives that they call, and the checks that protect endpoints from each other.

mod applet;
pub mod capsule;
mod carry;
mod check;
mod code_line;
mod effect;
mod entries;
mod event;
mod executed;
mod explain;
pub mod line;
mod local;
mod perform;
mod port;
mod reassembly;
mod request;
mod rights;
mod span;
mod windows;

pub use self::capsule::{CapsuleRefusal, FragmentHeader, checksum};
pub use applet::{
    Applet, AppletError, Members, OptionalEntry, OptionalField, POISON, memory_bytes,
};
pub use carry::{HeapFull, carry};
pub use check::check;
pub use code_line::{CodeLine, LentBytes, LineEvent};
pub use effect::Effect;
pub use entries::{EntryCost, NicEntry};
pub use event::{SleEvent, SwapRefusal};
pub use executed::Executed;
pub use local::LocalEffect;
pub use perform::perform;
pub use port::Port;
pub use reassembly::{CapsuleMemory, PATIENCE, Reassembly, Taken};
pub use request::{NATIVE_ARGUMENTS_MAX, Request};
pub use rights::{Arrived, Rights};
pub use span::ArraySpan;

pub use crate::native::{
    Bound, NativeArg, NativeKind, NativeViolation, Need, NicNative, TracedCall, TrapCause,
    TrapDetails,
};
