//! What things cost on a NIC and its host, worked out from its profile once.

use nic_core::sle::NicNative;
use nic_core::time::{Rate, SimDuration};

use crate::profile::{EntryCosts, HostProfile, Profile, Quota};

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
#[derive(Copy, Clone, Debug, Default)]
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
    /// Works them out. What a profile lacks is nothing here: no endpoint of the NIC needs it, or the scenario is refused.
    pub(crate) fn new(profile: &Profile) -> Costs {
        let mut natives = [NativeCost::default(); NATIVES];
        for &native in NicNative::ALL {
            let fuel = profile.native_fuel.map(|fuel| fuel.of(native.cost()));
            natives[native.id().index()] = NativeCost {
                time: profile.native_cost(native.cost()).unwrap_or_default(),
                fuel: fuel.unwrap_or_default(),
            };
        }
        let of = |row: fn(&EntryCosts) -> (SimDuration, SimDuration)| {
            let (setup, call) = row(&profile.entry?);
            let call = profile.call_cost(call);
            Some(EntryCost { setup, call })
        };
        let of = |row| of(row).unwrap_or_default();
        Costs {
            bytecode: profile.processor.bytecode,
            tx: of(|entry| (entry.tx_setup, entry.tx_call)),
            rx: of(|entry| (entry.rx_setup, entry.rx_call)),
            timer: of(|entry| (entry.timer_setup, entry.timer_call)),
            refill: of(|entry| (entry.refill_setup, entry.refill_call)),
            handover: profile.processor.handover,
            quota: profile.quota.unwrap_or(Quota {
                dma_bytes: 0,
                sends: 0,
            }),
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
