//! What users of VIs do and see: posts, completions, and entries of completion queues.

use nic_core::event::{TxStatus, ViaEvent};
use nic_core::id::{ChannelId, EndpointId, PostId, post_number};
use nic_core::memory::HostSpan;
use nic_core::unet::{self, MessageBody, ReceiveDescriptor, TransmitDescriptor};
use nic_core::via::{Side, Status};

use super::completions::{enter_completion, take_completion};
use super::connection::{flush_buffers, flush_receives, flush_waiting};
use super::immediate;
use super::receive::remark_at;
use super::segments::joined;
use super::state::{HasVia, Remark};
use super::written::receive;
use super::{announcing, named, over_memory, regions};
use crate::sim::Parts;

/// Reports a send descriptor that the user of a VI has posted, and stores the descriptor's immediate data and segments.
pub(super) fn posted(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (channel, space): (ChannelId, HostSpan),
    post: PostId,
) {
    let (offset, length) = (space.offset(), space.length());
    let mut extras = std::mem::take(&mut sim.engines.via_mut().next);
    let Some(end) = sim.engines.via_mut().end_mut(id) else {
        return;
    };
    let immediate = extras.immediate;
    // A program may connect the VI before the descriptor is handled.
    extras.is_void = end.by_program.is_some() && !end.vi.is_connected();
    let is_named = extras.named.is_some();
    let has_extras = immediate.is_some() || !extras.segments.is_empty() || extras.is_void;
    if has_extras || is_named {
        end.extras.insert(post, extras);
    }
    // A descriptor that a program has posted itself holds the memory that it names.
    if !is_named {
        regions::hold(sim, id, 1);
    }
    let area = sim.endpoints[id].area;
    let pieces = sim.engines.via_mut().pieces(id, post, (area, space));
    let payload = joined(&sim.memory, &pieces);
    let (offset, length) = match named::named(sim.engines.via(), id, post) {
        Some(named) => (named.offset(), named.length),
        None => (offset, length),
    };
    // No applet fetches the pieces of a message.
    if let Some(posts) = sim.report.posts_mut().filter(|_| !is_named) {
        posts.posted(id, post, space);
    }
    let kind = ViaEvent::TxPost {
        channel,
        offset,
        length,
        immediate,
        payload: &payload,
        post,
        number: post_number(id, post),
    };
    sim.report.emit(sim.now, id, kind);
}

/// Ends a send descriptor: forgets what is kept for it. Returns the status with which it completes, the status that is
/// shown if it says more, and the offset that is shown if a program has posted the descriptor itself. No descriptor
/// completes with success on a VI without a connection.
#[cold]
pub(super) fn over(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    post: PostId,
    status: TxStatus,
) -> (TxStatus, Option<Status>, Option<u32>) {
    let failed = over_memory::failed_with(sim, id, post);
    let status = match status {
        TxStatus::Ok if sim.engines.via_mut().is_broken(id) => TxStatus::Failed,
        TxStatus::Ok | TxStatus::Trap | TxStatus::Refused | TxStatus::Failed => status,
    };
    let end = sim.engines.via_mut().end_mut(id);
    let extras = end.and_then(|end| end.extras.remove(&post));
    let Some(own) = extras.and_then(|extras| extras.named) else {
        regions::release(sim, id, 1);
        return (status, failed, None);
    };
    named::released(sim, &own);
    let shown = named::sent(sim, id, &own, (status, failed));
    (status, Some(shown), Some(own.offset()))
}

/// Reports that a send descriptor has completed.
pub(super) fn tell_completed(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    (descriptor, status, failed, of_program): (
        TransmitDescriptor,
        TxStatus,
        Option<Status>,
        Option<u32>,
    ),
    post: PostId,
) {
    let status = match status {
        _ if of_program.is_some() => failed.unwrap_or_default(),
        TxStatus::Ok => Status::Ok,
        TxStatus::Trap => Status::Trap,
        TxStatus::Failed => failed.unwrap_or(Status::Flushed),
        TxStatus::Refused => match unet::resolve_packet(&sim.endpoints[id], descriptor).err() {
            Some(unet::Refusal::TooLong) => Status::LengthError,
            Some(unet::Refusal::UnknownChannel | unet::Refusal::OutsideArea) | None => {
                Status::ProtectionError
            }
        },
    };
    let TransmitDescriptor {
        channel,
        offset,
        length,
    } = descriptor;
    let offset = of_program.unwrap_or(offset);
    let kind = ViaEvent::TxDone {
        channel,
        offset,
        length,
        status,
        post,
    };
    sim.report.emit(sim.now, id, kind);
    enter_completion(sim, id, Side::Send);
    // The user sees the completion of the send at once.
    take_completion(sim, id, Side::Send);
}

