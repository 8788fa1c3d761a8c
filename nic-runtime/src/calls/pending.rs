//! What an applet is to be called for other than messages: its timer, the receive buffers that its user has returned, and
//! the events of its watches, and the reads that have ended.

use crate::ids::{AppletId, Table, WatchId};
use std::collections::VecDeque;

use nic_core::event::ReadStatus;
use nic_core::id::ChannelId;
use nic_core::remote::EventQueue;
use nic_core::sle::Applet;
use nic_core::time::SimTime;

use crate::storage::Growing;

/// A receive buffer that the user has returned.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refill {
    /// Capacity in bytes.
    pub(crate) length: u32,
    /// The channel in the receive descriptor that named the buffer.
    pub(crate) channel: ChannelId,
    /// Offset in the buffer area; `None` if the message was in the receive descriptor itself.
    pub(crate) offset: Option<u32>,
}

/// A write of a peer to bytes that an applet watches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watched {
    /// The watch.
    pub(crate) watch: WatchId,
    /// The number of the remote-memory window that contains the watched bytes.
    pub(crate) window: i32,
    /// Offset and length of the watched bytes in the window.
    pub(crate) range: (u32, u32),
}

/// A read of a peer's window that has ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadDone {
    /// The number of the read among those of the endpoint.
    pub(crate) number: u32,
    /// The number of the window.
    pub(crate) window: i32,
    /// Offset in the window.
    pub(crate) offset: u32,
    /// How the read ended.
    pub(crate) status: ReadStatus,
}

/// One setting of an applet's timer. A call of `doTimer` carries the turn of the setting that expired, because another
/// processor may set the timer again before the call begins.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimerTurn(u32);

/// The pending timer, refills and events of an applet.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingCalls {
    /// When `doTimer` is due, if the timer is set.
    pub(crate) timer: Option<SimTime>,
    /// The latest setting of the timer.
    pub(crate) turn: TimerTurn,
    /// When the earliest scheduled check of the timer takes place. Checks for earlier settings of the timer stay in the
    /// schedule and find nothing to do.
    pub(crate) look: Option<SimTime>,
    /// Whether the timer has expired and `doTimer` has not been called yet.
    pub(crate) is_over: bool,
    /// Refills for which `doRefill` has not been called, in the order of return.
    pub(crate) refills: VecDeque<Refill>,
    /// Watches that have noticed a peer's write for which `doWatch` has not been called.
    pub(crate) events: EventQueue<Growing>,
    /// Ended reads for which `doRead` has not been called, in the order of their ends.
    pub(crate) reads: VecDeque<ReadDone>,
}

impl PendingCalls {
    /// Cancels the timer. A call of `doTimer` that has not begun is void.
    pub(crate) fn cancel_timer(&mut self) {
        self.turn.0 = self.turn.0.wrapping_add(1);
        self.timer = None;
        self.is_over = false;
    }
}

/// The pending calls of all applets. The list is empty if no applet has an entry for them, and no later applet
/// can have one.
#[derive(Clone, Debug)]
pub(crate) struct AllPendingCalls(pub(crate) Table<AppletId, PendingCalls>);

impl AllPendingCalls {
    /// Returns no pending calls for `places` applets. `may_come` says whether an applet with an entry for
    /// them may replace one of `applets`.
    pub(crate) fn new(applets: &[Applet<'_>], places: usize, may_come: bool) -> AllPendingCalls {
        let has_one = |applet: &Applet<'_>| applet.members.has_pending_calls();
        AllPendingCalls(match may_come || applets.iter().any(has_one) {
            true => Table::filled(places, PendingCalls::default()),
            false => Table::new(),
        })
    }

    /// Returns whether no applet can have pending calls.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an applet has no timer set, so that a check of its timer is pointless.
    pub(crate) fn has_no_timer(&self, applet: AppletId) -> bool {
        let pending = self.0.get(applet);
        pending.is_none_or(|pending| pending.timer.is_none())
    }
}
