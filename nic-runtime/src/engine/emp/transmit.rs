//! Sending: messages are cut into frames, acknowledged, and sent again where frames are lost.

use crate::ids::{ProcessorId, at};
use nic_core::emp::{
    Acknowledged, EmpEvent, Frame, FrameKind, ResendReason, Silence, TransmitRecord, WINDOW,
};
use nic_core::event::{DmaDirection, DropReason, Trigger, TxStatus};
use nic_core::id::{ChannelId, EndpointId, NicId, PacketId};
use nic_core::unet::{Channel, resolve};

use super::jobs::{drop_frame, ready, schedule};
use super::state::{Delay, Subject};
use super::state::{EmpState, HasEmp, Outgoing, OutgoingRef, Source, source_number};
use crate::memory::HostMemory;
use crate::protocol::Header;
use crate::sim::Parts;
use crate::spec::EmpStage;
use crate::spec::InterfaceKind;
use crate::wire::{Packet, PacketRef, PacketStore};

/// Begins the messages of the transmit descriptors that a user has pushed.
pub(super) fn begin_posted(sim: &mut Parts<'_, impl HasEmp>, id: EndpointId) {
    let tag = std::mem::take(&mut sim.engines.emp_mut().tag);
    let nic = sim.endpoints[id].nic;
    while let Some((post, descriptor)) = sim.endpoints[id].transmit.take() {
        let resolved = resolve(&sim.endpoints[id], descriptor);
        let cut = sim.engines.emp_mut().nic_state(nic).cut;
        let frames = cut.frames(descriptor.length);
        let (Ok((channel, host)), Some(frames)) = (resolved, frames) else {
            let queue = &mut sim.endpoints[id].transmit;
            let completion = queue.end(post, TxStatus::Refused);
            sim.complete(id, post, completion);
            continue;
        };
        let trigger = Trigger::Post(post);
        let Packet { id: packet, .. } = sim.new_packet(id, &channel, trigger);
        let source = Source::Host(post, host);
        let message = (packet, trigger, source);
        begin(sim, (id, channel), message, (tag, host.length(), frames));
    }
}

/// Sends a message that an applet has made.
pub(super) fn send_message(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) {
    let Packet {
        id,
        from: (from, channel),
        trigger,
        ref bytes,
        ..
    } = sim.packets[packet];
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let nic = sim.endpoints[from].nic;
    let frames = sim.engines.emp_mut().nic_state(nic).cut.frames(length);
    let channel = sim.endpoints[from].channels.get(channel).copied();
    let (Some(channel), Some(frames)) = (channel, frames) else {
        // Every packet of an applet is short and names a channel of the applet's own endpoint.
        return sim.drop_unsent(packet);
    };
    // A message has no arrival slot: its frames need places only when they arrive.
    sim.packets[packet].has_arrival_slot = false;
    if sim.packets[packet].has_send_slot {
        sim.send_slots_left[from] -= 1;
    }
    let message = (id, trigger, Source::Nic(packet));
    begin(sim, (from, channel), message, (0, length, frames));
}

/// Adds a message to those that an EMP endpoint sends.
fn begin(
    sim: &mut Parts<'_, impl HasEmp>,
    (from, channel): (EndpointId, Channel),
    (packet, trigger, source): (PacketId, Trigger, Source),
    (tag, length, frames): (u16, u32, u16),
) {
    let of = sim.engines.emp_mut().add(Outgoing {
        from,
        channel,
        trigger,
        packet,
        source,
        tag,
        message: 0,
        length,
        record: TransmitRecord::new(frames),
        active: sim.now,
        on_board: 0,
        is_queued: false,
        is_opened: false,
        is_watched: false,
    });
    if let Some(flow) = sim.engines.emp_mut().flow(from, channel.id) {
        flow.waiting.push_back(of);
    }
    send_waiting(sim, from, channel.id);
}

/// Begins to send the oldest waiting messages of a channel, as many as may be outstanding.
fn send_waiting(sim: &mut Parts<'_, impl HasEmp>, from: EndpointId, channel: ChannelId) {
    while let Some(flow) = sim.engines.emp_mut().flow(from, channel) {
        // The receiver's window of message numbers begins at the oldest outstanding message.
        let oldest = flow.outstanding.front().copied();
        let next = flow.next;
        let oldest = oldest.and_then(|of| {
            sim.engines
                .emp_mut()
                .outgoing(of)
                .map(|found| found.message)
        });
        if oldest.is_some_and(|oldest| next.wrapping_sub(oldest) >= WINDOW) {
            return;
        }
        let Some(flow) = sim.engines.emp_mut().flow(from, channel) else {
            return;
        };
        let Some(of) = flow.waiting.pop_front() else {
            return;
        };
        flow.next = next.wrapping_add(1);
        flow.outstanding.push_back(of);
        if let Some(outgoing) = sim.engines.emp_mut().outgoing(of) {
            outgoing.message = next;
        }
        enqueue(sim, of, false);
    }
}

