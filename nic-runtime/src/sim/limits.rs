//! When a run ends at the latest, and how far it has come.

use nic_core::time::SimTime;

use super::event_count::EventCount;

/// The time and the number of events at which a run ends, and the number of events so far.
#[derive(Debug)]
pub(crate) struct Limits {
    until: SimTime,
    /// The simulation events handled so far. The run pauses at `events_max` of them at the latest.
    events: EventCount,
    events_max: u64,
    has_left_group: bool,
}

impl Limits {
    /// Returns the limits of a run before its first event. The first event already computes the run's next pause.
    pub(crate) fn new(until: SimTime, events_max: u64) -> Limits {
        Limits {
            until,
            events: EventCount::new(),
            events_max,
            has_left_group: false,
        }
    }

    /// Returns the time at which the run ends.
    #[inline]
    pub(crate) fn until(&self) -> SimTime {
        self.until
    }

    /// Returns the number of events so far.
    #[inline]
    pub(crate) fn events(&self) -> u64 {
        self.events.count()
    }

    /// Counts an event. Returns false if the run should have paused before it.
    #[inline]
    pub(crate) fn count_event(&mut self) -> bool {
        self.events.add()
    }

    /// Takes an event back.
    #[inline]
    pub(crate) fn take_event_back(&mut self) {
        self.events.take_back();
    }

    /// Returns whether the run has handled as many events as it may.
    #[inline]
    pub(crate) fn have_all_events_passed(&self) -> bool {
        self.events.count() >= self.events_max
    }

    /// Sets the number of events at which the run pauses next; at the latest it pauses at its end.
    pub(crate) fn pause_at(&mut self, events: u64) {
        self.events.pause_at(events.min(self.events_max));
    }

    /// Makes the run end before the next event.
    pub(crate) fn handle_no_more(&mut self) {
        self.events_max = self.events.count();
        self.events.pause_at(self.events_max);
    }

    /// Records that a packet is about to leave its group of NICs, and stops the run; see `partition`.
    pub(crate) fn leave_group(&mut self) {
        self.has_left_group = true;
        self.handle_no_more();
    }

    /// Returns whether a packet was about to leave its group of NICs.
    pub(crate) fn has_left_group(&self) -> bool {
        self.has_left_group
    }
}
