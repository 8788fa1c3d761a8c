//! A NIC as data. Its resources are DMA engines, slots for packets, the queue of arrivals, and the round robin over
//! endpoints. Beside them is what engines, applets and the loop of events all name: items and stages of a processor,
//! claims, transfers, scheduled work, costs, and the facts about an endpoint.

mod arrival;
pub(crate) mod cells;
pub(crate) mod claim;
pub(crate) mod costs;
mod dma;
pub(crate) mod endpoint;
pub(crate) mod fault;
pub(crate) mod item;
pub(crate) mod landings;
mod ready;
pub(crate) mod role;
pub(crate) mod semaphore;
pub(crate) mod sharing;
pub(crate) mod slicing;
mod slots;
pub(crate) mod sram;
pub(crate) mod stage;
pub(crate) mod transfer;
pub(crate) mod waiting;
pub(crate) mod work;

use std::collections::VecDeque;

pub use arrival::{ArrivalSlots, ClaimId, Owners, Progress, Purpose, Tenancy};
pub use dma::DmaSchedule;
use nic_core::id::EndpointId;
pub use ready::RoundRobin;
pub use slots::Slots;

use crate::ids::ProcessorId;
use crate::profile::Profile;
use crate::spec::placement::Placement;
use crate::wire::PacketRef;

/// A NIC without the state of its processors, which the simulation holds.
#[derive(Clone, Debug)]
pub struct Nic {
    /// The NIC's processors: the number of the first processor, and how many there are.
    first_processor: u32,
    processors: u32,
    /// The placement, which names the processor of each stage.
    pub placement: Placement,
    /// The processor that takes transmit descriptors.
    pub takes_posts: ProcessorId,
    /// The processor that takes arrivals.
    pub takes_arrivals: ProcessorId,
    /// The schedule of the NIC's DMA engines.
    pub dma: DmaSchedule,
    /// Whether the NIC's wires and its DMA exclude each other (`dma.with_wire = "in-turn"`).
    pub sends_in_turn: bool,
    /// Number of bytes that the NIC keeps of each packet, if it receives directly (`nic.header`).
    pub header: Option<u32>,
    /// Packets that have arrived and that no processor has taken, oldest first.
    pub arrivals: VecDeque<PacketRef>,
    /// Memory for arriving packets. A packet needs an arrival slot before the sender sends its first bit.
    pub arrival_slots: ArrivalSlots,
    /// Memory for packets that the NIC sends.
    pub send_slots: Slots,
    /// Memory for bytes that `doLtoHDMA` has queued for the host.
    pub dma_slots: Slots,
    /// Claims that wait for a send slot, oldest first.
    pub awaiting_send_slot: VecDeque<ClaimId>,
    /// Processors that wait for a DMA slot, longest wait first.
    pub awaiting_dma_slot: VecDeque<ProcessorId>,
    /// Endpoints with transmit descriptors that the NIC may take, by their positions on this NIC.
    pub posted: RoundRobin,
    /// Endpoints whose timer has expired, by their positions on this NIC.
    pub timers: RoundRobin,
    /// Endpoints with returned buffers for `doRefill`, by their positions on this NIC.
    pub refills: RoundRobin,
    /// Endpoints with events of watches for `doWatch`, by their positions on this NIC.
    pub watched: RoundRobin,
    /// The endpoints on this NIC, in the order of the scenario file.
    pub endpoints: Vec<EndpointId>,
}

impl Nic {
    /// Returns an idle NIC with these endpoints. The argument `first_processor` is the number of the NIC's first
    /// processor among those of all NICs.
    #[must_use]
    pub fn new(
        profile: &Profile,
        (first_processor, processors): (u32, u32),
        placement: Placement,
        endpoints: Vec<EndpointId>,
        owners: Owners,
        has_pending_calls: bool,
    ) -> Nic {
        // If no applet uses timers or refills, the sets for them stay empty and need no memory.
        let with_calls = if has_pending_calls {
            endpoints.len()
        } else {
            0
        };
        let memory = &profile.memory;
        Nic {
            first_processor,
            processors,
            placement,
            takes_posts: ProcessorId(first_processor + placement.transmit),
            takes_arrivals: ProcessorId(first_processor + placement.receive),
            dma: DmaSchedule::of(profile),
            sends_in_turn: profile.sends_in_turn(),
            header: profile.header(),
            arrivals: VecDeque::with_capacity(memory.arrival_slots.get() as usize),
            arrival_slots: ArrivalSlots::new(memory.arrival_slots.get(), owners),
            send_slots: Slots::new(memory.send_slots),
            dma_slots: Slots::new(memory.dma_slots),
            awaiting_send_slot: VecDeque::new(),
            awaiting_dma_slot: VecDeque::new(),
            posted: RoundRobin::new(endpoints.len()),
            timers: RoundRobin::new(with_calls),
            refills: RoundRobin::new(with_calls),
            watched: RoundRobin::new(with_calls),
            endpoints,
        }
    }

    /// Returns the NIC's first processor.
    #[must_use]
    pub fn first_processor(&self) -> ProcessorId {
        ProcessorId(self.first_processor)
    }

    /// Returns the processor with this number on the NIC.
    #[must_use]
    pub fn processor(&self, number: u32) -> ProcessorId {
        ProcessorId(self.first_processor + number)
    }

    /// Returns the number of a processor of this NIC on the NIC.
    #[must_use]
    pub fn number_of(&self, on: ProcessorId) -> u32 {
        on.0 - self.first_processor
    }

    /// Returns the NIC's processors.
    pub fn processors(&self) -> impl Iterator<Item = ProcessorId> + Clone + use<> {
        (self.first_processor..self.first_processor + self.processors).map(ProcessorId)
    }
}
