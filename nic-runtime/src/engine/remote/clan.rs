//! The CLAN NIC: writes by the processor, and a DMA engine with one request at a time.

use nic_core::event::{Trigger, WriteHow};
use nic_core::id::{EndpointId, PacketId};
use nic_core::unet::Channel;

use super::outgoing::By;
use super::requests;
use super::state::HasRemote;
use super::writes::Write;
use crate::nic::transfer::{DmaPeer, Transfer};
use crate::protocol::{Header, RemoteWrite};
use crate::sim::Parts;
use crate::wire::{Fate, Packet, PacketRef};

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
        connection: write.connection.unwrap_or_default(),
        number: None,
    };
    let is_numbered = write.connection.is_some();
    let (_, packet) = make(
        sim,
        from,
        connection,
        (header, &write.bytes, is_numbered),
        trigger,
    );
    let (host, peer) = match write.by {
        By::Processor => return sim.enqueue(packet),
        By::Dma(host) => (host, DmaPeer::IntoWrite(packet)),
        By::DmaBehind(host) => (host, DmaPeer::Behind(packet)),
    };
    let transfer = Transfer {
        endpoint: from,
        host,
        peer,
        trigger,
    };
    let transfer = sim.transfers.add(&transfer, &[]);
    requests::submit(sim, from, transfer);
}

/// Makes a packet for a write.
fn make(
    sim: &mut Parts<'_, impl HasRemote>,
    from: EndpointId,
    connection: &Channel,
    (write, bytes, is_numbered): (RemoteWrite, &[u8], bool),
    trigger: Trigger,
) -> (PacketId, PacketRef) {
    // The library completes descriptors, so the transmit queue does not count the packets of a write. Faults strike
    // numbered writes. Only the receivers of numbered writes notice a lost write.
    let packet = Packet {
        trigger,
        fate: (!is_numbered).then_some(Fate::EXEMPT),
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Remote(write),
        ..sim.new_packet(from, connection, Trigger::Timer)
    };
    (packet.id, sim.packets.add(packet, bytes))
}
