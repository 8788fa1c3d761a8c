//! A NIC's processors: the state of each, and the loop that runs its stages.
//!
//! The next step of a processor is a value, [`Stage`], which an engine interprets. Other events run between two stages
//! of a processor. The data of a processor stay in [`Processor`] and are not passed from stage to stage, because a
//! packet takes some twenty stages.

use crate::ids::ProcessorId;
use std::collections::VecDeque;

use super::Simulation;
use super::multiprocessor::ProcessorRole;
use super::stage;
use crate::applet::call::Activation;
use crate::nic::costs::Costs;
use crate::nic::item::{Item, Next, Taking};
use crate::nic::stage::Stage;
use crate::nic::work::Work as Due;
use jive_core::CallStack;
use nic_core::event::NicEvent;
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;

/// A processor of a NIC.
pub(crate) struct Processor<'a> {
    /// The NIC.
    pub(crate) nic: NicId,
    /// Costs of the processor's operations.
    pub(crate) costs: &'a Costs,
    /// The processor's relation to the other processors of its NIC.
    pub(crate) role: ProcessorRole,
    /// The descriptor or packet that the processor is handling.
    pub(crate) in_hand: Option<Item>,
    /// The applet call that the processor is running, if any.
    pub(crate) activation: Activation<'a>,
    pub(crate) stage: Stage,
    /// The costs that the processor pays for taking an item.
    pub(crate) taking: Taking,
    /// The work in progress, recorded only if a sink listens.
    work: Option<Work>,
    /// Endpoints whose suspended call can continue because its packet has slots, oldest first.
    pub(crate) resumable: VecDeque<EndpointId>,
    pub(crate) turn: Turn,
}

impl<'a> Processor<'a> {
    pub(crate) fn new(
        (nic, costs): (NicId, &'a Costs),
        role: ProcessorRole,
        taking: Taking,
        stack: CallStack<'a>,
    ) -> Processor<'a> {
        Processor {
            nic,
            costs,
            taking,
            role,
            in_hand: None,
            activation: Activation::new(stack),
            stage: Stage::Idle,
            work: None,
            resumable: VecDeque::new(),
            turn: Turn::Arrival,
        }
    }
}

/// A piece of work in progress.
#[derive(Copy, Clone, Debug)]
struct Work {
    /// Name of the stage, as in a scenario's `placement`.
    stage: &'static str,
    begun: SimTime,
}

/// The kind of work that the loop looks for next. Taking turns keeps one kind of work from starving the others.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Turn {
    Arrival,
    Transmit,
    Suspended,
    Timer,
    Refill,
    Watch,
}

impl Simulation<'_> {
    /// Makes an idle processor look for work.
    pub(crate) fn wake(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        if let Stage::Idle = processor.stage {
            processor.stage = Stage::Look;
            self.schedule.insert(self.now, Due::Processor(on));
        }
    }

    /// Gives a freed DMA slot to the processor that has waited longest for one. If no processor waits for a DMA slot,
    /// the slot becomes free.
    pub(crate) fn dma_slot_freed(&mut self, nic: NicId) {
        let nic = &mut self.nics[nic];
        let Some(on) = nic.awaiting_dma_slot.pop_front() else {
            return nic.dma_slots.release();
        };
        self.processors[on].activation.has_dma_slot = true;
        self.rouse(on);
    }

    /// Runs a processor's stages for as long as no other event is due in between.
    pub(crate) fn go_on(&mut self, on: ProcessorId) {
        let processor = &self.processors[on];
        if !processor.role.is_plain {
            return match processor.role.is_timed() {
                true => self.go_on_timed(on),
                false => self.go_on_heard(on),
            };
        }
        let mut stage = processor.stage;
        loop {
            stage = match stage::step::<false>(self, on, stage) {
                Next::After((delay, then)) => {
                    if !self.advance(delay, Due::Processor(on)) {
                        self.processors[on].stage = then;
                        return;
                    }
                    then
                }
                Next::Look => Stage::Look,
                Next::Stopped => return,
            }
        }
    }

    /// Runs a processor's stages as [`go_on`](Simulation::go_on) does, and reports events.
    #[cold]
    fn go_on_heard(&mut self, on: ProcessorId) {
        self.end_work(on);
        let mut stage = self.processors[on].stage;
        loop {
            stage = match stage::step_apart(self, on, stage) {
                Next::After((delay, then)) => {
                    self.begin_work(on, then);
                    if !self.advance(delay, Due::Processor(on)) {
                        self.processors[on].stage = then;
                        return;
                    }
                    self.end_work(on);
                    then
                }
                Next::Look => Stage::Look,
                Next::Stopped => return,
            }
        }
    }

    /// Returns the item that the processor is handling; must be called only in stages that handle an item.
    #[inline]
    pub(crate) fn in_hand(&self, on: ProcessorId) -> &Item {
        let in_hand = &self.processors[on].in_hand;
        in_hand.as_ref().expect("something is in hand")
    }

    /// Records that the work leading to the stage `then` begins, if the sink wants the spans of work.
    pub(super) fn begin_work(&mut self, on: ProcessorId, then: Stage) {
        if !self.report.wants_work {
            return;
        }
        let processor = &mut self.processors[on];
        processor.work = Some(Work {
            stage: stage::work_before(then, processor),
            begun: self.now,
        });
    }

    /// Reports a processor's work that has ended, if the sink wants the spans of work.
    pub(super) fn end_work(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        let nic = processor.nic;
        let Some(Work { stage, begun }) = processor.work.take() else {
            return;
        };
        if begun < self.now {
            let kind = NicEvent::Work {
                processor: self.number(on),
                stage,
                begun,
                duration: self.now.since(begun),
            };
            self.report.emit_of_nic(self.now, nic, kind);
        }
    }

    /// Stops a processor until another event continues it at this stage.
    pub(crate) fn wait(&mut self, on: ProcessorId, stage: Stage) -> Next {
        self.processors[on].stage = stage;
        Next::Stopped
    }
}

#[cfg(test)]
impl Processor<'_> {
    /// Counts what the processor holds.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let Processor {
            nic: _,
            costs: _,
            role,
            in_hand: _,
            activation,
            stage: _,
            taking: _,
            work: _,
            resumable,
            turn: _,
        } = self;
        census.count("processors.role", role);
        census.count("processors.resumable", resumable);
        activation.counted("processors", census);
    }
}