/// Puts a message whose frames are to be sent into its NIC's queue. A message that is sent again precedes the others in
/// the queue.
fn enqueue(sim: &mut Parts<'_, impl HasEmp>, of: OutgoingRef, is_again: bool) {
    let Some(outgoing) = sim.engines.emp_mut().outgoing(of) else {
        return;
    };
    if std::mem::replace(&mut outgoing.is_queued, true) {
        return;
    }
    let nic = sim.endpoints[outgoing.from].nic;
    let queue = &mut sim.engines.emp_mut().nic_state(nic).queue;
    match is_again {
        true => queue.push_front(of),
        false => queue.push_back(of),
    }
    next_message(sim, nic, None);
}

/// Begins to cut the next message of a NIC into frames, unless the NIC is cutting one. The frames of one message leave
/// before the first frame of the next, except while a frame waits for a send slot.
fn next_message(sim: &mut Parts<'_, impl HasEmp>, nic: NicId, from: Option<ProcessorId>) {
    let emp_nic = sim.engines.emp_mut().nic_state(nic);
    if emp_nic.cutting.is_some() {
        return;
    }
    while let Some(of) = sim.engines.emp_mut().take_queued(nic) {
        let Some(endpoint) = sim
            .engines
            .emp_mut()
            .outgoing(of)
            .map(|outgoing| outgoing.from)
        else {
            continue;
        };
        sim.engines.emp_mut().nic_state(nic).cutting = Some(of);
        let job = (EmpStage::SendBookkeeping, Subject::Message(of));
        return ready(sim, endpoint, job, from);
    }
}

/// Cuts the next frame of a message, at the end of the send bookkeeping.
pub(super) fn cut_next(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    endpoint: EndpointId,
    of: OutgoingRef,
) {
    let nic = sim.endpoints[endpoint].nic;
    let Some(packet) = cut(sim, nic, of) else {
        if let Some(outgoing) = sim.engines.emp_mut().outgoing(of) {
            outgoing.is_queued = false;
            watch(sim, of);
        }
        sim.engines.emp_mut().nic_state(nic).cutting = None;
        return next_message(sim, nic, Some(on));
    };
    let (to, _) = sim.packets[packet].to;
    let needs_slot = sim
        .engines
        .emp_mut()
        .outgoing(of)
        .is_some_and(|outgoing| outgoing.needs_slots());
    if needs_slot && !sim.claim_for_frame(endpoint, to) {
        let emp_nic = sim.engines.emp_mut().nic_state(nic);
        emp_nic.parked = Some((of, packet));
        emp_nic.cutting = None;
        return next_message(sim, nic, Some(on));
    }
    sim.packets[packet].has_send_slot = needs_slot;
    frame_ready(sim, endpoint, (of, packet), Some(on));
}

/// Makes a frame of a message, still without the message's bytes.
fn cut(sim: &mut Parts<'_, impl HasEmp>, nic: NicId, of: OutgoingRef) -> Option<PacketRef> {
    let rule = sim.engines.emp_mut().nic_state(nic).cut;
    let outgoing = sim.engines.emp_mut().outgoing(of)?;
    let (number, _) = outgoing.record.take_next()?;
    outgoing.on_board += 1;
    let (from, channel) = (outgoing.from, outgoing.channel);
    let frame = Frame {
        kind: if number == 0 {
            FrameKind::Header
        } else {
            FrameKind::Data
        },
        pending: 0,
        source: source_number(from),
        tag: outgoing.tag,
        message: outgoing.message,
        frame: number,
        length: outgoing.length,
    };
    debug_assert!(rule.bytes(number, frame.length).is_some());
    let (id, trigger) = (outgoing.packet, outgoing.trigger);
    let oldest = sim
        .engines
        .emp_mut()
        .flow(from, channel.id)?
        .outstanding
        .front()
        .copied();
    let oldest = sim.engines.emp_mut().outgoing(oldest?)?.message;
    let pending = frame.message.wrapping_sub(oldest);
    let packet = Packet {
        id,
        from: (from, channel.id),
        to: (channel.peer, channel.peer_id),
        route: channel.route,
        trigger,
        fate: None,
        has_arrival_slot: false,
        has_send_slot: false,
        completes_later: false,
        is_accepted: false,
        header: Header::Emp(Frame {
            // Each outstanding message has its place in the window, whose length fits in a byte.
            pending: u8::try_from(pending).unwrap_or(0),
            ..frame
        }),
        bytes: Vec::new(),
    };
    Some(sim.packets.add(packet, &[]))
}

