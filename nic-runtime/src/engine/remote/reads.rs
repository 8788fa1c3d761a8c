//! Reads of windows (S5-09): a request to the window's owner, and its answer.
//!
//! The owner's NIC fetches the bytes by DMA after all earlier transfers, without a processor and without the owner's
//! program or applet. Links may lose the request or the answer, so the reader gives up after a time.

use nic_core::event::{ReadStatus, RemoteEvent, Trigger, WindowName};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::memory::HostSpan;
use nic_core::remote::WindowError;
use nic_core::sle::ArraySpan;
use nic_core::time::SimDuration;
use nic_core::unet::Channel;

use super::reading::{Into, Outcome, UnderWay};
use super::shown::{Shown, tell_arrives, tell_leaves};
use super::state::HasRemote;
use super::{noticed, windows};
use crate::calls::pending::ReadDone;
use crate::engine::interface::Protocol;
use crate::host::WindowNews;
use crate::ids::at;
use crate::nic::endpoint::AppletAt;
use crate::nic::transfer::{DmaPeer, Transfer};
use crate::nic::work::Work;
use crate::protocol::{Header, ReadKind, RemoteRead};
use crate::sim::Parts;
use crate::wire::{Admission, Packet, PacketRef};

/// Time after which a reader no longer waits for an answer.
const PATIENCE: SimDuration = SimDuration::from_ns(20_000_000);

/// The engine of reads of windows.
pub(crate) enum Read {}

impl<E: HasRemote> Protocol<E> for Read {
    #[cold]
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration) {
        report(sim, packet, duration);
    }

    /// The request of an applet completes a descriptor as an applet's packet does.
    fn packet_left(sim: &mut Parts<'_, E>, packet: PacketRef) -> bool {
        matches!(sim.packets[packet].header, Header::Read(read) if read.kind == ReadKind::Request)
    }

    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        let Header::Read(read) = sim.packets[packet].header else {
            return;
        };
        tell_arrives(sim, packet, shown(read));
        match read.kind {
            ReadKind::Request => answer(sim, packet, read),
            ReadKind::Data => answered(sim, packet, read, ReadStatus::Ok),
            ReadKind::Refusal => answered(sim, packet, read, ReadStatus::Refused),
        }
        sim.end_arrival(packet);
    }
}

fn shown(read: RemoteRead) -> Shown {
    Shown::Control {
        kind: read.kind.word(),
        length: match read.kind {
            ReadKind::Data => read.length,
            ReadKind::Request | ReadKind::Refusal => 0,
        },
    }
}

/// Makes the request of an applet's read. Returns `None` if the applet has no `doRead`.
pub(crate) fn make_read(
    sim: &mut Parts<'_, impl HasRemote>,
    applet_at: AppletAt,
    trigger: Trigger,
    (into, peer, offset): (ArraySpan, u32, u32),
) -> Option<PacketRef> {
    sim.applets[applet_at.applet].members.do_read.get()?;
    let place = (peer, offset, into.length());
    let into = Into::Array(applet_at.applet, into);
    let packet = begin(sim, applet_at.endpoint, place, into, trigger)?;
    let sent = &mut sim.packets[packet];
    let has_arrival_slot = sim.fabric[sent.route].admission == Admission::Slot;
    sent.has_arrival_slot &= has_arrival_slot;
    Some(packet)
}

/// Begins a read of the window at a position of an endpoint's table, and returns the request.
pub(super) fn begin(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (peer, offset, length): (u32, u32, u32),
    into: Into,
    trigger: Trigger,
) -> Option<PacketRef> {
    let until = sim.now + PATIENCE;
    let end = sim.engines.remote_mut().ends.get_mut(id)?;
    let window = *end.peers.get(at(peer))?;
    let under_way = UnderWay {
        owner: window.path.peer,
        window: window.number,
        offset,
        into,
        until,
        outcome: None,
    };
    let number = end.reads.begin(under_way);
    sim.schedule.insert(until, Work::LookWindows(id));
    let packet = Packet {
        header: Header::Read(RemoteRead {
            window: window.window,
            offset,
            length,
            number,
            kind: ReadKind::Request,
        }),
        ..sim.new_packet(id, &window.path, trigger)
    };
    Some(sim.packets.add(packet, &[]))
}

