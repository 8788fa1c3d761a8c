//! What a NIC is made of: DMA engines, slots of staging memory, arrivals, and the round robin over its
//! endpoints' transmit queues.

mod dma;
mod ready;
mod slots;

use std::collections::VecDeque;

pub use dma::DmaSchedule;
pub use ready::RoundRobin;
pub use slots::Slots;

use crate::event::EndpointId;
use crate::fabric::{DirectionId, PacketRef};
use crate::profile::Profile;

/// A NIC, its processor apart.
#[derive(Clone, Debug)]
pub struct Nic {
    /// Its DMA engines.
    pub dma: DmaSchedule,
    /// Packets that came in and wait for the processor, oldest first.
    pub arrivals: VecDeque<PacketRef>,
    /// Memory for packets that come in; taken before the first bit is on the wire.
    pub arrival_slots: Slots,
    /// Memory for packets on their way out.
    pub send_slots: Slots,
    /// Memory for what applets have queued for the host.
    pub dma_slots: Slots,
    /// Directions whose first packet waits for an arrival slot here, in the order in which they came.
    pub blocked: VecDeque<DirectionId>,
    /// Packets that have a send slot and wait for their bytes from the host.
    pub filling: u32,
    /// The link directions that lead away from here.
    pub outgoing: Vec<DirectionId>,
    /// Endpoints with transmit descriptors to take, by their position on this NIC.
    pub posted: RoundRobin,
    /// The endpoints on this NIC, in file order.
    pub endpoints: Vec<EndpointId>,
}

impl Nic {
    /// Returns a NIC with these endpoints and links, where nothing has happened yet.
    #[must_use]
    pub fn new(profile: &Profile, endpoints: Vec<EndpointId>, outgoing: Vec<DirectionId>) -> Nic {
        let memory = &profile.memory;
        Nic {
            dma: DmaSchedule::new(&profile.dma),
            arrivals: VecDeque::with_capacity(memory.arrival_slots.get() as usize),
            arrival_slots: Slots::new(memory.arrival_slots),
            send_slots: Slots::new(memory.send_slots),
            dma_slots: Slots::new(memory.dma_slots),
            blocked: VecDeque::new(),
            filling: 0,
            outgoing,
            posted: RoundRobin::new(endpoints.len()),
            endpoints,
        }
    }
}
