//! The CLAN NIC: writes by the processor, and a DMA engine with one request at a time.

use nic_core::event::{Trigger, WriteHow};
use nic_core::id::EndpointId;
use nic_core::time::{Rate, SimDuration};
use nic_core::unet::Channel;

use super::HasRemote;
use super::{By, Write, make};
use crate::nic::transfer::{DmaPeer, Transfer};
use crate::profile::ClanCosts;
use crate::sim::Parts;
use crate::wire::protocol::RemoteWrite;

/// Returns how long a processor takes to write the bytes of a message to remote memory. The bridge collects the first
/// bytes in a burst; the later bytes pass the bus one word at a time.
pub(super) fn pio_takes(costs: &ClanCosts, bytes: u32) -> SimDuration {
    let burst = bytes.min(costs.burst);
    Rate::new(costs.burst_rate).time(burst) + Rate::new(costs.pio_rate).time(bytes - burst)
}

/// Carries out a write to remote memory: by the processor, whose time the caller has charged, or as a DMA request after
/// all earlier requests.
pub(super) fn carry_out(
    sim: &mut Parts<'_, impl HasRemote>,
    from: EndpointId,
    connection: &Channel,
    write: &Write,
    trigger: Trigger,
) {
    let header = RemoteWrite {
        window: write.window,
        offset: write.offset,
        opens: write.opens,
        how: match write.by {
            By::Processor => WriteHow::Pio,
            By::Dma(_) | By::DmaBehind(_) => WriteHow::Dma,
        },
        number: None,
    };
    let (_, packet) = make(sim, from, connection, (header, &write.bytes), trigger);
    let (host, peer) = match write.by {
        By::Processor => return sim.enqueue(packet),
        By::Dma(host) => (host, DmaPeer::IntoPacket(packet)),
        By::DmaBehind(host) => (host, DmaPeer::Behind(packet)),
    };
    let transfer = Transfer {
        endpoint: from,
        host,
        peer,
        trigger,
    };
    let transfer = sim.transfers.add(&transfer, &[]);
    sim.queue_transfer(transfer);
}
