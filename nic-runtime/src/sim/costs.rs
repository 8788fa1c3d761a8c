//! What natives and calls cost, worked out from the profile once.

use nic_core::sle::NicNative;
use nic_core::time::{Rate, SimDuration};

use crate::profile::Profile;

const NATIVES: usize = NicNative::TABLE.len();

/// The costs that a packet meets.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// Of one instruction.
    pub(super) bytecode: SimDuration,
    /// Of a call of `doTx`, beside the instructions that its row holds.
    pub(super) tx_call: SimDuration,
    /// Of a call of `doRx`, likewise.
    pub(super) rx_call: SimDuration,
    /// Of a call of `doTimer`, likewise.
    pub(super) timer_call: SimDuration,
    /// Of a call of `doRefill`, likewise.
    pub(super) refill_call: SimDuration,
    /// Of each byte that a user reads or writes.
    pub(super) host_rate: Rate,
    natives: [NativeCost; NATIVES],
}

/// What one native costs, beside the instructions that its row holds.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct NativeCost {
    pub(super) time: SimDuration,
    /// Instructions' worth of fuel.
    pub(super) fuel: u64,
}

impl Costs {
    pub(super) fn new(profile: &Profile) -> Costs {
        let mut natives = [NativeCost::default(); NATIVES];
        for &native in NicNative::ALL {
            natives[native.id().index()] = NativeCost {
                time: profile.native_cost(native.cost()),
                fuel: profile.native_fuel.of(native.cost()),
            };
        }
        Costs {
            bytecode: profile.processor.bytecode,
            tx_call: profile.tx_call_cost(),
            rx_call: profile.rx_call_cost(),
            timer_call: profile.timer_call_cost(),
            refill_call: profile.refill_call_cost(),
            host_rate: Rate::new(profile.host.bandwidth),
            natives,
        }
    }

    /// Returns the most fuel that a native costs.
    pub(super) fn native_fuel_max(&self) -> u64 {
        let fuel = self.natives.iter().map(|cost| cost.fuel);
        fuel.max().unwrap_or(0)
    }

    /// Returns what a native costs.
    pub(super) fn of(&self, native: NicNative) -> NativeCost {
        self.natives[native.id().index()]
    }
}
