//! What a NIC is made of: DMA engines, slots of staging memory, arrivals, and the round robin over its
//! endpoints' transmit queues.

mod arrival;
mod dma;
mod placement;
mod ready;
mod slots;

use std::collections::VecDeque;

pub use arrival::{ArrivalSlots, ClaimId, Progress, Purpose, Tenancy};
pub use dma::DmaSchedule;
use nic_core::id::EndpointId;
pub use placement::{Placement, ProcessorId};
pub use ready::RoundRobin;
pub use slots::Slots;

use crate::fabric::PacketRef;
use crate::profile::Profile;

/// A NIC, its processor apart.
#[derive(Clone, Debug)]
pub struct Nic {
    /// Its processors: the first and how many there are.
    first_processor: u32,
    processors: u32,
    /// Which of them runs what.
    pub placement: Placement,
    /// The processor that takes transmit descriptors.
    pub takes_posts: ProcessorId,
    /// The processor that takes arrivals.
    pub takes_arrivals: ProcessorId,
    /// Its DMA engines.
    pub dma: DmaSchedule,
    /// Whether it sends in turn with its transfers.
    pub sends_in_turn: bool,
    /// Packets that came in and wait for the processor, oldest first.
    pub arrivals: VecDeque<PacketRef>,
    /// Memory for packets that come in; taken before the first bit is on the wire.
    pub arrival_slots: ArrivalSlots,
    /// Memory for packets on their way out.
    pub send_slots: Slots,
    /// Memory for what applets have queued for the host.
    pub dma_slots: Slots,
    /// Claims that wait for a send slot, oldest first; some have been given up since.
    pub awaiting_send_slot: VecDeque<ClaimId>,
    /// Processors that wait for a DMA slot, longest first.
    pub awaiting_dma_slot: VecDeque<ProcessorId>,
    /// Endpoints with transmit descriptors to take, by their position on this NIC.
    pub posted: RoundRobin,
    /// Endpoints whose applet has set a time that is over, by their position.
    pub timers: RoundRobin,
    /// Endpoints whose applet is to be told of buffers that came back, by their position.
    pub refills: RoundRobin,
    /// The endpoints on this NIC, in file order.
    pub endpoints: Vec<EndpointId>,
}

impl Nic {
    /// Returns a NIC with these endpoints, so many of them with an applet, where nothing has happened yet.
    /// Its first processor has the number `first_processor` among those of all NICs.
    #[must_use]
    pub fn new(
        profile: &Profile,
        (first_processor, processors): (u32, u32),
        placement: Placement,
        endpoints: Vec<EndpointId>,
        applets: usize,
        has_agendas: bool,
    ) -> Nic {
        // The sets of what only an agenda leads to are empty, and weigh nothing, where there is none.
        let with_agenda = if has_agendas { endpoints.len() } else { 0 };
        let has_base_endpoints = applets < endpoints.len();
        let memory = &profile.memory;
        Nic {
            first_processor,
            processors,
            placement,
            takes_posts: ProcessorId(first_processor + placement.transmit),
            takes_arrivals: ProcessorId(first_processor + placement.receive),
            dma: DmaSchedule::new(&profile.dma),
            sends_in_turn: profile.sends_in_turn(),
            arrivals: VecDeque::with_capacity(memory.arrival_slots.get() as usize),
            arrival_slots: ArrivalSlots::new(
                memory.arrival_slots.get(),
                applets,
                has_base_endpoints,
            ),
            send_slots: Slots::new(memory.send_slots),
            dma_slots: Slots::new(memory.dma_slots),
            awaiting_send_slot: VecDeque::new(),
            awaiting_dma_slot: VecDeque::new(),
            posted: RoundRobin::new(endpoints.len()),
            timers: RoundRobin::new(with_agenda),
            refills: RoundRobin::new(with_agenda),
            endpoints,
        }
    }

    /// Returns the first of its processors.
    #[must_use]
    pub fn first_processor(&self) -> ProcessorId {
        ProcessorId(self.first_processor)
    }

    /// Returns the processor of this number on this NIC.
    #[must_use]
    pub fn processor(&self, number: u32) -> ProcessorId {
        ProcessorId(self.first_processor + number)
    }

    /// Returns its processors.
    pub fn processors(&self) -> impl Iterator<Item = ProcessorId> + Clone + use<> {
        (self.first_processor..self.first_processor + self.processors).map(ProcessorId)
    }
}
