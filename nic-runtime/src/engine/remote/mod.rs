//! Remote memory in the simulator: writes to windows travel as packets, and change the receiver's memory when they
//! arrive.
//!
//! A library collects its writes in [`Writes`], and [`carry_out`] passes them to the NIC. A write to a window needs no
//! slot and no processor of a NIC. The module `clan` models the only NIC with remote memory: it says how long writes
//! take, and carries them out. The module `mapping` delays writes of a processor until their windows are mapped.
//!
//! The module `outgoing` orders pointers behind the data that DMA moves.
//!
//! The module `windows` has the windows that scenarios declare, to which applets write and which they watch.

mod clan;
mod mapping;
mod outgoing;
mod shown;
mod windows;

use std::num::NonZeroU32;

use nic_core::event::{RemoteEvent, Trigger};
use nic_core::id::{EndpointId, PacketId, PostId};
use nic_core::memory::HostSpan;
use nic_core::remote::{OrderedMemory, RemoteMemory, WindowError, WindowId, Windows};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

pub(crate) use self::mapping::{AllMappings, completes_later, is_waiting, mapped};
pub(crate) use self::outgoing::{Behind, Moving};
pub(crate) use self::shown::{Shown, tell_arrives, tell_leaves};
pub(crate) use self::windows::{WindowState, make_write, unwatch_all, watch};
use crate::engine::interface::Protocol;
use crate::profile::{ClanCosts, Events, Profile};
use crate::sim::{Engines, Parts};
use crate::storage::Growing;
use crate::wire::protocol::{Header, RemoteWrite};
use crate::wire::{Fate, Packet, PacketRef};

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
            Header::None | Header::Emp(_) | Header::Via(_) => false,
        }
    }

    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        write_arrived(sim, packet);
    }
}

/// Engines with remote memory among them, and what remote memory asks of the libraries that write to it.
pub(crate) trait HasRemote: Engines {
    fn remote(&self) -> &WindowState;

    fn remote_mut(&mut self) -> &mut WindowState;

