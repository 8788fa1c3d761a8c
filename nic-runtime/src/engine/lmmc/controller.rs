//! The controller: takes the messages of a link one after the other, and raises a trap for those that need the host.
//!
//! The link holds back what follows a message that traps (S4-08). The paper says so of paging requests. A set-up message
//! is the same: a write to the new port may follow it.

use nic_core::event::LmmcEvent;
use nic_core::lmmc::{Message, MessageError, Received};

use super::delays::Delay;
use super::messages::is_flooded;
use super::site::{Paging, Serving, SiteId, Trap};
use super::state::HasLmmc;
use super::telling::{arrives, tell_at, tell_landed, tell_refused};
use super::timing::after;
use super::{bytes, waiting};
use crate::sim::Parts;
use crate::wire::{Packet, PacketRef};

/// A message has arrived, and has its place in the receive buffer.
pub(super) fn received(sim: &mut Parts<'_, impl HasLmmc>, packet: PacketRef) {
    arrives(sim, packet);
    let Packet { from, to, .. } = sim.packets[packet];
    let (nic, peer) = (sim.endpoints[to.0].nic, sim.endpoints[from.0].nic);
    let Some(at) = sim.engines.lmmc().between(nic, peer) else {
        return sim.end_arrival(packet);
    };
    sim.engines.lmmc_mut().sites[at].inbox.push_back(packet);
    take(sim, at);
}

/// Takes messages until one of them traps.
pub(super) fn take(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    // The slot of a message that is taken makes room for the next, which arrives while this function runs.
    if std::mem::replace(&mut sim.engines.lmmc_mut().sites[at].takes, true) {
        return;
    }
    while let Some(packet) = next(sim, at) {
        take_one(sim, at, packet);
    }
    sim.engines.lmmc_mut().sites[at].takes = false;
}

/// Returns the message that the controller takes next, if it takes any.
fn next(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) -> Option<PacketRef> {
    if is_flooded(sim, at) {
        return None;
    }
    let site = &mut sim.engines.lmmc_mut().sites[at];
    match site.trap {
        Some(_) => None,
        None => site.inbox.pop_front(),
    }
}

/// Takes a message.
fn take_one(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, packet: PacketRef) {
    let Packet {
        id,
        from: (peer, _),
        ref mut bytes,
        ..
    } = sim.packets[packet];
    // The bytes are the packet's again when the message is taken.
    let bytes = std::mem::take(bytes);
    let taken = take_message(sim, at, packet, Message::decode(&bytes));
    sim.packets[packet].bytes = bytes;
    match taken {
        Ok(Taken::Over) => {}
        Ok(Taken::Stays) => return,
        Err(reason) => tell_refused(sim, at, (id, peer), reason),
    }
    sim.end_arrival(packet);
}

/// What becomes of a message's place in the receive buffer.
enum Taken {
    /// The message is over.
    Over,
    /// The message stays until its trap is served.
    Stays,
}

fn take_message(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    packet: PacketRef,
    message: Result<Message<'_>, MessageError>,
) -> Result<Taken, &'static str> {
    let message = message.map_err(|error| error.word())?;
    if let Message::SetUp(_) = message {
        trap(sim, at, Trap::SetUp(packet));
        return Ok(Taken::Stays);
    }
    let Packet {
        id,
        from: (peer, _),
        ..
    } = sim.packets[packet];
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return Ok(Taken::Over);
    };
    let received = site.end.receive(&mut node.pages, message);
    match (received.map_err(|refused| refused.word())?, message) {
        (Received::Write(landing), _) => {
            let payload = message.payload();
            site.land(landing.frame, landing.offset, payload);
            let place = (landing.port, landing.offset);
            tell_landed(sim, at, (id, landing.port), (landing.offset, payload));
            bytes::show_landed(sim, at, place, payload);
            waiting::written(sim, at, landing.port);
        }
        (Received::Paging(stopped), Message::Paging(request)) => {
            tell_at(sim, at, LmmcEvent::Stop);
            let paging = Paging {
                packet: id,
                peer,
                port: request.port,
                outgoing: None,
                step: Serving::Trap(stopped),
            };
            trap(sim, at, Trap::Paging(paging));
        }
        (Received::Paging(_) | Received::SetUp { .. }, _) => {
            debug_assert!(
                false,
                "set-up messages trap, and requests are paging messages"
            );
        }
    }
    Ok(Taken::Over)
}

/// Stops the controller for a trap, which the interface raises later.
fn trap(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, trap: Trap) {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    site.trap = Some(trap);
    let takes = node.costs.own.interrupt;
    after(sim, takes, Delay::Raise(at));
}
