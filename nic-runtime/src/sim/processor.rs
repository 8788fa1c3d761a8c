//! A NIC's processors: what each does now, and its loop from stage to stage.
//!
//! What the processor does next is a value, [`Stage`], which an engine understands; the time in between belongs to
//! everyone else. What it has taken stays where it is, in the [`Processor`]: a packet takes some twenty stages.

use std::collections::VecDeque;

use jive_core::CallStack;
use nic_core::event::{NicEvent, Sink, TxStatus};
use nic_core::id::{EndpointId, NicId, PostId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::TransmitDescriptor;

use super::costs::Costs;
use super::crew::Share;
use super::{Simulation, Work as Due, at};
use crate::fabric::{PacketRef, PacketStore};
use crate::interface::{self, Stage};
use crate::nic::ProcessorId;
use crate::profile::BaseCosts;
use crate::sle::call::Activation;

/// A processor of a NIC.
pub(crate) struct Processor<'a> {
    /// The NIC.
    pub(crate) nic: NicId,
    /// What things cost on it.
    pub(crate) costs: &'a Costs,
    /// What it has to do with the other processors of its NIC.
    pub(crate) share: Share,
    /// What it has taken, to the last.
    pub(crate) in_hand: Option<Item>,
    /// The call of an applet that it runs, if it does.
    pub(crate) activation: Activation<'a>,
    pub(crate) stage: Stage,
    /// What taking something costs it.
    pub(crate) taking: Taking,
    /// What it works on. Recorded only if a sink listens.
    work: Option<Work>,
    /// Endpoints whose suspended call has the places for its packet, in the order in which it got them.
    pub(crate) resumable: VecDeque<EndpointId>,
    pub(crate) turn: Turn,
}

/// What taking something costs a processor of a NIC, the look at every endpoint included.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taking {
    /// A transmit descriptor.
    pub(crate) post: SimDuration,
    /// An arrival.
    pub(crate) arrival: SimDuration,
}

impl Taking {
    /// Returns the costs on a NIC of so many endpoints; without U-Net it has none.
    pub(crate) fn new(base: Option<&BaseCosts>, endpoints: usize) -> Taking {
        let Some(base) = base else {
            return Taking::default();
        };
        let polls = base.poll.times(endpoints as u64);
        Taking {
            post: base.transmit + polls,
            arrival: base.receive + polls,
        }
    }
}

impl<'a> Processor<'a> {
    pub(crate) fn new(
        (nic, costs): (NicId, &'a Costs),
        share: Share,
        taking: Taking,
        stack: CallStack<'a>,
    ) -> Processor<'a> {
        Processor {
            nic,
            costs,
            taking,
            share,
            in_hand: None,
            activation: Activation::new(stack),
            stage: Stage::Idle,
            work: None,
            resumable: VecDeque::new(),
            turn: Turn::Arrival,
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
pub(crate) enum Turn {
    Arrival,
    Transmit,
    Suspended,
    Timer,
    Refill,
}

/// Something that a processor has taken.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Item {
    /// A transmit descriptor.
    Post(Posted),
    /// A packet.
    Arrival(PacketRef),
}

/// A transmit descriptor that a processor has taken.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) endpoint: EndpointId,
    pub(crate) post: PostId,
    pub(crate) descriptor: TransmitDescriptor,
}

impl Item {
    /// Returns the endpoint that it is of or for.
    pub(crate) fn endpoint(&self, packets: &PacketStore) -> EndpointId {
        match *self {
            Item::Post(posted) => posted.endpoint,
            Item::Arrival(packet) => packets[packet].to.0,
        }
    }
}

/// How a stage ends; small enough for registers.
pub(crate) enum Next {
    /// The processor is busy for a time, then does this.
    After(SimDuration, Stage),
    /// Its next stage is recorded, and another event will make the processor continue.
    Stopped,
}

/// The loop hands one on after each stage.
const _: () = assert!(size_of::<Next>() <= 16);

impl<S: Sink> Simulation<'_, S> {
    /// Has an idle processor look for something to do.
    pub(crate) fn wake(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[at(on.0)];
        if let Stage::Idle = processor.stage {
            processor.stage = Stage::Look;
            self.schedule.insert(self.now, Due::Processor(on));
        }
    }

    /// Gives a DMA slot that a transfer has used to the processor that waits longest for one; where none waits, the
    /// slot is free.
    pub(crate) fn dma_slot_freed(&mut self, nic: NicId) {
        let nic = &mut self.nics[at(nic.0)];
        let Some(on) = nic.awaiting_dma_slot.pop_front() else {
            return nic.dma_slots.release();
        };
        self.processors[at(on.0)].activation.has_dma_slot = true;
        self.schedule.insert(self.now, Due::Processor(on));
    }

    /// Has a processor go on with its stage, and with the next one as long as nobody else is due.
    pub(crate) fn go_on(&mut self, on: ProcessorId) {
        self.end_work(on);
        let processor = &self.processors[at(on.0)];
        let (mut stage, is_contended) = (processor.stage, processor.share.is_contended());
        while let Next::After(delay, then) = interface::step(self, on, stage) {
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

    /// Returns what a processor has in hand: at every stage that is about that there is something.
    #[inline]
    pub(crate) fn in_hand(&self, on: ProcessorId) -> &Item {
        let in_hand = &self.processors[at(on.0)].in_hand;
        in_hand.as_ref().expect("something is in hand")
    }

    /// Notes how a processor ended a transmit descriptor, and has it look for something else to do.
    pub(crate) fn end_post(&mut self, on: ProcessorId, posted: Posted, status: TxStatus) -> Next {
        let Posted { endpoint, post, .. } = posted;
        if self.residents[at(endpoint.0)].has_post_under_way {
            self.next_post_may_come(endpoint);
        }
        let queue = &mut self.endpoints[at(endpoint.0)].transmit;
        let completion = queue.end(post, status);
        self.complete(endpoint, post, completion);
        self.look(on)
    }

    /// Notes what the processor works on from now on, before it goes on with `then`.
    #[inline]
    fn begin_work(&mut self, on: ProcessorId, then: Stage) {
        if !S::LISTENS || !self.report.wants_work {
            return;
        }
        let processor = &mut self.processors[at(on.0)];
        processor.work = Some(Work {
            stage: then.work_before(processor),
            begun: self.now,
        });
    }

    /// Reports what the processor has worked on.
    #[inline]
    fn end_work(&mut self, on: ProcessorId) {
        if !S::LISTENS || !self.report.wants_work {
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

    /// Makes a processor wait until another event makes it continue with this stage.
    pub(crate) fn wait(&mut self, on: ProcessorId, stage: Stage) -> Next {
        self.processors[at(on.0)].stage = stage;
        Next::Stopped
    }
}
