//! The mappings of NICs, and the writes that wait for them.

use crate::ids::{Table, at};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use nic_core::event::Trigger;
use nic_core::id::{EndpointId, NicId, PostId};
use nic_core::remote::WindowId;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::Channel;

use super::writes::Write;
use crate::spec::Scenario;

/// The mappings of a NIC.
#[derive(Clone, Debug)]
pub(super) struct Mappings {
    pub(super) most: NonZeroU32,
    pub(super) takes: SimDuration,
    /// The rings of the connection of each endpoint at its peer, which stay mapped beside the cache.
    pub(super) kept: BTreeMap<EndpointId, WindowId>,
    /// The number of the last use of each mapped window.
    pub(super) used: BTreeMap<WindowId, u64>,
    /// The mapped windows, by the number of their last use.
    pub(super) by_use: BTreeMap<u64, WindowId>,
    /// Number of the next use of a window.
    pub(super) next: u64,
}

/// The effect of a use of a window on the mappings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The window was mapped.
    Mapped,
    /// The window was not mapped, so this use maps the window. Another window may have lost its mapping to this window.
    Maps { evicts: Option<WindowId> },
}

impl Mappings {
    pub(super) fn new(most: NonZeroU32, takes: SimDuration) -> Mappings {
        Mappings {
            most,
            takes,
            kept: BTreeMap::new(),
            used: BTreeMap::new(),
            by_use: BTreeMap::new(),
            next: 0,
        }
    }

    /// Records a use of a window, and maps the window if it is not mapped.
    pub(super) fn take(&mut self, window: WindowId) -> Use {
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
    pub(super) of_nics: Table<NicId, Option<Mappings>>,
    /// The waiting writes of endpoints that have mapped a window during the run.
    pub(super) waiting: BTreeMap<EndpointId, Waiting>,
}

/// The writes of an endpoint that wait for the mapping of a window.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// The time at which the endpoint's last mapping is complete.
    pub(super) free_at: SimTime,
    /// The waiting items, oldest first, with the time at which each is carried out.
    pub(super) items: VecDeque<(SimTime, Item)>,
}

#[derive(Debug)]
pub(super) enum Item {
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

    /// Maps the rings of an endpoint's connection for as long as it lasts, as a part of the connection's set-up.
    pub(crate) fn keep(&mut self, (nic, id): (NicId, EndpointId), rings: WindowId) {
        if let Some(Some(mappings)) = self.of_nics.get_mut(nic) {
            mappings.kept.insert(id, rings);
        }
    }

    /// Maps a window before the run starts, as a part of the set-up of a connection.
    pub(crate) fn set_up(&mut self, nic: NicId, window: WindowId) {
        if let Some(Some(mappings)) = self.of_nics.get_mut(nic) {
            mappings.take(window);
        }
    }
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
