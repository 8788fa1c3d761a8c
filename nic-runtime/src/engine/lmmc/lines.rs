//! The time after which gathered writes leave (S4-21).

use nic_core::lmmc::{FlushReason, PortId};

use super::delays::Delay;
use super::messages::send_line;
use super::site::SiteId;
use super::state::HasLmmc;
use super::timing::after;
use crate::sim::Parts;

/// A port has begun a line, which leaves after some time unless something else makes it leave before.
pub(super) fn begun(sim: &mut Parts<'_, impl HasLmmc>, at: SiteId, port: PortId) {
    let Some((node, site)) = sim.engines.lmmc_mut().with_node(at) else {
        return;
    };
    let line = site.lines.entry(port).or_default();
    *line = line.wrapping_add(1);
    let (line, takes) = (*line, node.costs.own.late_flush);
    after(sim, takes, Delay::Line(at, port, line));
}

/// A line is old enough to leave. Returns false if it has left.
pub(super) fn due(
    sim: &mut Parts<'_, impl HasLmmc>,
    at: SiteId,
    (port, line): (PortId, u32),
) -> bool {
    let site = &mut sim.engines.lmmc_mut().sites[at];
    if site.lines.get(&port) != Some(&line) {
        return false;
    }
    let home = site.home;
    match site.end.flush(port) {
        None => false,
        Some(flushed) => {
            send_line(sim, at, (home, FlushReason::Time), (port, &flushed));
            true
        }
    }
}
