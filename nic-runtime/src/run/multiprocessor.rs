//! NICs with several processors: placement of stages, handover of work, exclusive access to applets, and contention.

use crate::ids::{AppletId, ProcessorId};
use std::collections::VecDeque;

use super::Simulation;
use super::overtaken;
use super::slice::Slicing;
use crate::applet;
use crate::applet::call::Cause;
use crate::nic::costs::ALONE;
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use crate::nic::{ClaimId, Progress, Purpose};
use crate::spec::Placement;
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};

/// How long processors have waited for an applet that another processor was running.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CallWaits {
    /// Number of waits.
    pub count: u64,
    /// Total time of all waits for the applet.
    pub time: SimDuration,
}

/// Which kinds of work a processor looks for by itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Takes {
    pub(crate) arrivals: bool,
    pub(crate) posts: bool,
    pub(crate) timers: bool,
    pub(crate) refills: bool,
    pub(crate) watches: bool,
}

/// A processor's relation to the other processors of its NIC.
#[derive(Debug)]
pub(crate) struct ProcessorRole {
    /// Whether the processor is the NIC's only processor.
    pub(crate) is_alone: bool,
    /// The kinds of work that the processor looks for by itself.
    pub(crate) takes: Takes,
    /// The other processor that runs `doTx`, if this one does not: descriptors for applets are handed over to it.
    pub(crate) posts_to: Option<ProcessorId>,
    /// The other processor that runs `doRx`, if this one does not: packets for applets are handed over to it.
    pub(crate) arrivals_to: Option<ProcessorId>,
    /// Items handed over to this processor, oldest first.
    pub(crate) handed: VecDeque<Item>,
    /// Whether the processor next serves an item that was handed over to it, before other work.
    pub(crate) is_handed_next: bool,
    /// The applet whose call the processor runs, recorded only if the NIC has several processors.
    running: Option<AppletId>,
    /// The applet that the processor waits for because another processor runs it, and since when.
    awaits: Option<(AppletId, SimTime)>,
    contention: Contention,
    /// The work in progress, recorded only if its end may move. The end moves when neighbouring processors slow the
    /// processor down, and when its call yields.
    pub(super) load: Option<Load>,
    /// How the processor's calls yield, if they do.
    pub(crate) slicing: Option<Slicing>,
    /// Whether the processor records the begin and the end of each call.
    pub(crate) is_recorded: bool,
    /// Whether the end of the processor's work may move.
    is_timed: bool,
    /// Whether the processor's work neither moves nor is reported.
    pub(super) is_plain: bool,
}

/// Factor by which a processor's work takes longer while a neighbour is busy, in thousandths; 1,000 means no slowdown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Contention(u32);

/// Work in progress on a processor whose work may end later than it was to end when it began.
#[derive(Copy, Clone, Debug)]
pub(super) struct Load {
    /// Remaining work, in thousandths of the picoseconds that it takes without contention, so that rounding errors stay
    /// below a picosecond.
    pub(super) left: u64,
    /// If the work is code of an applet, the part of the work after the last instruction, in the same unit.
    pub(super) after_code: Option<u64>,
    /// Time at which the current `rate` began to apply.
    since: SimTime,
    /// Current factor, in thousandths.
    rate: u32,
    /// End of the work at the current rate.
    ends: SimTime,
}

impl Load {
    /// Returns work that begins now and takes the time `alone` if there is no contention.
    fn new(alone: SimDuration, now: SimTime) -> Load {
        Load {
            left: thousandths(alone),
            after_code: None,
            since: now,
            rate: ALONE,
            ends: SimTime::MAX,
        }
    }

    /// Subtracts the work done since the last change of rate.
    pub(super) fn settle(&mut self, now: SimTime) {
        let elapsed = u128::from(now.since(self.since).as_ps());
        let done = elapsed * u128::from(ALONE) * u128::from(ALONE);
        // Rounded up: however often the rate changes, the work takes no longer than at its slowest rate.
        let done = done.div_ceil(u128::from(self.rate));
        self.left = self
            .left
            .saturating_sub(u64::try_from(done).unwrap_or(u64::MAX));
        self.since = now;
    }

    /// Sets the rate of the work from now on. Returns the new end of the work, or `None` if the end has not changed.
    fn stretch(&mut self, rate: u32) -> Option<SimTime> {
        self.rate = rate;
        let takes = u128::from(self.left) * u128::from(rate);
        let takes = takes.div_ceil(u128::from(ALONE) * u128::from(ALONE));
        let takes = SimDuration::from_ps(u64::try_from(takes).unwrap_or(u64::MAX));
        let ends = self.since + takes;
        (std::mem::replace(&mut self.ends, ends) != ends).then_some(ends)
    }

