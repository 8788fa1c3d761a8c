//! The receiving side in time: the traps of the interface, and the seven steps of a paging request (S4-18).

use nic_core::event::LmmcEvent;
use nic_core::id::{EndpointId, PacketId};
use nic_core::lmmc::{Direction, LinkEnd, Message, PagingSide, PortId, Received, Refused};
use nic_core::time::SimDuration;

use super::delays::Delay;
use super::site::{Paging, Serving, SiteId, Trap};
use super::state::HasLmmc;
use super::telling::{tell_at, tell_refused, tell_step};
use super::timing::after;
use super::{bytes, controller, ports, set_up, waiting};
use crate::sim::Parts;
use crate::storage::Growing;
use crate::wire::{Packet, PacketRef};

/// The interface raises its trap. A processor takes it at once, unless all of them stand still in stores.
pub(super) fn raise(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    let Some((node, _)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    if node.stalled >= node.processors {
        return node.raised.push_back(at);
    }
    begin(sim, at);
}

/// A processor takes the trap of the interface.
pub(super) fn begin(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    let own = &node.costs.own;
    let takes = match site.trap {
        None => return,
        Some(Trap::SetUp(_)) => own.trap + own.set_up + own.resume,
        Some(Trap::Paging(_)) => own.trap,
    };
    sim.host_time += takes;
    after(sim, takes, Delay::Serve(at));
}

/// A step has taken its time: does what it does, and begins the next one.
pub(super) fn step_over(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    let trap = &mut sim.engines.lmmc_mut().sites[at].trap;
    match trap.take() {
        None => {}
        Some(Trap::SetUp(packet)) => {
            // The controller takes nothing until the message is served.
            *trap = Some(Trap::SetUp(packet));
            serve_set_up(sim, at, packet);
            sim.engines.lmmc_mut().sites[at].trap = None;
            sim.end_arrival(packet);
            controller::take(sim, at);
        }
        Some(Trap::Paging(paging)) => page(sim, at, paging),
    }
}

/// Does what a set-up message says, and answers it.
fn serve_set_up(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, packet: PacketRef) {
    let Packet {
        id,
        from: (peer, _),
        ref bytes,
        ..
    } = sim.packets[packet];
    let decoded = Message::decode(bytes);
    if let (Ok(message @ Message::SetUp(made)), Some((node, site))) =
        (decoded, sim.engines.lmmc_mut().with_node(at))
    {
        match site.end.receive(&mut node.pages, message) {
            Ok(Received::SetUp { progress, answer }) => {
                set_up::follow(sim, at, made.by.opposite(), progress);
                set_up::answer(sim, at, answer);
                ports::delete_asked(sim, at);
            }
            Ok(Received::Write(_) | Received::Paging(_)) => {}
            Err(refused) => tell_refused(sim, at, (id, peer), refused.word()),
        }
    }
}

/// A step of a paging request is over.
fn page(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, paging: Paging) {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    let (port, outgoing) = (paging.port, paging.outgoing);
    let whom = (paging.packet, paging.peer);
    let (end, costs) = (&mut site.end, &node.costs);
    let of_page = costs.of_bytes(end.sizes().page_bytes as usize);
    let of_entries = |end: &LinkEnd<Growing>, port: Option<PortId>| {
        let sharers = port.map(|port| end.sharers(Direction::Receive, port).len());
        costs.entries(sharers.unwrap_or(0))
    };
    let (number, outgoing, step, takes) = match paging.step {
        Serving::Trap(stopped) => (1, None, Serving::Read(stopped), costs.own.find),
        Serving::Read(stopped) => match end.read_request(stopped) {
            Ok(found) => {
                let outgoing = found.outgoing();
                let takes = outgoing.map_or(SimDuration::ZERO, |_| of_page);
                (2, outgoing, Serving::PageOut(found), takes)
            }
            Err(refused) => return refuse(sim, at, whom, refused),
        },
        Serving::PageOut(found) => {
            let (paged_out, copy) = end.page_out(found);
            let takes = of_entries(end, outgoing);
            if let Some(copy) = copy {
                site.copy_out(copy);
            }
            (3, outgoing, Serving::Save(paged_out), takes)
        }
        Serving::Save(paged_out) => {
            let saved = end.save(&mut node.pages, paged_out);
            (4, outgoing, Serving::PageIn(saved), of_page)
        }
        Serving::PageIn(saved) => {
            let (paged_in, copy) = end.page_in(saved);
            let takes = of_entries(end, Some(port));
            site.copy_in(copy);
            (5, outgoing, Serving::Restore(paged_in), takes)
        }
        Serving::Restore(paged_in) => {
            let restored = end.restore(&mut node.pages, paged_in);
            (6, outgoing, Serving::Return(restored), costs.own.resume)
        }
        Serving::Return(restored) => {
            end.go(restored);
            return over(sim, at, port);
        }
    };
    let paging = Paging {
        outgoing,
        step,
        ..paging
    };
    site.trap = Some(Trap::Paging(paging));
    tell_step(sim, at, (PagingSide::Receiving, number), port);
    match number {
        4 => outgoing
            .into_iter()
            .for_each(|port| bytes::show(sim, at, port)),
        6 => bytes::show(sim, at, port),
        _ => {}
    }
    sim.host_time += takes;
    after(sim, takes, Delay::Serve(at));
}

/// No honest peer has sent the request, so nothing is paged.
fn refuse(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    whom: (PacketId, EndpointId),
    refused: Refused,
) {
    tell_refused(sim, at, whom, refused.word());
    tell_at(sim, at, LmmcEvent::Go);
    controller::take(sim, at);
}

/// Step 7: the controller goes on, and so do the readers of the port.
fn over(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    tell_step(sim, at, (PagingSide::Receiving, 7), port);
    tell_at(sim, at, LmmcEvent::Go);
    waiting::paged_in(sim, at, port);
    controller::take(sim, at);
}
