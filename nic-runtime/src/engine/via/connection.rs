//! Connections: numbers of packets, acknowledgements, and the end of a connection at both ends.
//!
//! Control packets need neither slots nor a processor. Links apply no faults to control packets, because the NICs are
//! assumed to repeat them until they arrive.

use nic_core::event::{DropReason, NicEvent, Trigger, TxStatus, ViaEvent};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::FreeQueue;
use nic_core::via::{
    Acknowledged, Arrival, Reason, Reliability, Request, Side, Status, ViState, ViaHeader,
};

use super::completions::{enter_completion, take_completion};
use super::control::send_control;
use super::delays::schedule;
use super::immediate;
use super::receive::is_filling;
use super::state::{Delay, HasVia, SILENCE, Sent, ViaState};
use super::{announcing, connect, joining, named, order, over_memory, regions};
use crate::engine::remote::{Shown, tell_arrives, tell_leaves};
use crate::ids::at;
use crate::protocol::Header;
use crate::sim::Parts;
use crate::storage::Growing;
use crate::wire::{Packet, PacketRef};

/// Joins the ends of the connections, and reports the state at the start of the run: registered regions, posted receive
/// descriptors and connections.
pub(super) fn prepare(sim: &mut Parts<'_, impl HasVia>) {
    joining::join_ends(sim);
    for index in 0..sim.engines.via_mut().ends.len() {
        let id = EndpointId(u32::try_from(index).expect("endpoints have u32 numbers"));
        if sim.engines.via_mut().end(id).is_none() {
            continue;
        }
        let posted = sim.endpoints[id].free.count();
        regions::hold(sim, id, u32::try_from(posted).unwrap_or(u32::MAX));
        regions::register(sim, id);
        let free: &FreeQueue<Growing> = &sim.endpoints[id].free;
        let length = free.buffer_length();
        for number in 0..u32::try_from(free.count()).unwrap_or(u32::MAX) {
            let offset = number * length;
            sim.report
                .emit(sim.now, id, ViaEvent::RxPost { offset, length });
        }
        if connect::is_by_program(sim, id) {
            continue;
        }
        announcing::post_first(sim, id);
        let states = [
            (ViState::Connecting, Reason::Requested),
            (ViState::Connected, Reason::Accepted),
        ];
        for (state, reason) in states {
            sim.report
                .emit(sim.now, id, ViaEvent::ViState { state, reason });
        }
    }
}

/// Numbers a message that has no number yet, and reports its packet, when the first bit of the packet leaves.
#[cold]
pub(super) fn transmit_started(
    sim: &mut Parts<'_, impl HasVia>,
    packet: PacketRef,
    duration: SimDuration,
) {
    let Packet {
        from: (from, _),
        trigger,
        header,
        ..
    } = sim.packets[packet];
    let Header::Via(header) = header else {
        return;
    };
    tell_leaves(sim, packet, shown(header), duration);
    // The copy of a packet has the number of the original, so only an unsent packet gets a number.
    if let ViaHeader::Unsent {
        connection,
        immediate,
    } = header
    {
        let (number, is_awaited) = match sim.engines.via_mut().is_current(from, connection) {
            true => number(sim, from, trigger),
            // The peer ignores a message of an earlier connection, whatever its number.
            false => (0, false),
        };
        let sent = &mut sim.packets[packet];
        sent.header = Header::Via(ViaHeader::Message {
            connection,
            number,
            immediate,
        });
        sent.completes_later = is_awaited;
    }
}

/// Returns how outputs show a packet of a VI with this header.
fn shown(header: ViaHeader) -> Shown {
    match header.control() {
        None => Shown::Message,
        Some(kind) => Shown::Control { kind, length: 0 },
    }
}

/// Returns the number of a message of a VI, and whether its descriptor completes only with the acknowledgement.
fn number(sim: &mut Parts<'_, impl HasVia>, from: EndpointId, trigger: Trigger) -> (u64, bool) {
    let now = sim.now;
    let Some(end) = sim.engines.via_mut().end_mut(from) else {
        return (0, false);
    };
    let number = end.vi.number();
    let post = match (end.vi.reliability(), trigger) {
        (Reliability::Unreliable, _) => return (number, false),
        (Reliability::Reception, Trigger::Post(post)) => Some(post),
        (Reliability::Delivery | Reliability::Reception, _) => None,
    };
    // After the end of a connection the peer acknowledges nothing, so the descriptor does not wait for an
    // acknowledgement.
    if !end.vi.is_connected() {
        return (number, false);
    }
    end.sent.push_back(Sent { at: now, post });
    if !std::mem::replace(&mut end.is_watched, true) {
        watch(sim, from, now + SILENCE);
    }
    (number, post.is_some())
}

