//! Receive descriptors of a VI: messages use them up, and lost messages break the connection.

use nic_core::event::{Made, NicEvent};
use nic_core::id::{ChannelId, EndpointId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::unet::BufferList;
use nic_core::via::{self, Placement};

use super::state::{HasVia, Remark, ViaState};
use crate::sim::Parts;
use crate::storage::Endpoint;

/// A message for a VI's user.
#[derive(Copy, Clone, Debug)]
pub(super) struct Message {
    /// The packet that carries the message, if a packet does.
    pub(crate) packet: Option<PacketId>,
    /// The channel number that the receive descriptor names.
    pub(crate) channel: ChannelId,
    pub(crate) length: u32,
    pub(crate) immediate: Option<u32>,
}

/// Uses up receive descriptors for a message; their completion becomes visible when the caller publishes it. Returns
/// `None` if the message is lost, after reporting the loss and, if the level demands it, ending the connection.
pub(super) fn take_descriptors(
    sim: &mut Parts<'_, impl HasVia>,
    to: EndpointId,
    message: Message,
) -> Option<BufferList> {
    let vi = sim.engines.via_mut().end(to)?.vi;
    let Message {
        packet,
        channel,
        length,
        immediate,
    } = message;
    let placement = via::place(&mut sim.endpoints[to], &vi, (packet, channel, length));
    let breaks = placement.breaks(&vi);
    let taken = match placement {
        Placement::Into(buffers) => {
            if let Some(immediate) = immediate {
                remark(sim, to, Remark::Immediate(immediate));
            }
            Some(buffers)
        }
        Placement::Short => {
            remark(sim, to, Remark::TooLong);
            sim.publish_in_turn(to);
            None
        }
        Placement::Dropped(reason) => {
            sim.report
                .emit(sim.now, to, NicEvent::Drop { packet, reason });
            None
        }
    };
    if let Some(reason) = breaks {
        ViaState::breaks(sim, to, reason);
    }
    taken
}

/// Returns whether receive descriptors of a VI have completed and are not visible yet, because their messages are on their
/// way to memory.
pub(super) fn is_filling(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    let receive = &sim.endpoints[id].receive;
    let end = sim.engines.via().end(id);
    let own = end.and_then(|end| end.by_program.as_deref()?.receives.as_ref());
    receive.len() > receive.visible() || own.is_some_and(|own| !own.filling.is_empty())
}

/// Attaches a remark, such as immediate data, to the receive descriptor that was completed last.
pub(super) fn remark(sim: &mut Parts<'_, impl HasVia>, id: EndpointId, remark: Remark) {
    let completed = sim.endpoints[id].receive.len();
    if let Some(end) = sim.engines.via_mut().end_mut(id) {
        let number = end.returned + completed.saturating_sub(1) as u64;
        end.remarks.insert(number, remark);
    }
}

/// Returns the remark on the receive descriptor at a position of an endpoint's receive queue.
pub(super) fn remark_at(
    sim: &Parts<'_, impl HasVia>,
    id: EndpointId,
    position: usize,
) -> Option<Remark> {
    let end = sim.engines.via().end(id)?;
    end.remarks.get(&(end.returned + position as u64)).copied()
}

/// Returns whether the oldest visible receive descriptor of an endpoint has no message for the user.
pub(super) fn is_first_empty(sim: &Parts<'_, impl HasVia>, id: EndpointId) -> bool {
    match remark_at(sim, id, 0) {
        Some(Remark::TooLong) => true,
        Some(Remark::Immediate(_)) | None => false,
    }
}

/// Returns what an applet's call makes when it delivers a short message: a descriptor or nothing; `None` if the
/// endpoint is no VI.
#[inline]
pub(super) fn placing(sim: &Parts<'_, impl HasVia>, to: EndpointId, length: u32) -> Option<Made> {
    if !sim.engines.via().is_on() {
        return None;
    }
    let vi = &sim.engines.via().end(to)?.vi;
    match via::needed(&sim.endpoints[to], vi, length) {
        Ok(_) => Some(Made::Descriptor),
        Err(_) => Some(Made::Nothing),
    }
}

/// Returns the places in host memory of the parts of a message that fills these buffers, in order.
pub(super) fn places(endpoint: &Endpoint, buffers: &BufferList, length: u32) -> Vec<HostSpan> {
    let (area, share) = (endpoint.area, endpoint.free.buffer_length());
    let mut left = length;
    let place = |&offset: &u32| {
        let here = share.min(left);
        left -= here;
        let host = area.span(offset.into(), here.into());
        host.expect("free buffers lie inside the buffer area")
    };
    buffers.offsets().iter().map(place).collect()
}
