//! A NIC's processors: the state of each, and the loop that runs its stages.
//!
//! The next step of a processor is a value, [`Stage`], which an engine interprets. Other events run between two stages
//! of a processor. The data of a processor stay in [`Processor`] and are not passed from stage to stage, because a
//! packet takes some twenty stages.

use crate::ids::ProcessorId;

use super::stage;
use crate::calls::processor::Span;
use crate::engine::Simulation;
use crate::nic::item::Next;
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use nic_core::event::NicEvent;

impl Simulation<'_> {
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
                    if !self.advance(delay, Work::Processor(on)) {
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
                    if !self.advance(delay, Work::Processor(on)) {
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

    /// Records that the work leading to the stage `then` begins, if the sink wants the spans of work.
    pub(super) fn begin_work(&mut self, on: ProcessorId, then: Stage) {
        if !self.report.wants_work {
            return;
        }
        let processor = &mut self.processors[on];
        processor.work = Some(Span {
            stage: stage::work_before(then, processor),
            begun: self.now,
        });
    }

    /// Reports a processor's work that has ended, if the sink wants the spans of work.
    pub(super) fn end_work(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        let nic = processor.nic;
        let Some(Span { stage, begun }) = processor.work.take() else {
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
}