/// Completes the descriptor of a packet that has left, unless the descriptor waits for the acknowledgement.
#[cold]
pub(super) fn packet_left(sim: &mut Parts<'_, impl HasVia>, packet: PacketRef) {
    let Packet {
        from: (from, _),
        trigger,
        header,
        completes_later,
        ..
    } = sim.packets[packet];
    let Header::Via(header) = header else {
        return;
    };
    if header.control().is_some() {
        return;
    }
    // The descriptor of an awaited packet is completed by the acknowledgement or by the end of the connection.
    if let Trigger::Post(post) = trigger
        && !completes_later
    {
        let completion = sim.endpoints[from].transmit.packet_left(post);
        sim.complete(from, post, completion);
    }
}

/// Handles a packet that has arrived: accepts a message for the processor, or handles a control packet.
#[cold]
pub(super) fn packet_received(sim: &mut Parts<'_, impl HasVia>, packet: PacketRef) {
    let Packet {
        id,
        to: (to, _),
        header,
        ..
    } = sim.packets[packet];
    let Header::Via(header) = header else {
        return;
    };
    tell_arrives(sim, packet, shown(header));
    if !matches!(header, ViaHeader::Message { .. }) {
        sim.interrupt(sim.endpoints[to].nic);
    }
    match header {
        ViaHeader::Acknowledgement { connection, before } => {
            if sim.engines.via_mut().is_current(to, connection) {
                acknowledged(sim, to, before);
            }
            return sim.end_arrival(packet);
        }
        ViaHeader::Close { connection, reason } => {
            if sim.engines.via_mut().is_current(to, connection) {
                ends(sim, to, reason);
            }
            connect::withdrawn(sim, to, connection);
            return sim.end_arrival(packet);
        }
        ViaHeader::Count { connection, before } => {
            order::counted(sim, to, (connection, before));
            return sim.end_arrival(packet);
        }
        ViaHeader::Connect { connection, tag } => {
            let setup = sim.packets[packet].bytes.clone();
            connect::requested(sim, to, Request { connection, tag }, setup);
            return sim.end_arrival(packet);
        }
        ViaHeader::Accept { connection } => {
            let setup = sim.packets[packet].bytes.clone();
            connect::accepted(sim, to, connection, &setup);
            return sim.end_arrival(packet);
        }
        ViaHeader::Refuse { connection } => {
            connect::refused(sim, to, connection);
            return sim.end_arrival(packet);
        }
        ViaHeader::Unsent { .. } | ViaHeader::Message { .. } => {}
    }
    let ViaHeader::Message {
        connection, number, ..
    } = header
    else {
        return sim.end_arrival(packet);
    };
    let judged = match sim.engines.via_mut().end_mut(to) {
        Some(end) if end.handshake.connection() == connection => end.vi.arrived(number),
        Some(_) | None => Arrival::NotConnected,
    };
    let reason = match judged {
        Arrival::Next => {
            sim.packets[packet].is_accepted = true;
            let nic = sim.endpoints[to].nic;
            sim.nics[nic].arrivals.push_back(packet);
            let on = sim.nics[nic].takes_arrivals;
            sim.wake(on);
            return sim.must_not_wait(nic, Some(on));
        }
        Arrival::Duplicate => DropReason::Duplicate,
        Arrival::Gap => DropReason::Gap,
        Arrival::NotConnected => DropReason::NotConnected,
    };
    sim.interrupt(sim.endpoints[to].nic);
    let kind = NicEvent::Drop {
        packet: Some(id),
        reason,
    };
    sim.report.emit(sim.now, to, kind);
    sim.end_arrival(packet);
    if judged == Arrival::Gap {
        ViaState::breaks(sim, to, Reason::Loss);
    }
}

/// Acknowledges a message that is in the receiver's memory, when the receiving NIC has finished with the packet.
#[cold]
pub(super) fn arrival_over(sim: &mut Parts<'_, impl HasVia>, packet: PacketRef) {
    let Packet {
        id,
        to: (to, _),
        is_accepted: true,
        header: Header::Via(ViaHeader::Message {
            connection, number, ..
        }),
        ..
    } = sim.packets[packet]
    else {
        return;
    };
    immediate::forget_delivered(sim, to);
    let end = sim.engines.via_mut().end(to);
    let is_reliable = end.is_some_and(|end| end.vi.reliability().is_reliable());
    if is_reliable && sim.engines.via_mut().has(to, connection) {
        let header = ViaHeader::Acknowledgement {
            connection,
            before: number + 1,
        };
        send_control(sim, to, header, Trigger::Arrival(id));
    }
}

fn acknowledged(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, before: u64) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let Acknowledged::More(more) = end.vi.acknowledge(before) else {
        return;
    };
    for _ in 0..more {
        let Some(sent) = sim
            .engines
            .via_mut()
            .end_mut(id)
            .and_then(|end| end.sent.pop_front())
        else {
            return;
        };
        complete_sent(sim, id, sent);
    }
}

/// Completes the descriptor of a packet that the peer has acknowledged, or will not acknowledge.
fn complete_sent(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, sent: Sent) {
    if let Some(post) = sent.post {
        let completion = sim.endpoints[id].transmit.packet_left(post);
        sim.complete(id, post, completion);
    }
}

