//! Receiving: frames are matched, placed and acknowledged, and messages delivered in order.

use crate::ids::{ProcessorId, at};
use nic_core::emp::{EmpEvent, Frame, FrameKind, Place, Verdict};
use nic_core::event::{DmaDirection, DropReason, Trigger};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;

use super::jobs::{drop_frame, ready, schedule};
use super::state::{Delay, Subject};
use super::state::{HasEmp, Matched, Room, source_number};
use crate::protocol::Header;
use crate::sim::Parts;
use crate::spec::EmpStage;
use crate::wire::{Packet, PacketRef};

/// Classifies a frame at the end of the receive bookkeeping. Returns whether the frame is to be placed; otherwise the
/// frame is dropped.
pub(super) fn classify(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    packet: PacketRef,
) -> bool {
    let Some((frame, place)) = placed(sim, packet) else {
        drop_frame(sim, packet, DropReason::BadFrame);
        return false;
    };
    let (to, from) = (sim.packets[packet].to, sim.packets[packet].from);
    if frame.source != source_number(from.0) || u16::from(frame.pending) >= nic_core::emp::WINDOW {
        drop_frame(sim, packet, DropReason::BadFrame);
        return false;
    }
    give_up(sim, to, frame.message.wrapping_sub(frame.pending.into()));
    let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) else {
        drop_frame(sim, packet, DropReason::BadFrame);
        return false;
    };
    let verdict = flow
        .inbound
        .verdict(frame.message, frame.tag, frame.length, frame.frame);
    hear(sim, packet, frame);
    let reason = match verdict {
        Verdict::Fresh => return true,
        Verdict::NeedsMatch => match find_room(sim, packet, frame, place.frames) {
            true => return true,
            false => DropReason::NoDescriptor,
        },
        Verdict::Duplicate | Verdict::Finished => {
            // Acknowledge the repeated frame, because the earlier acknowledgement may be lost.
            if ends_group(sim, to.0, frame.frame, place.frames) {
                let count = sim.engines.emp_mut().flow(to.0, to.1);
                let count = count.and_then(|flow| flow.inbound.count(frame.message));
                let count = count.unwrap_or(place.frames);
                acknowledge(sim, on, packet, (FrameKind::Ack, count));
            }
            DropReason::DuplicateFrame
        }
        Verdict::Blocked | Verdict::TooEarly => DropReason::EarlyFrame,
        // A message that is given up is not delivered, so it is not acknowledged either.
        Verdict::GivenUp | Verdict::Contradicts => DropReason::BadFrame,
    };
    drop_frame(sim, packet, reason);
    false
}

/// Returns a frame's header and its place in the message, if header and place agree with the frame's length.
fn placed(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) -> Option<(Frame, Place)> {
    let Packet {
        header,
        ref bytes,
        to: (to, _),
        ..
    } = sim.packets[packet];
    let Header::Emp(frame) = header else {
        return None;
    };
    let length = u32::try_from(bytes.len()).ok()?;
    let nic = sim.endpoints[to].nic;
    let place = sim
        .engines
        .emp_mut()
        .nic_state(nic)
        .cut
        .place(&frame, length)
        .ok()?;
    Some((frame, place))
}

/// Discards the arriving messages that their sender has given up.
fn give_up(sim: &mut Parts<'_, impl HasEmp>, to: (EndpointId, ChannelId), oldest: u16) {
    while let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) {
        let Some(given_up) = flow.inbound.give_up_before(oldest) else {
            break;
        };
        if let Some(matched) = given_up {
            release(sim, to, matched);
        }
        deliver(sim, to);
    }
}

/// Returns the place of a message that is given up.
fn release(sim: &mut Parts<'_, impl HasEmp>, to: (EndpointId, ChannelId), matched: Matched) {
    match matched.room {
        Room::Host(receive) => {
            if let Some(end) = sim.engines.emp_mut().end(to.0) {
                end.waiting.put_back(receive);
            }
        }
        Room::Nic(packet) => sim.end_arrival(packet),
    }
}

/// Records that a frame of an arriving message has come to the NIC.
pub(super) fn hear(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef, frame: Frame) {
    let (to, channel) = sim.packets[packet].to;
    let now = sim.now;
    let flow = sim.engines.emp_mut().flow(to, channel);
    if let Some(matched) = flow.and_then(|flow| flow.inbound.matched_mut(frame.message)) {
        matched.heard = now;
    }
}