/// Passes a frame that has its send slot to the transmission stage, and begins with the message's next frame.
fn frame_ready(
    sim: &mut Parts<'_, impl HasEmp>,
    endpoint: EndpointId,
    (of, packet): (OutgoingRef, PacketRef),
    from: Option<ProcessorId>,
) {
    let job = (EmpStage::Transmission, Subject::Outgoing(of, packet));
    ready(sim, endpoint, job, from);
    let job = (EmpStage::SendBookkeeping, Subject::Message(of));
    ready(sim, endpoint, job, from);
}

/// Continues with the frame that has waited for a send slot. If the NIC is cutting another message by now, the rest of
/// the frame's message is the next to be cut.
pub(super) fn slot_found(sim: &mut Parts<'_, impl HasEmp>, endpoint: EndpointId) {
    sim.use_post(endpoint);
    let nic = sim.endpoints[endpoint].nic;
    let Some((of, packet)) = sim.engines.emp_mut().nic_state(nic).parked.take() else {
        return sim.release_send_slot(nic);
    };
    sim.packets[packet].has_send_slot = true;
    let emp_nic = sim.engines.emp_mut().nic_state(nic);
    if emp_nic.cutting.is_none() {
        emp_nic.cutting = Some(of);
        return frame_ready(sim, endpoint, (of, packet), None);
    }
    emp_nic.queue.push_front(of);
    let job = (EmpStage::Transmission, Subject::Outgoing(of, packet));
    ready(sim, endpoint, job, None);
}

/// Reports the DMA transfer that moves a frame from the host.
pub(super) fn tell_transfer(
    sim: &mut Parts<'_, impl HasEmp>,
    endpoint: EndpointId,
    of: OutgoingRef,
    packet: PacketRef,
) {
    let Some(&mut Outgoing {
        source: Source::Host(_, host),
        trigger,
        ..
    }) = sim.engines.emp_mut().outgoing(of)
    else {
        return;
    };
    if let Some(range) = bytes_of(sim, packet)
        && let Ok(host) = sim.endpoints[endpoint].area.span(
            i64::from(host.offset() + range.start),
            i64::from(range.end - range.start),
        )
    {
        sim.emit_dma(endpoint, (DmaDirection::HostToNic, host), trigger, None);
    }
}

/// Returns the range of a message's bytes that one of its frames carries.
fn bytes_of(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) -> Option<std::ops::Range<u32>> {
    let Header::Emp(frame) = sim.packets[packet].header else {
        return None;
    };
    let (from, _) = sim.packets[packet].from;
    let nic = sim.endpoints[from].nic;
    sim.engines
        .emp_mut()
        .nic_state(nic)
        .cut
        .bytes(frame.frame, frame.length)
}

/// Moves a frame's bytes into NIC memory and queues the frame for the wire.
pub(super) fn transmit(sim: &mut Parts<'_, impl HasEmp>, of: OutgoingRef, packet: PacketRef) {
    let range = bytes_of(sim, packet);
    let (Some(outgoing), Some(range)) = (sim.engines.emp_mut().outgoing(of), range) else {
        // The message was acknowledged or has failed since the frame was cut.
        return discard(sim, packet);
    };
    let range = at(range.start)..at(range.end);
    let mut bytes = std::mem::take(&mut sim.packets[packet].bytes);
    bytes.clear();
    bytes.extend_from_slice(match outgoing.source {
        Source::Host(_, host) => &sim.memory.bytes(host)[range],
        Source::Nic(message) => &sim.packets[message].bytes[range],
    });
    sim.packets[packet].bytes = bytes;
    sim.enqueue(packet);
}

/// Releases a frame that will not be sent, and its send slot.
fn discard(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) {
    let Packet {
        from: (from, _),
        has_send_slot,
        ..
    } = sim.packets[packet];
    sim.packets.release(packet);
    if has_send_slot {
        let nic = sim.endpoints[from].nic;
        sim.release_send_slot(nic);
    }
}