/// Schedules a check for an overdue acknowledgement.
fn watch(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, time: SimTime) {
    schedule(sim, time, Delay::Look(id));
}

/// Returns whether the VI waits for acknowledgements, so that a check for an overdue one has something to do.
pub(super) fn is_silent(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    sim.engines
        .via()
        .end(id)
        .is_some_and(|end| !end.sent.is_empty())
}

/// Breaks the connection if the VI's oldest packet has waited for its acknowledgement for too long. Returns whether it
/// has.
pub(super) fn look_at_silence(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let now = sim.now;
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return false;
    };
    end.is_watched = false;
    let Some(oldest) = end.sent.front() else {
        return false;
    };
    let due: SimTime = oldest.at + SILENCE;
    if due > now {
        end.is_watched = true;
        watch(sim, id, due);
        return false;
    }
    ViaState::breaks(sim, id, Reason::Loss);
    true
}

/// Ends the connection at the request of the user at this end.
pub(super) fn disconnect(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    connect::give_up(sim, id);
    ViaState::breaks(sim, id, Reason::Disconnect);
}

/// Ends the connection at this end. Receive descriptors and packets that wait for an acknowledgement complete as
/// flushed. Posted send descriptors complete later, when the processor fetches them.
fn ends(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, reason: Reason) {
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let Some(state) = end.vi.end(reason) else {
        return;
    };
    // A descriptor whose data DMA still moves completes when DMA is done with its memory.
    let moving = over_memory::moving(end).min(end.sent.len());
    let sent: Vec<Sent> = end.sent.drain(..end.sent.len() - moving).collect();
    end.sent.clear();
    sim.report
        .emit(sim.now, id, ViaEvent::ViState { state, reason });
    let is_over_memory = sim.engines.via_mut().is_over_memory(id);
    for packet in sent {
        match packet.post {
            Some(post) if is_over_memory => over_memory::end(sim, id, post, TxStatus::Failed),
            Some(_) | None => complete_sent(sim, id, packet),
        }
    }
    if is_over_memory {
        over_memory::flush_sends(sim, id);
        joining::forget_data(sim, id);
    }
    flush_receives(sim, id);
    connect::ended(sim, id, reason);
}

/// Completes every posted receive descriptor as flushed, because the VI has no connection. Those whose messages are on
/// their way to memory complete before.
pub(super) fn flush_receives(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let posted = named::receives(sim, id).map_or(0, |own| own.posted.len());
    let posted = u32::try_from(posted).unwrap_or(u32::MAX);
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        end.flush_waits.get_or_insert(posted);
    }
    flush_waiting(sim, id);
}

/// Completes the receive descriptors as flushed that the end of a connection has left, unless messages are still on their
/// way to memory. Returns whether it has.
pub(super) fn flush_waiting(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    if is_filling(sim, id) {
        return false;
    }
    let end = sim.engines.via_mut().end_mut(id);
    let Some(posted) = end.and_then(|end| end.flush_waits.take()) else {
        return false;
    };
    named::flush(sim, id, at(posted));
    flush_buffers(sim, id, Status::Flushed);
    true
}

/// Completes every free buffer that is posted as a receive descriptor with an error status. The user keeps the buffers.
/// The descriptors of programs name memory of their own, which stays registered while they are posted.
pub(super) fn flush_buffers(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, status: Status) {
    let Some(channel) = sim.engines.via_mut().end(id).map(|end| end.connection.id) else {
        return;
    };
    while let Some(offset) = sim.endpoints[id].free.pop() {
        sim.endpoints[id].free.name(offset);
        if let Some(end) = sim.engines.via_mut().end_mut(id)
            && let Some(by_program) = &mut end.by_program
        {
            by_program.flushed.push(offset);
        }
        let kind = ViaEvent::RxDescriptor {
            packet: None::<PacketId>,
            channel,
            length: 0,
            status,
            immediate: None,
            offsets: &[offset],
            share: 0,
            area: &[],
            whole: None,
            post: None,
        };
        sim.report.emit(sim.now, id, kind);
        regions::release(sim, id, 1);
        enter_completion(sim, id, Side::Receive);
        take_completion(sim, id, Side::Receive);
    }
    sim.levels_changed(id);
}

impl ViaState {
    /// Completes every free buffer that is posted as a receive descriptor with an error status.
    pub(super) fn flush_buffers(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, status: Status) {
        flush_buffers(sim, id, status);
    }

    /// Ends the connection at this end, and sends the peer a packet with the reason.
    pub(super) fn breaks(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, reason: Reason) {
        if sim.engines.via_mut().is_broken(id) {
            return;
        }
        let connection = sim.engines.via_mut().current(id);
        let header = ViaHeader::Close { connection, reason };
        send_control(sim, id, header, Trigger::Timer);
        ends(sim, id, reason);
    }
}
