//! Calls that yield: a call that has held its processor for the profile's `nic.slice` makes way for work that keeps
//! connections alive.
//!
//! A peer that waits for an acknowledgement cannot know that a neighbour's applet computes. So a call that has held its
//! processor for a slice yields to such work: items of an interface's own, and arrivals of an interface that says so by
//! `ARRIVALS_KEEP_ALIVE`. The call yields between two instructions, or while
//! it waits for a transfer, a slot or an applet. Shorter calls never yield. When several have held the processor for a
//! slice while such work waited, it comes before the next call.
//!
//! The processor then serves nothing but such work, until none waits or until another slice is over. So a flood of such
//! work does not stop the calls.
//!
//! Nothing can observe an applet between two natives, so the interpreter takes no part. When a call yields, the
//! instructions up to its next native have run, and only their time is divided.

use crate::ids::ProcessorId;
use std::collections::VecDeque;

use crate::applet::chained;
use crate::engine;
use crate::engine::Simulation;
use crate::nic::item::{Item, Next};
use crate::nic::role::{thousandths, time_of};
use crate::nic::slicing::Yielded;
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use nic_core::event::{SleEvent, Trigger};
use nic_core::id::EndpointId;
use nic_core::time::SimDuration;

impl Simulation<'_> {
    /// Runs the stages of a processor whose work may end later than it was to end, or that has to get a processor of its
    /// host first.
    #[cold]
    pub(super) fn go_on_timed(&mut self, on: ProcessorId) {
        if !self.has_processor(on) {
            return;
        }
        self.end_work(on);
        let mut stage = self.processors[on].stage;
        loop {
            stage = match self.step_timed(on, stage) {
                Next::After((delay, then)) => {
                    self.begin_work(on, then);
                    let Some(next) = self.begin_timed(on, delay, (stage, then)) else {
                        return;
                    };
                    self.end_work(on);
                    next
                }
                Next::Look => Stage::Look,
                // The loop copies the bytes itself for which its call waits.
                Next::Stopped if self.copies(on) > SimDuration::ZERO => return,
                Next::Stopped => break,
            }
        }
        self.end_busy(on);
        let processor = &mut self.processors[on];
        if let Some(slicing) = &mut processor.role.slicing {
            slicing.waits(processor.stage);
            // What the call is to make way for may have come before the call began to wait.
            self.look_again_at(on);
        }
        self.leave_processor(on);
    }

    /// Runs a stage, on a processor whose work may end later than it was to end. The work after it includes what a loop in
    /// host software does itself: copies, and interrupts for packets that need no processor of a NIC.
    fn step_timed(&mut self, on: ProcessorId, stage: Stage) -> Next {
        self.begin_copies(on);
        let role = &mut self.processors[on].role;
        if matches!(stage, Stage::Look) && role.interrupts > SimDuration::ZERO {
            return Next::after(std::mem::take(&mut role.interrupts), stage);
        }
        let next = super::processor::step_apart(self, on, stage);
        let copies = self.copies(on);
        match next {
            Next::After((delay, then)) => Next::after(delay + copies, then),
            Next::Look if copies > SimDuration::ZERO => Next::after(copies, Stage::Look),
            Next::Look | Next::Stopped => next,
        }
    }

    /// Begins the work before the stage `then`, on a processor whose work may end later than it was to end. `ended` is
    /// the stage that is over. Returns the stage with which the processor continues at once, or `None` if it continues
    /// later.
    fn begin_timed(
        &mut self,
        on: ProcessorId,
        delay: SimDuration,
        (ended, then): (Stage, Stage),
    ) -> Option<Stage> {
        let after_code = self.after_code(on, ended, then);
        if after_code.is_some() && self.is_to_yield(on) {
            self.processors[on].stage = then;
            self.set_aside(on, thousandths(delay), after_code);
            return Some(Stage::Look);
        }
        if delay == SimDuration::ZERO {
            if self.processors[on].role.is_contended() || self.advance(delay, Work::Processor(on)) {
                return Some(then);
            }
            self.processors[on].stage = then;
            return None;
        }
        self.processors[on].stage = then;
        self.begin_load(on, delay, after_code);
        if after_code.is_some() {
            self.look_again_at(on);
        }
        None
    }

    /// Returns the part after the last instruction of the work between two stages, in thousandths of picoseconds.
    /// Returns `None` if the work is not code of an applet, or if the processor's calls do not yield.
    fn after_code(&mut self, on: ProcessorId, ended: Stage, then: Stage) -> Option<u64> {
        let processor = &mut self.processors[on];
        let resumed = processor.role.slicing.as_mut()?.after_code.take();
        if resumed.is_some() {
            return resumed;
        }
        if !matches!(ended, Stage::Run) {
            return None;
        }
        let native = match then {
            Stage::Perform => chained::native_takes(self, on),
            Stage::Idle
            | Stage::Look
            | Stage::Taken
            | Stage::HandedOver
            | Stage::Enter
            | Stage::Run
            | Stage::Landed
            | Stage::Return
            | Stage::Trap
            | Stage::SendTrapped => SimDuration::ZERO,
        };
        Some(thousandths(native))
    }

    /// Makes a processor's call yield, if it is time. Returns whether it has yielded.
    #[cold]
    pub(super) fn look_at_call(&mut self, on: ProcessorId) -> bool {
        let now = self.now;
        let Some(slicing) = &mut self.processors[on].role.slicing else {
            return false;
        };
        if slicing.check == Some(now) {
            slicing.check = None;
        }
        if self.yields_at(on) != Some(now) || !self.keeps_waiting(on) {
            self.look_again_at(on);
            return false;
        }
        self.settle(on);
        let load = self.processors[on].role.load.take();
        self.restretch(on);
        self.end_work(on);
        let left = load.map_or(0, |load| load.left);
        self.set_aside(on, left, load.and_then(|load| load.after_code));
        self.go_on(on);
        true
    }

    /// Sets the call of a processor aside, with the rest of its work.
    fn set_aside(&mut self, on: ProcessorId, left: u64, after_code: Option<u64>) {
        let now = self.now;
        let processor = &mut self.processors[on];
        let Some(slicing) = &mut processor.role.slicing else {
            return;
        };
        slicing.ends(now);
        slicing.yielded = Some(Yielded {
            stage: processor.stage,
            left,
            after_code,
            is_waiting: std::mem::take(&mut slicing.is_waiting),
            in_hand: processor.in_hand.take(),
            since: now,
        });
        slicing.serves_until = Some(now + slicing.slice);
        let stage = std::mem::replace(&mut processor.stage, Stage::Look);
        if stage.is_in_call() {
            let (endpoint, trigger) = self.subject_of_call(on);
            let kind = SleEvent::AppletSuspend { trigger };
            self.report.emit(now, endpoint, kind);
        }
    }

    /// Returns the endpoint and the cause of a processor's call.
    fn subject_of_call(&self, on: ProcessorId) -> (EndpointId, Trigger) {
        let call = self.processors[on].activation.call();
        (call.applet_at.endpoint, call.trigger())
    }

    /// Continues with the call that has yielded.
    fn call_continues(&mut self, on: ProcessorId, yielded: Yielded) -> Next {
        let now = self.now;
        let processor = &mut self.processors[on];
        processor.in_hand = yielded.in_hand;
        let reported = &mut processor.activation.reported;
        // If a native waits, its span in the timeline starts again.
        reported.reached = match yielded.after_code {
            Some(_) => reported.reached + now.since(yielded.since),
            None => now,
        };
        if let Some(slicing) = &mut processor.role.slicing {
            slicing.begins(now);
            slicing.after_code = yielded.after_code;
            slicing.is_waiting = yielded.is_waiting;
        }
        if yielded.stage.is_in_call() {
            let (endpoint, trigger) = self.subject_of_call(on);
            let kind = SleEvent::AppletResume { trigger };
            self.report.emit(now, endpoint, kind);
        }
        if !yielded.is_waiting {
            return Next::after(time_of(yielded.left), yielded.stage);
        }
        let next = self.wait(on, yielded.stage);
        self.look_again_at(on);
        next
    }

    /// Serves work that keeps connections alive, if calls have held the processor for a slice while it waited. When no
    /// such work is left, continues with the call that has yielded. Returns `None` if the processor is to look for any
    /// work.
    #[cold]
    pub(super) fn keep_alive(&mut self, on: ProcessorId) -> Option<Next> {
        let now = self.now;
        let waits = self.keeps_waiting(on);
        let slicing = self.processors[on].role.slicing.as_mut()?;
        if slicing.serves_until.is_none() {
            if !waits {
                slicing.held = SimDuration::ZERO;
                return None;
            }
            if slicing.held < slicing.slice {
                return None;
            }
            slicing.serves_until = Some(now + slicing.slice);
        }
        if waits && slicing.serves_until.is_some_and(|until| now < until) {
            return self.take_alive(on);
        }
        slicing.serves_until = None;
        slicing.held = SimDuration::ZERO;
        let yielded = slicing.yielded.take()?;
        Some(self.call_continues(on, yielded))
    }

    /// Takes the oldest work that keeps a connection alive.
    fn take_alive(&mut self, on: ProcessorId) -> Option<Next> {
        let nic = self.processors[on].nic;
        let position =
            |items: &VecDeque<Item>| items.iter().position(|item| self.keeps_alive(item));
        if let Some(place) = position(&self.processors[on].role.handed) {
            let item = self.processors[on].role.handed.remove(place)?;
            return Some(self.take_item(on, item));
        }
        if let Some(place) = self.shared.get(nic).and_then(position) {
            let item = self.shared[nic].remove(place)?;
            return Some(self.take_item(on, item));
        }
        let place = self.arrival_alive(nic)?;
        let packet = self.nics[nic].arrivals.remove(place)?;
        Some(engine::arrived(self, on, packet))
    }

    /// Lets a processor continue at once, because the bytes for which its call waited have come.
    pub(super) fn landed(&mut self, on: ProcessorId) {
        if !self.ends_wait(on) {
            self.go_on(on);
        }
    }
}
