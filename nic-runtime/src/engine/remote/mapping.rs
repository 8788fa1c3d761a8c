//! Mappings: windows of other nodes to which the processor of a host can write (S5-20).
//!
//! A NIC has a fixed number of mappings of windows. The host maps a window before its processor writes to the window,
//! and the mapping takes a time of its own. If all mappings are in use, the least recently used mapping is removed. DMA
//! needs no mapping.
//!
//! While a window is being mapped, later writes of the VI wait, DMA requests included, so that the writes of a
//! connection keep their order.

use crate::ids::{Table, at};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use nic_core::event::{RemoteEvent, Trigger};
use nic_core::id::{EndpointId, NicId, PostId};
use nic_core::remote::WindowId;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::HasRemote;
use super::{By, Write, clan};
use crate::sim::Parts;
use crate::spec::Scenario;

/// The mappings of a NIC.
#[derive(Clone, Debug)]
struct Mappings {
    most: NonZeroU32,
    takes: SimDuration,
    /// The number of the last use of each mapped window.
    used: BTreeMap<WindowId, u64>,
    /// The mapped windows, by the number of their last use.
    by_use: BTreeMap<u64, WindowId>,
    /// Number of the next use of a window.
    next: u64,
}

/// The effect of a use of a window on the mappings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Use {
    /// The window was mapped.
    Mapped,
    /// The window was not mapped, so this use maps the window. Another window may have lost its mapping to this window.
    Maps { evicts: Option<WindowId> },
}

impl Mappings {
    fn new(most: NonZeroU32, takes: SimDuration) -> Mappings {
        Mappings {
            most,
            takes,
            used: BTreeMap::new(),
            by_use: BTreeMap::new(),
            next: 0,
        }
    }

    /// Records a use of a window, and maps the window if it is not mapped.
    fn take(&mut self, window: WindowId) -> Use {
        let turn = self.next;
        // The number of uses cannot overflow, because no run makes 2⁶⁴ writes.
        self.next += 1;
        let before = self.used.insert(window, turn);
        self.by_use.insert(turn, window);
        if let Some(before) = before {
            self.by_use.remove(&before);
            return Use::Mapped;
        }
        if self.used.len() <= at(self.most.get()) {
            return Use::Maps { evicts: None };
        }
        let oldest = self.by_use.pop_first().map(|(_, oldest)| oldest);
        if let Some(oldest) = oldest {
            self.used.remove(&oldest);
        }
        Use::Maps { evicts: oldest }
    }
}

/// The mappings of all NICs, and the writes that wait for mappings.
#[derive(Debug, Default)]
pub(crate) struct AllMappings {
    /// The mappings by NIC; `None` if the NIC has no remote memory.
    of_nics: Table<NicId, Option<Mappings>>,
    /// The waiting writes of endpoints that have mapped a window during the run.
    waiting: BTreeMap<EndpointId, Waiting>,
}

/// The writes of an endpoint that wait for the mapping of a window.
#[derive(Debug, Default)]
struct Waiting {
    /// The time at which the endpoint's last mapping is complete.
    free_at: SimTime,
    /// The waiting items, oldest first, with the time at which each is carried out.
    items: VecDeque<(SimTime, Item)>,
}

#[derive(Debug)]
enum Item {
    Write(Channel, Write, Trigger),
    /// The completion of a descriptor whose last write precedes this item.
    Over(PostId),
}

impl AllMappings {
    /// Returns the mappings of a scenario's NICs. No window is mapped.
    pub(crate) fn new(scenario: &Scenario) -> AllMappings {
        let nics = (0u32..).map(NicId).take(scenario.nics.len());
        let of_nic = |nic| {
            let costs = scenario.profile_of(nic).clan?;
            Some(Mappings::new(costs.mappings, costs.map))
        };
        AllMappings {
            of_nics: nics.map(of_nic).collect(),
            waiting: BTreeMap::new(),
        }
    }

    /// Maps a window before the run starts, as a part of the set-up of a connection.
    pub(crate) fn set_up(&mut self, nic: NicId, window: WindowId) {
        if let Some(Some(mappings)) = self.of_nics.get_mut(nic) {
            mappings.take(window);
        }
    }
}

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

#[cfg(test)]
mod tests {
    use nic_core::random::Generator;

    use super::*;

    #[test]
    fn the_least_recently_used_mapping_goes() {
        // The test compares the mappings with a plain list of windows, least recently used first.
        for seed in 0..50 {
            let mut generator = Generator::named(seed, &["mappings"]);
            let most = 1 + (generator.draw() % 5) as u32;
            let mut mappings =
                Mappings::new(NonZeroU32::new(most).unwrap(), SimDuration::from_ns(1));
            let mut list: Vec<WindowId> = Vec::new();
            for _ in 0..200 {
                let window = WindowId((generator.draw() % 8) as u32);
                let expected = match list.iter().position(|mapped| *mapped == window) {
                    Some(place) => {
                        list.remove(place);
                        Use::Mapped
                    }
                    None if list.len() < most as usize => Use::Maps { evicts: None },
                    None => Use::Maps {
                        evicts: Some(list.remove(0)),
                    },
                };
                list.push(window);
                assert_eq!(mappings.take(window), expected, "{seed}");
            }
        }
    }
}