/// Returns how long a NIC waits for the frames of an arriving message: as long as a sender without acknowledgements
/// waits before its message fails.
fn patience(sim: &mut Parts<'_, impl HasEmp>, to: EndpointId) -> SimDuration {
    let nic = sim.endpoints[to].nic;
    let costs = sim.engines.emp_mut().nic_state(nic).costs;
    costs.timeout.times(u64::from(costs.retries) + 1)
}

/// Schedules a check for arriving messages whose frames have ceased to come, unless the channel has one or no message is
/// unfinished.
fn watch_unfinished(sim: &mut Parts<'_, impl HasEmp>, to: (EndpointId, ChannelId)) {
    let patience = patience(sim, to.0);
    let now = sim.now;
    let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) else {
        return;
    };
    let heard = flow.inbound.unfinished().map(|matched| matched.heard).min();
    if let Some(heard) = heard.filter(|_| !flow.is_watched) {
        flow.is_watched = true;
        let time = (heard + patience).max(now);
        schedule(sim, time, Delay::LookUnfinished(to.0, to.1));
    }
}

/// Gives up the arriving messages of a channel of which nothing has been heard for too long, so that their places serve
/// others. Returns false if there are none.
///
/// The sender may have given up the message, and may never send another that would tell the receiver.
pub(super) fn look_at_unfinished(
    sim: &mut Parts<'_, impl HasEmp>,
    to: (EndpointId, ChannelId),
) -> bool {
    let patience = patience(sim, to.0);
    let now = sim.now;
    let mut is_event = false;
    while let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) {
        flow.is_watched = false;
        let is_over = |matched: &Matched| matched.heard + patience <= now;
        let Some(matched) = flow.inbound.give_up_if(is_over) else {
            break;
        };
        is_event = true;
        release(sim, to, matched);
        deliver(sim, to);
    }
    watch_unfinished(sim, to);
    is_event
}

/// Finds a place for the frames of an arriving message. Returns false if no place is free for the message.
fn find_room(
    sim: &mut Parts<'_, impl HasEmp>,
    packet: PacketRef,
    frame: Frame,
    frames: u16,
) -> bool {
    let Packet { id, to, .. } = sim.packets[packet];
    let room = match sim.infos[to.0].applet {
        Some(_) => room_on_nic(sim, packet, frame.length).map(Room::Nic),
        None => {
            let end = sim.engines.emp_mut().end(to.0);
            let receive = end.and_then(|end| end.waiting.take(frame.source, frame.tag));
            receive.map(Room::Host)
        }
    };
    let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) else {
        return false;
    };
    let Some(room) = room else {
        flow.inbound.refuse(frame.message, frame.tag);
        return false;
    };
    let matched = Matched {
        packet: id,
        frames,
        room,
        heard: sim.now,
    };
    let shape = (frame.tag, frame.length, frames);
    flow.inbound.begin(frame.message, shape, matched);
    if frames > 1 {
        watch_unfinished(sim, to);
    }
    if let Room::Host(receive) = room {
        let kind = EmpEvent::Match {
            packet: id,
            tag: frame.tag,
            receive: receive.number,
        };
        sim.report.emit(sim.now, to.0, kind);
        if frame.length > receive.room.length() {
            let kind = EmpEvent::Truncated {
                packet: id,
                length: frame.length,
                room: receive.room.length(),
            };
            sim.report.emit(sim.now, to.0, kind);
        }
    }
    true
}

/// Returns whether an arriving frame belongs to a message that the NIC puts together in its own memory, where the frame
/// has its place. An applet with a single arrival slot can therefore receive messages of many frames.
pub(super) fn has_place(sim: &Parts<'_, impl HasEmp>, packet: PacketRef) -> bool {
    let Packet { header, to, .. } = sim.packets[packet];
    let Header::Emp(frame) = header else {
        return false;
    };
    let Some(flow) = sim.engines.emp().flow_of(to.0, to.1) else {
        return false;
    };
    let verdict = flow
        .inbound
        .verdict(frame.message, frame.tag, frame.length, frame.frame);
    let matched = flow.inbound.matched(frame.message);
    verdict == Verdict::Fresh && matched.is_some_and(|matched| matches!(matched.room, Room::Nic(_)))
}

