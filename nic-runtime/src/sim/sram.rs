//! The NIC's memory as a budget: who holds what of it, and whether that fits.

use std::fmt;

use jive_core::Frame;

use super::{SimError, at};
use crate::event::NicId;
use crate::profile::Profile;
use crate::scenario::model::{EndpointSpec, Scenario};
use crate::sle::{LoadedClass, memory_bytes};

/// Bytes of an entry of the transmit queue: channel, offset, length, flag (U-Net/SLE §2).
const TRANSMIT_ENTRY_BYTES: u64 = 16;
/// Bytes of an entry of the free queue: an offset.
const FREE_ENTRY_BYTES: u64 = 4;
/// Bytes of an entry of the channel table: two tags, an endpoint, a route.
const CHANNEL_BYTES: u64 = 16;
/// Bytes of a field of an applet.
const FIELD_BYTES: u64 = 4;
/// Bytes of a local variable or an operand.
const SLOT_BYTES: u64 = 4;

/// Who holds how many bytes of a NIC's SRAM. Receive queues lie in host memory.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SramShares {
    /// Slots for packets that come in, go out or wait for DMA.
    pub staging: u64,
    /// The call stack of the processor.
    pub stack: u64,
    /// Linked programs, each once.
    pub programs: u64,
    /// Heaps, `RxBuf`s and fields of applets.
    pub applets: u64,
    /// Transmit and free queues and channel tables of endpoints.
    pub queues: u64,
}

impl SramShares {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.staging + self.stack + self.programs + self.applets + self.queues
    }
}

/// What is asked of one NIC's SRAM.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SramDemand {
    /// The NIC.
    pub nic: NicId,
    /// Bytes of SRAM it has.
    pub sram: u32,
    /// Who asks for how much.
    pub shares: SramShares,
}

impl fmt::Display for SramDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SramShares {
            staging,
            stack,
            programs,
            applets,
            queues,
        } = self.shares;
        write!(
            f,
            "{total} bytes do not fit in {sram} bytes of SRAM: staging slots {staging}, call stack {stack}, \
             programs {programs}, heaps and fields of applets {applets}, queues {queues}",
            total = self.shares.total(),
            sram = self.sram,
        )
    }
}

/// Checks that what the scenario puts on each NIC fits.
pub(super) fn check(scenario: &Scenario, classes: &[LoadedClass<'_>]) -> Result<(), SimError> {
    for (nic, spec) in (0u32..).map(NicId).zip(&scenario.nics) {
        let shares = shares(scenario, classes, nic);
        if shares.total() > u64::from(spec.sram) {
            let demand = SramDemand {
                nic,
                sram: spec.sram,
                shares,
            };
            return Err(SimError::SramTooSmall(demand));
        }
    }
    Ok(())
}

fn shares(scenario: &Scenario, classes: &[LoadedClass<'_>], nic: NicId) -> SramShares {
    let mut shares = of_nic(&scenario.profile);
    let mut loaded = vec![false; classes.len()];
    for spec in scenario.endpoints.iter().filter(|spec| spec.nic == nic) {
        shares.queues += u64::from(spec.tx_queue) * TRANSMIT_ENTRY_BYTES
            + u64::from(spec.free_buffer_count) * FREE_ENTRY_BYTES;
        if let Some(class) = spec.class {
            let program = classes[class].program;
            shares.applets +=
                of_applet(&scenario.profile, spec) + program.field_count() as u64 * FIELD_BYTES;
            if !std::mem::replace(&mut loaded[class], true) {
                shares.programs += program.byte_size() as u64;
            }
        }
    }
    for (endpoint, _) in scenario
        .channels
        .iter()
        .flat_map(|channel| [channel.a, channel.b])
    {
        if scenario.endpoints[at(endpoint.0)].nic == nic {
            shares.queues += CHANNEL_BYTES;
        }
    }
    shares
}

fn of_nic(profile: &Profile) -> SramShares {
    let memory = &profile.memory;
    let slots = [memory.arrival_slots, memory.send_slots, memory.dma_slots];
    let slots: u64 = slots.map(|slots| u64::from(slots.get())).iter().sum();
    let processor = &profile.processor;
    SramShares {
        staging: slots * u64::from(memory.max_packet.get()),
        stack: u64::from(processor.call_depth.get()) * size_of::<Frame>() as u64
            + u64::from(processor.call_slots.get()) * SLOT_BYTES,
        ..SramShares::default()
    }
}

fn of_applet(profile: &Profile, spec: &EndpointSpec) -> u64 {
    memory_bytes(spec.heap, profile.memory.max_packet.get()) as u64
}
