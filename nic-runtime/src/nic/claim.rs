//! Claims for the slots of a packet: who makes them, and what becomes of them.

use super::Purpose;
use crate::ids::ProcessorId;

/// Result of a claim for a packet's slots.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// The packet has its slots.
    Given,
    /// The claim waits for a slot.
    Waits,
    /// The packet cannot have slots and the claim cannot wait. A claim cannot wait if it would wait for itself through
    /// a circle of endpoints, or if the heap cannot hold the suspended call.
    Refused,
}

/// The work that waits until its claim gets slots.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// A transmit descriptor; it stays in its queue.
    Post,
    /// The call that a processor runs; it must be saved in its applet's heap.
    Call(ProcessorId),
    /// A message that takes the base path because a call trapped on it.
    Message,
}

impl Waiter {
    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Waiter::Post => Purpose::Post,
            Waiter::Call(_) | Waiter::Message => Purpose::Push,
        }
    }
}
