//! The CLAN NIC: writes by the processor, and a DMA engine with one request at a time.

use nic_core::event::{Sink, Trigger};
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::time::{Rate, SimDuration};
use nic_core::unet::Channel;
use nic_core::via::WriteHow;

use super::{RemoteWrite, Write, make};
use crate::profile::ClanCosts;
use crate::sim::Simulation;
use crate::sim::dma::{Cargo, Transfer};

/// Returns how long a processor takes to write the bytes of a message to remote memory. The bridge collects the first
/// bytes in a burst; the others pass the bus one word at a time.
pub(crate) fn pio_takes(costs: &ClanCosts, bytes: u32) -> SimDuration {
    let burst = bytes.min(costs.burst);
    Rate::new(costs.burst_rate).time(burst) + Rate::new(costs.pio_rate).time(bytes - burst)
}

/// Carries out writes by the processor, whose time the caller has charged. `opens` says whether the first of them is the
/// first of a message.
pub(crate) fn write<S: Sink>(
    sim: &mut Simulation<'_, S>,
    from: EndpointId,
    connection: &Channel,
    writes: &[Write],
    (mut opens, trigger): (bool, Trigger),
) {
    for write in writes {
        let header = RemoteWrite {
            window: write.window,
            offset: write.offset,
            opens: std::mem::take(&mut opens),
            how: WriteHow::Pio,
        };
        let (_, packet) = make(sim, from, connection, (header, &write.bytes), trigger);
        sim.enqueue(packet);
    }
}

/// Queues a DMA request that writes bytes of host memory to a window.
pub(crate) fn request<S: Sink>(
    sim: &mut Simulation<'_, S>,
    from: EndpointId,
    connection: &Channel,
    (write, host): (RemoteWrite, HostSpan),
    trigger: Trigger,
) {
    let (_, packet) = make(sim, from, connection, (write, &[]), trigger);
    let transfer = Transfer {
        endpoint: from,
        host,
        cargo: Cargo::IntoPacket(packet),
        trigger,
    };
    let transfer = sim.transfers.add(transfer, &[]);
    sim.queue_transfer(transfer);
}

/// Queues a DMA request that writes a few bytes of the library to a window, behind all earlier requests.
pub(crate) fn request_behind<S: Sink>(
    sim: &mut Simulation<'_, S>,
    from: EndpointId,
    connection: &Channel,
    (write, host): (&Write, HostSpan),
    trigger: Trigger,
) {
    let header = RemoteWrite {
        window: write.window,
        offset: write.offset,
        opens: false,
        how: WriteHow::Dma,
    };
    let (_, packet) = make(sim, from, connection, (header, &write.bytes), trigger);
    let transfer = Transfer {
        endpoint: from,
        host,
        cargo: Cargo::Behind(packet),
        trigger,
    };
    let transfer = sim.transfers.add(transfer, &[]);
    sim.queue_transfer(transfer);
}
