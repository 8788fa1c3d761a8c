//! The loop of a NIC's processor, which runs its stages.
//!
//! The next step of a processor is a value, [`Stage`], which `step` runs. Other events run between two stages
//! of a processor. The data of a processor stay in [`Processor`] and are not passed from stage to stage, because a
//! packet takes some twenty stages.

use crate::ids::ProcessorId;

use crate::applet::{capsule, chained, stages};
use crate::calls::processor::{Processor, Span};
use crate::engine::{self, Handled, Simulation};
use crate::nic::item::{Item, Next};
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use nic_core::event::NicEvent;
use nic_core::sle::NicEntry;

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
            stage = match step::<false>(self, on, stage) {
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
            stage = match step::<true>(self, on, stage) {
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
                Next::Stopped => break,
            }
        }
        self.end_busy(on);
    }

    /// Reports how long a processor that stops has worked, if the sink wants to know.
    pub(super) fn end_busy(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        let nic = processor.nic;
        if let Some(begun) = processor.busy_since.take()
            && begun < self.now
        {
            let processor = self.number(on);
            let kind = NicEvent::Busy { processor, begun };
            self.report.emit_of_nic(self.now, nic, kind);
        }
    }

    /// Records that the work leading to the stage `then` begins, if the sink wants the spans of work.
    #[inline(always)]
    pub(super) fn begin_work(&mut self, on: ProcessorId, then: Stage) {
        if self.report.wants_work || self.report.wants_busy {
            self.record_work(on, then);
        }
    }

    fn record_work(&mut self, on: ProcessorId, then: Stage) {
        let processor = &mut self.processors[on];
        if self.report.wants_busy && processor.busy_since.is_none() {
            processor.busy_since = Some(self.now);
        }
        if !self.report.wants_work {
            return;
        }
        processor.work = Some(Span {
            stage: work_before(then, processor),
            begun: self.now,
        });
    }

    /// Reports a processor's work that has ended, if the sink wants the spans of work.
    #[inline(always)]
    pub(super) fn end_work(&mut self, on: ProcessorId) {
        if self.report.wants_work {
            self.tell_work(on);
        }
    }

    #[cold]
    fn tell_work(&mut self, on: ProcessorId) {
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

/// Returns the key in a placement for the work that precedes this stage.
fn work_before(stage: Stage, processor: &Processor<'_>) -> &'static str {
    match stage {
        Stage::Idle | Stage::Look => "look",
        Stage::Taken => match processor.in_hand {
            Some(Item::Arrival(_)) => "receive",
            Some(Item::Post(_)) | None => "transmit",
            Some(Item::Own(_, own)) => own.work,
        },
        Stage::HandedOver => match processor.in_hand {
            Some(Item::Arrival(_)) => NicEntry::DoRx.decl().name,
            Some(Item::Post(_)) | None => NicEntry::DoTx.decl().name,
            Some(Item::Own(_, own)) => own.work,
        },
        Stage::Enter
        | Stage::Run
        | Stage::Perform
        | Stage::Landed
        | Stage::Return
        | Stage::Trap
        | Stage::SendTrapped => processor.activation.call().entry().decl().name,
    }
}

/// Runs a stage of a processor whose work may end later than it was to end. Not inlined, since few
/// processors are such.
#[cold]
#[inline(never)]
pub(crate) fn step_apart(sim: &mut Simulation<'_>, on: ProcessorId, stage: Stage) -> Next {
    step::<true>(sim, on, stage)
}

/// Runs a stage.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn step<const HEARD: bool>(
    sim: &mut Simulation<'_>,
    on: ProcessorId,
    stage: Stage,
) -> Next {
    // The functions that this `match` calls are inlined here: in the loops of `go_on` and `go_on_heard`, and in
    // `step_apart`. The other calls of some, in `chained`, are on no plain processor.
    // The processors of a NIC with a chain are not plain, so the plain loop need not ask for chains.
    if HEARD
        && sim.setup.has_slow_paths()
        && let Some(next) = chained::step(sim, on, stage)
    {
        return next;
    }
    match stage {
        Stage::Idle => Next::Stopped,
        Stage::Look => sim.look(on),
        Stage::Taken | Stage::HandedOver => handle(sim, on),
        Stage::Enter => stages::enter::<HEARD>(sim, on),
        Stage::Run => stages::run::<HEARD>(sim, on),
        Stage::Perform => stages::perform_reached::<HEARD>(sim, on),
        Stage::Landed => stages::landed::<HEARD>(sim, on),
        Stage::Return => stages::return_from::<HEARD>(sim, on),
        Stage::Trap => stages::end_trapped(sim, on),
        Stage::SendTrapped => stages::go_on_trapped(sim, on),
    }
}

/// Handles the item in hand: by the applets of its endpoint, or else by the engine of its interface.
#[cfg_attr(not(debug_assertions), inline(always))]
fn handle(sim: &mut Simulation<'_>, on: ProcessorId) -> Next {
    if sim.setup.has_slow_paths()
        && let Some(next) = slow_path(sim, on)
    {
        return next;
    }
    match engine::handle(sim, on) {
        Handled::Here(next) => next,
        Handled::AppletRx(applet, packet) => stages::arrived(sim, on, applet, packet),
        Handled::AppletTx(applet) => stages::posted(sim, on, applet),
    }
}

/// Handles an item in hand that is a capsule, or is for a chain of applets. Returns `None` for any other item.
#[cold]
fn slow_path(sim: &mut Simulation<'_>, on: ProcessorId) -> Option<Next> {
    if let Item::Arrival(packet) = *sim.in_hand(on)
        && capsule::is_one(sim, packet)
    {
        return Some(capsule::take(sim, on, packet));
    }
    chained::take(sim, on)
}