/// Returns the whole message if the given frame is the first of the message to leave.
pub(super) fn opens<'s>(
    (state, memory, packets): (&'s EmpState, &'s HostMemory, &'s PacketStore),
    packet: PacketRef,
    frame: Frame,
) -> Option<&'s [u8]> {
    if frame.kind != FrameKind::Header {
        return None;
    }
    let (from, channel) = packets[packet].from;
    let flow = state.flow_of(from, channel)?;
    let mut outstanding = flow.outstanding.iter().filter_map(|of| {
        let entry = state.outgoing.get(at(of.entry))?;
        entry.outgoing.as_ref()
    });
    // A frame that a process forges may name the message, but has a packet number of its own.
    let id = packets[packet].id;
    let outgoing = outstanding
        .find(|outgoing| outgoing.message == frame.message)
        .filter(|outgoing| outgoing.packet == id)?;
    (!outgoing.is_opened).then(|| match outgoing.source {
        Source::Host(_, host) => memory.bytes(host),
        Source::Nic(message) => &packets[message].bytes,
    })
}

/// Updates a message's record when the first bit of one of its frames leaves.
pub(super) fn frame_started(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef, frame: Frame) {
    let Packet { id, from, fate, .. } = sim.packets[packet];
    let now = sim.now;
    let Some(of) = sim.engines.emp_mut().outgoing_numbered(from, frame.message) else {
        return;
    };
    let is_copy = fate.is_some_and(|fate| fate.is_copy);
    // A frame that a process forges names any message, but has a packet number of its own.
    let outgoing = sim.engines.emp_mut().outgoing(of);
    if let Some(outgoing) = outgoing.filter(|outgoing| outgoing.packet == id) {
        outgoing.is_opened |= frame.frame == 0;
        outgoing.on_board = outgoing.on_board.saturating_sub(u32::from(!is_copy));
        outgoing.active = now;
        watch(sim, of);
    }
}

/// Schedules a check for an overdue acknowledgement of a message. Does nothing if a check is scheduled already, or if the
/// NIC still has frames of the message to send. Whatever ends the sending calls this function, so a message that waits
/// for an acknowledgement always has its check.
fn watch(sim: &mut Parts<'_, impl HasEmp>, of: OutgoingRef) {
    let Some(outgoing) = sim.engines.emp_mut().outgoing(of) else {
        return;
    };
    if outgoing.is_busy() || std::mem::replace(&mut outgoing.is_watched, true) {
        return;
    }
    let (from, silent_since) = (outgoing.from, outgoing.active);
    let nic = sim.endpoints[from].nic;
    let timeout = sim.engines.emp_mut().nic_state(nic).costs.timeout;
    let time = (silent_since + timeout).max(sim.now);
    schedule(sim, time, Delay::LookSilence(of));
}

/// Takes an acknowledgement.
pub(super) fn acknowledged(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) {
    let Packet {
        to, from, header, ..
    } = sim.packets[packet];
    let Header::Emp(frame) = header else {
        return sim.end_arrival(packet);
    };
    if frame.source != source_number(from.0) {
        return drop_frame(sim, packet, DropReason::BadFrame);
    }
    // A message without a record has ended, so this acknowledgement was sent again or came too late.
    let Some(of) = sim.engines.emp_mut().outgoing_numbered(to, frame.message) else {
        return sim.end_arrival(packet);
    };
    let now = sim.now;
    let Some(outgoing) = sim.engines.emp_mut().outgoing(of) else {
        return sim.end_arrival(packet);
    };
    let is_of_message = (outgoing.tag, outgoing.length) == (frame.tag, frame.length);
    let taken = match frame.kind {
        FrameKind::Nack if is_of_message => outgoing.record.go_back(frame.frame).ok(),
        FrameKind::Ack if is_of_message => outgoing.record.acknowledge(frame.frame).ok(),
        FrameKind::Ack | FrameKind::Nack | FrameKind::Header | FrameKind::Data => None,
    };
    let Some(taken) = taken else {
        return drop_frame(sim, packet, DropReason::BadFrame);
    };
    let (id, has_next) = (outgoing.packet, outgoing.record.has_next());
    match taken {
        Acknowledged::Nothing => {}
        Acknowledged::More | Acknowledged::All => outgoing.active = now,
    }
    let message = frame.message;
    let kind = match frame.kind {
        FrameKind::Nack => EmpEvent::Resend {
            packet: id,
            message,
            frame: frame.frame,
            reason: ResendReason::Gap,
        },
        FrameKind::Ack | FrameKind::Header | FrameKind::Data => EmpEvent::Ack {
            packet: id,
            message,
            frames: frame.frame,
        },
    };
    sim.report.emit(now, to.0, kind);
    sim.end_arrival(packet);
    match taken {
        Acknowledged::All => finish(sim, of, TxStatus::Ok),
        Acknowledged::More | Acknowledged::Nothing if has_next => enqueue(sim, of, true),
        Acknowledged::More | Acknowledged::Nothing => {}
    }
}