/// Reports the first bit of a packet of a read.
fn report(sim: &mut Parts<'_, impl HasRemote>, packet: PacketRef, duration: SimDuration) {
    let Packet {
        from: (from, _),
        header,
        fate,
        ..
    } = sim.packets[packet];
    let Header::Read(read) = header else {
        return;
    };
    // The copy of a request that a link makes is no second read.
    if read.kind == ReadKind::Request && !fate.is_some_and(|fate| fate.is_copy) {
        let kind = RemoteEvent::WindowRead {
            window: sim.engines.remote_mut().name(read.window),
            offset: read.offset,
            length: read.length,
        };
        sim.report.emit(sim.now, from, kind);
    }
    tell_leaves(sim, packet, shown(read), duration);
}

/// Answers a request: fetches the bytes, or refuses the read.
fn answer(sim: &mut Parts<'_, impl HasRemote>, request: PacketRef, read: RemoteRead) {
    let Packet {
        id,
        from: (reader, number),
        to: (owner, _),
        ..
    } = sim.packets[request];
    let Ok(host) = readable(sim, owner, (reader, read)) else {
        windows::refuse(sim, owner, None);
        if let Some(packet) = reply(sim, owner, (reader, number), read, ReadKind::Refusal) {
            sim.enqueue(packet);
        }
        return;
    };
    let Some(packet) = reply(sim, owner, (reader, number), read, ReadKind::Data) else {
        return;
    };
    if host.length() == 0 {
        return sim.enqueue(packet);
    }
    let transfer = Transfer {
        endpoint: owner,
        host,
        peer: DmaPeer::IntoPacket(packet),
        trigger: Trigger::Arrival(id),
    };
    let transfer = sim.transfers.add(&transfer, &[]);
    sim.queue_transfer(transfer);
}

/// Returns the span of host memory that a read names.
fn readable(
    sim: &mut Parts<'_, impl HasRemote>,
    owner: EndpointId,
    (reader, read): (EndpointId, RemoteRead),
) -> Result<HostSpan, WindowError> {
    let RemoteRead { window, .. } = read;
    let closed = WindowError::NotOpen { window };
    let is_registered = HasRemote::is_registered(sim, owner);
    let remote = sim.engines.remote_mut();
    let declared = remote.declared.get(window);
    let may_read = declared.is_some_and(|spec| spec.is_readable && spec.owner == owner);
    if !may_read || !is_registered || read.length > sim.endpoints[owner].max_packet {
        return Err(closed);
    }
    let range = (read.offset, read.length);
    remote.windows.resolve(window, reader, range)
}

/// Makes the answer to a request, which needs no slots.
fn reply(
    sim: &mut Parts<'_, impl HasRemote>,
    owner: EndpointId,
    (reader, number): (EndpointId, ChannelId),
    read: RemoteRead,
    kind: ReadKind,
) -> Option<PacketRef> {
    let nics = (sim.endpoints[owner].nic, sim.endpoints[reader].nic);
    let path = Channel {
        id: number,
        peer: reader,
        peer_id: number,
        route: sim.fabric.route(nics.0, nics.1)?,
    };
    let packet = Packet {
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Read(RemoteRead { kind, ..read }),
        ..sim.new_packet(owner, &path, Trigger::Timer)
    };
    Some(sim.packets.add(packet, &[]))
}

/// Handles the answer to a request. A late answer, or one that comes twice, changes nothing.
fn answered(
    sim: &mut Parts<'_, impl HasRemote>,
    packet: PacketRef,
    read: RemoteRead,
    status: ReadStatus,
) {
    let Packet {
        from: (owner, _),
        to: (reader, _),
        ..
    } = sim.packets[packet];
    let bytes = sim.packets[packet].bytes.clone();
    let is_awaited = sim
        .engines
        .remote_mut()
        .ends
        .get(reader)
        .is_some_and(|end| {
            let under_way = end.reads.get(read.number);
            under_way.is_some_and(|read| read.owner == owner && read.outcome.is_none())
        });
    if is_awaited {
        over(sim, reader, read.number, Outcome { status, bytes });
    }
}

