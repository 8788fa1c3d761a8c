//! A process of LMMC: its place, its pages, and what it is told.

use nic_core::event::LmmcEvent;
use nic_core::id::EndpointId;
use nic_core::lmmc::{PageNumber, PortId, ProcessId, ProtectionFault, VirtualPage};
use nic_core::time::SimDuration;

use super::node::{Costs, Mapped};
use super::place::Place;
use super::state::HasLmmc;
use super::telling::tell;
use crate::host::{Asking, Happened, PortNews, WindowNews};
use crate::sim::Parts;

/// Returns the place of a process.
pub(super) fn place<'s>(
    sim: &'s mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
) -> Option<&'s mut Place> {
    sim.engines.lmmc_mut().places.get_mut(&id)
}

/// Returns the costs of a process's host.
pub(super) fn costs<'s>(sim: &'s Parts<'_, impl HasLmmc>, id: EndpointId) -> Option<&'s Costs> {
    let node = sim.engines.lmmc().nodes.get(&sim.endpoints[id].nic)?;
    Some(&node.costs)
}

/// Returns a page of a process.
pub(super) fn virtual_page(id: EndpointId, page: i32) -> VirtualPage {
    VirtualPage {
        process: ProcessId(id.0),
        // No process maps the last page, which stands for negative numbers.
        number: PageNumber(u32::try_from(page).unwrap_or(u32::MAX)),
    }
}

/// Returns a mapped page of a process, and what it is of.
pub(super) fn mapped(
    sim: &Parts<'_, impl HasLmmc>,
    id: EndpointId,
    page: i32,
) -> Result<(VirtualPage, Mapped), ProtectionFault> {
    let page = virtual_page(id, page);
    let node = sim.engines.lmmc().nodes.get(&sim.endpoints[id].nic);
    let found = node.and_then(|node| node.mapped.get(&page));
    let mapped = found.ok_or(ProtectionFault::NotMapped { page })?;
    Ok((page, *mapped))
}

/// Refuses an access, which has had no effect.
pub(super) fn refuse_access(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    (ticket, request): (u64, &'static str),
    (port, fault): (Option<PortId>, ProtectionFault),
) -> Asking {
    let event = LmmcEvent::Refused {
        request,
        reason: fault.word(),
        port,
    };
    tell(sim, id, event);
    tell_window(sim, id, WindowNews::ProtectionFault { ticket, fault });
    Asking::Busy(SimDuration::ZERO)
}

pub(super) fn tell_window(
    sim: &mut Parts<'_, impl HasLmmc>,
    endpoint: EndpointId,
    what: WindowNews<'_>,
) {
    sim.tell_program(endpoint, Happened::Window { endpoint, what });
}

pub(super) fn tell_news(sim: &mut Parts<'_, impl HasLmmc>, endpoint: EndpointId, what: PortNews) {
    sim.tell_program(endpoint, Happened::Port { endpoint, what });
}
