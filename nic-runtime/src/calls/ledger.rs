//! The SRAM that is free on each NIC while a run goes on, for classes that come during the run.
//!
//! The SRAM that a NIC needs from the start is [checked](super::sram) before the run. A class that comes during the run
//! needs SRAM for its applet's heap, `RxBuf` and fields. A class that comes during the run also needs SRAM for its
//! program, unless another endpoint of the NIC runs the same class. The new applet needs its SRAM in addition to that
//! of the applet that it replaces, which is freed only afterwards.
//!
//! The free SRAM is divided equally among the endpoints of a NIC whose applets may be replaced. So whether a class finds
//! room never depends on what neighbours hold. An endpoint's share pays for each program that the endpoint uses, even
//! if a neighbour uses it as well.

use crate::ids::Table;
use std::collections::BTreeMap;

use jive_core::Program;
use nic_core::id::{EndpointId, NicId};

use super::sram::{self, RecordBytes};
use crate::calls::classes::Classes;
use crate::spec::Scenario;

/// The free SRAM of each NIC.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    free: Table<NicId, u64>,
    shares: BTreeMap<EndpointId, Share>,
    /// How many applets use each program on each NIC.
    users: BTreeMap<(NicId, usize), u32>,
}

/// What an endpoint may still take of the SRAM of its NIC.
#[derive(Clone, Debug, Default)]
struct Share {
    left: u64,
    /// The programs of the endpoint's present applet and of those that are to replace it. For each, how many of these
    /// applets use it, and how many bytes the endpoint gets back when none does.
    programs: BTreeMap<usize, (u32, u64)>,
}

impl Share {
    /// Takes the memory for an applet. Returns whether enough is left; if not, none is taken.
    fn take(&mut self, need: Need) -> bool {
        let known = self.programs.get(&need.class).copied();
        let bytes = need.applet + known.map_or(need.program, |_| 0);
        if !self.take_bytes(bytes) {
            return false;
        }
        let program = self.programs.entry(need.class);
        program.or_insert((0, need.program)).0 += 1;
        true
    }

    fn give_back(&mut self, need: Need) {
        self.left += need.applet;
        if let Some((users, program)) = self.programs.get_mut(&need.class) {
            *users -= 1;
            if *users == 0 {
                self.left += *program;
                self.programs.remove(&need.class);
            }
        }
    }

    fn take_bytes(&mut self, bytes: u64) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// The SRAM that an applet of a class needs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    nic: NicId,
    class: usize,
    program: u64,
    applet: u64,
}

impl Need {
    /// Returns the SRAM that a class needs as the applet of an endpoint.
    pub(crate) fn of(
        scenario: &Scenario,
        endpoint: EndpointId,
        class: usize,
        program: &Program<'_>,
    ) -> Need {
        let spec = &scenario.endpoints[endpoint];
        Need {
            nic: spec.nic,
            class,
            program: sram::of_program(program),
            applet: sram::of_applet(scenario.profile_of(spec.nic), spec, program),
        }
    }
}

impl Ledger {
    /// Returns the free SRAM of each NIC before the run.
    pub(crate) fn new(
        scenario: &Scenario,
        classes: Classes<'_>,
        record_bytes: RecordBytes,
    ) -> Ledger {
        let nics = scenario.nics.iter();
        let mut free: Table<NicId, u64> = nics.map(|nic| nic.sram.into()).collect();
        for holder in sram::holders(scenario, classes, record_bytes) {
            let free = &mut free[holder.nic];
            *free = free.saturating_sub(holder.bytes);
        }
        let mut users = BTreeMap::new();
        for spec in &scenario.endpoints {
            for (class, _) in spec.applets() {
                *users.entry((spec.nic, class)).or_default() += 1;
            }
        }
        let mut ledger = Ledger {
            free,
            shares: BTreeMap::new(),
            users,
        };
        ledger.divide(scenario, classes);
        ledger
    }

