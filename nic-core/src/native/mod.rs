//! The natives as values: their table, their arguments, and why a call of one is refused.

mod argument;
mod cause;
mod kind;
mod need;
mod table;
mod violation;

pub use argument::NativeArg;
pub use cause::{TracedCall, TrapCause, TrapDetails};
pub use kind::NativeKind;
pub use need::Need;
pub use table::NicNative;
pub use violation::{Bound, NativeViolation};
pub(crate) use violation::{Refusal, fault};
