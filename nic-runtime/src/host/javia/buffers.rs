//! Buffers outside the heap, which descriptors name and arrays may lie in: Javia-II (S2-13 to S2-18).

use jive_core::{ArrayKind, TrapKind};
use nic_core::javia::{Place, Refusal};
use nic_core::time::SimDuration;
use nic_core::via::{Handle, Segment, Status};

use super::memory;
use super::state::ClassProgram;
use super::ticket::Ticket;
use super::vi::Done;
use super::wait::{Performed, Wait, wait_until, within};
use crate::host::{Actions, Descriptor};

/// What a post returns that finds the queue full, and a wait that finds nothing.
const NONE: i32 = -1;

impl ClassProgram<'_> {
    /// Returns the trap of a native that a buffer refuses, and keeps the state for the trap's event.
    fn refuse(&mut self, refusal: Refusal) -> TrapKind {
        if let Refusal::Forbidden { state, .. } = refusal {
            self.refused_in = Some(state.words());
        }
        refusal.trap()
    }

    /// Performs `alloc`.
    pub(super) fn alloc(&mut self, bytes: i32) -> Result<Performed, TrapKind> {
        let made = self.buffers.alloc(bytes);
        let buffer = made.map_err(|refusal| self.refuse(refusal))?;
        Ok(Performed::Returns(buffer, self.costs.buffer()))
    }

    /// Performs `free`. Nothing of the buffer is left for the next one.
    pub(super) fn free(
        &mut self,
        buffer: i32,
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let freed = self.buffers.free(buffer);
        let place = freed.map_err(|refusal| self.refuse(refusal))?;
        clear(actions.linear(), place);
        Ok(Performed::Returns(0, self.costs.buffer()))
    }

    /// Performs `register`.
    pub(super) fn register(
        &mut self,
        [buffer, vi]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        let number = u32::try_from(vi).map_err(|_| TrapKind::ProtectionFault)?;
        let registrable = self.buffers.registrable(buffer, number);
        let place = registrable.map_err(|refusal| self.refuse(refusal))?;
        let (pinned, _) = self.costs.pinned(place.bytes());
        actions.compute(pinned + self.costs.buffer());
        let range = (memory::in_memory(place.start()), place.bytes());
        let endpoint = self.vis[vi].endpoint;
        actions.register_linear(endpoint, range, Ticket::Buffer(buffer).number());
        Ok(Performed::Continues(Wait::Registered(vi)))
    }

    /// Learns the handle of a buffer that is registered.
    pub(super) fn registered_buffer(
        &mut self,
        vi: usize,
        (buffer, handle): (i32, Option<Handle>),
        actions: &mut Actions<'_>,
    ) {
        if self.waits_for() != Some(Wait::Registered(vi)) {
            return;
        }
        let performed = match (handle, u32::try_from(vi)) {
            (Some(handle), Ok(number)) => match self.buffers.register(buffer, number, handle) {
                Ok(ticket) => Performed::Returns(ticket, SimDuration::ZERO),
                Err(refusal) => Performed::Traps(self.refuse(refusal)),
            },
            _ => Performed::Traps(TrapKind::OutOfMemoryError),
        };
        self.ends_wait(performed, actions);
    }

    /// Performs `deregister`.
    pub(super) fn deregister(
        &mut self,
        ticket: i32,
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let ended = self.buffers.deregister(ticket);
        let ended = ended.map_err(|refusal| self.refuse(refusal))?;
        let place = self.buffers.place(ended.buffer);
        let place = place.map_err(|refusal| self.refuse(refusal))?;
        let (_, unpinned) = self.costs.pinned(place.bytes());
        let number = Ticket::Buffer(ended.buffer).number();
        if let Some(vi) = self.vis.get(ended.vi as usize) {
            actions.deregister(vi.endpoint, ended.handle, number);
        }
        Ok(Performed::Returns(0, unpinned + self.costs.buffer()))
    }

    /// Performs `toByteArray` and its like.
    pub(super) fn array_of(
        &mut self,
        kind: ArrayKind,
        buffer: i32,
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let array = self.buffers.to_array(buffer, kind);
        let array = array.map_err(|refusal| self.refuse(refusal))?;
        let header = array.place.header();
        if array.is_new {
            let placed = self.with_heap(actions, |instance, _| {
                let heap = instance.heap_mut();
                heap.place(memory::BUFFERS, header, kind, array.length)
            });
            placed.ok_or(TrapKind::Unverified)?;
        }
        let reference = i32::try_from(memory::in_memory(header));
        let reference = reference.map_err(|_| TrapKind::Unverified)?;
        Ok(Performed::Returns(reference, self.costs.buffer()))
    }

    /// Performs `unRef`.
    pub(super) fn un_ref(&mut self, [buffer, number]: [i32; 2]) -> Result<Performed, TrapKind> {
        let left = self.buffers.un_ref(buffer, number);
        left.map_err(|refusal| self.refuse(refusal))?;
        Ok(Performed::Returns(0, self.costs.buffer()))
    }

    /// Performs `sendBufPost`.
    pub(super) fn send_buf_post(
        &mut self,
        [ticket, offset, length, tag]: [i32; 4],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi_of_ticket(ticket)?;
        if !self.vis[vi].can_send() {
            return Ok(Performed::Returns(NONE, SimDuration::ZERO));
        }
        let posted = self.buffers.post_send(ticket, offset, length);
        let posted = posted.map_err(|refusal| self.refuse(refusal))?;
        let segment = Segment {
            handle: posted.handle,
            offset: posted.offset,
            length: posted.length,
        };
        let number = Ticket::Buffer(ticket);
        let of = &mut self.vis[vi];
        of.sends(number, None);
        actions.compute(self.costs.buffer());
        let tag = Some(tag.cast_unsigned());
        actions.post_send(of.endpoint, number.number(), vec![segment], tag);
        Ok(Performed::Returns(0, SimDuration::ZERO))
    }

    /// Performs `recvBufPost`.
    pub(super) fn recv_buf_post(
        &mut self,
        ticket: i32,
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi_of_ticket(ticket)?;
        let posted = self.buffers.post_receive(ticket);
        let posted = posted.map_err(|refusal| self.refuse(refusal))?;
        let segment = Segment {
            handle: posted.handle,
            offset: posted.offset,
            length: posted.length,
        };
        let of = &mut self.vis[vi];
        of.posted_buffers += 1;
        actions.compute(self.costs.buffer());
        let number = Ticket::Buffer(ticket).number();
        actions.post_receive(of.endpoint, number, vec![segment]);
        Ok(Performed::Returns(0, SimDuration::ZERO))
    }

    /// Learns that the VI has not taken a descriptor for a buffer: `recvBufPost` returns -1.
    pub(super) fn refused(&mut self, vi: usize, ticket: Ticket) {
        if let Ticket::Buffer(ticket) = ticket {
            // The registration lasts while the descriptor counts as under way.
            let done = self.buffers.complete(ticket);
            debug_assert!(done.is_ok(), "the buffer is registered");
            let of = &mut self.vis[vi];
            of.posted_buffers = of.posted_buffers.saturating_sub(1);
            self.returns_instead(NONE);
        }
    }

    fn vi_of_ticket(&mut self, ticket: i32) -> Result<usize, TrapKind> {
        let registration = self.buffers.registration(ticket);
        let registration = registration.map_err(|refusal| self.refuse(refusal))?;
        Ok(registration.vi as usize)
    }

    /// Learns that a buffer has been sent.
    pub(super) fn sent_buffer(
        &mut self,
        vi: usize,
        (ticket, status): (i32, Status),
        actions: &mut Actions<'_>,
    ) {
        let done = self.buffers.complete(ticket);
        debug_assert!(done.is_ok(), "the buffer is registered");
        self.vis[vi].sent_buffers.push_back(Done {
            ticket,
            length: 0,
            tag: 0,
            status,
        });
        if matches!(self.waits_for(), Some(Wait::SentBuffer(of, _)) if of == vi)
            && let Some(performed) = self.sent_buffer_now(vi)
        {
            self.ends_wait(performed, actions);
        }
    }

    /// Performs `sendBufWait`.
    pub(super) fn send_buf_wait(
        &mut self,
        [vi, ms]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        if let Some(performed) = self.sent_buffer_now(vi) {
            return Ok(performed);
        }
        if !self.vis[vi].is_sending(|ticket| matches!(ticket, Ticket::Buffer(_))) {
            return Ok(Performed::Returns(NONE, SimDuration::ZERO));
        }
        Ok(wait_until(Wait::SentBuffer, vi, ms, actions))
    }

    fn sent_buffer_now(&mut self, vi: usize) -> Option<Performed> {
        let of = &mut self.vis[vi];
        let done = of.sent_buffers.pop_front()?;
        of.last_status = done.status;
        Some(Performed::Returns(done.ticket, self.costs.buffer()))
    }

    /// Performs `recvBufWait`.
    pub(super) fn recv_buf_wait(
        &mut self,
        [vi, ms]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        self.vis[vi].last_buffer = None;
        if let Some(performed) = self.found_in_buffer(vi) {
            return Ok(performed);
        }
        if self.vis[vi].posted_buffers == 0 {
            return Ok(Performed::Returns(NONE, SimDuration::ZERO));
        }
        Ok(self.wait_for_message(vi, within(ms), actions))
    }

    /// Keeps a receive descriptor of buffers that has completed. A message that is split fills several.
    pub(super) fn received_buffer(&mut self, vi: usize, descriptor: &Descriptor<'_>) {
        let first = descriptor.tickets.first().copied().and_then(Ticket::of);
        let mut left = u32::try_from(descriptor.payload.len()).unwrap_or(u32::MAX);
        for number in descriptor.tickets {
            let Some(Ticket::Buffer(ticket)) = Ticket::of(*number) else {
                left = left.saturating_sub(self.vis[vi].native_length());
                // The library keeps a message that begins in its own memory, and all of that.
                if matches!(first, Some(Ticket::Buffer(_))) {
                    self.vis[vi].arrived_beside(*number);
                }
                continue;
            };
            let room = self.buffers.registration(ticket);
            let room = room.and_then(|registration| self.buffers.place(registration.buffer));
            let length = room.map_or(0, Place::bytes).min(left);
            left = left.saturating_sub(length);
            let done = self.buffers.complete(ticket);
            debug_assert!(done.is_ok(), "the buffer is registered");
            let of = &mut self.vis[vi];
            of.buffer_taken();
            of.received_buffers.push_back(Done {
                ticket,
                length,
                tag: descriptor.immediate.unwrap_or(0).cast_signed(),
                status: descriptor.status,
            });
        }
    }

    /// Returns what `recvBufWait` returns, if a descriptor has completed.
    pub(super) fn found_in_buffer(&mut self, vi: usize) -> Option<Performed> {
        let of = &mut self.vis[vi];
        let done = of.received_buffers.pop_front()?;
        of.last_tag = done.tag;
        of.last_status = done.status;
        of.last_buffer = Some(done);
        Some(Performed::Returns(done.ticket, self.costs.buffer()))
    }

    /// Ends a wait for a buffer that is sent whose time is over.
    pub(super) fn buffer_late(&mut self, actions: &mut Actions<'_>) {
        if let Some(Wait::SentBuffer(_, Some(deadline))) = self.waits_for()
            && actions.now() >= deadline
        {
            self.ends_wait(Performed::Returns(NONE, SimDuration::ZERO), actions);
        }
    }
}

/// Clears the bytes of a buffer and of its array's header.
fn clear(memory: &mut [u8], place: Place) {
    let from = memory::in_memory(place.header()) as usize;
    let to = memory::in_memory(place.end()) as usize;
    if let Some(bytes) = memory.get_mut(from..to) {
        bytes.fill(0);
    }
}