/// Ends the reads of an endpoint, and the waits of its program, whose time is over. Returns whether there were any.
pub(crate) fn look_at_windows(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId) -> bool {
    let now = sim.now;
    let Some(end) = sim.engines.remote_mut().ends.get(id) else {
        return false;
    };
    let overdue = end.reads.overdue(now);
    for &number in &overdue {
        let outcome = Outcome {
            status: ReadStatus::Lost,
            bytes: Vec::new(),
        };
        over(sim, id, number, outcome);
    }
    let has_waited = noticed::look(sim, id);
    has_waited || !overdue.is_empty()
}

/// Ends a read: calls `doRead` of the applet that began it, or tells the program.
fn over(sim: &mut Parts<'_, impl HasRemote>, id: EndpointId, number: u32, outcome: Outcome) {
    let Some(end) = sim.engines.remote_mut().ends.get_mut(id) else {
        return;
    };
    let Some(read) = end.reads.get_mut(number) else {
        return;
    };
    let kind = RemoteEvent::ReadDone {
        window: WindowName::Numbered(read.window),
        offset: read.offset,
        payload: &outcome.bytes,
        status: outcome.status,
    };
    sim.report.emit(sim.now, id, kind);
    let done = ReadDone {
        number,
        window: read.window,
        offset: read.offset,
        status: outcome.status,
    };
    let applet = match read.into {
        Into::Array(applet, _) => applet,
        Into::Memory(ticket, into) => {
            return over_in_memory(sim, id, (number, ticket), into, outcome);
        }
    };
    read.outcome = Some(outcome);
    let applet_at = AppletAt {
        endpoint: id,
        applet,
    };
    match sim.add_read(applet_at, done) {
        true => sim.come_back(id),
        // A detached applet never learns of the read.
        false => forget_read(sim, applet_at, number),
    }
}

/// Ends a read of a program.
fn over_in_memory(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    (number, ticket): (u32, u64),
    into: HostSpan,
    Outcome { status, bytes }: Outcome,
) {
    sim.engines.remote_mut().ends[id].reads.forget(number);
    let place = sim.memory.bytes_mut(into);
    if place.len() == bytes.len() {
        place.copy_from_slice(&bytes);
    }
    let payload = &bytes;
    let news = WindowNews::Read {
        ticket,
        status,
        payload,
    };
    noticed::tell(sim, id, news);
}

/// Moves the bytes of a read into the applet's array, because the call of `doRead` begins.
pub(crate) fn land_read(sim: &mut Parts<'_, impl HasRemote>, applet_at: AppletAt, number: u32) {
    let Some(end) = sim.engines.remote_mut().ends.get_mut(applet_at.endpoint) else {
        return;
    };
    let Some(UnderWay {
        into: Into::Array(applet, into),
        outcome: Some(outcome),
        ..
    }) = end.reads.take(number)
    else {
        return;
    };
    let heap = sim.applets[applet].instance.heap_mut();
    let place = into.bytes_mut(heap);
    if place.len() == outcome.bytes.len() {
        place.copy_from_slice(&outcome.bytes);
    }
}

/// Forgets a read whose end a detached applet does not learn of.
pub(crate) fn forget_read(sim: &mut Parts<'_, impl HasRemote>, applet_at: AppletAt, number: u32) {
    if let Some(end) = sim.engines.remote_mut().ends.get_mut(applet_at.endpoint) {
        end.reads.forget(number);
    }
}

/// Forgets the reads of an applet whose arrays are gone.
pub(crate) fn forget_reads(sim: &mut Parts<'_, impl HasRemote>, applet_at: AppletAt) {
    if let Some(end) = sim.engines.remote_mut().ends.get_mut(applet_at.endpoint) {
        end.reads.forget_all_of(applet_at.applet);
    }
    if let Some(pending) = sim.pending_calls.0.get_mut(applet_at.applet) {
        pending.reads.clear();
    }
}
