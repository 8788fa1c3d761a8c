//! What every part asks of a NIC's processors: to wake up, to wait, to take an item over, and to yield in time.

use crate::ids::ProcessorId;

use super::{Engines, Parts};
use crate::calls::processor::Processor;
use crate::nic::item::{Item, Next, Posted};
use crate::nic::stage::Stage;
use crate::nic::work::Work;
use crate::nic::{ClaimId, Progress, Purpose};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::{SimDuration, SimTime};

impl<E: Engines> Parts<'_, E> {
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

    /// Makes an idle processor look for work.
    pub(crate) fn wake(&mut self, on: ProcessorId) {
        let processor = &mut self.processors[on];
        if let Stage::Idle = processor.stage {
            processor.stage = Stage::Look;
            self.schedule.insert(self.now, Work::Processor(on));
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

    /// Returns the item that the processor is handling; must be called only in stages that handle an item.
    #[inline]
    pub(crate) fn in_hand(&self, on: ProcessorId) -> &Item {
        let in_hand = &self.processors[on].in_hand;
        in_hand.as_ref().expect("something is in hand")
    }

    /// Stops a processor until another event continues it at this stage.
    pub(crate) fn wait(&mut self, on: ProcessorId, stage: Stage) -> Next {
        self.processors[on].stage = stage;
        Next::Stopped
    }

    /// Tells the processors of a NIC that work which keeps connections alive waits for the processor `on`, or for any
    /// of them.
    #[cold]
    pub(crate) fn must_not_wait(&mut self, nic: NicId, on: Option<ProcessorId>) {
        match on {
            Some(on) => self.look_again_at(on),
            None => {
                for on in self.nics[nic].processors() {
                    self.look_again_at(on);
                }
            }
        }
    }

    /// Schedules the next check of a processor's call, if the call may have to yield.
    pub(crate) fn look_again_at(&mut self, on: ProcessorId) {
        let Some(time) = self.yields_at(on) else {
            return;
        };
        if !self.keeps_waiting(on) {
            return;
        }
        if let Some(slicing) = &mut self.processors[on].role.slicing
            && slicing.check.is_none_or(|check| check > time)
        {
            slicing.check = Some(time);
            self.schedule.insert(time, Work::Yield(on));
        }
    }

    /// Returns when a processor's call may yield: when it has held the processor for a slice, and is between two
    /// instructions or waits. Returns `None` if there is no such time before the end of the processor's present work.
    pub(crate) fn yields_at(&mut self, on: ProcessorId) -> Option<SimTime> {
        let now = self.now;
        let processor = &mut self.processors[on];
        let each = processor.costs.bytecode;
        let slicing = processor.role.slicing.as_ref()?;
        if slicing.yielded.is_some() {
            return None;
        }
        let least = slicing.rest(now)?;
        if slicing.is_waiting {
            return Some(now + least);
        }
        let load = processor.role.load.as_mut()?;
        load.settle(now);
        let takes = load.between_instructions(least, each)?;
        Some(now + takes)
    }

    /// Returns whether work that keeps connections alive waits for a processor.
    pub(crate) fn keeps_waiting(&self, on: ProcessorId) -> bool {
        let Processor { nic, role, .. } = &self.processors[on];
        let mut items = role.handed.iter();
        let shared = self.shared.get(*nic).into_iter().flatten();
        items.any(|item| self.keeps_alive(item))
            || shared.clone().any(|item| self.keeps_alive(item))
            || role.takes.arrivals && self.arrival_alive(*nic).is_some()
    }

    pub(crate) fn keeps_alive(&self, item: &Item) -> bool {
        match *item {
            Item::Arrival(packet) => self.infos[self.packets[packet].to.0].arrivals_keep_alive(),
            Item::Post(_) => false,
            // Interfaces have items of their own to receive, to acknowledge and to send what a receiver waits for.
            Item::Own(..) => true,
        }
    }

    /// Returns the position of the first arrival of a NIC that keeps a connection alive.
    pub(crate) fn arrival_alive(&self, nic: NicId) -> Option<usize> {
        let mut arrivals = self.nics[nic].arrivals.iter();
        arrivals.position(|&packet| self.keeps_alive(&Item::Arrival(packet)))
    }

    /// Lets a processor continue after the event for which it waited.
    #[cold]
    pub(crate) fn rouse(&mut self, on: ProcessorId) {
        if !self.ends_wait(on) {
            self.note_roused(on);
            self.schedule.insert(self.now, Work::Processor(on));
        }
    }

    /// Notes that the event for which a processor's call waited has come. Returns true if the call has yielded, so that
    /// it continues later.
    pub(crate) fn ends_wait(&mut self, on: ProcessorId) -> bool {
        let Some(slicing) = &mut self.processors[on].role.slicing else {
            return false;
        };
        slicing.is_waiting = false;
        match &mut slicing.yielded {
            Some(yielded) => {
                yielded.is_waiting = false;
                true
            }
            None => false,
        }
    }

    /// Returns whether a processor's call, which is between two instructions, is to yield.
    pub(crate) fn is_to_yield(&self, on: ProcessorId) -> bool {
        let slicing = self.processors[on].role.slicing.as_ref();
        let rest = slicing.and_then(|slicing| slicing.rest(self.now));
        rest == Some(SimDuration::ZERO) && self.keeps_waiting(on)
    }
}