    /// Returns whether writes from one endpoint to another are numbered.
    fn numbers_writes(sim: &Parts<'_, Self>, from: EndpointId, to: EndpointId) -> bool;

    /// Returns the number of a library's write, if its connection numbers writes.
    fn number_write(
        sim: &mut Parts<'_, Self>,
        from: EndpointId,
        packet: PacketRef,
    ) -> Option<NonZeroU32>;

    /// Returns whether a library accepts a numbered write of its peer.
    fn takes_write(
        sim: &mut Parts<'_, Self>,
        to: EndpointId,
        numbered: (Option<PacketId>, NonZeroU32),
    ) -> bool;

    /// Returns whether the memory of an endpoint is registered, so that a peer may write to its windows.
    fn is_registered(sim: &Parts<'_, Self>, owner: EndpointId) -> bool;

    /// Tells a library that its peer has written to its memory.
    fn written(sim: &mut Parts<'_, Self>, id: EndpointId, packet: (PacketId, bool), span: HostSpan);

    /// Keeps the processor of a library busy.
    fn occupy(sim: &mut Parts<'_, Self>, id: EndpointId, takes: SimDuration);

    /// Schedules the end of a wait for a window to be mapped.
    fn schedule_mapped(sim: &mut Parts<'_, Self>, id: EndpointId, time: SimTime);

    /// Tells a library that all writes of a message have left.
    fn writes_over(sim: &mut Parts<'_, Self>, id: EndpointId, post: PostId);

    /// Ends a library's connection if it was to end after its writes, and none is left.
    fn end_in_turn(sim: &mut Parts<'_, Self>, id: EndpointId);
}

/// What remote memory costs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Costs {
    clan: ClanCosts,
    request: SimDuration,
    event: Option<SimDuration>,
}

impl Costs {
    /// Returns the costs of remote memory in a profile; `None` if the profile's NIC has no remote memory.
    pub(crate) fn of(profile: &Profile) -> Option<Costs> {
        let clan = profile.clan?;
        Some(Costs {
            clan,
            request: profile.dma.request,
            event: match clan.events {
                Events::Interrupt => Some(profile.host.upcall),
                Events::User => None,
            },
        })
    }

    /// Returns how long a host's processor takes to write the bytes of a message.
    pub(crate) fn write_takes(&self, bytes: u32) -> SimDuration {
        clan::pio_takes(&self.clan, bytes)
    }

    /// Returns how long the host is busy with an event before the library sees the event; `None` if the library polls.
    pub(crate) fn event_takes(&self) -> Option<SimDuration> {
        self.event
    }

    /// Returns how long the host is busy with this number of DMA requests, because an interrupt starts each request.
    pub(crate) fn interrupts_take(&self, requests: u64) -> SimDuration {
        SimDuration::from_ps(self.request.as_ps().saturating_mul(requests))
    }
}

/// The windows of all nodes. No two windows have the same number.
pub(crate) type AllWindows = Windows<Growing>;

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

/// A write that a program or a library has made.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) window: WindowId,
    pub(crate) offset: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) by: By,
    /// Whether the write is the first write of a message.
    pub(crate) opens: bool,
}

/// The part of a host or NIC that carries out a write.
#[derive(Copy, Clone, Debug)]
pub(crate) enum By {
    /// The processor of the host. The caller has charged the processor's time for the write.
    Processor,
    /// A DMA request, which takes the bytes from host memory.
    Dma(HostSpan),
    /// A DMA request after all earlier requests, for a few bytes of the library. The length of the span in host memory
    /// determines how long the DMA request takes.
    DmaBehind(HostSpan),
}

/// The writes of a library, in the order in which the library made them.
#[derive(Debug, Default)]
pub(crate) struct Writes(pub(crate) Vec<Write>);

impl Writes {
    /// Adds a DMA request that writes bytes of host memory.
    pub(crate) fn request(&mut self, window: WindowId, offset: u32, from: HostSpan) {
        self.0.push(Write {
            window,
            offset,
            bytes: Vec::new(),
            by: By::Dma(from),
            opens: false,
        });
    }

    /// Marks the write at a position as the first write of a message, if a write has this position.
    pub(crate) fn opens_at(&mut self, position: usize) {
        if let Some(write) = self.0.get_mut(position) {
            write.opens = true;
        }
    }
}

impl RemoteMemory for Writes {
    fn write(&mut self, window: WindowId, offset: u32, bytes: &[u8]) -> Result<(), WindowError> {
        self.0.push(Write {
            window,
            offset,
            bytes: bytes.to_vec(),
            by: By::Processor,
            opens: false,
        });
        Ok(())
    }
}

impl OrderedMemory for Writes {
    type Behind = Behind;

    fn write_behind(
        &mut self,
        window: WindowId,
        offset: u32,
        bytes: &[u8],
        behind: Behind,
    ) -> Result<(), WindowError> {
        self.0.push(Write {
            window,
            offset,
            bytes: bytes.to_vec(),
            by: behind.way(),
            opens: false,
        });
        Ok(())
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
    for write in &writes.0 {
        mapping::pass(sim, from, connection, write, trigger);
    }
}

/// Makes a packet for a write.
pub(crate) fn make(
    sim: &mut Parts<'_, impl HasRemote>,
    from: EndpointId,
    connection: &Channel,
    (write, bytes): (RemoteWrite, &[u8]),
    trigger: Trigger,
) -> (PacketId, PacketRef) {
    // The library completes descriptors, so the transmit queue does not count the packets of a write. Faults strike
    // numbered writes. Only the receivers of numbered writes notice a lost write.
    let is_numbered = HasRemote::numbers_writes(sim, from, connection.peer);
    let packet = Packet {
        trigger,
        fate: (!is_numbered).then_some(Fate::default()),
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Remote(write),
        ..sim.new_packet(from, connection, Trigger::Timer)
    };
    (packet.id, sim.packets.add(packet, bytes))
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
        ..
    } = sim.packets[packet];
    let Header::Remote(write) = header else {
        return;
    };
    // The copy of a packet that carries a write has the number of the original. Writes of applets have no number.
    if write.number.is_none() && !write.is_of_applet() {
        let number = HasRemote::number_write(sim, from, packet);
        sim.packets[packet].header = Header::Remote(RemoteWrite { number, ..write });
    }
    let payload = &sim.packets[packet].bytes;
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let kind = RemoteEvent::WindowWrite {
        window: sim.engines.remote_mut().name(write.window),
        offset: write.offset,
        payload,
        how: write.how,
    };
    sim.report.emit(sim.now, from, kind);
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
        && !HasRemote::takes_write(sim, to, (message, number))
    {
        return sim.end_arrival(packet);
    }
    let range = (write.offset, length);
    let span = sim
        .engines
        .remote_mut()
        .windows
        .resolve(write.window, peer, range);
    let is_declared = write.is_of_applet();
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
