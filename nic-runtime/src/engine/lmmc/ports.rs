//! Ports: how processes create, map and delete them, and how set-up messages go on (S4-06, S4-10, S4-11, S4-20).
//!
//! Processes learn the ids of ports from each other as they like; the paper does not say how. The ports of the scenario
//! are mapped at both ends when the end that creates them learns that they are open.

use nic_core::event::LmmcEvent;
use nic_core::id::{EndpointId, NicId};
use nic_core::lmmc::{
    Deletion, Direction, FlushReason, Message, Policy, PortAction, PortError, PortId, VirtualPage,
};
use nic_core::time::SimDuration;

use super::bytes::memory_of;
use super::messages::{send, send_line, send_raw};
use super::node::Mapped;
use super::process::{costs, mapped, place, tell_news, virtual_page};
use super::site::{Creator, SiteId};
use super::state::HasLmmc;
use super::telling::{tell, tell_port};
use crate::host::Asking;
use crate::host::port::{PortAsked, PortName, PortNews, PortRefusal};
use crate::sim::Parts;

/// Does what a process asks for.
pub(super) fn asked(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, asked: PortAsked) -> Asking {
    match asked {
        PortAsked::Create {
            ticket,
            peer,
            direction,
        } => {
            let begun = create(sim, id, ticket, (peer, direction));
            if let Err(refusal) = begun {
                let created = Err(refusal);
                refuse(sim, id, ("port-create", None), refusal);
                tell_news(sim, id, PortNews::Created { ticket, created });
            }
        }
        PortAsked::Map { ticket, port } => {
            let mapped = map_next(sim, id, port);
            let mapped = or_refuse(sim, id, ("port-map", Some(port.id)), mapped);
            tell_news(sim, id, PortNews::Mapped { ticket, mapped });
        }
        PortAsked::Unmap { ticket, page } => {
            let (port, unmapped) = unmap(sim, id, page);
            let unmapped = or_refuse(sim, id, ("port-unmap", port), unmapped);
            tell_news(sim, id, PortNews::Unmapped { ticket, unmapped });
        }
        PortAsked::Policy {
            ticket,
            port,
            policy,
        } => {
            let set = set_policy(sim, id, (port, policy));
            let set = or_refuse(sim, id, ("set-write-policy", Some(port.id)), set);
            tell_news(sim, id, PortNews::Policy { ticket, set });
        }
        PortAsked::Delete { ticket, port } => {
            let deleted = delete(sim, id, port);
            let deleted = or_refuse(sim, id, ("delete-port", Some(port.id)), deleted);
            tell_news(sim, id, PortNews::Deleted { ticket, deleted });
        }
        PortAsked::Message { peer, bytes } => return forge(sim, id, peer, &bytes),
    }
    let takes = costs(sim, id).map(|costs| costs.own.call);
    takes.map_or(Asking::Ignored, Asking::Busy)
}

