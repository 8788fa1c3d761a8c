//! What becomes of an endpoint whose applet traps: its policy, and its record.

use crate::scenario::model::FaultPolicy;
use crate::time::{SimDuration, SimTime};

/// An endpoint's policy, and how its applet has fared under it.
#[derive(Copy, Clone, Debug)]
pub(super) struct FaultRecord {
    policy: FaultPolicy,
    /// Traps since a call last returned.
    in_a_row: u32,
    /// How long the applet is detached next time.
    back_off: SimDuration,
    /// When the applet is attached again.
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

    /// Notes that a call has trapped. Once detached, an applet has a single call to prove itself by.
    pub(super) fn trapped(&mut self, now: SimTime) {
        let FaultPolicy::Detach { after, .. } = self.policy else {
            return;
        };
        self.in_a_row = self.in_a_row.saturating_add(1);
        if self.in_a_row >= after.get() {
            self.attached_from = now + self.back_off;
            self.back_off = self.back_off.times(2);
        }
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
        record.trapped(at(0));
        assert!(record.is_attached(at(1)), "one trap is not two");
        record.trapped(at(1));
        assert!(!record.is_attached(at(10)) && record.is_attached(at(11)));
        record.trapped(at(11));
        assert!(!record.is_attached(at(30)) && record.is_attached(at(31)));
        record.returned();
        record.trapped(at(40));
        assert!(record.is_attached(at(40)));
        record.trapped(at(41));
        assert!(!record.is_attached(at(50)) && record.is_attached(at(51)));
    }
}
