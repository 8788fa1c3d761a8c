//! What still waits when nothing is due any more.
//!
//! A run has nothing left to do in two cases. Either everything is done except what waits for users, who may return
//! buffers or post receives for as long as they like. Or something waits that the NICs owe: a slot, a processor, a
//! wake-up or an acknowledgement. Nothing can bring it any more, so the run is stuck. That is an error of the simulator
//! and not of the scenario, unless the scenario allows that packets wait for each other in a circle of switches. Every
//! build looks for it at the end of each run.

use std::collections::VecDeque;

use crate::calls::processor::Processor;
use crate::engine;
use crate::engine::Simulation;
use crate::host::{Notice, Task};
use crate::nic::role::OnHost;
use crate::nic::stage::Stage;
use crate::nic::waiting::{Waiters, Waiting};
use crate::nic::{ClaimId, Nic, Progress, Purpose};
use nic_core::event::EndReason;
use nic_core::event::fields::Escaped;
use nic_core::id::{DirectionId, EndpointId, NicId};

impl Simulation<'_> {
    /// Returns the reason why a run ended, with what still waits if the run is stuck.
    pub(super) fn look_at_rest(&self, reason: EndReason) -> (EndReason, Vec<Waiting>) {
        if reason != EndReason::Idle {
            return (reason, Vec::new());
        }
        let waiting = self.waiting_at_rest();
        match waiting.is_empty() {
            true => (EndReason::Idle, waiting),
            false => (EndReason::Stuck, waiting),
        }
    }

    /// Returns what waits for anything but users. The function must be called only when nothing is due.
    fn waiting_at_rest(&self) -> Vec<Waiting> {
        let mut waiters = Waiters {
            names: self.report.names(),
            nics: self.nics.len(),
            list: Vec::new(),
        };
        for (id, _) in (0u32..).map(EndpointId).zip(self.specs) {
            self.endpoint_at_rest(id, &mut waiters);
        }
        for (id, nic) in (0u32..).map(NicId).zip(&self.nics) {
            self.nic_at_rest(id, nic, &mut waiters);
        }
        for (id, _) in self.fabric.directions() {
            self.wire_at_rest(id, &mut waiters);
        }
        waiters.list
    }

    fn endpoint_at_rest(&self, id: EndpointId, waiters: &mut Waiters<'_>) {
        for purpose in [Purpose::Post, Purpose::Push] {
            let name = |id: EndpointId| Escaped(self.report.names().endpoint(id));
            let awaits = match self.progress(ClaimId::of(id, purpose)) {
                Progress::None => continue,
                Progress::AwaitsArrival(to) => format!("an arrival slot at endpoint {}", name(to)),
                Progress::AwaitsSend(to) => format!("a send slot to endpoint {}", name(to)),
                Progress::Held(to) => format!("a packet to endpoint {} in its slots", name(to)),
            };
            waiters.endpoint(id, &awaits, 1);
        }
        let is_suspended = self.live[id].suspended_on.is_some();
        waiters.endpoint(id, "its suspended call to go on", usize::from(is_suspended));
        let queue = &self.endpoints[id].transmit;
        let for_users = engine::posts_for_users(self, id);
        let posts = queue.pending().saturating_sub(for_users);
        waiters.endpoint(id, "a transmit descriptor to complete", posts);
        let is_stuck = self.user_is_stuck(id);
        waiters.endpoint(id, "its user's next task", usize::from(is_stuck));
    }

    /// Returns whether an endpoint's user has something to do and does not do it.
    fn user_is_stuck(&self, id: EndpointId) -> bool {
        let user = &self.users[id];
        let endpoint = &self.endpoints[id];
        // A user may wait until descriptors complete: for room in the transmit queue or the transmit region.
        let has_room = endpoint.transmit.pending() == 0;
        let has_work = match user.notice {
            Notice::Coming => return true,
            Notice::Taken => endpoint.receive.first().is_some() || !user.due.is_empty(),
            Notice::None => !user.due.is_empty(),
        };
        user.task != Task::Waiting || (has_work && has_room)
    }

    fn nic_at_rest(&self, id: NicId, nic: &Nic, waiters: &mut Waiters<'_>) {
        let held = engine::held_at_rest(self, id, waiters);
        let arrival = (nic.arrival_slots.taken() as usize).saturating_sub(held);
        waiters.nic(id, "a taken arrival slot to become free", arrival);
        let send = nic.send_slots.taken();
        waiters.nic(id, "a taken send slot to become free", send);
        let dma = nic.dma_slots.taken();
        waiters.nic(id, "a taken DMA slot to become free", dma);
        let dma_waits = nic.awaiting_dma_slot.len();
        waiters.nic(id, "a DMA slot for a processor", dma_waits);
        let ready = [&nic.posted, &nic.timers, &nic.refills, &nic.watched];
        let ready = ready.iter().filter(|set| !set.is_empty()).count();
        let processors = nic.processors().map(|on| &self.processors[on]);
        let items =
            |processor: &Processor<'_>| processor.role.handed.len() + processor.resumable.len();
        let items: usize = processors.clone().map(items).sum();
        let shared = self.shared.get(id).map_or(0, VecDeque::len);
        let items = items + ready + nic.arrivals.len() + shared;
        waiters.nic(id, "a processor to take its work", items);
        let is_busy = |processor: &&Processor<'_>| !matches!(processor.stage, Stage::Idle);
        let busy = processors.filter(is_busy).count();
        waiters.nic(id, "a processor to end its work", busy);
        let on_host = nic.processors().map(|on| self.processors[on].role.on_host);
        let waits = on_host.filter(|on_host| *on_host == Some(OnHost::Waits));
        waiters.nic(id, "a processor of its host", waits.count());
    }

    fn wire_at_rest(&self, id: DirectionId, waiters: &mut Waiters<'_>) {
        let direction = &self.fabric[id];
        let to = waiters.node(direction.to);
        let queued = direction.queue.len() + usize::from(direction.sending.is_some());
        waiters.nic(direction.from, &format!("the wire to {to}"), queued);
        let backlog = usize::from(self.first_waiting(id).is_some());
        waiters.nic(
            direction.to,
            "a place for the packets at the end of its wire",
            backlog,
        );
    }
}
