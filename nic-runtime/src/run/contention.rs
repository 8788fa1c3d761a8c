//! Contention: how long the work of a NIC's processors takes while their neighbours work too.

use crate::ids::ProcessorId;

use crate::engine::Simulation;
use crate::nic::costs::ALONE;
use crate::nic::role::Load;
use crate::nic::work::Work;
use nic_core::time::{SimDuration, SimTime};

impl Simulation<'_> {
    /// Begins work that takes `delay` without contention. If the work is code of an applet, `after_code` is the part of
    /// the work after the last instruction.
    pub(super) fn begin_load(
        &mut self,
        on: ProcessorId,
        delay: SimDuration,
        after_code: Option<u64>,
    ) {
        self.settle(on);
        self.processors[on].role.load = Some(Load {
            after_code,
            ..Load::new(delay, self.now)
        });
        self.restretch(on);
    }

    /// Ends the work of a processor whose work could end later, and lets the processor continue.
    pub(crate) fn load_ends(&mut self, on: ProcessorId) {
        self.settle(on);
        self.processors[on].role.load = None;
        self.restretch(on);
        self.go_on(on);
    }

    /// Returns whether a scheduled end of work is obsolete, because the work has been stretched or has ended.
    pub(crate) fn is_stretched(&self, time: SimTime, on: ProcessorId) -> bool {
        let load = &self.processors[on].role.load;
        load.is_none_or(|load| load.ends != time)
    }

    /// Brings the remaining work of all processors of a NIC up to date.
    pub(super) fn settle(&mut self, on: ProcessorId) {
        let nic = self.processors[on].nic;
        for other in self.nics[nic].processors() {
            if let Some(load) = &mut self.processors[other].role.load {
                load.settle(self.now);
            }
        }
    }

    /// Recomputes when the processors of a NIC finish, after one has begun or ended work.
    pub(super) fn restretch(&mut self, on: ProcessorId) {
        let nic = self.processors[on].nic;
        let processors = self.nics[nic].processors();
        let is_busy = |on: &ProcessorId| self.processors[*on].role.load.is_some();
        let busy = processors.clone().filter(is_busy).count();
        for other in processors {
            let role = &mut self.processors[other].role;
            let rate = if busy > 1 { role.contention.0 } else { ALONE };
            let ends = role.load.as_mut().and_then(|load| load.stretch(rate));
            if let Some(ends) = ends {
                self.schedule.insert(ends, Work::Stretched(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beside_a_busy_neighbour_takes_longer_by_the_factor() {
        let us = |us: u64| SimTime::from_ps(us * 1_000_000);
        let mut load = Load::new(SimDuration::from_ns(10_000), us(5));
        assert_eq!(load.stretch(ALONE), Some(us(15)));
        assert_eq!(load.stretch(ALONE), None, "known");
        // From 7 to 10 us a neighbour works too, so the processor does only 2 us of work in these 3 us.
        load.settle(us(7));
        assert_eq!(load.stretch(1_500), Some(us(19)));
        load.settle(us(10));
        assert_eq!(load.stretch(ALONE), Some(us(16)));
        load.settle(us(16));
        assert_eq!(load.left, 0);
    }

    #[test]
    fn work_never_takes_longer_than_at_its_slowest_rate() {
        for slowest in [1_001, 1_400, 1_700, 3_000] {
            for step in 1..200 {
                let alone = SimDuration::from_ps(8_200);
                let mut load = Load::new(alone, SimTime::ZERO);
                let mut now = SimTime::ZERO;
                let mut rates = [slowest, ALONE].into_iter().cycle();
                // The neighbour begins or ends work every few picoseconds.
                while load.left > 0 {
                    load.stretch(rates.next().unwrap_or(ALONE));
                    now = load.ends.min(now + SimDuration::from_ps(step));
                    load.settle(now);
                }
                let most = (alone.as_ps() * u64::from(slowest)).div_ceil(1_000);
                assert!(
                    now.as_ps() <= most,
                    "{now} at {slowest}, a change every {step} ps"
                );
                // Each change of the rate may save a thousandth of a picosecond.
                assert!(now.as_ps() >= alone.as_ps() - 9, "{now} at {slowest}");
            }
        }
    }
}
