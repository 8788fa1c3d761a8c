//! The SRAM that is free on each NIC while a run goes on, for classes that come during the run.
//!
//! The SRAM that a NIC needs from the start is [checked](super::sram) before the run. A class that comes during the run
//! needs SRAM for its applet's heap, `RxBuf` and fields. A class that comes during the run also needs SRAM for its
//! program, unless another endpoint of the NIC runs the same class. The new applet needs its SRAM in addition to that
//! of the applet that it replaces, which is freed only afterwards.

use std::collections::BTreeMap;

use jive_core::Program;
use nic_core::id::{EndpointId, NicId};

use super::{at, sram};
use crate::scenario::model::Scenario;
use crate::sle::load::Classes;

/// The free SRAM of each NIC.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    free: Vec<u64>,
    /// How many applets use each program on each NIC.
    users: BTreeMap<(NicId, usize), u32>,
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
        let spec = &scenario.endpoints[at(endpoint.0)];
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
    pub(crate) fn new(scenario: &Scenario, classes: Classes<'_>) -> Ledger {
        let nics = scenario.nics.iter();
        let mut free: Vec<u64> = nics.map(|nic| nic.sram.into()).collect();
        for holder in sram::holders(scenario, classes) {
            let free = &mut free[at(holder.nic.0)];
            *free = free.saturating_sub(holder.bytes);
        }
        let mut users = BTreeMap::new();
        for spec in &scenario.endpoints {
            for (class, _) in spec.applets() {
                *users.entry((spec.nic, class)).or_default() += 1;
            }
        }
        Ledger { free, users }
    }

    /// Takes the memory for an applet. Returns whether the NIC has enough free memory; if it has not, none is taken.
    pub(crate) fn take(&mut self, need: Need) -> bool {
        let is_there = self.users.contains_key(&(need.nic, need.class));
        let bytes = need.applet + if is_there { 0 } else { need.program };
        if !self.take_bytes(need.nic, bytes) {
            return false;
        }
        *self.users.entry((need.nic, need.class)).or_default() += 1;
        true
    }

    /// Gives an applet's memory back, and also its program's memory if the applet was the last user of the program.
    pub(crate) fn give_back(&mut self, need: Need) {
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

    /// Returns the free bytes of a NIC.
    pub(crate) fn free(&self, nic: NicId) -> u64 {
        self.free[at(nic.0)]
    }

    /// Takes bytes of a NIC's SRAM. Returns whether the NIC has enough free bytes; if it has not, none are taken.
    pub(crate) fn take_bytes(&mut self, nic: NicId, bytes: u64) -> bool {
        let free = &mut self.free[at(nic.0)];
        let left = free.checked_sub(bytes);
        *free = left.unwrap_or(*free);
        left.is_some()
    }

    /// Gives bytes of a NIC's SRAM back.
    pub(crate) fn give_back_bytes(&mut self, nic: NicId, bytes: u64) {
        self.free[at(nic.0)] += bytes;
    }
}
