//! What natives and calls cost, worked out from the profile once.

use nic_core::sle::NicNative;
use nic_core::time::{Rate, SimDuration};

use crate::profile::Profile;

const NATIVES: usize = NicNative::TABLE.len();

/// The costs that a packet meets.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// Of one instruction.
    pub(crate) bytecode: SimDuration,
    /// Of a call of `doTx`, beside the instructions that its row holds.
    pub(crate) tx_call: SimDuration,
    /// Of a call of `doRx`, likewise.
    pub(crate) rx_call: SimDuration,
    /// Of a call of `doTimer`, likewise.
    pub(crate) timer_call: SimDuration,
    /// Of a call of `doRefill`, likewise.
    pub(crate) refill_call: SimDuration,
    /// Of each byte that a user reads or writes.
    pub(crate) host_rate: Rate,
    natives: [NativeCost; NATIVES],
}

/// What one native costs, beside the instructions that its row holds.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct NativeCost {
    pub(crate) time: SimDuration,
    /// Instructions' worth of fuel.
    pub(crate) fuel: u64,
}

impl Costs {
    pub(crate) fn new(profile: &Profile) -> Costs {
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
    pub(crate) fn native_fuel_max(&self) -> u64 {
        let fuel = self.natives.iter().map(|cost| cost.fuel);
        fuel.max().unwrap_or(0)
    }

    /// Returns what a native costs.
    pub(crate) fn of(&self, native: NicNative) -> NativeCost {
        self.natives[native.id().index()]
    }
}