/// Reports that what a process has asked for has not happened.
fn refuse(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (request, port): (&'static str, Option<PortId>),
    refusal: PortRefusal,
) {
    let event = LmmcEvent::Refused {
        request,
        reason: refusal.word(),
        port,
    };
    tell(sim, id, event);
}

fn or_refuse<T>(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    what: (&'static str, Option<PortId>),
    done: Result<T, PortRefusal>,
) -> Result<T, PortRefusal> {
    if let Err(refusal) = done {
        refuse(sim, id, what, refusal);
    }
    done
}

/// Returns the end of the link from the node of a process to another node.
fn link_to(
    sim: &Parts<'_, impl HasLmmc>,
    id: EndpointId,
    peer: NicId,
) -> Result<SiteId, PortRefusal> {
    let nic = sim.endpoints[id].nic;
    let site = sim.engines.lmmc().between(nic, peer);
    site.ok_or(PortRefusal::NoLink { peer })
}

fn create(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    ticket: u64,
    (peer, direction): (NicId, Direction),
) -> Result<(), PortRefusal> {
    let at = link_to(sim, id, peer)?;
    Ok(begin(
        sim,
        at,
        (Creator::Program(id, ticket), id),
        direction,
    )?)
}

/// Begins to set up a port.
pub(super) fn begin(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (creator, by): (Creator, EndpointId),
    direction: Direction,
) -> Result<(), PortError> {
    let site = &mut sim.engines.lmmc_mut().sites[at];
    let (creation, offer) = site.end.create(direction)?;
    site.creations.push((creation, creator));
    tell_port(sim, at, PortAction::Create, (direction, Some(offer.port)));
    send(sim, at, (by, Some(offer.port)), &Message::SetUp(offer));
    Ok(())
}

/// Maps a port at the next page of a process.
fn map_next(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    PortName {
        peer,
        direction,
        id: port,
    }: PortName,
) -> Result<i32, PortRefusal> {
    let at = link_to(sim, id, peer)?;
    let page = place(sim, id).map_or(0, |place| place.next_page);
    map(sim, at, (id, page), (direction, port))?;
    if let Some(place) = place(sim, id) {
        place.next_page += 1;
    }
    Ok(page)
}

/// Maps a port at a page of a process.
pub(super) fn map(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (id, number): (EndpointId, i32),
    (direction, port): (Direction, PortId),
) -> Result<(), PortError> {
    let page = virtual_page(id, number);
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return Ok(());
    };
    site.end.map(&mut node.pages, page, (direction, port))?;
    let memory = match direction {
        Direction::Send => None,
        Direction::Receive => memory_of(sim, at, port),
    };
    let mapped = Mapped {
        site: at,
        direction,
        port,
        memory,
    };
    if let Some((node, _)) = sim.engines.lmmc_mut().with_node(at) {
        node.mapped.insert(page, mapped);
    }
    let event = LmmcEvent::Port {
        action: PortAction::Map,
        id: Some(port),
        direction,
    };
    tell(sim, id, event);
    Ok(())
}

/// Takes a page away from its process. Returns the port that it was of, too.
fn unmap(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    number: i32,
) -> (Option<PortId>, Result<(), PortRefusal>) {
    let page = virtual_page(id, number);
    let Ok((_, of)) = mapped(sim, id, number) else {
        return (None, Err(PortError::NotMapped { page }.into()));
    };
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(of.site) else {
        return (None, Ok(()));
    };
    let done = site.end.unmap(&mut node.pages, page);
    if done.is_ok() {
        forget(sim, of.site, page);
    }
    (Some(of.port), done.map_err(PortRefusal::Here))
}

fn forget(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, page: VirtualPage) {
    let lmmc = sim.engines.lmmc_mut();
    let nic = lmmc.sites[at].nic;
    if let Some(node) = lmmc.nodes.get_mut(&nic) {
        node.forget(&lmmc.sites, page);
    }
}

/// Changes when writes leave.
fn set_policy(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (port, policy): (PortName, Policy),
) -> Result<(), PortRefusal> {
    let at = link_to(sim, id, port.peer)?;
    match port.direction {
        Direction::Send => Ok(change_policy(sim, at, (id, port.id), policy)?),
        Direction::Receive => Err(PortError::NoPort { port: port.id }.into()),
    }
}

/// Changes when writes to a port leave. What was gathered leaves first.
pub(super) fn change_policy(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (id, port): (EndpointId, PortId),
    policy: Policy,
) -> Result<(), PortError> {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return Ok(());
    };
    let flushed = site.end.set_write_policy(&mut node.pages, port, policy)?;
    let event = LmmcEvent::Port {
        action: match policy {
            Policy::Immediate => PortAction::Immediate,
            Policy::Late => PortAction::Late,
        },
        id: Some(port),
        direction: Direction::Send,
    };
    tell(sim, id, event);
    if let Some(flushed) = flushed {
        send_line(sim, at, (id, FlushReason::Policy), (port, &flushed));
    }
    Ok(())
}

fn delete(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    PortName {
        peer,
        direction,
        id: port,
    }: PortName,
) -> Result<(), PortRefusal> {
    let at = link_to(sim, id, peer)?;
    let site = &mut sim.engines.lmmc_mut().sites[at];
    let deletion = site.end.delete(direction, port)?;
    tell_port(sim, at, PortAction::Delete, (direction, Some(port)));
    carry_out(sim, at, (id, port), &deletion);
    Ok(())
}

/// Sends what leaves when a port is deleted.
fn carry_out(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (id, port): (EndpointId, PortId),
    deletion: &Deletion,
) {
    if let Some(flushed) = &deletion.flushed {
        send_line(sim, at, (id, FlushReason::Delete), (port, flushed));
    }
    send(sim, at, (id, Some(port)), &Message::SetUp(deletion.message));
}

/// Deletes the send ports that their receivers have asked to delete, and takes them away from all who map them.
pub(super) fn delete_asked(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId) {
    loop {
        let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
            return;
        };
        let home = site.home;
        let Some((port, deletion)) = site.end.delete_asked(&mut node.pages) else {
            return;
        };
        let pages = node.pages_of(at, (Direction::Send, port));
        let pages: Vec<VirtualPage> = pages.map(|(page, _)| page).collect();
        for page in pages {
            forget(sim, at, page);
        }
        carry_out(sim, at, (home, port), &deletion);
    }
}

/// Puts bytes on the link as a message.
fn forge(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, peer: NicId, bytes: &[u8]) -> Asking {
    let longest = sim.endpoints[id].max_packet as usize;
    if let Ok(at) = link_to(sim, id, peer)
        && bytes.len() <= longest
    {
        send_raw(sim, at, (id, None), bytes.to_vec());
    }
    Asking::Busy(SimDuration::ZERO)
}
