//! A node: the page tables of its processes, its host's costs and processors, and the memory of its pages.

use std::collections::{BTreeMap, VecDeque};

use nic_core::lmmc::{Direction, PageTables, PortId, Victims, VirtualPage};
use nic_core::memory::HostSpan;
use nic_core::time::{Rate, SimDuration};

use super::site::SiteId;
use crate::profile::{LmmcCosts, Profile, Scheduling, StalledStore, Victim};
use crate::storage::Growing;

/// A host with an interface of LMMC.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) pages: PageTables<Growing>,
    /// The node's ends of its links, by the number of the link.
    pub(super) links: Vec<SiteId>,
    pub(super) costs: Costs,
    /// What each mapped page is of.
    pub(super) mapped: BTreeMap<VirtualPage, Mapped>,
    /// Host memory of pages that nobody maps any more.
    pub(super) vacant: Vec<HostSpan>,
    /// How many processors may take a trap, and how many of them stand still in a store.
    pub(super) processors: usize,
    pub(super) stalled: usize,
    /// The interface's traps for which no processor is ready, oldest first.
    pub(super) raised: VecDeque<SiteId>,
}

/// What a page of a process is of.
#[derive(Copy, Clone, Debug)]
pub(super) struct Mapped {
    pub(super) site: SiteId,
    pub(super) direction: Direction,
    pub(super) port: PortId,
    /// The memory of a receive page, at one place for as long as the page is mapped.
    pub(super) memory: Option<HostSpan>,
}

/// The costs of a host, and what its operating system does.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    pub(super) own: LmmcCosts,
    pub(super) rate: Rate,
    pub(super) spin: SimDuration,
    pub(super) wake: SimDuration,
    /// How many messages the interface holds until they leave.
    pub(super) room: usize,
}

impl Costs {
    pub(super) fn of(profile: &Profile) -> Option<Costs> {
        Some(Costs {
            own: profile.lmmc?,
            rate: Rate::new(profile.host.bandwidth),
            spin: profile.host.spin,
            wake: profile.host.upcall,
            room: profile.memory.send_slots.get() as usize,
        })
    }

    pub(super) fn victims(&self) -> Victims {
        match self.own.victim {
            Victim::Fifo => Victims::Fifo,
            Victim::Clock => Victims::Clock,
        }
    }

    pub(super) fn stalls(&self) -> bool {
        match self.own.stalled_store {
            StalledStore::Waits => true,
            StalledStore::Restarts => false,
        }
    }

    pub(super) fn prefers(&self) -> bool {
        match self.own.scheduling {
            Scheduling::Preferred => true,
            Scheduling::Plain => false,
        }
    }

    /// Returns how long the processor stores so many bytes to a page that is in.
    pub(super) fn store(&self, bytes: usize) -> SimDuration {
        self.own.issue + self.of_bytes(bytes)
    }

    /// Returns how long the processor reads or copies so many bytes.
    pub(super) fn of_bytes(&self, bytes: usize) -> SimDuration {
        self.rate.time(u32::try_from(bytes).unwrap_or(u32::MAX))
    }

    /// Returns the time of changing the entries of so many pages.
    pub(super) fn entries(&self, pages: usize) -> SimDuration {
        self.own.entry.times(pages as u64)
    }
}

impl Node {
    /// Returns the pages that map a port of a direction of a link.
    pub(super) fn pages_of(
        &self,
        site: SiteId,
        (direction, port): (Direction, PortId),
    ) -> impl Iterator<Item = (VirtualPage, Mapped)> {
        let all = self.mapped.iter().map(|(page, mapped)| (*page, *mapped));
        all.filter(move |(_, mapped)| {
            mapped.site == site && mapped.direction == direction && mapped.port == port
        })
    }
}
