//! Messages on their way out: the interface's room for them, and the order in which they leave.
//!
//! The interface has room for a few messages. A store goes straight to the link, and stalls if there is no room. What the
//! operating system sends waits in memory, ahead of all stores, so that a trap never waits for the link.

use nic_core::event::Trigger;
use nic_core::id::{ChannelId, EndpointId};
use nic_core::lmmc::{FlushReason, Flushed, Message, PortId};
use nic_core::unet::Channel;

use super::site::{SiteId, Unsent};
use super::state::HasLmmc;
use super::telling::{tell_flush, tell_write};
use crate::protocol::{Header, LinkMessage};
use crate::sim::Parts;
use crate::wire::{Packet, PacketRef};

/// Returns whether the interface has room for a message, and nothing waits for it.
pub(super) fn has_room(sim: &Parts<'_, impl HasLmmc>, at: SiteId) -> bool {
    is_open(sim, at) && sim.engines.lmmc().sites[at].for_room.is_empty()
}

/// Returns whether the interface has room for a message that is not the operating system's.
pub(super) fn is_open(sim: &Parts<'_, impl HasLmmc>, at: SiteId) -> bool {
    let lmmc = sim.engines.lmmc();
    let site = &lmmc.sites[at];
    let room = lmmc.nodes.get(&site.nic).map_or(0, |node| node.costs.room);
    site.outgoing < room && site.unsent.is_empty()
}

/// Sends a message behind all earlier ones of this end.
pub(super) fn send(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (by, port): (EndpointId, Option<PortId>),
    message: &Message<'_>,
) {
    let bytes = [&message.header(), message.payload()].concat();
    send_raw(sim, at, (by, port), bytes);
}

/// Sends the bytes of a message, which may be forged.
pub(super) fn send_raw(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (by, port): (EndpointId, Option<PortId>),
    bytes: Vec<u8>,
) {
    if is_open(sim, at) {
        return hand_over(sim, at, (by, port), &bytes);
    }
    let unsent = Unsent { by, port, bytes };
    sim.engines.lmmc_mut().sites[at].unsent.push_back(unsent);
}

/// Sends the writes that a port has gathered.
pub(super) fn send_line(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (by, reason): (EndpointId, FlushReason),
    (port, flushed): (PortId, &Flushed),
) {
    let write = flushed.write();
    tell_flush(sim, by, (port, reason), write.bytes.len());
    send(sim, at, (by, Some(port)), &Message::Write(write));
}

/// Hands a message to the link.
fn hand_over(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (by, port): (EndpointId, Option<PortId>),
    bytes: &[u8],
) {
    let site = &mut sim.engines.lmmc_mut().sites[at];
    site.outgoing += 1;
    // All messages of a link are of one sender, so they take their turns at a port as one, and keep their order.
    let (home, way) = (site.home, site.way);
    let number = port.and_then(|port| i32::try_from(port.number()).ok());
    let number = ChannelId(number.unwrap_or(0));
    if let (Some(port), Ok(Message::Write(write))) = (port, Message::decode(bytes)) {
        tell_write(sim, by, port, (write.offset, write.bytes));
    }
    let channel = Channel {
        id: number,
        peer_id: number,
        ..way
    };
    let packet = Packet {
        has_arrival_slot: false,
        has_send_slot: false,
        header: Header::Lmmc(LinkMessage),
        ..sim.new_packet(home, &channel, Trigger::Timer)
    };
    let packet = sim.packets.add(packet, bytes);
    sim.enqueue(packet);
}

/// A message has left. Returns the end of the link that has room for another one.
pub(super) fn left(sim: &mut Parts<'_, impl HasLmmc>, packet: PacketRef) -> Option<SiteId> {
    let Packet { from, to, .. } = sim.packets[packet];
    let (nic, peer) = (sim.endpoints[from.0].nic, sim.endpoints[to.0].nic);
    let at = sim.engines.lmmc().between(nic, peer)?;
    let site = &mut sim.engines.lmmc_mut().sites[at];
    site.outgoing = site.outgoing.saturating_sub(1);
    Some(at)
}

/// Hands the operating system's messages to the link, as far as there is room.
pub(super) fn send_unsent(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    while let Some(Unsent { by, port, bytes }) = take_unsent(sim, at) {
        hand_over(sim, at, (by, port), &bytes);
    }
}

fn take_unsent(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) -> Option<Unsent> {
    let (node, site) = sim.engines.lmmc_mut().with_node(at)?;
    match site.outgoing < node.costs.room {
        true => site.unsent.pop_front(),
        false => None,
    }
}

/// Returns whether so much waits for room that no honest peer can have asked for it: each port has at most one set-up
/// message under way in each direction, and a fault two messages.
pub(super) fn is_flooded(sim: &Parts<'_, impl HasLmmc>, at: SiteId) -> bool {
    let site = &sim.engines.lmmc().sites[at];
    site.unsent.len() > 4 * site.end.sizes().ports as usize + 4
}