    /// Returns how long it takes, but at least `least`, until the code of this work is between two instructions. The
    /// current rate is assumed to stay. Each instruction takes the time `each` without contention. Returns
    /// `None` if the work has no code left by then. The work must have been settled.
    pub(super) fn between_instructions(
        &self,
        least: SimDuration,
        each: SimDuration,
    ) -> Option<SimDuration> {
        let code = self.left.checked_sub(self.after_code?)?;
        let done = u128::from(least.as_ps()) * u128::from(ALONE) * u128::from(ALONE)
            / u128::from(self.rate);
        let rest = code.checked_sub(u64::try_from(done).ok()?)?;
        let each = thousandths(each);
        let part = rest.checked_rem(each).unwrap_or(0);
        // With contention the end of an instruction may fall within a picosecond.
        let is_between = part < u64::from(ALONE) || each - part < u64::from(ALONE);
        let part = if is_between { 0 } else { part };
        let takes = u128::from(part) * u128::from(self.rate);
        let takes = takes.div_ceil(u128::from(ALONE) * u128::from(ALONE));
        Some(least + SimDuration::from_ps(u64::try_from(takes).unwrap_or(u64::MAX)))
    }
}

/// Returns a time in the unit of [`Load::left`].
pub(super) fn thousandths(time: SimDuration) -> u64 {
    time.as_ps().saturating_mul(u64::from(ALONE))
}

/// Returns the time of an amount of work in the unit of [`Load::left`], rounded down.
pub(super) fn time_of(thousandths: u64) -> SimDuration {
    SimDuration::from_ps(thousandths / u64::from(ALONE))
}

impl ProcessorRole {
    /// Returns the [`ProcessorRole`] of processor `number` of a NIC with `count` processors, of which the first has the id
    /// `first`.
    pub(crate) fn new(
        (first, number, count): (u32, u32, u32),
        placement: &Placement,
        contention: u32,
        slice: Option<SimDuration>,
        is_heard: bool,
    ) -> ProcessorRole {
        let other = |place: u32| (place != number).then_some(ProcessorId(first + place));
        let contention = if count == 1 { ALONE } else { contention };
        ProcessorRole {
            is_alone: count == 1,
            takes: Takes {
                arrivals: placement.receive == number,
                posts: placement.transmit == number,
                timers: placement.do_timer == number,
                refills: placement.do_refill == number,
                watches: placement.do_watch == number,
            },
            posts_to: other(placement.do_tx),
            arrivals_to: other(placement.do_rx),
            handed: VecDeque::new(),
            is_handed_next: true,
            running: None,
            awaits: None,
            contention: Contention(contention),
            load: None,
            slicing: slice.map(Slicing::new),
            is_recorded: count > 1 || slice.is_some(),
            is_timed: contention != ALONE || slice.is_some(),
            is_plain: contention == ALONE && slice.is_none() && !is_heard,
        }
    }

    /// Returns whether neighbouring processors slow this processor down.
    pub(super) fn is_contended(&self) -> bool {
        self.contention.0 != ALONE
    }

    /// Returns whether work of this processor may end later than it was to end when it began.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.is_timed
    }
}

impl Simulation<'_> {
    /// Returns the processor's number within its NIC.
    pub(crate) fn number(&self, on: ProcessorId) -> u32 {
        let nic = self.processors[on].nic;
        on.0 - self.nics[nic].first_processor().0
    }

    /// Hands an item to another processor of the NIC, and makes this processor look for other work.
    #[cold]
    pub(crate) fn hand_over(&mut self, to: ProcessorId, item: Item) -> Next {
        self.processors[to].role.handed.push_back(item);
        self.wake(to);
        Next::Look
    }

    /// Returns whether a taken transmit descriptor has lost the slots for its packet. A descriptor loses its slots if
    /// another processor has suspended the applet since the descriptor was taken.
    #[inline]
    pub(crate) fn has_lost_places(&self, on: ProcessorId, posted: Posted) -> bool {
        !self.processors[on].role.is_alone && self.lacks_places(posted)
    }

    #[cold]
    fn lacks_places(&self, posted: Posted) -> bool {
        let endpoint = &self.endpoints[posted.endpoint];
        let needs_places = endpoint.channels.get(posted.descriptor.channel).is_some();
        let progress = self.progress(ClaimId::of(posted.endpoint, Purpose::Post));
        needs_places && !matches!(progress, Progress::Held(_))
    }

    /// Puts a taken transmit descriptor back, to be taken again when its applet is free and its packet has slots.
    #[cold]
    pub(crate) fn take_back(&mut self, posted: Posted) -> Next {
        // A suspended applet must not keep slots that other endpoints need.
        self.give_up_post(posted.endpoint);
        self.endpoints[posted.endpoint]
            .transmit
            .take_back(posted.post);
        self.next_post_may_come(posted.endpoint);
        Next::Look
    }

    /// Allows the next transmit descriptor of an endpoint to be taken, now that none is in progress.
    #[cold]
    pub(crate) fn next_post_may_come(&mut self, id: EndpointId) {
        self.live[id].has_post_under_way = false;
        if !self.endpoints[id].transmit.is_drained() {
            let nic = &mut self.nics[self.endpoints[id].nic];
            nic.posted.insert(self.infos[id].position());
            let on = nic.takes_posts;
            self.wake(on);
        }
    }

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
