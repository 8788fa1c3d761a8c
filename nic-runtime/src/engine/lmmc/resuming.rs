//! What goes on when something else is over: a process after its fault, and what waits for room in the interface.

use nic_core::id::EndpointId;
use nic_core::time::SimDuration;

use super::asked::at_page;
use super::messages::{is_open, send_unsent};
use super::site::{SiteId, Waiter};
use super::state::HasLmmc;
use super::{controller, faulting, serving};
use crate::host::program::Action;
use crate::host::{Asking, WindowAsked};
use crate::sim::Parts;

/// A step of a fault is over. After the last one, the process makes its store, and others may fault.
pub(super) fn fault_step(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    let Some((by, again)) = faulting::step_over(sim, at) else {
        return;
    };
    go_on(sim, by, again);
    let waiting = std::mem::take(&mut sim.engines.lmmc_mut().sites[at].for_fault);
    for id in waiting {
        sim.begin_next(id);
    }
}

/// The interface has room for a message. The operating system's messages go first, then stores and the request of a fault,
/// in the order in which they began to wait.
pub(super) fn room_made(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    send_unsent(sim, at);
    while is_open(sim, at)
        && let Some(next) = sim.engines.lmmc_mut().sites[at].for_room.pop_front()
    {
        // A store that finds too little room is first again, and what began to wait later stays behind it.
        let others = std::mem::take(&mut sim.engines.lmmc_mut().sites[at].for_room);
        match next {
            Waiter::Store(id, place, bytes) => store_again(sim, at, (id, place), bytes),
            Waiter::Request => fault_step(sim, at),
        }
        let waiting = &mut sim.engines.lmmc_mut().sites[at].for_room;
        let is_first_again = !waiting.is_empty();
        waiting.extend(others);
        if is_first_again {
            break;
        }
    }
    // The controller may have waited for the answers of earlier messages to leave.
    controller::take(sim, at);
}

/// Makes a store that has stalled. A processor that stood still takes the trap that was raised meanwhile.
fn store_again(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (id, (ticket, window, offset)): (EndpointId, (u64, i32, u32)),
    bytes: Vec<u8>,
) {
    if let Some((node, _)) = sim.engines.lmmc_mut().with_node(at) {
        node.stalled = node.stalled.saturating_sub(1);
    }
    let leave = WindowAsked::Leave {
        ticket,
        window,
        offset,
        bytes,
    };
    go_on(sim, id, leave);
    let Some((node, _)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    if node.stalled < node.processors
        && let Some(raised) = node.raised.pop_front()
    {
        serving::begin(sim, raised);
    }
}

/// Lets a process that has held its processor do something at a page, before any other process runs.
fn go_on(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, asked: WindowAsked) {
    match at_page(sim, id, asked) {
        Asking::Busy(takes) => sim.let_go(id, takes),
        Asking::Ignored => sim.let_go(id, SimDuration::ZERO),
        Asking::Later(again) => {
            sim.put_action(id, Action::Ask(id, again));
            sim.let_go(id, SimDuration::ZERO);
        }
        Asking::Held => {}
    }
}
