//! The engine of remote memory: passes writes to the NIC, and handles those that arrive.

use nic_core::event::{RemoteEvent, Trigger};
use nic_core::id::EndpointId;
use nic_core::time::SimDuration;
use nic_core::unet::Channel;

use super::shown::{Shown, tell_arrives, tell_leaves};
use super::state::HasRemote;
use super::writes::{Write, Writes};
use super::{mapping, windows};
use crate::engine::interface::Protocol;
use crate::protocol::{Header, RemoteWrite};
use crate::sim::Parts;
use crate::wire::{Packet, PacketRef};

/// The engine of remote memory.
pub(crate) enum Remote {}

impl<E: HasRemote> Protocol<E> for Remote {
    #[cold]
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration) {
        number_and_report(sim, packet, duration);
    }

    /// An applet's write to a window completes a descriptor as an applet's packet does. For other writes, their library
    /// decides when the transmit descriptor is complete.
    fn packet_left(sim: &mut Parts<'_, E>, packet: PacketRef) -> bool {
        match sim.packets[packet].header {
            Header::Remote(write) => write.is_of_applet(),
            Header::None | Header::Emp(_) | Header::Via(_) | Header::Read(_) | Header::Lmmc(_) => {
                false
            }
        }
    }

    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        write_arrived(sim, packet);
    }
}

/// Returns how outputs show the packet of a write.
fn shown(write: RemoteWrite, length: u32) -> Shown {
    match write.carries_message() {
        true => Shown::Message,
        false => Shown::Control {
            kind: "write",
            length,
        },
    }
}

/// Passes the writes of a library to the NIC in order.
pub(crate) fn carry_out(
    sim: &mut Parts<'_, impl HasRemote>,
    from: EndpointId,
    connection: &Channel,
    writes: &Writes,
    trigger: Trigger,
) {
    let of = HasRemote::connection_of(sim, from, connection.peer);
    for write in &writes.0 {
        let write = Write {
            connection: of,
            ..write.clone()
        };
        mapping::pass(sim, from, connection, &write, trigger);
    }
}

/// Numbers and reports a write when the first bit of its packet leaves.
fn number_and_report(
    sim: &mut Parts<'_, impl HasRemote>,
    packet: PacketRef,
    duration: SimDuration,
) {
    let Packet {
        from: (from, _),
        header,
        fate,
        ..
    } = sim.packets[packet];
    let Header::Remote(write) = header else {
        return;
    };
    // The copy of a packet that carries a write has the number of the original. Writes to windows of the scenario have no number.
    let is_declared = sim.engines.remote().is_declared(write.window);
    if write.number.is_none() && !is_declared {
        let number = HasRemote::number_write(sim, from, (packet, write.connection));
        sim.packets[packet].header = Header::Remote(RemoteWrite { number, ..write });
    }
    let payload = &sim.packets[packet].bytes;
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    // A link that makes a copy of the packet writes nothing.
    if !fate.is_some_and(|fate| fate.is_copy) {
        let kind = RemoteEvent::WindowWrite {
            window: sim.engines.remote_mut().name(write.window),
            offset: write.offset,
            payload,
            how: write.how,
        };
        sim.report.emit(sim.now, from, kind);
    }
    tell_leaves(sim, packet, shown(write, length), duration);
}

/// Handles a write that has arrived: changes the memory and informs the owner, or refuses the write.
fn write_arrived(sim: &mut Parts<'_, impl HasRemote>, packet: PacketRef) {
    let Packet {
        id,
        from: (peer, _),
        to: (to, _),
        header,
        ..
    } = sim.packets[packet];
    let Header::Remote(write) = header else {
        return;
    };
    let length = u32::try_from(sim.packets[packet].bytes.len()).unwrap_or(u32::MAX);
    tell_arrives(sim, packet, shown(write, length));
    // Outputs count only arrivals of packets that carry a message.
    let message = write.carries_message().then_some(id);
    if let Some(number) = write.number
        && !HasRemote::takes_write(sim, to, (message, number, write.connection))
    {
        return sim.end_arrival(packet);
    }
    let range = (write.offset, length);
    let span = sim
        .engines
        .remote_mut()
        .windows
        .resolve(write.window, peer, range);
    let is_declared = sim.engines.remote().is_declared(write.window);
    let span = match span {
        Ok(span) if !is_declared || HasRemote::is_registered(sim, to) => span,
        Ok(_) | Err(_) => {
            windows::refuse(sim, to, message);
            return sim.end_arrival(packet);
        }
    };
    let bytes = &sim.packets[packet].bytes;
    sim.memory.bytes_mut(span).copy_from_slice(bytes);
    sim.end_arrival(packet);
    match is_declared {
        true => windows::written(sim, to, (id, write.window), range),
        false => HasRemote::written(sim, to, (id, write.opens), span),
    }
}
