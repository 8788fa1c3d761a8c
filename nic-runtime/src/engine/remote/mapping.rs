//! Mappings: windows of other nodes to which the processor of a host can write (S5-20).
//!
//! A NIC has a fixed number of mappings of windows. The host maps a window before its processor writes to the window,
//! and the mapping takes a time of its own. If all mappings are in use, the least recently used mapping is removed. DMA
//! needs no mapping.
//!
//! While a window is being mapped, later writes of the VI wait, DMA requests included, so that the writes of a
//! connection keep their order.

use nic_core::event::{RemoteEvent, Trigger};
use nic_core::id::{EndpointId, PostId};
use nic_core::remote::WindowId;
use nic_core::time::SimTime;
use nic_core::unet::Channel;

use super::clan;
use super::mapped::{Item, Use};
use super::outgoing::By;
use super::state::HasRemote;
use super::writes::Write;
use crate::sim::Parts;

/// Carries out a write, or makes the write wait for the mapping of its window and for earlier writes.
pub(super) fn pass(
    sim: &mut Parts<'_, impl HasRemote>,
    from: EndpointId,
    connection: &Channel,
    write: &Write,
    trigger: Trigger,
) {
    match write.by {
        By::Processor => map(sim, from, write.window),
        By::Dma(_) | By::DmaBehind(_) => {}
    }
    if waits_until(sim, from).is_some() {
        wait(sim, from, Item::Write(*connection, write.clone(), trigger));
    } else {
        clan::carry_out(sim, from, connection, write, trigger);
    }
}

/// Makes a descriptor complete when all writes that the endpoint has made so far have been carried out. Returns false
/// if all these writes have been carried out already.
pub(crate) fn completes_later(
    sim: &mut Parts<'_, impl HasRemote>,
    id: EndpointId,
    post: PostId,
) -> bool {
    let waits = waits_until(sim, id).is_some();
    if waits {
        wait(sim, id, Item::Over(post));
    }
    waits
}

/// Returns whether writes of an endpoint wait for a mapping.
pub(crate) fn is_waiting(sim: &Parts<'_, impl HasRemote>, id: EndpointId) -> bool {
    waits_until(sim, id).is_some()
}

/// Maps a window unless it is mapped.
fn map(sim: &mut Parts<'_, impl HasRemote>, from: EndpointId, window: WindowId) {
    let (now, nic) = (sim.now, sim.endpoints[from].nic);
    let all = &mut sim.engines.remote_mut().mappings;
    let Some(Some(mappings)) = all.of_nics.get_mut(nic) else {
        return;
    };
    if mappings.kept.get(&from) == Some(&window) {
        return;
    }
    let evicts = match mappings.take(window) {
        Use::Mapped => return,
        Use::Maps { evicts } => evicts,
    };
    let takes = mappings.takes;
    let waiting = all.waiting.entry(from).or_default();
    waiting.free_at = waiting.free_at.max(now) + takes;
    let kind = RemoteEvent::WindowMap { window, evicts };
    sim.report.emit(now, from, kind);
    HasRemote::occupy(sim, from, takes);
}

/// Returns the time until which the next write of an endpoint must wait; `None` if the write need not wait.
fn waits_until(sim: &Parts<'_, impl HasRemote>, from: EndpointId) -> Option<SimTime> {
    let waiting = sim.engines.remote().mappings.waiting.get(&from)?;
    // A new write also waits for writes that are due now, so that they are carried out first.
    let waits = !waiting.items.is_empty() || waiting.free_at > sim.now;
    waits.then_some(waiting.free_at.max(sim.now))
}

fn wait(sim: &mut Parts<'_, impl HasRemote>, from: EndpointId, item: Item) {
    let Some(time) = waits_until(sim, from) else {
        return;
    };
    let waiting = sim
        .engines
        .remote_mut()
        .mappings
        .waiting
        .entry(from)
        .or_default();
    let is_later = waiting.items.back().is_none_or(|(last, _)| *last < time);
    waiting.items.push_back((time, item));
    if is_later {
        HasRemote::schedule_mapped(sim, from, time);
    }
}

/// Carries out the writes of an endpoint that waited for a mapping which is now complete.
pub(crate) fn mapped(sim: &mut Parts<'_, impl HasRemote>, from: EndpointId) {
    while let Some(item) = next_due(sim, from) {
        match item {
            Item::Write(connection, write, trigger) => {
                clan::carry_out(sim, from, &connection, &write, trigger);
            }
            Item::Over(post) => HasRemote::writes_over(sim, from, post),
        }
    }
    HasRemote::end_in_turn(sim, from);
}

fn next_due(sim: &mut Parts<'_, impl HasRemote>, from: EndpointId) -> Option<Item> {
    let now = sim.now;
    let waiting = sim.engines.remote_mut().mappings.waiting.get_mut(&from)?;
    let (time, _) = waiting.items.front()?;
    if *time > now {
        return None;
    }
    waiting.items.pop_front().map(|(_, item)| item)
}
