//! What all applets of a run may execute together: the scenario's `max_bytecodes`.
//!
//! Neither `until` nor `max_events` bounds an applet that only computes. Loading takes no virtual time, and a call is a
//! handful of events however long it runs. So every instruction of every applet is counted here, as fuel counts it,
//! natives' extra fuel included.
//!
//! Whether a run exceeds its budget does not depend on the order in which NICs are simulated. All that its applets
//! execute until the run ends either fits or does not. A budget that is shared out among calls when they begin would
//! lose that.

/// Returns the fuel of a call: what its endpoint grants, cut to just more than the whole run has.
///
/// So no call computes for long beyond the budget, and a call that runs out of the fuel that was cut has
/// exceeded the budget.
///
/// `native_fuel_max` is the most that a native costs. A call that cannot pay for one out of the fuel that was cut has
/// exceeded the budget too.
pub(crate) fn fuel_of_call(granted: u64, bytecodes_max: u64, native_fuel_max: u64) -> u64 {
    let enough = bytecodes_max.saturating_add(native_fuel_max);
    granted.min(enough.saturating_add(1))
}

/// What the applets of a run may still execute.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    is_exceeded: bool,
}

/// The applets of the run want to execute more than they may.
pub(crate) struct Exceeded;

impl Budget {
    pub(crate) fn new(bytecodes_max: u64) -> Budget {
        Budget {
            left: bytecodes_max,
            is_exceeded: false,
        }
    }

    /// Counts what an activation has executed up to its next native or its end, and what that native costs.
    ///
    /// If it exceeds the budget, nobody has seen any of it yet. So the run ends as if the first instruction too many
    /// had not been executed.
    #[inline]
    pub(crate) fn spend(&mut self, fuel: u64) -> Result<(), Exceeded> {
        self.left = self.left.checked_sub(fuel).ok_or(Exceeded)?;
        Ok(())
    }

    /// Notes that the run has to end.
    pub(crate) fn exceed(&mut self) {
        self.is_exceeded = true;
    }

    /// Returns whether the run has to end.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}
