//! Delays of VIA.

use nic_core::time::SimTime;

use super::state::{Delay, HasVia};
use crate::nic::work::{OwnDelay, Work};
use crate::sim::Parts;
use crate::spec::InterfaceKind;

/// Schedules the end of a delay for the given time.
pub(super) fn schedule(sim: &mut Parts<'_, impl HasVia>, time: SimTime, delay: Delay) {
    let place = sim.engines.via_mut().delays.add(delay);
    let own = OwnDelay::new(InterfaceKind::Via, place);
    sim.schedule.insert(time, Work::Own(own));
}
