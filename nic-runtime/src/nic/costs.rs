//! Costs on a NIC and its host, computed once from the profile.

use nic_core::sle::NicNative;
use nic_core::time::{Rate, SimDuration};

use crate::profile::{EntryCosts, Profile, Quota};

const NATIVES: usize = NicNative::TABLE.len();

/// The costs of a NIC's processors.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// Cost of one instruction.
    pub(crate) bytecode: SimDuration,
    /// Cost of calling `doTx`; the next fields are the costs of calling an applet's other entries.
    pub(crate) tx: EntryCost,
    pub(crate) rx: EntryCost,
    pub(crate) timer: EntryCost,
    pub(crate) refill: EntryCost,
    pub(crate) watch: EntryCost,
    /// Cost of handing an item to another processor.
    pub(crate) handover: SimDuration,
    /// Cost of the interrupt for a packet that arrives; nothing if the loop runs on the NIC.
    pub(crate) interrupt: SimDuration,
    /// Limits of a call.
    pub(crate) quota: Quota,
    /// Capacity of a call stack.
    pub(crate) stack: StackDepth,
    natives: [NativeCost; NATIVES],
    /// Rate of a copy between two applets of a chain. A copy costs nothing if the profile has no `[native]` section.
    copy: Option<Rate>,
    /// Times of a collection, whatever it finds and for each root.
    collection: [SimDuration; 2],
}

/// Capacity of a call stack.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct StackDepth {
    /// Number of nested calls.
    pub(crate) calls: u32,
    /// Number of local variables and operands over all nested calls.
    pub(crate) slots: u32,
}

/// Costs for the users on a NIC's host.
#[derive(Copy, Clone, Debug)]
pub(crate) struct HostCosts {
    /// Time to compose and push a transmit descriptor, and of the system call if the NIC is in host software.
    pub(crate) post: SimDuration,
    /// Time to take a receive descriptor and put its buffers back.
    pub(crate) receive: SimDuration,
    /// Rate of reading and writing a message's bytes.
    pub(crate) rate: Rate,
}

impl HostCosts {
    pub(crate) fn new(profile: &Profile) -> HostCosts {
        let call = profile.kernel_costs().map(|kernel| kernel.call);
        HostCosts {
            post: profile.host.post + call.unwrap_or_default(),
            receive: profile.host.receive,
            rate: Rate::new(profile.host.bandwidth),
        }
    }

    /// Returns the time in which a user composes and posts a message of `length` bytes.
    pub(crate) fn of_post(&self, length: u32) -> SimDuration {
        self.post + self.rate.time(length)
    }
}

/// Cost of an entry's call.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct EntryCost {
    /// Time before the call.
    pub(crate) setup: SimDuration,
    /// Time of the call and the return, less the time of the instructions that the profile's value includes.
    pub(crate) call: SimDuration,
}

/// Cost of a native, less the cost of the instructions that the profile's value includes.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct NativeCost {
    pub(crate) time: SimDuration,
    /// Fuel, in instructions.
    pub(crate) fuel: u64,
}

impl Costs {
    /// Computes the costs. A section missing from the profile counts as zero: no endpoint of the NIC uses it, or the
    /// scenario would have been refused.
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
            bytecode: profile.processor.instruction(),
            tx: of(|entry| (entry.tx_setup, entry.tx_call)),
            rx: of(|entry| (entry.rx_setup, entry.rx_call)),
            timer: of(|entry| (entry.timer_setup, entry.timer_call)),
            refill: of(|entry| (entry.refill_setup, entry.refill_call)),
            watch: of(|entry| (entry.watch_setup, entry.watch_call)),
            handover: profile.processor.handover,
            interrupt: profile
                .kernel_costs()
                .map_or(SimDuration::ZERO, |kernel| kernel.interrupt),
            quota: profile.quota.unwrap_or(Quota {
                dma_bytes: 0,
                sends: 0,
            }),
            stack: StackDepth {
                calls: profile.processor.call_depth.get(),
                slots: profile.processor.call_slots.get(),
            },
            natives,
            copy: profile.native.map(|native| Rate::new(native.copy)),
            collection: profile.native.map_or([SimDuration::ZERO; 2], |native| {
                [native.collect, native.root]
            }),
        }
    }

    /// Returns the time of a copy within the NIC.
    pub(crate) fn of_copy(&self, bytes: u32) -> SimDuration {
        self.copy.map_or(SimDuration::ZERO, |rate| rate.time(bytes))
    }

    /// Returns the time of a collection of an applet's arrays.
    pub(crate) fn of_collection(&self, roots: u32, moved: u32) -> SimDuration {
        let [whole, root] = self.collection;
        whole + root.times(roots.into()) + self.of_copy(moved)
    }

    /// Returns the cost of a native.
    pub(crate) fn of(&self, native: NicNative) -> NativeCost {
        self.natives[native.id().index()]
    }
}

/// The factor of work that nothing slows down, in thousandths.
pub(crate) const ALONE: u32 = 1_000;
