//! The SRAM budget of a NIC: its holders, their bytes, and the check that they fit.

use crate::ids::Table;

use jive_core::{Frame, Program};
use nic_core::id::{EndpointId, NicId};
use nic_core::sle::memory_bytes;

use super::chain;
use super::refused::SimError;
use crate::calls::classes::Classes;
use crate::nic::sram::{SramDemand, SramHolder, SramShare, SramShares};
use crate::profile::Profile;
use crate::spec::{EndpointSpec, InterfaceKind, Scenario};

/// Bytes of a transmit queue entry: channel, offset, length and flag (U-Net/SLE §2).
const TRANSMIT_ENTRY_BYTES: u64 = 16;
/// Bytes of a free queue entry: an offset.
const FREE_ENTRY_BYTES: u64 = 4;
/// Bytes of a channel table entry: two channel numbers, an endpoint and a route.
const CHANNEL_BYTES: u64 = 16;
/// Bytes of a posted receive of EMP: tag, source and their kinds (8), offset, length.
const RECEIVE_BYTES: u64 = 16;
/// Bytes of an applet's field.
const FIELD_BYTES: u64 = 4;
/// Bytes of a local variable or an operand.
const SLOT_BYTES: u64 = 4;

/// Says how many bytes an interface needs for the records of the messages that may be outstanding on a channel.
pub(crate) type RecordBytes = fn(InterfaceKind) -> u64;

/// Checks that the demand for each NIC's SRAM fits.
pub(crate) fn check(
    scenario: &Scenario,
    classes: Classes<'_>,
    record_bytes: RecordBytes,
) -> Result<(), SimError> {
    let mut demands: Table<NicId, SramDemand> = (0u32..)
        .map(NicId)
        .zip(&scenario.nics)
        .map(|(nic, spec)| SramDemand {
            nic,
            sram: spec.sram,
            shares: SramShares::default(),
        })
        .collect();
    for SramHolder { nic, share, bytes } in holders(scenario, classes, record_bytes) {
        let shares = &mut demands[nic].shares;
        *match share {
            SramShare::Staging => &mut shares.staging,
            SramShare::Stack => &mut shares.stack,
            SramShare::Program(_) => &mut shares.programs,
            SramShare::Applet(_) => &mut shares.applets,
            SramShare::Queues(_) => &mut shares.queues,
        } += bytes;
    }
    let too_small = |demand: &SramDemand| demand.shares.total() > u64::from(demand.sram);
    match demands.into_iter().find(too_small) {
        Some(demand) => Err(SimError::SramTooSmall(demand)),
        None => Ok(()),
    }
}

/// Returns all holders of SRAM, in the order of the NICs, and for each NIC in the order of [`SramShare`].
pub(crate) fn holders(
    scenario: &Scenario,
    classes: Classes<'_>,
    record_bytes: RecordBytes,
) -> Vec<SramHolder> {
    let program = |class: usize| classes[class].as_ref().ok().map(|loaded| &loaded.program);
    let mut holders = Vec::new();
    let mut channels = Table::filled(scenario.endpoints.len(), 0u64);
    for channel in &scenario.channels {
        for (endpoint, _) in [channel.a, channel.b] {
            channels[endpoint] += 1;
        }
    }
    // The endpoints of each NIC, in file order.
    let mut residents = Table::filled(scenario.nics.len(), Vec::new());
    for (id, spec) in (0u32..).map(EndpointId).zip(&scenario.endpoints) {
        residents[spec.nic].push((id, spec));
    }
    for (nic, residents) in (0u32..).map(NicId).zip(&residents) {
        let mut hold = |share, bytes| holders.push(SramHolder { nic, share, bytes });
        let profile = scenario.profile_of(nic);
        hold(SramShare::Staging, staging(profile));
        let processors = scenario.nics[nic].processors;
        let stacks = u64::from(processors) * stack(profile);
        hold(SramShare::Stack, stacks);
        let mut loaded = vec![false; classes.len()];
        for class in residents
            .iter()
            .flat_map(|(_, spec)| spec.applets().map(|(class, _)| class))
        {
            if !std::mem::replace(&mut loaded[class], true) {
                let bytes = program(class).map_or(0, of_program);
                hold(SramShare::Program(class), bytes);
            }
        }
        for (id, spec) in residents {
            if spec.class.is_none() {
                continue;
            }
            let applets = spec.applets().map(|(class, _)| {
                program(class).map_or(0, |program| of_applet(profile, spec, program))
            });
            let bytes = applets.sum::<u64>() + chain::sram_bytes(profile, spec);
            hold(SramShare::Applet(*id), bytes);
        }
        for (id, spec) in residents {
            let bytes = u64::from(spec.tx_queue) * TRANSMIT_ENTRY_BYTES
                + places(scenario, *id)
                + channels[*id] * (CHANNEL_BYTES + record_bytes(spec.interface));
            hold(SramShare::Queues(*id), bytes);
        }
    }
    holders
}

/// Returns the bytes of an endpoint's free queue, or of its posted receives.
fn places(scenario: &Scenario, id: EndpointId) -> u64 {
    let spec = &scenario.endpoints[id];
    let buffers = u64::from(spec.free_buffer_count);
    if !spec.posts_receives() {
        return buffers * FREE_ENTRY_BYTES;
    }
    let own = scenario.receives.iter().filter(|spec| spec.endpoint == id);
    // A `[[receive]]` is posted again when its message has been read, so it needs one entry.
    let receives = match own.count() as u64 {
        0 => buffers,
        receives => receives,
    };
    receives * RECEIVE_BYTES
}

fn staging(profile: &Profile) -> u64 {
    let memory = &profile.memory;
    let packets = u64::from(memory.send_slots.get()) + u64::from(memory.dma_slots.get());
    let arrivals = u64::from(memory.arrival_slots.get()) * u64::from(profile.arrival_slot_bytes());
    packets * u64::from(memory.max_packet.get()) + arrivals
}

fn stack(profile: &Profile) -> u64 {
    let processor = &profile.processor;
    u64::from(processor.call_depth.get()) * size_of::<Frame>() as u64
        + u64::from(processor.call_slots.get()) * SLOT_BYTES
}

/// Returns the bytes of a linked program.
pub(super) fn of_program(program: &Program<'_>) -> u64 {
    program.byte_size() as u64
}

/// Returns the bytes of heap, own arrival slot (`RxBuf` or the header of a packet) and fields of an endpoint's applet of this class.
pub(super) fn of_applet(profile: &Profile, spec: &EndpointSpec, program: &Program<'_>) -> u64 {
    let heap = memory_bytes(spec.heap, profile.arrival_slot_bytes()) as u64;
    heap + program.field_count() as u64 * FIELD_BYTES
}