/// Makes the oldest invisible receive descriptor of a VI visible, and then completes those that the end of the connection
/// has flushed.
#[cold]
pub(super) fn publish(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    match named::posts_own(sim, id) {
        true => named::publish(sim, id),
        false => publish_buffers(sim, id),
    }
    if flush_waiting(sim, id) {
        // The process may wait to connect again.
        sim.begin_next(id);
    }
}

fn publish_buffers(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    if sim.endpoints[id].receive.publish().is_none() {
        return;
    }
    let endpoint = &sim.endpoints[id];
    let Some(descriptor) = endpoint.receive.newest_visible() else {
        return;
    };
    let packet = descriptor.packet;
    let of_packet = packet.and_then(|packet| immediate::arrived(sim, id, packet));
    let position = endpoint.receive.visible().saturating_sub(1);
    let (status, immediate) = match remark_at(sim, id, position) {
        None => (Status::Ok, of_packet),
        Some(Remark::Immediate(immediate)) => (Status::Ok, Some(immediate)),
        Some(Remark::TooLong) => (Status::LengthError, None),
    };
    let (offsets, owed): (&[u32], usize) = match &descriptor.body {
        MessageBody::Inline(_) => (&[], 0),
        MessageBody::Buffers(list) => (list.offsets(), list.owed().count()),
    };
    let kind = ViaEvent::RxDescriptor {
        packet: descriptor.packet,
        channel: descriptor.channel,
        length: descriptor.length,
        status,
        immediate,
        offsets,
        share: endpoint.free.buffer_length(),
        area: sim.memory.region(endpoint.area),
        whole: None,
        post: packet.and_then(|packet| sim.report.post_of(packet)),
    };
    sim.report.emit(sim.now, id, kind);
    regions::release(sim, id, u32::try_from(owed).unwrap_or(u32::MAX));
    if let Some(packet) = packet {
        immediate::forget_before(sim, id, packet);
    }
    enter_completion(sim, id, Side::Receive);
    sim.levels_changed(id);
    sim.message_arrived(id);
}

/// Reports the receive descriptors that the user posts when it returns the buffers of the oldest message.
pub(super) fn message_read(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    let endpoint = &sim.endpoints[id];
    let Some(ReceiveDescriptor { body, .. }) = endpoint.receive.first() else {
        return;
    };
    let owed: Vec<u32> = match body {
        MessageBody::Inline(_) => Vec::new(),
        MessageBody::Buffers(list) => list.owed().collect(),
    };
    let length = endpoint.free.buffer_length();
    for offset in owed {
        regions::hold(sim, id, 1);
        sim.report
            .emit(sim.now, id, ViaEvent::RxPost { offset, length });
        if sim.engines.via_mut().is_over_memory(id) {
            announcing::post_again(sim, id, offset);
        }
    }
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        end.remarks.remove(&end.returned);
        end.returned += 1;
    }
}

/// Removes the completion entry of a message that the user has returned, and flushes posted descriptors if the VI has
/// no connection.
pub(super) fn message_gone(sim: &mut Parts<'_, impl HasVia>, id: EndpointId) {
    take_completion(sim, id, Side::Receive);
    if sim.engines.via_mut().has_ended(id) {
        flush_receives(sim, id);
        return;
    }
    if !regions::is_registered(sim, id) && sim.engines.via_mut().end(id).is_some() {
        flush_buffers(sim, id, Status::ProtectionError);
    }
    if sim.engines.via_mut().is_over_memory(id) {
        receive(sim, id);
    }
}
