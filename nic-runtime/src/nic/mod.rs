//! What a NIC is made of: DMA engines, slots of staging memory, arrivals, and the round robin over its
//! endpoints' transmit queues.

mod arrival;
mod dma;
mod ready;
mod slots;

use std::collections::VecDeque;

pub use arrival::{ArrivalSlots, ClaimId, Progress, Purpose, Tenancy};
pub use dma::DmaSchedule;
use nic_core::id::EndpointId;
pub use ready::RoundRobin;
pub use slots::Slots;

use crate::fabric::PacketRef;
use crate::profile::Profile;

/// A NIC, its processor apart.
#[derive(Clone, Debug)]
pub struct Nic {
    /// Its DMA engines.
    pub dma: DmaSchedule,
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
    /// Endpoints whose suspended call has the places for its packet, in the order in which it got them.
    pub resumable: VecDeque<EndpointId>,
    /// Endpoints with transmit descriptors to take, by their position on this NIC.
    pub posted: RoundRobin,
    /// The endpoints on this NIC, in file order.
    pub endpoints: Vec<EndpointId>,
}

impl Nic {
    /// Returns a NIC with these endpoints, so many of them with an applet, where nothing has happened yet.
    #[must_use]
    pub fn new(profile: &Profile, endpoints: Vec<EndpointId>, applets: usize) -> Nic {
        let has_base_endpoints = applets < endpoints.len();
        let memory = &profile.memory;
        Nic {
            dma: DmaSchedule::new(&profile.dma),
            arrivals: VecDeque::with_capacity(memory.arrival_slots.get() as usize),
            arrival_slots: ArrivalSlots::new(
                memory.arrival_slots.get(),
                applets,
                has_base_endpoints,
            ),
            send_slots: Slots::new(memory.send_slots),
            dma_slots: Slots::new(memory.dma_slots),
            awaiting_send_slot: VecDeque::new(),
            resumable: VecDeque::new(),
            posted: RoundRobin::new(endpoints.len()),
            endpoints,
        }
    }
}
