//! Javia: what a class that runs on the host may do with VIA, after the interface of the Javia paper (S2-07 to S2-20).
//!
//! A *program* is a class with `static int run()`. It reaches VIA by the natives of the class `via/Via`. None of them is
//! a native of applets, and a program has none of theirs.

mod buffers;
mod entries;
mod native;
mod refusal;
mod space;
#[cfg(test)]
mod tests;
mod tickets;

pub use buffers::{BufferArray, Buffers, Posted, REGISTRATIONS_MAX, Registration, Waiting};
pub use entries::{EntryCall, ProgramEntry};
pub use native::{ViaKind, ViaNative, status_number};
pub use refusal::{Obstacle, Operation, Refusal, State};
pub use space::{BUFFERS_MAX, Place};
pub use tickets::{Ticket, TicketRing};
