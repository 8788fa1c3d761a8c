//! A NIC's processors: what each does now, and its loop from stage to stage.
//!
//! What the processor does next is a value, [`Stage`]; the time in between belongs to everyone else. What
//! a stage is about stays where it is in the [`Processor`]: a packet takes some twenty stages.

use std::collections::VecDeque;

use jive_core::{CallStack, MethodId, Pc, Trap, TrapKind};
use nic_core::event::{NicEvent, Sink};
use nic_core::id::{EndpointId, NicId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, NicNative};
use nic_core::time::{SimDuration, SimTime};

use super::call::{Call, Cause};
use super::crew::{Parked, Share};
use super::quota::Spent;
use super::unet::Posted;
use super::{Simulation, Work as Due, at};
use crate::fabric::PacketRef;
use crate::nic::ProcessorId;
use crate::profile::BaseCosts;

/// A processor of a NIC.
pub(super) struct Processor<'a> {
    /// The NIC.
    pub(super) nic: NicId,
    /// What it has to do with the other processors of its NIC.
    pub(super) share: Share,
    /// The calls of the applet that runs, if one does.
    pub(super) stack: CallStack<'a>,
    /// What that call has used of its quota.
    pub(super) spent: Spent,
    /// The call that the stage is about, where it is about one.
    pub(super) call: Call,
    /// The transmit descriptor that the stage is about, where it is about one.
    pub(super) posted: Posted,
    /// The native that the stage is about, where it is about one, and when the applet had reached it.
    /// Its arguments lie on the stack until it is told to go on.
    pub(super) native: NicNative,
    pub(super) begun: SimTime,
    /// What the call returned that the stage ends.
    pub(super) returned: Option<i32>,
    /// The trap in which that call ended.
    pub(super) trap: Trap,
    /// Where the bytes go that the stage waits for, and where they come from.
    pub(super) landing: Option<(ArraySpan, HostSpan)>,
    /// What came for the applet while this call was suspended.
    pub(super) parked: Parked,
    /// Whether this call was ever suspended.
    pub(super) was_suspended: bool,
    /// Whether this call has set its applet's timer.
    pub(super) has_set_timer: bool,
    pub(super) stage: Stage,
    /// What taking something costs it.
    pub(super) taking: Taking,
    /// What it works on; noted only where somebody listens.
    work: Option<Work>,
    /// Endpoints whose suspended call has the places for its packet, in the order in which it got them.
    pub(super) resumable: VecDeque<EndpointId>,
    pub(super) turn: Turn,
}

/// What taking something costs a processor of a NIC, the look at every endpoint included.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Taking {
    /// A transmit descriptor.
    pub(super) post: SimDuration,
    /// An arrival.
    pub(super) arrival: SimDuration,
}

impl Taking {
    /// Returns the costs on a NIC of so many endpoints.
    pub(super) fn new(base: &BaseCosts, endpoints: usize) -> Taking {
        let polls = base.poll.times(endpoints as u64);
        Taking {
            post: base.transmit + polls,
            arrival: base.receive + polls,
        }
    }
}

impl<'a> Processor<'a> {
    pub(super) fn new(
        nic: NicId,
        share: Share,
        taking: Taking,
        stack: CallStack<'a>,
    ) -> Processor<'a> {
        Processor {
            nic,
            taking,
            share,
            stack,
            spent: Spent::default(),
            call: Call::default(),
            posted: Posted::default(),
            native: NicNative::GetFreeBufferLength,
            begun: SimTime::ZERO,
            returned: None,
            trap: Trap {
                kind: TrapKind::Unverified,
                method: MethodId(0),
                pc: Pc(0),
            },
            landing: None,
            parked: Parked::default(),
            was_suspended: false,
            has_set_timer: false,
            stage: Stage::Idle,
            work: None,
            resumable: VecDeque::new(),
            turn: Turn::Arrival,
        }
    }

    /// Returns the name of the stage whose work ends with `then`: the key of a placement that says where it runs.
    fn stage_before(&self, then: Stage) -> &'static str {
        let of_call = match self.call.cause {
            Cause::Post(_) => "doTx",
            Cause::Arrival { .. } => "doRx",
            Cause::Timer => "doTimer",
            Cause::Refill(_) => "doRefill",
        };
        match then {
            Stage::Idle | Stage::Look => "look",
            Stage::Arrived(_) if self.share.takes.arrivals => "receive",
            // Another processor has taken it and handed it over.
            Stage::Arrived(_) => "doRx",
            Stage::Posted if self.share.takes.posts => "transmit",
            Stage::Posted => "doTx",
            Stage::Send
            | Stage::Enter
            | Stage::Run
            | Stage::Perform
            | Stage::PerformWithSlot
            | Stage::Landed
            | Stage::Return
            | Stage::Trap => of_call,
        }
    }
}

/// What a processor works on.
#[derive(Copy, Clone, Debug)]
struct Work {
    /// The stage, by its name in a placement.
    stage: &'static str,
    begun: SimTime,
}

