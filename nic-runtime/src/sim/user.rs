//! Users: each posts messages that are due, learns when a descriptor is complete, and reads and answers messages, one
//! task at a time.

use crate::ids::at;
use nic_core::event::{DropReason, NicEvent, TxStatus, UnetEvent};
use nic_core::host::{Reaction, TransmitSpace};
use nic_core::id::{ChannelId, EndpointId, PacketId, PostId, post_number};
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
use nic_core::unet::{self, Completion, MessageBody, ReceiveDescriptor, TransmitDescriptor};

use super::prefetch::read_lines;
use super::{Engines, Parts};
use crate::host::{Notice, Notify, Task};
use crate::memory::HostMemory;
use crate::nic::item::{Next, Posted, Way};
use crate::nic::work::Work;
use crate::storage::Endpoint;

impl<E: Engines> Parts<'_, E> {
    /// Queues a message of a send that has become due for its user, and schedules the send's next message. Messages
    /// without time between them are queued all at once.
    pub(crate) fn send_due(&mut self, send: u32) {
        let spec = self.sends.spec(send);
        read_lines(&spec.payload);
        self.prefetch(spec.endpoint, Way::Out);
        let due = &mut self.users[spec.endpoint].due;
        if spec.every == SimDuration::ZERO && spec.repeat > 1 && spec.gap.is_none() {
            due.add_at_once(send, spec.repeat, self.now);
            self.sends.all_due(send);
        } else {
            due.add(send, self.now);
            if let Some(gap) = self.sends.one_due(send) {
                self.schedule.insert(self.now + gap, Work::Send(send));
            }
        }
        self.begin_task(spec.endpoint);
    }

    /// Schedules the user's next poll or upcall, because a receive descriptor became visible.
    pub(crate) fn message_arrived(&mut self, id: EndpointId) {
        let user = &mut self.users[id];
        if user.notice == Notice::None {
            user.notice = Notice::Coming;
            let time = match user.notify {
                Notify::Poll(every) => self.now.next_multiple_of(every),
                Notify::Upcall(takes) => {
                    // The interrupt that told the library of the message is the user's upcall, too.
                    self.interrupts += u64::from(takes > SimDuration::ZERO);
                    self.now + takes
                }
            };
            self.schedule.insert(time, Work::Notice(id));
        }
    }

    pub(crate) fn notice(&mut self, id: EndpointId) {
        self.users[id].notice = Notice::Taken;
        self.begin_task(id);
    }

    /// Makes an idle user with work begin its next task, or line up for a processor of a host that limits its processors.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn begin_task(&mut self, id: EndpointId) {
        let user = &self.users[id];
        if user.task != Task::Waiting || !(user.has_work() || self.own.acts(id)) {
            return;
        }
        match &mut self.turns {
            None => _ = self.begin_any(id),
            Some(turns) => {
                turns.line_up(id);
                let line = turns.line_of(id);
                self.begin_turns(line);
            }
        }
    }

    /// Gives the free processors of a host to its loops, if its NIC is in host software, and to the waiting processes.
    #[cold]
    pub(super) fn begin_turns(&mut self, line: u32) {
        loop {
            let loops = self.begin_loops(line);
            let turns = self.turns.as_mut();
            let Some(next) = turns.and_then(|turns| turns.next_process(line, loops)) else {
                return;
            };
            if !self.begin_any(next)
                && let Some(turns) = &mut self.turns
            {
                turns.end(next);
            }
        }
    }

    /// Begins an action of the user's program, or else begins to read a message or to post a send, alternately. Returns
    /// whether the user began a task.
    fn begin_any(&mut self, id: EndpointId) -> bool {
        if self.own.acts(id) && self.begin_action(id) {
            return true;
        }
        let user = &self.users[id];
        // Usually the user has either a message to read or a send to post.
        let (reads, posts) = (user.notice == Notice::Taken, !user.due.is_empty());
        let posts_first = posts && !(reads && user.reads_next);
        let begun = (posts_first && self.begin_post(id))
            || (reads && self.begin_message(id))
            || (posts && !posts_first && self.begin_post(id));
        if begun {
            let user = &mut self.users[id];
            user.reads_next = user.task == Task::Posting;
        }
        begun
    }

    pub(crate) fn busy(&mut self, id: EndpointId, task: Task, takes: SimDuration) -> bool {
        self.host_time += takes;
        self.users[id].task = task;
        self.schedule.insert(self.now + takes, Work::TaskDone(id));
        true
    }

    /// Posts the oldest due message if the transmit queue and the transmit region have room. Posting keeps the user
    /// busy for the time that posting takes.
    fn begin_post(&mut self, id: EndpointId) -> bool {
        let user = &mut self.users[id];
        let Some(send) = user.due.first() else {
            return false;
        };
        let spec = self.sends.spec(send);
        let endpoint = &self.endpoints[id];
        if !endpoint.transmit.has_room() {
            return false;
        }
        let costs = *self.setup.host_costs(endpoint.nic);
        let length = u32::try_from(spec.payload.len()).expect("payloads were checked to fit");
        let TransmitSpace::Free(space) = user.region.take(length) else {
            return false;
        };
        // A message that is refused at once completes while it is posted. The user must not post the next one then.
        user.task = Task::Posting;
        if user.due.remove_first() && !self.limits.have_all_events_passed() {
            // Another message of a send without time between its messages counts as an event when its turn comes.
            self.limits.count_event();
        }
        self.memory.bytes_mut(space).copy_from_slice(&spec.payload);
        E::send_begins(self, id, spec);
        let message = E::message_span(self, id, spec, space);
        let takes = costs.of_post(length) + E::post_takes(self, id, message.length());
        self.post(id, spec.channel, message);
        self.busy(id, Task::Posting, takes)
    }

    /// Pushes a transmit descriptor for the message in `space`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn post(&mut self, id: EndpointId, channel: ChannelId, space: HostSpan) {
        let endpoint = &mut self.endpoints[id];
        let (offset, length) = (space.offset(), space.length());
        let descriptor = TransmitDescriptor {
            channel,
            offset,
            length,
        };
        let post = endpoint
            .transmit
            .post(descriptor)
            .expect("the user saw that there is room");
        E::user_posted(self, id, (channel, space), post);
        self.levels_changed(id);
        E::descriptor_posted(self, id);
    }

    /// Pushes a transmit descriptor for a message that is not in the transmit region of its endpoint. The interface knows
    /// where the message is.
    pub(crate) fn post_elsewhere(&mut self, id: EndpointId, channel: ChannelId, length: u32) {
        let endpoint = &mut self.endpoints[id];
        let descriptor = TransmitDescriptor {
            channel,
            // No space of the transmit region has this offset, so its completion frees none.
            offset: u32::MAX,
            length,
        };
        let post = endpoint
            .transmit
            .post(descriptor)
            .expect("the program saw that there is room");
        let space = endpoint
            .area
            .span(0, 0)
            .expect("no bytes lie in every area");
        E::user_posted(self, id, (channel, space), post);
        self.levels_changed(id);
        E::descriptor_posted(self, id);
    }

    /// Reports a posted transmit descriptor to the sink.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_posted(
        &mut self,
        id: EndpointId,
        (channel, space): (ChannelId, HostSpan),
        post: PostId,
    ) {
        let payload = self.memory.bytes(space);
        if let Some(posts) = self.report.posts_mut() {
            posts.posted(id, post, space);
        }
        let kind = UnetEvent::TxPost {
            channel,
            offset: space.offset(),
            length: space.length(),
            payload,
            post,
            number: post_number(id, post),
        };
        self.report.emit(self.now, id, kind);
    }

    /// Offers an endpoint's transmit descriptors to the processor that takes them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn offer_post(&mut self, id: EndpointId) {
        let nic = self.endpoints[id].nic;
        self.nics[nic].posted.insert(self.infos[id].position());
        self.wake(self.nics[nic].takes_posts);
    }

    /// Begins to read the oldest message that the user has noticed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin_message(&mut self, id: EndpointId) -> bool {
        let user = &mut self.users[id];
        let endpoint = &self.endpoints[id];
        let Some(message) = endpoint.receive.first() else {
            user.notice = Notice::None;
            return false;
        };
        let costs = *self.setup.host_costs(endpoint.nic);
        let takes = costs.receive + costs.rate.time(message.length);
        match self.reaction(id, message) {
            Reaction::Read => self.busy(id, Task::Reading, takes),
            Reaction::Send { length, .. } => {
                let packet = message.packet;
                self.begin_reply(id, packet, length, (takes, costs.post))
            }
        }
    }

    /// Begins to read a message that the user sends on, which needs room in the transmit queue and region. `takes` are
    /// the times of reading and of posting.
    #[inline(never)]
    fn begin_reply(
        &mut self,
        id: EndpointId,
        packet: Option<PacketId>,
        length: u32,
        (takes, post): (SimDuration, SimDuration),
    ) -> bool {
        if !self.endpoints[id].transmit.has_room() {
            return false;
        }
        match self.users[id].region.take(length) {
            TransmitSpace::Free(space) => self.busy(id, Task::Replying(space), takes + post),
            TransmitSpace::Taken => false,
            TransmitSpace::TooLong => {
                let reason = DropReason::NoTransmitRoom;
                let kind = NicEvent::Drop { packet, reason };
                self.report.emit(self.now, id, kind);
                self.busy(id, Task::Reading, takes)
            }
        }
    }

    pub(crate) fn task_done(&mut self, id: EndpointId) {
        let reads = self.users[id].task != Task::Posting;
        let is_told = reads && self.own.process(id).is_some();
        let read = if is_told {
            self.message_for_program(id)
        } else {
            None
        };
        if let Some(turns) = &mut self.turns {
            turns.end(id);
        }
        self.end_task(id);
        if let Some((channel, payload)) = read {
            self.tell_message(id, channel, &payload);
        }
        if let Some(turns) = &self.turns {
            let line = turns.line_of(id);
            self.begin_turns(line);
        }
        self.begin_task(id);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_task(&mut self, id: EndpointId) {
        let task = std::mem::replace(&mut self.users[id].task, Task::Waiting);
        match task {
            Task::Waiting | Task::Posting => {}
            Task::Reading => self.put_back(id),
            Task::Replying(space) => {
                self.reply(id, space);
                self.put_back(id);
            }
        }
    }

    /// Copies the oldest message to `space` and sends it.
    fn reply(&mut self, id: EndpointId, space: HostSpan) {
        let endpoint = &self.endpoints[id];
        let Some(message) = endpoint.receive.first() else {
            return;
        };
        let Reaction::Send { channel, .. } = self.reaction(id, message) else {
            return;
        };
        copy_message(&mut self.memory, endpoint, message, space);
        self.post(id, channel, space);
    }

    /// Takes the oldest message from the receive queue and puts its buffers back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put_back(&mut self, id: EndpointId) {
        if !self.pending_calls.is_empty() {
            self.note_refills(id);
        }
        E::message_read(self, id);
        let endpoint = &mut self.endpoints[id];
        if endpoint.put_back_received() {
            self.users[id].messages += 1;
            self.levels_changed(id);
        }
        E::message_gone(self, id);
    }

    /// Records the status of a transmit descriptor, then looks for other work.
    pub(crate) fn end_post(&mut self, posted: Posted, status: TxStatus) -> Next {
        let Posted { endpoint, post, .. } = posted;
        if self.live[endpoint].has_post_under_way {
            self.next_post_may_come(endpoint);
        }
        let queue = &mut self.endpoints[endpoint].transmit;
        let completion = queue.end(post, status);
        // Usually a packet of the descriptor has not left yet.
        if completion.is_some() {
            self.complete(endpoint, post, completion);
        }
        Next::Look
    }

    /// Reports the completion of a transmit descriptor, if there is one, and of those that waited for it. Frees the
    /// descriptors' space in the transmit region.
    pub(crate) fn complete(
        &mut self,
        id: EndpointId,
        post: PostId,
        completion: Option<Completion>,
    ) {
        let mut next = completion.map(|completion| (post, completion));
        while let Some((post, completion)) = next {
            let descriptor = completion.descriptor;
            let status = E::completed(self, id, post, completion);
            self.levels_changed(id);
            self.users[id].region.complete(descriptor);
            if !self.own.processes.is_empty() && !E::tell_completed(self, id) {
                self.tell_completed(id, descriptor.channel, status);
            }
            self.begin_task(id);
            next = self.endpoints[id].transmit.next_held();
        }
    }

    /// Reports the completion of a transmit descriptor to the sink.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_completed(
        &mut self,
        id: EndpointId,
        post: PostId,
        Completion { descriptor, status }: Completion,
    ) {
        let refusal = match status {
            TxStatus::Refused => unet::resolve_packet(&self.endpoints[id], descriptor).err(),
            TxStatus::Ok | TxStatus::Trap | TxStatus::Failed => None,
        };
        let TransmitDescriptor {
            channel,
            offset,
            length,
        } = descriptor;
        let kind = UnetEvent::TxDone {
            channel,
            offset,
            length,
            status,
            refusal,
            post,
        };
        self.report.emit(self.now, id, kind);
    }
}

/// Copies the beginning of a message, as much as fits, to `space` in the same buffer area.
fn copy_message(
    memory: &mut HostMemory,
    endpoint: &Endpoint,
    message: &ReceiveDescriptor,
    space: HostSpan,
) {
    match &message.body {
        MessageBody::Inline(bytes) => memory
            .bytes_mut(space)
            .copy_from_slice(&bytes[..at(space.length())]),
        MessageBody::Buffers(list) => {
            let share = endpoint.free.buffer_length();
            let mut copied = 0;
            for &offset in list.offsets() {
                let length = share.min(space.length() - copied);
                let from = endpoint.area.span(offset.into(), length.into());
                let to = endpoint
                    .area
                    .span((space.offset() + copied).into(), length.into());
                if let (Ok(from), Ok(to)) = (from, to) {
                    memory.copy(from, to);
                }
                copied += length;
            }
        }
    }
}
