//! The record of an applet's traps, and the rule by which traps detach the applet from its endpoint.

use nic_core::time::{SimDuration, SimTime};

use crate::spec::FaultPolicy;

/// The detachment of an applet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detachment {
    /// Number of consecutive traps that caused the detachment.
    pub(crate) traps: u32,
    /// The detachment's duration.
    pub(crate) duration: SimDuration,
}

/// The record of an applet's traps.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct FaultRecord {
    /// Number of traps since a call of the applet last returned.
    in_a_row: u32,
    /// When the applet is attached again; zero if it is attached.
    attached_from: SimTime,
}

impl FaultRecord {
    /// Returns whether the applet is attached.
    pub(crate) fn is_attached(&self, now: SimTime) -> bool {
        now >= self.attached_from
    }

    /// Returns when the applet is attached again.
    pub(crate) fn attached_from(&self) -> SimTime {
        self.attached_from
    }

    /// Records that a call for a message has returned.
    pub(crate) fn returned(&mut self) {
        self.in_a_row = 0;
    }

    /// Records that a call of the applet begins. Returns whether the call is the first since the applet was detached.
    pub(crate) fn reattached(&mut self) -> bool {
        std::mem::take(&mut self.attached_from) != SimTime::ZERO
    }

    /// Records that another class has replaced the applet. The new applet starts attached and without traps.
    pub(crate) fn replaced(&mut self, now: SimTime) {
        self.in_a_row = 0;
        self.attached_from = self.attached_from.min(now);
    }

    /// Records that a call for a message has trapped. Returns the detachment of the applet, if this trap causes one.
    /// After a detachment, a single trap is enough to cause the next detachment.
    pub(crate) fn trapped(&mut self, policy: FaultPolicy, now: SimTime) -> Option<Detachment> {
        let FaultPolicy::Detach { after, back_off } = policy else {
            return None;
        };
        self.in_a_row = self.in_a_row.saturating_add(1);
        // Each further trap without a return in between doubles the duration of the detachment.
        let earlier = self.in_a_row.checked_sub(after.get())?;
        let duration = back_off.times(1u64.checked_shl(earlier).unwrap_or(u64::MAX));
        self.attached_from = now + duration;
        Some(Detachment {
            traps: self.in_a_row,
            duration,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn back_off_doubles_until_a_call_returns() {
        let policy = FaultPolicy::Detach {
            after: NonZeroU32::new(2).unwrap(),
            back_off: SimDuration::from_ps(10),
        };
        let mut record = FaultRecord::default();
        let at = SimTime::from_ps;
        let detached = |traps, ps| {
            let duration = SimDuration::from_ps(ps);
            Some(Detachment { traps, duration })
        };
        assert_eq!(record.trapped(policy, at(0)), None);
        assert!(record.is_attached(at(1)), "one trap is not two");
        assert_eq!(record.trapped(policy, at(1)), detached(2, 10));
        assert!(!record.is_attached(at(10)) && record.is_attached(at(11)));
        assert!(
            record.reattached() && !record.reattached(),
            "it is told once"
        );
        assert_eq!(record.trapped(policy, at(11)), detached(3, 20));
        assert!(!record.is_attached(at(30)) && record.is_attached(at(31)));
        record.returned();
        record.trapped(policy, at(40));
        assert!(record.is_attached(at(40)));
        record.trapped(policy, at(41));
        assert!(!record.is_attached(at(50)) && record.is_attached(at(51)));
    }

    #[test]
    fn doubling_ends_at_the_longest_time() {
        let policy = FaultPolicy::Detach {
            after: NonZeroU32::new(1).unwrap(),
            back_off: SimDuration::from_ps(3),
        };
        let mut record = FaultRecord::default();
        let lasts = |record: &mut FaultRecord| record.trapped(policy, SimTime::ZERO).unwrap();
        for doubled in 0..63 {
            let expected = SimDuration::from_ps(3 << doubled);
            assert_eq!(lasts(&mut record).duration, expected);
        }
        for _ in 63..70 {
            let longest = SimDuration::from_ps(u64::MAX);
            assert_eq!(lasts(&mut record).duration, longest);
        }
    }
}