/// Makes the arrival slot of a message's first frame the place in which the NIC puts the message together for an
/// applet. The frame itself needs no slot any more.
fn room_on_nic(
    sim: &mut Parts<'_, impl HasEmp>,
    frame: PacketRef,
    length: u32,
) -> Option<PacketRef> {
    let (to, _) = sim.packets[frame].to;
    let nic = sim.endpoints[to].nic;
    let longest = sim.endpoints[to].max_packet;
    if length > longest {
        return None;
    }
    // A frame has no slot if it came for a message that was given up before the frame was classified.
    let has_slot = std::mem::take(&mut sim.packets[frame].has_arrival_slot);
    let tenancy = sim.infos[to].tenancy;
    if !has_slot && !sim.nics[nic].arrival_slots.take(tenancy) {
        return None;
    }
    let Packet {
        id,
        from,
        to,
        route,
        trigger,
        ..
    } = sim.packets[frame];
    let message = Packet {
        id,
        from,
        to,
        route,
        trigger,
        fate: None,
        has_arrival_slot: true,
        has_send_slot: false,
        completes_later: false,
        is_accepted: false,
        header: Header::None,
        bytes: Vec::new(),
    };
    let message = sim.packets.add(message, &[]);
    sim.packets[message].bytes.resize(at(length), 0);
    Some(message)
}

/// Returns whether a frame is the last of its group or message, for which the NIC sends an acknowledgement.
fn ends_group(sim: &mut Parts<'_, impl HasEmp>, to: EndpointId, frame: u16, frames: u16) -> bool {
    let nic = sim.endpoints[to].nic;
    let every = sim.engines.emp_mut().nic_state(nic).costs.ack_every.get();
    let count = u32::from(frame) + 1;
    count.is_multiple_of(every) || count == u32::from(frames)
}

/// Records a frame that has arrived. Acknowledges the frame's group before the frame's bytes are moved to the host.
pub(super) fn process(sim: &mut Parts<'_, impl HasEmp>, on: ProcessorId, packet: PacketRef) {
    let Some((frame, place)) = placed(sim, packet) else {
        return drop_frame(sim, packet, DropReason::BadFrame);
    };
    let (to, channel) = sim.packets[packet].to;
    let flow = sim.engines.emp_mut().flow(to, channel);
    let recorded = flow.and_then(|flow| flow.inbound.record(frame.message, frame.frame));
    // A copy of the frame may have been recorded since this frame was classified.
    let Some(recorded) = recorded else {
        return drop_frame(sim, packet, DropReason::DuplicateFrame);
    };
    if let Some(missing) = recorded.gap {
        acknowledge(sim, on, packet, (FrameKind::Nack, missing));
    } else if recorded.is_complete || ends_group(sim, to, frame.frame, place.frames) {
        acknowledge(sim, on, packet, (FrameKind::Ack, recorded.count));
    }
    let job = (EmpStage::ReceiveDma, Subject::Frame(packet));
    ready(sim, to, job, Some(on));
}

/// Sends an acknowledgement of the message that a frame belongs to.
fn acknowledge(
    sim: &mut Parts<'_, impl HasEmp>,
    on: ProcessorId,
    packet: PacketRef,
    (kind, count): (FrameKind, u16),
) {
    let Packet {
        id,
        from,
        to,
        header,
        ..
    } = sim.packets[packet];
    let channel = sim.endpoints[to.0].channels.get(to.1).copied();
    let (Some(channel), Header::Emp(frame)) = (channel, header) else {
        return;
    };
    let answer = Packet {
        id,
        from: to,
        to: from,
        route: channel.route,
        trigger: Trigger::Arrival(id),
        fate: None,
        has_arrival_slot: false,
        has_send_slot: false,
        completes_later: false,
        is_accepted: false,
        header: Header::Emp(Frame {
            kind,
            pending: 0,
            source: source_number(to.0),
            frame: count,
            ..frame
        }),
        bytes: Vec::new(),
    };
    let answer = sim.packets.add(answer, &[]);
    let job = (EmpStage::SendAck, Subject::Frame(answer));
    ready(sim, to.0, job, Some(on));
}

/// Returns where in a receive a frame's bytes begin, and how many of these bytes fit there.
fn share(room: HostSpan, place: &Place) -> (i64, u32) {
    let end = place.bytes.end.min(room.length());
    let fits = end.saturating_sub(place.bytes.start);
    let start = place.bytes.start.min(room.length());
    (i64::from(room.offset()) + i64::from(start), fits)
}

