//! What a native has done, what a program waits for in one, and what it keeps meanwhile.

use jive_core::TrapKind;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::Handle;

use crate::host::Actions;

/// What a program waits for in a native.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The connection of a VI.
    Connection(usize),
    /// The completion of the receive descriptors that the end of the last connection has flushed, before a VI connects
    /// again.
    Drained(usize),
    /// The completion of a send.
    Sent(usize),
    /// Native memory for a send.
    Room(usize),
    /// A message.
    Message(usize, Option<SimTime>),
    /// The ticket of a posted send.
    Ticket(usize, Option<SimTime>),
    /// A buffer that is sent.
    SentBuffer(usize, Option<SimTime>),
    /// The handle of a buffer, which its VI gives at once.
    Registered(usize),
    /// A time.
    Time(SimTime),
}

impl Wait {
    /// Returns whether the wait ends by itself.
    pub(super) fn ends(self) -> bool {
        !matches!(
            self,
            Wait::Connection(_)
                | Wait::Message(_, None)
                | Wait::Ticket(_, None)
                | Wait::SentBuffer(_, None)
        )
    }
}

/// What a native has done.
pub(super) enum Performed {
    /// The native returns this value after this time.
    Returns(i32, SimDuration),
    /// The native waits.
    Waits(Wait),
    /// The native goes on when its VI has answered, which takes no time.
    Continues(Wait),
    /// The native traps.
    Traps(TrapKind),
}

/// A request for a connection that begins when the descriptors of the last connection have been taken.
#[derive(Copy, Clone, Debug)]
pub(super) struct Connecting {
    pub(super) accepts: bool,
    pub(super) tag: u32,
    pub(super) within: Option<SimDuration>,
}

/// Returns the time for which a native waits; `None` for ever.
pub(super) fn within(ms: i32) -> Option<SimDuration> {
    let ms = u64::try_from(ms).ok()?;
    Some(SimDuration::from_ns(1_000_000).times(ms))
}

/// A message that a program sends and that its VI does not have yet.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) bytes: Vec<u8>,
    pub(super) tag: i32,
}

/// Memory of an array that is pinned while its message is under way.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pinned {
    pub(super) vi: usize,
    pub(super) length: u32,
    pub(super) tag: i32,
    pub(super) handle: Option<Handle>,
}

/// Waits for something of a VI, for a number of milliseconds at most.
pub(super) fn wait_until(
    wait: impl Fn(usize, Option<SimTime>) -> Wait,
    vi: usize,
    ms: i32,
    actions: &mut Actions<'_>,
) -> Performed {
    let deadline = within(ms).map(|within| actions.now() + within);
    if let Some(deadline) = deadline {
        actions.wake_at(deadline);
    }
    Performed::Waits(wait(vi, deadline))
}
