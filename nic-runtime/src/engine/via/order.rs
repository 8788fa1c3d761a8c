//! The order of writes over remote memory: the NICs number the writes of a connection, and thereby notice lost writes.
//!
//! The library cannot repair a ring that lacks a write, so the receiving NIC accepts only the write with the next
//! number. A write with a lower number is a copy of an earlier write, which the NIC ignores. A write with a higher
//! number shows that a write was lost, and breaks the connection.
//!
//! The loss of a connection's last write leaves no gap, so a NIC whose VI is silent for a while sends the number of
//! writes. On a link without faults the NIC sends no number of writes, because no write can be lost there.

use std::num::NonZeroU32;

use nic_core::event::{DropReason, NicEvent, Trigger};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::SimTime;
use nic_core::via::{ConnectionId, Reason, ViaHeader};

use super::control::send_control;
use super::delays::schedule;
use super::state::{Delay, HasVia, SILENCE, ViaState, over};
use crate::sim::Parts;
use crate::wire::PacketRef;

/// Returns the number of a write that leaves, if the write belongs to a connection over remote memory.
pub(crate) fn number_write(
    sim: &mut Parts<'_, impl HasVia>,
    from: EndpointId,
    (packet, connection): (PacketRef, ConnectionId),
) -> Option<NonZeroU32> {
    let (to, route) = (sim.packets[packet].to.0, sim.packets[packet].route);
    let current = sim.engines.via_mut().connection_of(from, to)?;
    if current != connection {
        // The peer ignores a write of an earlier connection, whatever its number.
        return Some(NonZeroU32::MIN);
    }
    let now = sim.now;
    let may_be_lost = sim.fabric[route].may_lose && !sim.engines.via_mut().is_broken(from);
    let order = &mut over(sim, from)?.order;
    let number = number(order.next);
    // The count of writes cannot overflow, because no run makes 2⁶⁴ writes.
    order.next += 1;
    order.left = now;
    if may_be_lost && !std::mem::replace(&mut order.is_watched, true) {
        watch(sim, (from, connection), now + SILENCE);
    }
    Some(number)
}

/// Returns the number of the write that follows `writes` earlier writes.
fn number(writes: u64) -> NonZeroU32 {
    let number = writes % u64::from(u32::MAX);
    u32::try_from(number).map_or(NonZeroU32::MAX, |number| {
        NonZeroU32::MIN.saturating_add(number)
    })
}

/// Returns whether a write that has arrived may change the memory. Reports why a write must not change the memory, and
/// breaks the connection if an earlier write was lost.
pub(crate) fn takes_write(
    sim: &mut Parts<'_, impl HasVia>,
    to: EndpointId,
    (packet, found, connection): (Option<PacketId>, NonZeroU32, ConnectionId),
) -> bool {
    let is_broken = !sim.engines.via_mut().has(to, connection);
    let Some(over) = over(sim, to) else {
        return false;
    };
    // On its way a packet passes fewer than half of all numbers, so the sign of the difference tells which write is
    // older.
    let ahead = found.get().wrapping_sub(number(over.order.expected).get());
    let reason = match ahead.cast_signed() {
        _ if is_broken => DropReason::NotConnected,
        ..0 => DropReason::Duplicate,
        1.. => DropReason::Gap,
        0 => {
            over.order.expected += 1;
            return true;
        }
    };
    sim.report
        .emit(sim.now, to, NicEvent::Drop { packet, reason });
    if reason == DropReason::Gap {
        ViaState::breaks(sim, to, Reason::Loss);
    }
    false
}

/// Breaks the connection if the peer has sent a number of writes that is higher than the number of arrived writes.
pub(super) fn counted(
    sim: &mut Parts<'_, impl HasVia>,
    to: EndpointId,
    (connection, before): (ConnectionId, u64),
) {
    let is_current = sim.engines.via_mut().has(to, connection);
    if is_current && over(sim, to).is_some_and(|over| over.order.expected < before) {
        ViaState::breaks(sim, to, Reason::Loss);
    }
}

fn watch(sim: &mut Parts<'_, impl HasVia>, of: (EndpointId, ConnectionId), time: SimTime) {
    schedule(sim, time, Delay::Silence(of.0, of.1));
}

/// Sends the peer the number of writes, if the VI has written nothing for long enough. Returns whether the number was
/// sent.
pub(super) fn look_at_silence(
    sim: &mut Parts<'_, impl HasVia>,
    id: EndpointId,
    connection: ConnectionId,
) -> bool {
    let now = sim.now;
    if !sim.engines.via_mut().is_current(id, connection) {
        return false;
    }
    let is_broken = sim.engines.via_mut().is_broken(id);
    let Some(over) = over(sim, id) else {
        return false;
    };
    let order = &mut over.order;
    let due = order.left + SILENCE;
    order.is_watched = !is_broken && due > now;
    if order.is_watched {
        watch(sim, (id, connection), due);
        return false;
    }
    if is_broken {
        return false;
    }
    let header = ViaHeader::Count {
        connection,
        before: order.next,
    };
    send_control(sim, id, header, Trigger::Timer);
    true
}