/// What the loop looks for first.
#[derive(Copy, Clone, Debug)]
pub(super) enum Turn {
    Arrival,
    Transmit,
    Suspended,
    Timer,
    Refill,
}

/// What a processor does when it goes on.
#[derive(Copy, Clone, Debug)]
pub(super) enum Stage {
    /// Nothing; whatever comes in wakes it.
    Idle,
    /// Looks for an arrival or a transmit descriptor.
    Look,
    /// Has taken an arrival and looks where it goes.
    Arrived(PacketRef),
    /// Has taken a transmit descriptor and looks what it names.
    Posted,
    /// Sends a message on the base path, on which an applet has trapped.
    Send,
    /// Calls an applet.
    Enter,
    /// Runs an applet's code.
    Run,
    /// Performs a native.
    Perform,
    /// Performs a native that waited for a DMA slot, and has one.
    PerformWithSlot,
    /// Has the bytes that a native waited for.
    Landed,
    /// Returns from an applet.
    Return,
    /// Ends a call that trapped.
    Trap,
}

/// Each of a packet's stages is moved, in a register.
const _: () = assert!(size_of::<Stage>() <= 8);

/// How a stage ends; small enough for registers.
pub(super) enum Next {
    /// The processor is busy for a time, then does this.
    After(SimDuration, Stage),
    /// Its next stage is noted, and somebody else will have the processor go on.
    Stopped,
}

/// The loop hands one on after each stage.
const _: () = assert!(size_of::<Next>() <= 16);

impl<S: Sink> Simulation<'_, S> {
    /// Has an idle processor look for something to do.
    pub(super) fn wake(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[at(on.0)];
        if let Stage::Idle = processor.stage {
            processor.stage = Stage::Look;
            self.schedule.insert(self.now, Due::Processor(on));
        }
    }

    /// Gives a DMA slot that a transfer has used to the processor that waits longest for one; where none waits, the
    /// slot is free.
    pub(super) fn dma_slot_freed(&mut self, nic: NicId) {
        let nic = &mut self.nics[at(nic.0)];
        let Some(on) = nic.awaiting_dma_slot.pop_front() else {
            return nic.dma_slots.release();
        };
        self.schedule.insert(self.now, Due::Processor(on));
    }

    /// Has a processor go on with its stage, and with the next one as long as nobody else is due.
    pub(super) fn go_on(&mut self, on: ProcessorId) {
        self.end_work(on);
        let processor = &self.processors[at(on.0)];
        let (mut stage, is_contended) = (processor.stage, processor.share.is_contended());
        loop {
            // Each of these has one caller, and its code is here.
            let next = match stage {
                Stage::Idle => return,
                Stage::Look => self.look(on),
                Stage::Arrived(packet) => self.arrived(on, packet),
                Stage::Posted => self.posted(on),
                Stage::Send => self.fall_back_post(on),
                Stage::Enter => self.enter(on),
                Stage::Run => self.run_applet(on),
                Stage::Perform => self.perform(on),
                Stage::PerformWithSlot => {
                    // It is taken again at once: nobody comes between.
                    let nic = self.processors[at(on.0)].nic;
                    self.nics[at(nic.0)].dma_slots.release();
                    stage = Stage::Perform;
                    continue;
                }
                Stage::Landed => self.landed(on),
                Stage::Return => self.return_from(on),
                Stage::Trap => self.end_trapped(on),
            };
            let Next::After(delay, then) = next else {
                return;
            };
            self.begin_work(on, then);
            if is_contended {
                if delay > SimDuration::ZERO {
                    self.processors[at(on.0)].stage = then;
                    return self.begin_contended(on, delay);
                }
            } else if !self.pass(delay, Due::Processor(on)) {
                self.processors[at(on.0)].stage = then;
                return;
            }
            self.end_work(on);
            stage = then;
        }
    }

    /// Notes what the processor works on from now on, before it goes on with `then`.
    #[inline]
    fn begin_work(&mut self, on: ProcessorId, then: Stage) {
        if !S::LISTENS {
            return;
        }
        let processor = &mut self.processors[at(on.0)];
        processor.work = Some(Work {
            stage: processor.stage_before(then),
            begun: self.now,
        });
    }

    /// Reports what the processor has worked on.
    #[inline]
    fn end_work(&mut self, on: ProcessorId) {
        if !S::LISTENS {
            return;
        }
        let processor = &mut self.processors[at(on.0)];
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

    /// Has a processor wait: somebody else will have it go on with this stage.
    pub(super) fn wait(&mut self, on: ProcessorId, stage: Stage) -> Next {
        self.processors[at(on.0)].stage = stage;
        Next::Stopped
    }

    /// Has a processor whose native needs a DMA slot wait until it gets one: until a transfer is over.
    #[cold]
    pub(super) fn await_dma_slot(&mut self, on: ProcessorId) -> Next {
        let nic = self.processors[at(on.0)].nic;
        self.nics[at(nic.0)].awaiting_dma_slot.push_back(on);
        self.wait(on, Stage::PerformWithSlot)
    }
}
