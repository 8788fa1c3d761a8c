//! The number of handled events, and the number at which the run pauses to check whether it should end.

/// Counts events down to the next pause, so that counting an event and asking for the pause are one operation.
#[derive(Debug)]
pub(crate) struct EventCount {
    /// The number of events at which the run pauses.
    pause: i64,
    /// The number of events until then; negative if more events were handled.
    left: i64,
}

impl EventCount {
    /// Returns a count of no events, at which the run pauses.
    pub(crate) fn new() -> EventCount {
        EventCount { pause: 0, left: 0 }
    }

    /// Returns the number of events so far.
    pub(crate) fn count(&self) -> u64 {
        // Events are taken back only after they were counted.
        self.pause.wrapping_sub(self.left).cast_unsigned()
    }

    /// Counts an event. Returns false if the run should have paused before it.
    #[inline]
    pub(crate) fn add(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left >= 0
    }

    /// Takes an event back.
    #[inline]
    pub(crate) fn take_back(&mut self) {
        self.left = self.left.wrapping_add(1);
    }

    /// Sets the number of events at which the run pauses next.
    pub(crate) fn pause_at(&mut self, events: u64) {
        let done = self.count().cast_signed();
        // No run handles 2^63 events.
        self.pause = i64::try_from(events).unwrap_or(i64::MAX);
        self.left = self.pause.wrapping_sub(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_survives_pauses_before_and_after_it() {
        let mut events = EventCount::new();
        for number in 1..=5 {
            assert!(!events.add());
            assert_eq!(events.count(), number);
        }
        for pause in [u64::MAX, 9, 7, 6, 5, 2, 0, u64::MAX] {
            events.pause_at(pause);
            assert_eq!(events.count(), 5);
            assert_eq!(events.add(), pause > 5, "{pause}");
            assert_eq!(events.count(), 6);
            events.take_back();
        }
        events.pause_at(7);
        assert_eq!([(); 3].map(|()| events.add()), [true, true, false]);
    }
}
