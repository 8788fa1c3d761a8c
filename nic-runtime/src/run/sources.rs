//! How a processor finds work: arrivals, transmit descriptors, resumable calls, timers, refills, and items that another
//! processor hands over.

use crate::ids::ProcessorId;
use std::collections::VecDeque;

use crate::applet;
use crate::calls::processor::{Processor, Turn};
use crate::engine;
use crate::engine::Simulation;
use crate::nic::claim::{Grant, Waiter};
use crate::nic::item::{Item, Next, Posted};
use crate::nic::role::Takes;
use crate::nic::stage::Stage;
use crate::nic::{ClaimId, Progress, Purpose};
use crate::wire::PacketRef;
use nic_core::id::{EndpointId, NicId};

impl Processor<'_> {
    /// Makes the processor idle, because there is neither an arrival nor a transmit descriptor to take.
    fn find_nothing(&mut self) -> Next {
        self.stage = Stage::Idle;
        Next::Stopped
    }
}

impl Simulation<'_> {
    /// Takes an arrival or a transmit descriptor, alternately. If there is neither an arrival nor a descriptor, the
    /// processor becomes idle.
    pub(crate) fn look(&mut self, on: ProcessorId) -> Next {
        if self.more_sources > 0 {
            return self.look_everywhere(on);
        }
        let processor = &mut self.processors[on];
        let nic = &self.nics[processor.nic];
        if nic.arrivals.is_empty() && nic.posted.is_empty() {
            return processor.find_nothing();
        }
        self.look_at_queues(on)
    }

    /// Looks for work in the queues of the NIC, of which one has some.
    // Not inlined: processors often find nothing, and then `look` needs no stack.
    #[inline(never)]
    fn look_at_queues(&mut self, on: ProcessorId) -> Next {
        let processor = &self.processors[on];
        let nic = &self.nics[processor.nic];
        // The turns between transmit descriptors and arrivals are those of sources that are empty now.
        let is_turn_of_arrivals =
            !matches!(processor.turn, Turn::Transmit) && !nic.arrivals.is_empty();
        let nic = processor.nic;
        if !is_turn_of_arrivals && let Some(next) = self.take_post(on, nic, true) {
            self.processors[on].turn = Turn::Arrival;
            return next;
        }
        // If there is no transmit descriptor to take, the processor takes an arrival out of turn.
        let Some(packet) = self.nics[nic].arrivals.pop_front() else {
            return self.processors[on].find_nothing();
        };
        self.processors[on].turn = Turn::Transmit;
        engine::arrived(self, on, packet)
    }

    /// Takes an item that another processor has handed over, if there is one. Without a handed item, takes the
    /// processor's work in turn: an arrival, a transmit descriptor, a resumable call, a timer or a refill.
    #[cold]
    fn look_everywhere(&mut self, on: ProcessorId) -> Next {
        if self.processors[on].role.slicing.is_some()
            && let Some(next) = self.keep_alive(on)
        {
            return next;
        }
        let Processor { nic, role, .. } = &mut self.processors[on];
        let (nic, takes) = (*nic, role.takes);
        // Alternate between handed items and own work, so that neither starves the other.
        let handed = role
            .is_handed_next
            .then(|| role.handed.pop_front())
            .flatten();
        role.is_handed_next = true;
        if let Some(item) = handed {
            role.is_handed_next = false;
            return self.take_item(on, item);
        }
        if let Some(next) = self.look_in_turn(on, nic, takes) {
            return next;
        }
        match self.processors[on].role.handed.pop_front() {
            Some(item) => self.take_item(on, item),
            None => match self.shared.get_mut(nic).and_then(VecDeque::pop_front) {
                Some(item) => self.take_item(on, item),
                None => self.wait(on, Stage::Idle),
            },
        }
    }

    fn look_in_turn(&mut self, on: ProcessorId, nic: NicId, takes: Takes) -> Option<Next> {
        for _ in 0..6 {
            let processor = &mut self.processors[on];
            match processor.turn {
                Turn::Arrival => {
                    processor.turn = Turn::Transmit;
                    if takes.arrivals
                        && let Some(packet) = self.take_unsuspended(nic)
                    {
                        return Some(engine::arrived(self, on, packet));
                    }
                }
                Turn::Transmit => {
                    processor.turn = Turn::Suspended;
                    if takes.posts
                        && let Some(next) = self.take_post(on, nic, false)
                    {
                        return Some(next);
                    }
                }
                Turn::Suspended => {
                    processor.turn = Turn::Timer;
                    if let Some(endpoint) = processor.resumable.pop_front() {
                        return Some(applet::suspend::go_on_with(self, on, endpoint));
                    }
                }
                Turn::Timer => {
                    processor.turn = Turn::Refill;
                    if takes.timers
                        && let Some(next) = applet::pending_calls::take_timer(self, on, nic)
                    {
                        return Some(next);
                    }
                }
                Turn::Refill => {
                    processor.turn = Turn::Watch;
                    if takes.refills
                        && let Some(next) = applet::pending_calls::take_refill(self, on, nic)
                    {
                        return Some(next);
                    }
                }
                Turn::Watch => {
                    processor.turn = Turn::Arrival;
                    if takes.watches
                        && let Some(next) = applet::pending_calls::take_watched(self, on, nic)
                    {
                        return Some(next);
                    }
                }
            }
        }
        None
    }

    /// Continues with an item that another processor has handed over.
    pub(super) fn take_item(&mut self, on: ProcessorId, item: Item) -> Next {
        self.processors[on].in_hand = Some(item);
        if let Item::Own(endpoint, own) = item {
            let takes = engine::begin_own(self, on, endpoint, own.job);
            return Next::after(takes, Stage::Taken);
        }
        let processor = &self.processors[on];
        Next::after(processor.costs.handover, Stage::HandedOver)
    }

    /// Takes the oldest arrival whose applet is not suspended. Arrivals for suspended applets are put aside.
    fn take_unsuspended(&mut self, nic: NicId) -> Option<PacketRef> {
        loop {
            let packet = self.nics[nic].arrivals.pop_front()?;
            let (to, _) = self.packets[packet].to;
            let applet = self.infos[to].applet;
            match applet.and_then(|applet| self.suspensions.of(applet)) {
                Some(call) => call.activation.parked.arrivals.push_back(packet),
                None => return Some(packet),
            }
        }
    }

    /// Takes the next transmit descriptor whose packet has slots.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_post(&mut self, on: ProcessorId, id: NicId, is_alone: bool) -> Option<Next> {
        loop {
            let nic = &mut self.nics[id];
            let position = nic.posted.take_turn()?;
            let endpoint = nic.endpoints[position];
            let is_under_way = !is_alone && self.live[endpoint].has_post_under_way;
            if is_under_way || !self.can_take_post(endpoint) {
                // The endpoint is inserted into `posted` again when its packet has slots, or when its applet's call is
                // over.
                self.nics[id].posted.remove(position);
                continue;
            }
            let queue = &mut self.endpoints[endpoint].transmit;
            let taken = queue.take();
            if queue.is_drained() {
                self.nics[id].posted.remove(position);
            }
            if let Some((post, descriptor)) = taken {
                let posted = Posted {
                    endpoint,
                    post,
                    descriptor,
                };
                return Some(engine::posted(self, on, &posted));
            }
        }
    }

    /// Returns whether the NIC can take an endpoint's next descriptor. The NIC can take a descriptor if its packet has
    /// a send slot and an arrival slot, or if the descriptor makes no packet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn can_take_post(&mut self, id: EndpointId) -> bool {
        match self.progress(ClaimId::of(id, Purpose::Post)) {
            Progress::Held(_) => return true,
            Progress::None => {}
            Progress::AwaitsArrival(_) | Progress::AwaitsSend(_) => return false,
        }
        if self.suspensions.is_any() && self.live[id].suspended_on.is_some() {
            return false;
        }
        let endpoint = &self.endpoints[id];
        let Some(descriptor) = endpoint.transmit.first() else {
            return true;
        };
        // A descriptor with an unknown channel is refused, so it needs no slots.
        let Some(&channel) = endpoint.channels.get(descriptor.channel) else {
            return true;
        };
        self.claim(id, Waiter::Post, &channel) == Grant::Given
    }
}
