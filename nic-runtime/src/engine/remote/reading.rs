//! The reads of windows that an endpoint has begun and whose end it has not seen.

use std::collections::BTreeMap;

use nic_core::event::ReadStatus;
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::remote::READS_MAX;
use nic_core::sle::ArraySpan;
use nic_core::time::SimTime;

use crate::ids::AppletId;

/// The reads of an endpoint, by number. Numbers wrap around after 2³² reads, long after an answer can come.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    next: u32,
    under_way: BTreeMap<u32, UnderWay>,
}

/// A read whose end the reader has not seen.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    /// The endpoint to whose memory the window belongs.
    pub(super) owner: EndpointId,
    /// The number of the window.
    pub(super) window: i32,
    pub(super) offset: u32,
    pub(super) into: Into,
    /// The time at which the reader gives up.
    pub(super) until: SimTime,
    /// How the read ended, if it has.
    pub(super) outcome: Option<Outcome>,
}

/// Where the bytes of a read go.
#[derive(Copy, Clone, Debug)]
pub(super) enum Into {
    /// To an array of an applet.
    Array(AppletId, ArraySpan),
    /// To host memory, for the program that gave the read this number.
    Memory(u64, HostSpan),
}

/// How a read ended, and the bytes if they came.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) status: ReadStatus,
    pub(super) bytes: Vec<u8>,
}

impl Reads {
    /// Returns how many reads may still begin.
    pub(super) fn left(&self) -> u32 {
        let under_way = u32::try_from(self.under_way.len()).unwrap_or(u32::MAX);
        READS_MAX.saturating_sub(under_way)
    }

    /// Adds a read, and returns its number.
    pub(super) fn begin(&mut self, read: UnderWay) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        self.under_way.insert(number, read);
        number
    }

    /// Returns a read.
    pub(super) fn get(&self, number: u32) -> Option<&UnderWay> {
        self.under_way.get(&number)
    }

    /// Returns a read, to change it.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut UnderWay> {
        self.under_way.get_mut(&number)
    }

    /// Removes a read, and returns it.
    pub(super) fn take(&mut self, number: u32) -> Option<UnderWay> {
        self.under_way.remove(&number)
    }

    /// Removes a read.
    pub(super) fn forget(&mut self, number: u32) {
        self.under_way.remove(&number);
    }

    /// Removes the reads of an applet.
    pub(super) fn forget_all_of(&mut self, of: AppletId) {
        self.under_way
            .retain(|_, read| !matches!(read.into, Into::Array(applet, _) if applet == of));
    }

    /// Returns the reads that have waited too long, in the order in which they began.
    pub(super) fn overdue(&self, now: SimTime) -> Vec<u32> {
        let reads = self.under_way.iter();
        let overdue = reads.filter(|(_, read)| read.outcome.is_none() && read.until <= now);
        overdue.map(|(number, _)| *number).collect()
    }

    /// Returns whether a read waits for an answer.
    pub(super) fn is_any_awaited(&self) -> bool {
        let mut reads = self.under_way.values();
        reads.any(|read| read.outcome.is_none())
    }
}
