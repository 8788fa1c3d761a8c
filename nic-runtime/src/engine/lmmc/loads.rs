//! Loads of processes: a local read, which never traps (S4-02, S4-19).

use nic_core::id::EndpointId;
use nic_core::lmmc::{ProtectionFault, check_within};

use super::process::{costs, mapped, refuse_access, tell_window};
use super::state::HasLmmc;
use crate::host::{Asking, WindowNews};
use crate::sim::Parts;

/// Reads bytes of a page.
pub(super) fn load(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    ticket: u64,
    (window, offset, length): (i32, u32, u32),
) -> Asking {
    let bytes = match read(sim, id, window, (offset, length)) {
        Ok(bytes) => bytes,
        Err(fault) => return refuse_access(sim, id, (ticket, "load"), (None, fault)),
    };
    let takes = costs(sim, id).map(|costs| costs.of_bytes(bytes.len()));
    let payload = &bytes;
    tell_window(sim, id, WindowNews::Loaded { ticket, payload });
    takes.map_or(Asking::Ignored, Asking::Busy)
}

/// Returns bytes of a page, from the frame or from memory, wherever the page's entry says that they are.
pub(super) fn read(
    sim: &Parts<'_, impl HasLmmc>,
    id: EndpointId,
    window: i32,
    (offset, length): (u32, u32),
) -> Result<Vec<u8>, ProtectionFault> {
    let (page, of) = mapped(sim, id, window)?;
    let lmmc = sim.engines.lmmc();
    let (Some(node), site) = (lmmc.nodes.get(&sim.endpoints[id].nic), &lmmc.sites[of.site]) else {
        return Ok(Vec::new());
    };
    let frame = node.pages.receive_page(page)?.frame;
    let page_bytes = site.end.sizes().page_bytes;
    check_within(page_bytes, offset, length as usize)?;
    let range = offset as usize..(offset + length) as usize;
    let whole = match (frame, of.memory) {
        (Some(frame), _) => &site.frames[frame.0 as usize][..],
        (None, Some(memory)) => sim.memory.bytes(memory),
        (None, None) => &[],
    };
    Ok(whole.get(range).unwrap_or_default().to_vec())
}
