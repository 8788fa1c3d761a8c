//! Remote memory in the simulator: writes to windows travel as packets, and change the receiver's memory when they
//! arrive.
//!
//! A write needs no slot and no processor of a NIC. `clan` says how long writes take.

pub(crate) mod clan;

use nic_core::event::{DropReason, NicEvent, Sink, Trigger, ViaEvent};
use nic_core::id::{EndpointId, PacketId};
use nic_core::remote::{RemoteMemory, WindowError, WindowId, Windows};
use nic_core::time::SimDuration;
use nic_core::unet::Channel;
use nic_core::via::WriteHow;

use crate::fabric::{Fate, Header, Packet, PacketRef};
use crate::sim::Simulation;
use crate::storage::Growing;
use crate::via;

/// The windows of all nodes. No two have the same number.
pub(crate) type AllWindows = Windows<Growing>;

/// Where a packet that carries a write goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RemoteWrite {
    /// The window.
    pub window: WindowId,
    /// Offset in it.
    pub offset: u32,
    /// Whether it is the first write of a message, which outputs show as the message's packet.
    pub opens: bool,
    /// What carries it out.
    pub how: WriteHow,
}

/// A write that a program or a library has made.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) window: WindowId,
    pub(crate) offset: u32,
    pub(crate) bytes: Vec<u8>,
}

/// The writes of a library, in order.
#[derive(Debug, Default)]
pub(crate) struct Writes(pub(crate) Vec<Write>);

impl RemoteMemory for Writes {
    fn write(&mut self, window: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError> {
        self.0.push(Write {
            window,
            offset,
            bytes: bytes.to_vec(),
        });
        Ok(())
    }
}

/// Makes a packet for a write.
pub(crate) fn make<S: Sink>(
    sim: &mut Simulation<'_, S>,
    from: EndpointId,
    connection: &Channel,
    (write, bytes): (RemoteWrite, &[u8]),
    trigger: Trigger,
) -> (PacketId, PacketRef) {
    // The library completes descriptors, so the transmit queue does not count the packets of a write.
    let packet = Packet {
        trigger,
        fate: Some(Fate::default()),
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Remote(write),
        ..sim.new_packet(from, connection, Trigger::Timer)
    };
    (packet.id, sim.packets.add(packet, bytes))
}

/// The first bit of a write leaves.
pub(crate) fn packet_goes<S: Sink>(
    sim: &mut Simulation<'_, S>,
    packet: PacketRef,
    duration: SimDuration,
) {
    let Packet {
        id,
        from: (from, channel),
        to: (peer, _),
        trigger,
        header,
        ..
    } = sim.packets[packet];
    let Header::Remote(write) = header else {
        return;
    };
    let length = u32::try_from(sim.packets[packet].bytes.len()).unwrap_or(u32::MAX);
    let kind = ViaEvent::WindowWrite {
        window: write.window,
        offset: write.offset,
        length,
        how: write.how,
    };
    sim.report.emit(sim.now, from, kind);
    if write.opens {
        let kind = NicEvent::WireTx {
            packet: id,
            peer,
            channel,
            payload: &sim.packets[packet].bytes,
            part: None,
            duration,
            trigger,
        };
        return sim.report.emit(sim.now, from, kind);
    }
    let kind = ViaEvent::ControlTx {
        packet: id,
        peer,
        channel,
        kind: "write",
        length,
        duration,
        trigger,
    };
    sim.report.emit(sim.now, from, kind);
}

/// A write has arrived: changes the memory and tells the library, or refuses the write.
pub(crate) fn packet_came<S: Sink>(sim: &mut Simulation<'_, S>, packet: PacketRef) {
    let Packet {
        id,
        from: (peer, _),
        to: (to, channel),
        header,
        ..
    } = sim.packets[packet];
    let Header::Remote(write) = header else {
        return;
    };
    let length = u32::try_from(sim.packets[packet].bytes.len()).unwrap_or(u32::MAX);
    if write.opens {
        let kind = NicEvent::WireRx {
            packet: id,
            peer,
            channel,
            payload: &sim.packets[packet].bytes,
            part: None,
        };
        sim.report.emit(sim.now, to, kind);
    } else {
        let kind = ViaEvent::ControlRx {
            packet: id,
            peer,
            channel,
            kind: "write",
            length,
        };
        sim.report.emit(sim.now, to, kind);
    }
    let span = sim
        .windows
        .resolve(write.window, peer, (write.offset, length));
    match span {
        Ok(span) => {
            let bytes = &sim.packets[packet].bytes;
            sim.memory.bytes_mut(span).copy_from_slice(bytes);
        }
        Err(_) => {
            let kind = NicEvent::Drop {
                packet: Some(id),
                reason: DropReason::WindowRefused,
            };
            sim.report.emit(sim.now, to, kind);
        }
    }
    sim.end_arrival(packet);
    if let Ok(span) = span {
        via::written(sim, to, (id, write.opens), span);
    }
}
