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

/// The number of bytes that are charged together, because a packet moves few.
const BYTES_IN_A_CHARGE: u64 = 65_536;

/// The most bytes that are not charged yet.
const BYTES_UNCHARGED_MAX: u64 = BYTES_IN_A_CHARGE - 1;

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
///
/// Bytes are charged late, so a part of the budget is held back for them. Once the other part is used up, everything is
/// charged exactly. Whether a run exceeds its budget thus depends only on the sum of its work.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The rest, without what is held back.
    left: u64,
    held_back: u64,
    /// Bytes that still fit beside those that are not charged yet, before they are charged together.
    bytes_left: u64,
    /// Bytes that are not charged yet and did not fit, which the next [`spend`](Budget::spend) charges.
    overdue: u64,
    is_exceeded: bool,
}

/// The instructions that a run may execute are used up.
pub(crate) struct Exceeded;

impl Budget {
    pub(crate) fn new(bytecodes_max: u64) -> Budget {
        let held_back = bytecodes_max.min(BYTES_IN_A_CHARGE / BYTES_PER_INSTRUCTION);
        Budget {
            left: bytecodes_max - held_back,
            held_back,
            bytes_left: BYTES_UNCHARGED_MAX,
            overdue: 0,
            is_exceeded: false,
        }
    }

    /// Subtracts instructions from the rest.
    ///
    /// If fewer instructions are left, returns an error and subtracts nothing, and the run must end as if the instructions
    /// had not been executed.
    #[inline]
    pub(crate) fn spend(&mut self, fuel: u64) -> Result<(), Exceeded> {
        match self.left.checked_sub(fuel) {
            Some(left) => self.left = left,
            None => self.spend_exactly(fuel)?,
        }
        Ok(())
    }

    /// Subtracts instructions from the whole rest, and the bytes that are not charged yet.
    #[cold]
    fn spend_exactly(&mut self, fuel: u64) -> Result<(), Exceeded> {
        self.use_all();
        let work = fuel
            .saturating_mul(BYTES_PER_INSTRUCTION)
            .saturating_add(self.uncharged());
        let whole = work.div_ceil(BYTES_PER_INSTRUCTION);
        self.held_back = self.held_back.checked_sub(whole).ok_or(Exceeded)?;
        // What rounding up has charged too much is given back.
        let over = whole
            .saturating_mul(BYTES_PER_INSTRUCTION)
            .saturating_sub(work);
        let rest = if over > 0 {
            self.held_back += 1;
            BYTES_PER_INSTRUCTION - over
        } else {
            0
        };
        self.bytes_left = BYTES_UNCHARGED_MAX - rest;
        self.overdue = 0;
        Ok(())
    }

    /// Returns the number of bytes that are not charged yet.
    fn uncharged(&self) -> u64 {
        self.overdue
            .saturating_add(BYTES_UNCHARGED_MAX - self.bytes_left)
    }

    /// Makes each later charge exact.
    fn use_all(&mut self) {
        self.held_back += std::mem::take(&mut self.left);
    }

    /// Charges bytes that were cleared or copied. If the budget does not suffice, the next [`spend`](Budget::spend)
    /// fails.
    #[inline]
    pub(crate) fn spend_bytes(&mut self, bytes: u64) {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => self.bytes_left = left,
            None => self.charge_bytes(bytes),
        }
    }

    #[cold]
    fn charge_bytes(&mut self, bytes: u64) {
        let uncharged = self.uncharged().saturating_add(bytes);
        let rest = uncharged % BYTES_IN_A_CHARGE;
        match self
            .left
            .checked_sub((uncharged - rest) / BYTES_PER_INSTRUCTION)
        {
            Some(left) => {
                self.left = left;
                self.overdue = 0;
                self.bytes_left = BYTES_UNCHARGED_MAX - rest;
            }
            None => {
                self.use_all();
                self.overdue = uncharged;
                self.bytes_left = BYTES_UNCHARGED_MAX;
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the budget with a sum of bytes, for random work around its end.
    #[test]
    fn a_budget_is_the_sum_of_its_work() {
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut exceeded = 0;
        for _ in 0..3_000 {
            let most = [draw(40), draw(9_000), draw(100_000)][usize::try_from(draw(3)).unwrap()];
            let mut budget = Budget::new(most);
            let mut bytes = 0;
            for _ in 0..200 {
                if draw(2) == 0 {
                    let more =
                        [draw(40), draw(3_000), draw(200_000)][usize::try_from(draw(3)).unwrap()];
                    budget.spend_bytes(more);
                    bytes += more;
                }
                let fuel = 1 + [draw(3), draw(2_000)][usize::try_from(draw(2)).unwrap()];
                bytes += fuel * BYTES_PER_INSTRUCTION;
                let fits = bytes <= most * BYTES_PER_INSTRUCTION;
                assert_eq!(budget.spend(fuel).is_ok(), fits, "{most}: {bytes}");
                if !fits {
                    exceeded += 1;
                    break;
                }
            }
        }
        assert!(exceeded > 1_000, "{exceeded}");
    }
}