/// Checks whether a message has waited for an acknowledgement for too long. Returns false if the check changed nothing.
pub(super) fn look_at_silence(sim: &mut Parts<'_, impl HasEmp>, of: OutgoingRef) -> bool {
    let Some(outgoing) = sim.engines.emp_mut().outgoing(of) else {
        return false;
    };
    outgoing.is_watched = false;
    let (from, silent_since, is_busy) = (outgoing.from, outgoing.active, outgoing.is_busy());
    let nic = sim.endpoints[from].nic;
    let costs = sim.engines.emp_mut().nic_state(nic).costs;
    let now = sim.now;
    if is_busy || silent_since + costs.timeout > now {
        watch(sim, of);
        return false;
    }
    let Some(outgoing) = sim.engines.emp_mut().outgoing(of) else {
        return false;
    };
    let group = u16::try_from(costs.ack_every.get()).unwrap_or(u16::MAX);
    match outgoing.record.silence(group, costs.retries) {
        Silence::Failed => finish(sim, of, TxStatus::Failed),
        Silence::SendAgain { from: frame } => {
            outgoing.active = now;
            let kind = EmpEvent::Resend {
                packet: outgoing.packet,
                message: outgoing.message,
                frame,
                reason: ResendReason::Silence,
            };
            sim.report.emit(now, from, kind);
            enqueue(sim, of, true);
        }
    }
    true
}

/// Ends a message that was sent, and completes its transmit descriptor with the status.
fn finish(sim: &mut Parts<'_, impl HasEmp>, of: OutgoingRef, status: TxStatus) {
    let Some(outgoing) = sim.engines.emp_mut().remove(of) else {
        return;
    };
    let Outgoing {
        from,
        channel,
        source,
        trigger,
        packet,
        message,
        ..
    } = outgoing;
    if status == TxStatus::Failed {
        let kind = EmpEvent::GiveUp {
            packet,
            peer: channel.peer,
            message,
        };
        sim.report.emit(sim.now, from, kind);
    }
    if let Some(flow) = sim.engines.emp_mut().flow(from, channel.id) {
        flow.outstanding.retain(|&other| other != of);
    }
    let queue = &mut sim.endpoints[from].transmit;
    match source {
        Source::Host(post, _) => {
            let open = queue.end(post, status);
            debug_assert_eq!(open, None, "its packet has not left");
        }
        Source::Nic(packet) => {
            if let (TxStatus::Failed, Trigger::Post(post)) = (status, trigger) {
                queue.packet_failed(post);
            }
            let has_send_slot = sim.packets[packet].has_send_slot;
            sim.packets.release(packet);
            if has_send_slot {
                sim.send_slots_left[from] += 1;
                let nic = sim.endpoints[from].nic;
                sim.release_send_slot(nic);
            }
        }
    }
    if let Trigger::Post(post) = trigger {
        let completion = sim.endpoints[from].transmit.packet_left(post);
        sim.complete(from, post, completion);
    }
    send_waiting(sim, from, channel.id);
}

/// Puts a frame of EMP on the wire for a process, without any record of a message.
pub(super) fn send_raw(
    sim: &mut Parts<'_, impl HasEmp>,
    (from, channel): (EndpointId, ChannelId),
    bytes: &[u8],
) {
    let is_emp = sim.infos[from].interface == InterfaceKind::Emp;
    let channel = sim.endpoints[from].channels.get(channel).copied();
    let (true, Some(channel), Ok((frame, payload))) = (is_emp, channel, Frame::decode(bytes))
    else {
        return;
    };
    if payload.len() > at(sim.endpoints[from].max_packet) {
        return;
    }
    let packet = Packet {
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Emp(frame),
        ..sim.new_packet(from, &channel, Trigger::Timer)
    };
    let packet = sim.packets.add(packet, payload);
    sim.enqueue(packet);
}
