//! NICs with several processors: placement of stages, handover of work, exclusive access to applets, and contention.

use crate::ids::ProcessorId;

use super::overtaken;
use crate::applet;
use crate::calls::call::Cause;
use crate::engine::Simulation;
use crate::nic::costs::ALONE;
use crate::nic::item::Next;
use crate::nic::role::Load;
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use nic_core::time::{SimDuration, SimTime};

impl Simulation<'_> {
    /// Begins a call on a processor that records its calls. Returns what the processor does instead if it cannot begin
    /// the call now.
    #[cold]
    pub(crate) fn enter_recorded(&mut self, on: ProcessorId) -> Option<Next> {
        let now = self.now;
        let role = &mut self.processors[on].role;
        if let Some(slicing) = &mut role.slicing {
            slicing.begins(now);
        }
        match role.is_alone {
            true => None,
            false => self.enter_alone(on),
        }
    }

    /// Begins a call if no other processor runs the applet. If another processor runs the applet, this processor waits,
    /// or puts the new call aside if the running call is suspended.
    fn enter_alone(&mut self, on: ProcessorId) -> Option<Next> {
        let call = self.processors[on].activation.call();
        let (applet_at, cause) = (call.applet_at, call.cause);
        let applet = self.place_of(applet_at);
        if let Cause::Post(posted) = cause {
            let is_suspended = self.suspensions.of(applet).is_some();
            if is_suspended || self.has_lost_places(on, posted) {
                self.leave_call(on);
                return Some(self.take_back(posted));
            }
        } else if let Some(suspended) = self.suspensions.of(applet) {
            match cause {
                Cause::Arrival { arrival, .. } => {
                    suspended.activation.parked.taken.push_back(arrival)
                }
                Cause::Post(_)
                | Cause::Timer(_)
                | Cause::Refill(_)
                | Cause::Watch(_)
                | Cause::Chain(_) => applet::pending_calls::put_off(self, applet_at, cause),
            }
            self.leave_call(on);
            return Some(Next::Look);
        }
        if let Some(next) = overtaken::turn_aside(self, on) {
            return Some(next);
        }
        let nic = self.processors[on].nic;
        let is_running = |other: ProcessorId| {
            let role = &self.processors[other].role;
            other != on && role.running == Some(applet)
        };
        if self.nics[nic].processors().any(is_running) {
            let role = &mut self.processors[on].role;
            // The processor had been admitted to the applet, but a suspended call continued first, so the processor
            // waits again.
            role.running = None;
            role.awaits = Some((applet, self.now));
            return Some(self.wait(on, Stage::Enter));
        }
        self.processors[on].role.running = Some(applet);
        None
    }

    /// Records that a processor has left its applet, and lets the processor that has waited longest enter the applet.
    #[inline]
    pub(crate) fn leave_call(&mut self, on: ProcessorId) {
        if self.processors[on].role.is_recorded {
            self.leave_recorded(on);
        }
    }

    #[cold]
    fn leave_recorded(&mut self, on: ProcessorId) {
        let now = self.now;
        if let Some(slicing) = &mut self.processors[on].role.slicing {
            slicing.ends(now);
        }
        self.let_next_enter(on);
    }

    /// Makes a processor that was to enter an applet look for other work, because the applet has no entry for the call.
    #[cold]
    pub(crate) fn turn_away(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        *processor.stage_of_call() = Stage::Look;
        if processor.role.awaits.take().is_some() {
            self.rouse(on);
        }
        self.leave_call(on);
    }

    /// Records that a processor continues a suspended call.
    pub(crate) fn reenter(&mut self, on: ProcessorId) {
        let applet_at = self.processors[on].activation.call().applet_at;
        let (now, running) = (self.now, self.place_of(applet_at));
        let role = &mut self.processors[on].role;
        role.running = Some(running);
        if let Some(slicing) = &mut role.slicing {
            slicing.begins(now);
        }
    }

    fn let_next_enter(&mut self, on: ProcessorId) {
        let Some(applet) = self.processors[on].role.running.take() else {
            return;
        };
        let nic = self.processors[on].nic;
        let waiting = self.nics[nic].processors().filter_map(|other| {
            let awaits = self.processors[other].role.awaits;
            awaits.and_then(|(awaited, since)| (awaited == applet).then_some((since, other)))
        });
        let Some((since, next)) = waiting.min_by_key(|&(since, other)| (since, other.0)) else {
            return;
        };
        let role = &mut self.processors[next].role;
        role.awaits = None;
        role.running = Some(applet);
        let waits = &mut self.waits[applet];
        waits.count += 1;
        waits.time += self.now.since(since);
        self.rouse(next);
    }

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
