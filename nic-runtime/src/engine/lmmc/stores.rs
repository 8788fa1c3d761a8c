//! Stores of processes (S4-02): what they take, and what they wait for.

use nic_core::id::EndpointId;
use nic_core::lmmc::{FlushReason, PortId, Sent, StoreError, VirtualPage};
use nic_core::time::SimDuration;

use super::faulting;
use super::lines;
use super::messages::{has_room, send, send_line};
use super::process::{mapped, refuse_access};
use super::site::{SiteId, Waiter};
use super::state::HasLmmc;
use crate::host::program::Action;
use crate::host::{Asked, Asking, WindowAsked};
use crate::sim::Parts;

/// What a process stores: its number for the action, the page and the offset.
type Place = (u64, i32, u32);

/// Begins a store. The bytes leave when the processor has written them.
pub(super) fn store(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    place: Place,
    bytes: Vec<u8>,
) -> Asking {
    let (ticket, window, offset) = place;
    let (page, of) = match mapped(sim, id, window) {
        Ok(found) => found,
        Err(fault) => return refuse_access(sim, id, (ticket, "store"), (None, fault)),
    };
    let lmmc = sim.engines.lmmc();
    let Some(node) = lmmc.nodes.get(&sim.endpoints[id].nic) else {
        return Asking::Ignored;
    };
    let resolved = lmmc.sites[of.site]
        .end
        .resolve(&node.pages, page, (offset, &bytes));
    match resolved.map(|_| node.costs.store(bytes.len())) {
        Ok(takes) => {
            let leave = WindowAsked::Leave {
                ticket,
                window,
                offset,
                bytes,
            };
            sim.put_action(id, Action::Ask(id, Asked::Page(leave)));
            Asking::Busy(takes)
        }
        Err(error) => {
            let again = WindowAsked::Store {
                ticket,
                window,
                offset,
                bytes,
            };
            not_now(sim, id, (of.site, page, of.port), (ticket, again), error)
        }
    }
}

/// Makes a store whose bytes the processor has written, as far as the link has room.
pub(super) fn leave(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (ticket, window, offset): Place,
    mut bytes: Vec<u8>,
) -> Asking {
    let (page, of) = match mapped(sim, id, window) {
        Ok(found) => found,
        Err(fault) => return refuse_access(sim, id, (ticket, "store"), (None, fault)),
    };
    let mut made = 0;
    loop {
        let start = offset + u32::try_from(made).unwrap_or(u32::MAX);
        let outcome = make(sim, id, (of.site, page), (start, &bytes[made..]));
        match outcome {
            Made::Some(taken) if made + taken < bytes.len() => made += taken,
            Made::Some(_) => return Asking::Busy(SimDuration::ZERO),
            Made::NoRoom => {
                bytes.drain(..made);
                return stall(sim, id, of.site, ((ticket, window, start), bytes));
            }
            Made::Not(error) => {
                bytes.drain(..made);
                // The processor has written the bytes, and makes the store again as soon as the port is in. If it had to
                // write them once more, two processes could page each other's ports out for ever.
                let again = WindowAsked::Leave {
                    ticket,
                    window,
                    offset: start,
                    bytes,
                };
                return not_now(sim, id, (of.site, page, of.port), (ticket, again), error);
            }
        }
    }
}

/// What has become of a store.
enum Made {
    /// So many bytes are stored.
    Some(usize),
    /// The link has no room.
    NoRoom,
    /// The store is not allowed, or must wait.
    Not(StoreError),
}

/// Makes a store, or the first part of it.
fn make(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (at, page): (SiteId, VirtualPage),
    place: (u32, &[u8]),
) -> Made {
    let has_room = has_room(sim, at);
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return Made::Some(place.1.len());
    };
    let store = match site.end.resolve(&node.pages, page, place) {
        Ok(store) => store,
        Err(error) => return Made::Not(error),
    };
    if store.sends() && !has_room {
        return Made::NoRoom;
    }
    let (taken, port, begins) = (store.taken(), store.port(), store.begins_line());
    match site.end.store(&mut node.pages, store) {
        None => {}
        Some(Sent::Line(flushed)) => {
            send_line(sim, at, (id, FlushReason::Outside), (port, &flushed));
        }
        Some(sent @ Sent::Now(_)) => send(sim, at, (id, Some(port)), &sent.message()),
    }
    if begins {
        lines::begun(sim, at, port);
    }
    Made::Some(taken)
}

/// Handles a store that is not made: refuses it, or lets it wait until the port is in.
fn not_now(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (at, page, port): (SiteId, VirtualPage, PortId),
    (ticket, again): (u64, WindowAsked),
    error: StoreError,
) -> Asking {
    match error {
        StoreError::Protection(fault) => {
            refuse_access(sim, id, (ticket, "store"), (Some(port), fault))
        }
        StoreError::OtherLink { .. } => {
            debug_assert!(false, "a page is of the link that it was mapped at");
            Asking::Ignored
        }
        StoreError::Fault { port } => faulting::begin(sim, at, (id, port), (page, again)),
        StoreError::Held { .. } => {
            sim.engines.lmmc_mut().sites[at].for_fault.push(id);
            Asking::Later(Asked::Page(again))
        }
    }
}

/// A store finds a full link. The processor makes it again and again until it leaves, and takes traps between; or it stands
/// still.
fn stall(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    at: SiteId,
    (place, bytes): (Place, Vec<u8>),
) -> Asking {
    if let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) {
        site.for_room.push_back(Waiter::Store(id, place, bytes));
        node.stalled += usize::from(node.costs.stalls());
    }
    Asking::Held
}
