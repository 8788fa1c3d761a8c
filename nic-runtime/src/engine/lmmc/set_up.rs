//! Set-up messages at the end that has received one: what they have done to a port, and who learns of it (S4-06, S4-11).

use nic_core::lmmc::{
    CreationId, Direction, Message, PageCopy, PortAction, PortId, Progress, SetUp,
};

use super::bytes::{part, show};
use super::declared;
use super::messages::send;
use super::process::tell_news;
use super::site::{Creator, SiteId};
use super::state::HasLmmc;
use super::telling::tell_port;
use crate::host::{PortName, PortNews, PortRefusal};
use crate::sim::Parts;

/// Answers a set-up message.
pub(super) fn answer(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, answer: Option<SetUp>) {
    if let Some(answer) = answer {
        let home = sim.engines.lmmc().sites[at].home;
        send(sim, at, (home, Some(answer.port)), &Message::SetUp(answer));
    }
}

/// Follows what a set-up message has done to a port of this direction.
pub(super) fn follow(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    direction: Direction,
    progress: Progress,
) {
    let (action, port) = match progress {
        Progress::Opened { port, frame, .. } => {
            if direction == Direction::Receive {
                sim.engines.lmmc_mut().sites[at].clear(port, frame);
            }
            (PortAction::Open, Some(port))
        }
        Progress::Proposed { port } => (PortAction::Propose, Some(port)),
        Progress::Failed { .. } => (PortAction::Fail, None),
        Progress::Asked { port } => (PortAction::Delete, Some(port)),
        Progress::Deleted { port, frame } => {
            if let Some(frame) = frame {
                let site = &mut sim.engines.lmmc_mut().sites[at];
                site.copy_out(PageCopy { port, frame });
                show(sim, at, port);
            }
            part(sim, at, port);
            (PortAction::Deleted, Some(port))
        }
        Progress::Freed { port } => (PortAction::Free, Some(port)),
        Progress::Nothing => return,
    };
    tell_port(sim, at, action, (direction, port));
    match progress {
        Progress::Opened {
            port,
            creation: Some(creation),
            ..
        } => {
            if let Some(creator) = creator(sim, at, creation) {
                opened(sim, at, creator, (direction, port));
            }
        }
        Progress::Failed {
            creation: Some(creation),
        } => match creator(sim, at, creation) {
            Some(Creator::Program(id, ticket)) => {
                let created = Err(PortRefusal::NoId);
                tell_news(sim, id, PortNews::Created { ticket, created });
            }
            Some(Creator::Scenario(number)) => declared::failed(sim, number),
            None => {}
        },
        Progress::Opened { .. }
        | Progress::Failed { .. }
        | Progress::Proposed { .. }
        | Progress::Asked { .. }
        | Progress::Deleted { .. }
        | Progress::Freed { .. }
        | Progress::Nothing => {}
    }
}

/// Takes who has begun a set-up that is over.
fn creator(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, creation: CreationId) -> Option<Creator> {
    let creations = &mut sim.engines.lmmc_mut().sites[at].creations;
    let place = creations.iter().position(|(own, _)| *own == creation)?;
    Some(creations.swap_remove(place).1)
}

/// A port that this end has created is open.
fn opened(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    creator: Creator,
    (direction, port): (Direction, PortId),
) {
    match creator {
        Creator::Program(id, ticket) => {
            let peer = sim.engines.lmmc().sites[at].peer_nic;
            let created = Ok(PortName {
                peer,
                direction,
                id: port,
            });
            tell_news(sim, id, PortNews::Created { ticket, created });
        }
        Creator::Scenario(number) => declared::opened(sim, at, number, (direction, port)),
    }
}
