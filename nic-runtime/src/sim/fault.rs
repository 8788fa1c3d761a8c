//! What becomes of an endpoint whose applet traps: its policy, and its record.

use nic_core::time::{SimDuration, SimTime};

use crate::scenario::model::FaultPolicy;

/// What becomes of an applet that trapped too often.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Detachment {
    /// Traps in a row that led to it.
    pub(super) traps: u32,
    /// How long it lasts.
    pub(super) duration: SimDuration,
}

/// An endpoint's policy, and how its applet has fared under it.
#[derive(Copy, Clone, Debug)]
pub(super) struct FaultRecord {
    policy: FaultPolicy,
    /// Traps since a call last returned.
    in_a_row: u32,
    /// How long the applet is detached next time.
    back_off: SimDuration,
    /// When the applet is attached again; zero where it is.
    attached_from: SimTime,
}

impl FaultRecord {
    pub(super) fn new(policy: FaultPolicy) -> FaultRecord {
        FaultRecord {
            policy,
            in_a_row: 0,
            back_off: initial(policy),
            attached_from: SimTime::ZERO,
        }
    }

    /// Returns whether the applet takes what comes now.
    pub(super) fn is_attached(&self, now: SimTime) -> bool {
        now >= self.attached_from
    }

    /// Returns whether what an applet trapped on takes the base path.
    pub(super) fn falls_back(&self) -> bool {
        self.policy == FaultPolicy::BasePath
    }

    /// Notes that a call has returned.
    pub(super) fn returned(&mut self) {
        self.in_a_row = 0;
        self.back_off = initial(self.policy);
    }

    /// Notes that a call begins; returns whether it is the first since the applet was detached.
    pub(super) fn reattached(&mut self) -> bool {
        std::mem::take(&mut self.attached_from) != SimTime::ZERO
    }

    /// Notes that a call has trapped; returns how the applet is detached for it, if it is. Once detached,
    /// an applet has a single call to prove itself by.
    pub(super) fn trapped(&mut self, now: SimTime) -> Option<Detachment> {
        let FaultPolicy::Detach { after, .. } = self.policy else {
            return None;
        };
        self.in_a_row = self.in_a_row.saturating_add(1);
        if self.in_a_row < after.get() {
            return None;
        }
        let duration = self.back_off;
        self.attached_from = now + duration;
        self.back_off = duration.times(2);
        Some(Detachment {
            traps: self.in_a_row,
            duration,
        })
    }
}

fn initial(policy: FaultPolicy) -> SimDuration {
    match policy {
        FaultPolicy::Drop | FaultPolicy::BasePath => SimDuration::ZERO,
        FaultPolicy::Detach { back_off, .. } => back_off,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn back_off_doubles_until_a_call_returns() {
        let mut record = FaultRecord::new(FaultPolicy::Detach {
            after: NonZeroU32::new(2).unwrap(),
            back_off: SimDuration::from_ps(10),
        });
        let at = SimTime::from_ps;
        let detached = |traps, ps| {
            let duration = SimDuration::from_ps(ps);
            Some(Detachment { traps, duration })
        };
        assert_eq!(record.trapped(at(0)), None);
        assert!(record.is_attached(at(1)), "one trap is not two");
        assert_eq!(record.trapped(at(1)), detached(2, 10));
        assert!(!record.is_attached(at(10)) && record.is_attached(at(11)));
        assert!(
            record.reattached() && !record.reattached(),
            "it is told once"
        );
        assert_eq!(record.trapped(at(11)), detached(3, 20));
        assert!(!record.is_attached(at(30)) && record.is_attached(at(31)));
        record.returned();
        record.trapped(at(40));
        assert!(record.is_attached(at(40)));
        record.trapped(at(41));
        assert!(!record.is_attached(at(50)) && record.is_attached(at(51)));
    }
}
