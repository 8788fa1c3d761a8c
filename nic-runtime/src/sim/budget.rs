//! What all applets of a run may execute together: the scenario's `max_bytecodes`.
//!
//! Neither `until` nor `max_events` bounds an applet that only computes: loading takes no virtual time, and a
//! call is a handful of events however long it runs. So every instruction of every applet is counted here, as
//! fuel counts it, natives' extra fuel included.
//!
//! Whether a run exceeds its budget does not depend on the order in which NICs are simulated: all
//! that its applets execute until the run ends either fits, or does not. A budget that is
//! shared out among calls when they begin would lose that.

use jive_core::CallStack;

/// What the applets of a run may still execute.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    is_exceeded: bool,
}

/// The applets of the run want to execute more than they may.
pub(super) struct Exceeded;

impl Budget {
    pub(super) fn new(bytecodes_max: u64) -> Budget {
        Budget {
            left: bytecodes_max,
            is_exceeded: false,
        }
    }

    /// Leaves an activation no more fuel than the run has; returns how much it withheld, nearly always 0.
    ///
    /// Where it is more than 0, an activation that runs out of fuel has exceeded the budget: its own
    /// fuel would have lasted longer.
    pub(super) fn withhold(&self, stack: &mut CallStack<'_>) -> u64 {
        if stack.fuel_left() <= self.left {
            return 0;
        }
        stack.withhold(self.left)
    }

    /// Gives back what [`Budget::withhold`] took.
    pub(super) fn restore(stack: &mut CallStack<'_>, withheld: u64) {
        if withheld > 0 {
            stack.restore(withheld);
        }
    }

    /// Counts what an activation has executed, or is about to.
    pub(super) fn spend(&mut self, fuel: u64) -> Result<(), Exceeded> {
        self.left = self.left.checked_sub(fuel).ok_or(Exceeded)?;
        Ok(())
    }

    /// Notes that the run has to end.
    pub(super) fn exceed(&mut self) {
        self.is_exceeded = true;
    }

    /// Returns whether the run has to end.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}
