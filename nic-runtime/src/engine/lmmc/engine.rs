//! The engine of LMMC: how the simulation reaches the interface.

use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimDuration;

use super::delays::Delay;
use super::site::Trap;
use super::state::{HasLmmc, LmmcState};
use super::{
    asked, controller, declared, lines, messages, open, resuming, serving, telling, waiting,
};
use crate::engine::interface::{Description, Interface, Protocol};
use crate::host::{Asked, Asking};
use crate::ids::Table;
use crate::nic::item::{Next, Posted};
use crate::nic::waiting::Waiters;
use crate::sim::Parts;
use crate::slab::DelayRef;
use crate::spec::Scenario;
use crate::storage::Endpoint;
use crate::wire::PacketRef;

/// The interface of LMMC. No processor of a NIC has a part in it.
pub(crate) enum Lmmc {}

impl Description for Lmmc {
    type State = LmmcState;

    const SECTIONS: &'static [&'static str] = &["lmmc"];
    const PROTOCOL: &'static str = "lmmc";
    const HAS_PAGES: bool = true;
    const HAS_OWN_WORK: bool = true;
    const REPLACES_APPLETS: bool = false;
    const RESERVES_ARRIVAL: bool = false;

    fn state(_scenario: &Scenario, _endpoints: &Table<EndpointId, Endpoint>) -> LmmcState {
        LmmcState::default()
    }
}

impl<E: HasLmmc> Interface<E> for Lmmc {
    fn prepare(sim: &mut Parts<'_, E>) {
        open::prepare(sim);
    }

    fn start(sim: &mut Parts<'_, E>) {
        declared::start(sim);
    }

    #[cold]
    fn due(sim: &mut Parts<'_, E>, delay: DelayRef) -> bool {
        match sim.engines.lmmc_mut().delays.take(delay) {
            Delay::Fault(at) => resuming::fault_step(sim, at),
            Delay::Raise(at) => serving::raise(sim, at),
            Delay::Serve(at) => serving::step_over(sim, at),
            Delay::Line(at, port, line) => return lines::due(sim, at, (port, line)),
            Delay::Spin(id, turn) => return waiting::spin_over(sim, id, turn),
            Delay::Until(id, number) => return waiting::time_over(sim, id, number),
        }
        true
    }

    #[cold]
    fn is_obsolete(sim: &Parts<'_, E>, delay: DelayRef) -> bool {
        let lmmc = sim.engines.lmmc();
        match lmmc.delays[delay] {
            Delay::Fault(_) | Delay::Raise(_) | Delay::Serve(_) => false,
            Delay::Line(at, port, line) => lmmc.sites[at].lines.get(&port) != Some(&line),
            Delay::Spin(id, turn) => lmmc.places.get(&id).is_none_or(|place| place.turn != turn),
            Delay::Until(id, number) => lmmc
                .places
                .get(&id)
                .is_none_or(|place| place.waits != number),
        }
    }

    #[cold]
    fn asked(sim: &mut Parts<'_, E>, endpoint: EndpointId, asked: Asked) -> Asking {
        asked::asked(sim, endpoint, asked)
    }

    /// A message without a header is for endpoints with queues. Endpoints of LMMC have no channels, so none comes.
    #[cold]
    fn deliver(sim: &mut Parts<'_, E>, packet: PacketRef) -> Next {
        sim.end_arrival(packet);
        Next::Look
    }

    /// Nothing posts a transmit descriptor at an endpoint of LMMC.
    #[cold]
    fn transmit(sim: &mut Parts<'_, E>, posted: Posted) -> Next {
        sim.give_up_post(posted.endpoint);
        sim.end_post(posted, nic_core::event::TxStatus::Refused)
    }

    #[cold]
    fn held_at_rest(sim: &Parts<'_, E>, nic: NicId, waiters: &mut Waiters<'_>) -> usize {
        let lmmc = sim.engines.lmmc();
        let links = lmmc.nodes.get(&nic).map(|node| &node.links[..]);
        let sites = links.unwrap_or_default().iter().map(|at| &lmmc.sites[*at]);
        let mut held = 0;
        for site in sites {
            held += site.inbox.len();
            held += usize::from(matches!(site.trap, Some(Trap::SetUp(_))));
            waiters.nic(
                nic,
                "a trap of its interface",
                usize::from(site.trap.is_some()),
            );
            waiters.nic(nic, "a fault to end", usize::from(site.fault.is_some()));
            waiters.nic(nic, "room for its messages", site.unsent.len());
            waiters.nic(nic, "room for its stores", site.for_room.len());
        }
        held
    }
}

impl<E: HasLmmc> Protocol<E> for Lmmc {
    #[cold]
    fn transmit_started(sim: &mut Parts<'_, E>, packet: PacketRef, duration: SimDuration) {
        telling::leaves(sim, packet, duration);
    }

    /// No descriptor has caused the message.
    #[cold]
    fn packet_left(sim: &mut Parts<'_, E>, packet: PacketRef) -> bool {
        if let Some(at) = messages::left(sim, packet) {
            resuming::room_made(sim, at);
        }
        false
    }

    #[cold]
    fn packet_received(sim: &mut Parts<'_, E>, packet: PacketRef) {
        controller::received(sim, packet);
    }
}
