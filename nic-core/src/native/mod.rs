//! The natives as values: their table, their arguments, and why a call of one is refused.

mod argument;
mod breach;
mod cause;
mod table;

pub use argument::NativeArg;
pub use breach::{Bound, Breach};
pub(crate) use breach::{Refusal, fault};
pub use cause::{TracedCall, TrapCause, TrapDetails};
pub use table::NicNative;
