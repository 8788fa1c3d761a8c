//! Schedules delays of LMMC.

use nic_core::time::{SimDuration, SimTime};

use super::delays::Delay;
use super::state::HasLmmc;
use crate::nic::work::{OwnDelay, Work};
use crate::sim::Parts;
use crate::spec::InterfaceKind;

/// Schedules a delay.
pub(super) fn after(sim: &mut Parts<'_, impl HasLmmc>, takes: SimDuration, delay: Delay) {
    let time = sim.now + takes;
    at(sim, time, delay);
}

/// Schedules the end of a delay for the given time.
pub(super) fn at(sim: &mut Parts<'_, impl HasLmmc>, time: SimTime, delay: Delay) {
    let place = sim.engines.lmmc_mut().delays.add(delay);
    let own = OwnDelay::new(InterfaceKind::Lmmc, place);
    sim.schedule.insert(time, Work::Own(own));
}
