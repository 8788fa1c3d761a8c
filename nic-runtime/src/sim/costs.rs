//! What things cost on a NIC and its host, worked out from its profile once.

use nic_core::sle::NicNative;
use nic_core::time::{Rate, SimDuration};

use crate::profile::{HostProfile, Profile, Quota};

const NATIVES: usize = NicNative::TABLE.len();

/// The costs that a packet meets.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// Of one instruction.
    pub(crate) bytecode: SimDuration,
    /// Of the call of each entry.
    pub(crate) tx: EntryCost,
    pub(crate) rx: EntryCost,
    pub(crate) timer: EntryCost,
    pub(crate) refill: EntryCost,
    /// Of passing an item from one processor to another.
    pub(crate) handover: SimDuration,
    /// What a call may use.
    pub(crate) quota: Quota,
    /// How deep its call stack is.
    pub(crate) stack: StackDepth,
    natives: [NativeCost; NATIVES],
}

/// How much a call stack holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct StackDepth {
    /// Nested calls.
    pub(crate) calls: u32,
    /// Locals and operands of all of them.
    pub(crate) slots: u32,
}

/// What things cost the users on a NIC's host.
#[derive(Copy, Clone, Debug)]
pub(crate) struct HostCosts {
    /// Composing and pushing a transmit descriptor.
    pub(crate) post: SimDuration,
    /// Taking a receive descriptor and putting its buffers back.
    pub(crate) receive: SimDuration,
    /// Each byte that is read or written.
    pub(crate) rate: Rate,
}

impl HostCosts {
    pub(crate) fn new(profile: &HostProfile) -> HostCosts {
        HostCosts {
            post: profile.post,
            receive: profile.receive,
            rate: Rate::new(profile.bandwidth),
        }
    }

    /// Returns how long a user takes to compose and post a message of `length` bytes.
    pub(crate) fn of_post(&self, length: u32) -> SimDuration {
        self.post + self.rate.time(length)
    }
}

/// What the call of an entry costs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EntryCost {
    /// Before it.
    pub(crate) setup: SimDuration,
    /// The call and the return, beside the instructions that their row holds.
    pub(crate) call: SimDuration,
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
        let entry = &profile.entry;
        let of = |setup, call| EntryCost { setup, call };
        Costs {
            bytecode: profile.processor.bytecode,
            tx: of(entry.tx_setup, profile.tx_call_cost()),
            rx: of(entry.rx_setup, profile.rx_call_cost()),
            timer: of(entry.timer_setup, profile.timer_call_cost()),
            refill: of(entry.refill_setup, profile.refill_call_cost()),
            handover: profile.processor.handover,
            quota: profile.quota,
            stack: StackDepth {
                calls: profile.processor.call_depth.get(),
                slots: profile.processor.call_slots.get(),
            },
            natives,
        }
    }

    /// Returns what a native costs.
    pub(crate) fn of(&self, native: NicNative) -> NativeCost {
        self.natives[native.id().index()]
    }
}
