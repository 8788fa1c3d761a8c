//! The order of writes over remote memory: the NICs number the writes of a connection, and so notice lost writes.
//!
//! The library cannot repair a ring that lacks a write. So the receiving NIC takes only the next write. A number that it
//! has seen is that of a copy, which it ignores. A higher number shows a gap, which breaks the connection.
//!
//! No number shows that the last write is lost. So a NIC whose VI has written nothing for a while tells the peer how many
//! writes there were. On a link without faults it does not, because no write can be lost there.

use std::num::NonZeroU32;

use nic_core::event::{DropReason, NicEvent, Trigger};
use nic_core::id::{EndpointId, PacketId};
use nic_core::time::SimTime;
use nic_core::via::{Reason, ViaHeader};

use super::connection::{self, send_control};
use super::hardware::Delay;
use super::over_memory::over;
use super::{SILENCE, ViaState};
use crate::fabric::PacketRef;
use crate::interface::Delay as AnyDelay;
use crate::sim::Simulation;
use crate::sim::audience::Audience;

/// The numbers of the writes of one end.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Writes so far.
    next: u64,
    /// Writes of the peer so far.
    expected: u64,
    /// When the newest write left.
    left: SimTime,
    /// Whether a check for silence is scheduled.
    is_watched: bool,
}

impl ViaState<'_> {
    /// Returns whether a NIC numbers the writes from one endpoint to another: both are the ends of a connection over
    /// remote memory.
    pub(crate) fn numbers_writes(&self, from: EndpointId, to: EndpointId) -> bool {
        let end = self.end(from);
        end.is_some_and(|end| end.over.is_some() && end.connection.peer == to)
    }
}

/// A write leaves: returns its number, if it has one.
pub(crate) fn number_write<A: Audience>(
    sim: &mut Simulation<'_, A>,
    from: EndpointId,
    packet: PacketRef,
) -> Option<NonZeroU32> {
    let (to, route) = (sim.packets[packet].to.0, sim.packets[packet].route);
    if !sim.states.via.numbers_writes(from, to) {
        return None;
    }
    let now = sim.now;
    let may_be_lost = sim.fabric[route].is_faulty && !sim.states.via.is_broken(from);
    let order = &mut over(sim, from)?.order;
    let number = number(order.next);
    // Cannot overflow: no run makes 2⁶⁴ writes.
    order.next += 1;
    order.left = now;
    if may_be_lost && !std::mem::replace(&mut order.is_watched, true) {
        watch(sim, from, now + SILENCE);
    }
    Some(number)
}

/// Returns the number of the write that follows this many writes.
fn number(writes: u64) -> NonZeroU32 {
    let number = writes % u64::from(u32::MAX);
    u32::try_from(number).map_or(NonZeroU32::MAX, |number| {
        NonZeroU32::MIN.saturating_add(number)
    })
}

/// A write has arrived: returns whether it may change the memory. If not, reports why, and breaks the connection at a gap.
pub(crate) fn takes_write<A: Audience>(
    sim: &mut Simulation<'_, A>,
    to: EndpointId,
    (packet, found): (Option<PacketId>, NonZeroU32),
) -> bool {
    let is_broken = sim.states.via.is_broken(to);
    let Some(over) = over(sim, to) else {
        return false;
    };
    // A packet passes fewer than half of all numbers on its way, so the sign of the difference tells which is older.
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
        connection::breaks(sim, to, Reason::Loss);
    }
    false
}

/// The peer has told how many writes there were before it fell silent.
pub(super) fn counted<A: Audience>(sim: &mut Simulation<'_, A>, to: EndpointId, before: u64) {
    if over(sim, to).is_some_and(|over| over.order.expected < before) {
        connection::breaks(sim, to, Reason::Loss);
    }
}

fn watch<A: Audience>(sim: &mut Simulation<'_, A>, id: EndpointId, time: SimTime) {
    sim.schedule_own(time, AnyDelay::Via(Delay::Silence(id)));
}

/// Tells the peer the number of writes, if the VI has written nothing for long enough. Returns whether it has.
pub(super) fn look_at_silence<A: Audience>(sim: &mut Simulation<'_, A>, id: EndpointId) -> bool {
    let now = sim.now;
    let is_broken = sim.states.via.is_broken(id);
    let Some(over) = over(sim, id) else {
        return false;
    };
    let order = &mut over.order;
    let due = order.left + SILENCE;
    order.is_watched = !is_broken && due > now;
    if order.is_watched {
        watch(sim, id, due);
        return false;
    }
    if is_broken {
        return false;
    }
    let header = ViaHeader::Count { before: order.next };
    send_control(sim, id, header, Trigger::Timer);
    true
}
