//! The run's instruction budget: `max_bytecodes` limits the instructions of all applets together.
//!
//! Neither `until` nor `max_events` stops an applet that only computes. Loading an applet takes no virtual time, and an
//! applet's call counts as a few events however long it computes. To stop applets that only compute, the budget counts
//! every instruction of every applet. The budget counts instructions as fuel does, including the extra fuel of natives.
//!
//! Whether a run exceeds its budget must not depend on the order in which NICs are simulated. The sum of all applets'
//! instructions is the same in any order of the NICs. A share of the budget, given to each call at its beginning, would
//! depend on the order of the NICs.
//!
//! Work whose time grows with a number of bytes is charged too, at [`BYTES_PER_INSTRUCTION`]: clearing new arrays, bytes
//! that natives move, and the arrays that a swap carries over. Fuel does not count bytes, so that what a call may do
//! does not depend on the simulator.

/// Number of bytes whose clearing or copying counts as one instruction. A computer copies more bytes in the time of an
/// instruction that is interpreted.
pub(crate) const BYTES_PER_INSTRUCTION: u64 = 16;

/// Returns the fuel for a call: the endpoint's own fuel, but at most slightly more than the whole run's budget.
///
/// The bound on a call's fuel keeps the call from computing far beyond the budget. If a call uses up fuel that was
/// limited by the run's budget, the call has exceeded that budget.
///
/// `native_fuel_max` is the highest fuel cost of a native. The bound on a call's fuel includes `native_fuel_max`: a
/// call that cannot pay for a native has then exceeded the budget too.
pub(crate) fn fuel_of_call(granted: u64, bytecodes_max: u64, native_fuel_max: u64) -> u64 {
    let enough = bytecodes_max.saturating_add(native_fuel_max);
    granted.min(enough.saturating_add(1))
}

/// The rest of a run's instruction budget.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The rest, in bytes, so that nothing is rounded and the sum is the same in any order.
    left: u64,
    /// Bytes of work that are not charged yet.
    bytes: u64,
    is_exceeded: bool,
}

/// The error for a run whose applets exceed `max_bytecodes`.
pub(crate) struct Exceeded;

impl Budget {
    pub(crate) fn new(bytecodes_max: u64) -> Budget {
        Budget {
            left: bytecodes_max.saturating_mul(BYTES_PER_INSTRUCTION),
            bytes: 0,
            is_exceeded: false,
        }
    }

    /// Charges the fuel that a call used up to its next native or its end, including the native's own fuel.
    ///
    /// If the fuel exceeds the budget, no effect of the charged instructions is visible yet: the run ends as if they
    /// had not been executed.
    #[inline]
    pub(crate) fn spend(&mut self, fuel: u64) -> Result<(), Exceeded> {
        let bytes = std::mem::take(&mut self.bytes);
        let work = fuel
            .saturating_mul(BYTES_PER_INSTRUCTION)
            .saturating_add(bytes);
        self.left = self.left.checked_sub(work).ok_or(Exceeded)?;
        Ok(())
    }

    /// Notes bytes that were cleared or copied. The next [`spend`](Budget::spend) charges them.
    #[inline]
    pub(crate) fn note_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Marks the budget as exceeded; the run must end.
    pub(crate) fn exceed(&mut self) {
        self.is_exceeded = true;
    }

    /// Returns whether the run must end because its budget is exceeded.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}