/// Returns the bytes of host memory that a frame fills.
fn target(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) -> Option<HostSpan> {
    let (frame, place) = placed(sim, packet)?;
    let (to, channel) = sim.packets[packet].to;
    let matched = sim
        .engines
        .emp_mut()
        .flow(to, channel)?
        .inbound
        .matched(frame.message)?;
    let Room::Host(receive) = matched.room else {
        return None;
    };
    let (offset, length) = share(receive.room, &place);
    let area = sim.endpoints[to].area;
    area.span(offset, length.into()).ok()
}

/// Reports the DMA transfer that moves a frame to the host.
pub(super) fn tell_transfer(
    sim: &mut Parts<'_, impl HasEmp>,
    endpoint: EndpointId,
    packet: PacketRef,
) {
    let trigger = Trigger::Arrival(sim.packets[packet].id);
    if let Some(host) = target(sim, packet) {
        sim.emit_dma(endpoint, (DmaDirection::NicToHost, host), trigger, None);
    }
}

/// Moves an arrived frame's bytes to their place in host or NIC memory. Delivers the message if the frame was the
/// message's last.
pub(super) fn land(sim: &mut Parts<'_, impl HasEmp>, packet: PacketRef) {
    let (to, channel) = sim.packets[packet].to;
    let Some((frame, place)) = placed(sim, packet) else {
        return drop_frame(sim, packet, DropReason::BadFrame);
    };
    let flow = sim.engines.emp_mut().flow(to, channel);
    let matched = flow.and_then(|flow| flow.inbound.matched(frame.message));
    match matched.map(|matched| matched.room) {
        // The message was given up after this frame was classified, so the frame has no place.
        None => {}
        Some(Room::Host(_)) => {
            if let Some(host) = target(sim, packet) {
                let bytes = &sim.packets[packet].bytes[..at(host.length())];
                sim.memory.bytes_mut(host).copy_from_slice(bytes);
            }
        }
        Some(Room::Nic(message)) => {
            let bytes = std::mem::take(&mut sim.packets[packet].bytes);
            let range = at(place.bytes.start)..at(place.bytes.end);
            sim.packets[message].bytes[range].copy_from_slice(&bytes);
            sim.packets[packet].bytes = bytes;
        }
    }
    if let Some(flow) = sim.engines.emp_mut().flow(to, channel) {
        flow.inbound.land(frame.message);
    }
    sim.end_arrival(packet);
    deliver(sim, (to, channel));
}

/// Delivers the complete messages of a channel in order, as many as the receive queue has room for.
pub(super) fn deliver(sim: &mut Parts<'_, impl HasEmp>, to: (EndpointId, ChannelId)) {
    let has_applet = sim.infos[to.0].applet.is_some();
    while has_applet || sim.endpoints[to.0].receive.has_room() {
        let Some(flow) = sim.engines.emp_mut().flow(to.0, to.1) else {
            return;
        };
        let peer = flow.channel.peer;
        let Some(finish) = flow.inbound.take_finished() else {
            return;
        };
        let Matched {
            packet,
            frames,
            room,
            heard: _,
        } = finish.matched;
        let complete = |payload| EmpEvent::Complete {
            packet,
            peer,
            frames,
            payload,
        };
        match room {
            Room::Nic(message) => {
                let kind = complete(&sim.packets[message].bytes);
                sim.report.emit(sim.now, to.0, kind);
                let nic = sim.endpoints[to.0].nic;
                sim.nics[nic].arrivals.push_back(message);
                sim.wake(sim.nics[nic].takes_arrivals);
            }
            Room::Host(receive) => {
                let length = finish.length.min(receive.room.length());
                let area = sim.endpoints[to.0].area;
                let host = area.span(receive.room.offset().into(), length.into());
                let host = host.expect("the start of a receive lies in its area");
                let kind = complete(sim.memory.bytes(host));
                sim.report.emit(sim.now, to.0, kind);
                let message = (Some(packet), to.1, length);
                let offsets = std::iter::once(host.offset());
                let pushed = sim.endpoints[to.0].push_buffers(message, offsets);
                debug_assert!(pushed.is_ok(), "the queue has room");
                sim.publish(to.0);
            }
        }
    }
    if let Some(end) = sim.engines.emp_mut().end(to.0) {
        end.awaits_room = true;
    }
}