    /// Divides the free SRAM of each NIC among the endpoints whose applets may be replaced.
    fn divide(&mut self, scenario: &Scenario, classes: Classes<'_>) {
        let ids = (0u32..).map(EndpointId).zip(&scenario.endpoints);
        let heirs: Vec<_> = ids
            .filter(|(id, _)| scenario.may_replace_applet(*id))
            .collect();
        let mut counts = Table::filled(self.free.len(), 0);
        for (_, spec) in &heirs {
            counts[spec.nic] += 1;
        }
        for (id, spec) in heirs {
            let count: u64 = counts[spec.nic];
            let mut share = Share {
                left: self.free[spec.nic] / count,
                ..Share::default()
            };
            let loaded = spec
                .class
                .and_then(|class| classes.get(class)?.as_ref().ok());
            if let (Some(class), Some(loaded)) = (spec.class, loaded) {
                let need = Need::of(scenario, id, class, &loaded.program);
                // The memory of a program that a neighbour uses as well belongs to neither of them.
                let is_own = self.users.get(&(spec.nic, class)) == Some(&1);
                let program = if is_own { need.program } else { 0 };
                share.programs.insert(class, (1, program));
            }
            self.shares.insert(id, share);
        }
    }

    /// Takes the memory for an applet of an endpoint, beside that of its present applet. Returns whether the endpoint's
    /// share is large enough; if it is not, none is taken.
    pub(crate) fn take(&mut self, endpoint: EndpointId, need: Need) -> bool {
        let share = self.shares.get_mut(&endpoint);
        if !share.is_some_and(|share| share.take(need)) {
            return false;
        }
        let is_there = self.users.contains_key(&(need.nic, need.class));
        let bytes = need.applet + if is_there { 0 } else { need.program };
        let fits = self.take_bytes(need.nic, bytes);
        debug_assert!(fits, "the shares of a NIC add up to its free memory");
        *self.users.entry((need.nic, need.class)).or_default() += 1;
        true
    }

    /// Gives an applet's memory back, and also its program's memory if the applet was the last user of the program.
    pub(crate) fn give_back(&mut self, endpoint: EndpointId, need: Need) {
        if let Some(share) = self.shares.get_mut(&endpoint) {
            share.give_back(need);
        }
        let key = (need.nic, need.class);
        let mut bytes = need.applet;
        if let Some(users) = self.users.get_mut(&key) {
            *users -= 1;
            if *users == 0 {
                self.users.remove(&key);
                bytes += need.program;
            }
        }
        self.give_back_bytes(need.nic, bytes);
    }

    /// Returns the bytes that are left of an endpoint's share.
    pub(crate) fn left(&self, endpoint: EndpointId) -> u64 {
        self.shares.get(&endpoint).map_or(0, |share| share.left)
    }

    /// Takes bytes for an endpoint. Returns whether its share is large enough; if it is not, none are taken.
    pub(crate) fn take_for(&mut self, (endpoint, nic): (EndpointId, NicId), bytes: u64) -> bool {
        let share = self.shares.get_mut(&endpoint);
        share.is_some_and(|share| share.take_bytes(bytes)) && self.take_bytes(nic, bytes)
    }

    /// Gives bytes of an endpoint back.
    pub(crate) fn give_back_of(&mut self, (endpoint, nic): (EndpointId, NicId), bytes: u64) {
        if let Some(share) = self.shares.get_mut(&endpoint) {
            share.left += bytes;
        }
        self.give_back_bytes(nic, bytes);
    }

    fn take_bytes(&mut self, nic: NicId, bytes: u64) -> bool {
        let free = &mut self.free[nic];
        let left = free.checked_sub(bytes);
        *free = left.unwrap_or(*free);
        left.is_some()
    }

    fn give_back_bytes(&mut self, nic: NicId, bytes: u64) {
        self.free[nic] += bytes;
    }
}
