//! A process at the interface: its pages, and what it waits for.

use nic_core::lmmc::PortId;
use nic_core::time::SimTime;

/// The place of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The number of the next page that the process maps. The ports of the scenario come first.
    pub(super) next_page: i32,
    /// The word for which the process waits.
    pub(super) wait: Option<Wait>,
    /// How often the process has begun or ended to wait. The time for another wait is void.
    pub(super) waits: u32,
    /// How often the phase of a wait has changed. The end of another look is void.
    pub(super) turn: u32,
    /// Pages of the process whose ports the scenario has, and which are not set up yet.
    pub(super) expected: Vec<i32>,
}

impl Place {
    /// Returns whether a page is that of a port of the scenario which is not set up yet.
    pub(super) fn expects(&self, page: i32) -> bool {
        self.expected.contains(&page)
    }
}

/// A wait for a word of a page.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wait {
    pub(super) window: i32,
    pub(super) port: PortId,
    pub(super) offset: u32,
    /// The value that is not awaited.
    pub(super) was: u32,
    pub(super) until: Option<SimTime>,
    pub(super) phase: Phase,
}

/// How far a wait is (S4-22).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The process compares the word all the time, and holds its processor.
    Looks,
    /// The process has looked for long enough, and is about to sleep.
    Tires,
    /// The process sleeps.
    Sleeps,
    /// The page was written or paged in, or the time is over: the process compares the word again.
    Wakes,
}
