//! Messages that a program posts and waits for later: `sendPost`, `recvPost` and the waits for their tickets (S2-08 to
//! S2-10).

use jive_core::{ArrayKind, TrapKind};
use nic_core::javia::Ticket as Posting;
use nic_core::time::SimDuration;
use nic_core::via::Status;

use super::sending::{Posted, bytes};
use super::state::ClassProgram;
use super::ticket::Ticket;
use super::vi::Arrived;
use super::wait::{Performed, Wait, wait_until, within};
use crate::host::Actions;

/// What a post returns that finds the ring full, and a wait that finds nothing.
const NONE: i32 = -1;

impl ClassProgram<'_> {
    /// Performs `sendPost`.
    pub(super) fn send_post(
        &mut self,
        kind: ArrayKind,
        [vi, array, offset, length, tag]: [i32; 5],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        let (start, length_in_bytes) = self.elements(kind, [array, offset, length], actions)?;
        let none = Ok(Performed::Returns(NONE, SimDuration::ZERO));
        if self.vis[vi].posted_sends.is_full() {
            return none;
        }
        let next = self.vis[vi].posted_sends.next_number();
        let bytes = bytes(actions.linear(), start, length_in_bytes);
        let part = (offset.cast_unsigned(), length.cast_unsigned());
        match self.post_copy(vi, Ticket::Posted(next), (&bytes, tag), actions) {
            Posted::NoRoom => none,
            posted => {
                let ring = &mut self.vis[vi].posted_sends;
                let number = ring.post((array, kind), part, tag);
                if let Posted::TooLong = posted {
                    ring.complete(Status::LengthError, (part.1, tag));
                }
                Ok(Performed::Returns(
                    number.unwrap_or(NONE),
                    SimDuration::ZERO,
                ))
            }
        }
    }

    /// Performs `recvPost`.
    pub(super) fn recv_post(
        &mut self,
        kind: ArrayKind,
        [vi, array, offset, length]: [i32; 4],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        self.elements(kind, [array, offset, length], actions)?;
        let part = (offset.cast_unsigned(), length.cast_unsigned());
        let number = self.vis[vi].posted_receives.post((array, kind), part, 0);
        Ok(Performed::Returns(
            number.unwrap_or(NONE),
            SimDuration::ZERO,
        ))
    }

    /// Performs `sendWait`.
    pub(super) fn send_wait(
        &mut self,
        [vi, ms]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        if let Some(performed) = self.sent_ticket(vi) {
            return Ok(performed);
        }
        if self.vis[vi].posted_sends.is_empty() {
            return Ok(Performed::Returns(NONE, SimDuration::ZERO));
        }
        Ok(wait_until(Wait::Ticket, vi, ms, actions))
    }

    /// Returns the ticket of the oldest posted send, if it is done.
    fn sent_ticket(&mut self, vi: usize) -> Option<Performed> {
        let of = &mut self.vis[vi];
        let ticket = of.posted_sends.take()?;
        of.last_status = ticket.status.unwrap_or(Status::Ok);
        Some(Performed::Returns(ticket.number, self.costs.ring()))
    }

    /// Performs `recvWait`.
    pub(super) fn recv_wait(
        &mut self,
        [vi, ms]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        if let Some(performed) = self.received_ticket(vi, actions) {
            return Ok(performed);
        }
        // This wait makes the ticket of the last one void.
        self.vis[vi].posted_receives.take();
        if self.vis[vi].posted_receives.is_empty() {
            return Ok(Performed::Returns(NONE, SimDuration::ZERO));
        }
        Ok(self.wait_for_message(vi, within(ms), actions))
    }

    /// Returns the ticket of the oldest posted receive, if there is a message for it.
    fn received_ticket(&mut self, vi: usize, actions: &mut Actions<'_>) -> Option<Performed> {
        let ticket = self.vis[vi].posted_receives.first_under_way()?;
        let message = self.vis[vi].take()?;
        Some(self.fill(vi, ticket, &message, actions))
    }

    /// Returns what `recvWait` returns, if there is a message for it or none will come.
    pub(super) fn found_for_ring(
        &mut self,
        vi: usize,
        is_over: bool,
        actions: &mut Actions<'_>,
    ) -> Option<Performed> {
        let found = self.received_ticket(vi, actions);
        found.or_else(|| is_over.then_some(Performed::Returns(NONE, SimDuration::ZERO)))
    }

    /// Copies a message into the array that a ticket names. A message that does not fit is left out.
    fn fill(
        &mut self,
        vi: usize,
        ticket: Posting,
        message: &Arrived,
        actions: &mut Actions<'_>,
    ) -> Performed {
        let width = usize::from(ticket.kind.width());
        let count = message.payload.len() / width;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let is_whole = message.payload.len().is_multiple_of(width);
        let fits = is_whole && count <= ticket.length;
        let status = match message.status {
            Status::Ok if !fits => Status::LengthError,
            status => status,
        };
        let mut takes = self.costs.ring();
        if status == Status::Ok {
            let from = ticket.offset as usize * width;
            self.with_heap(actions, |instance, _| {
                let elements = instance.heap_mut().bytes_mut(ticket.array);
                let part = elements.and_then(|elements| {
                    elements.get_mut(from..)?.get_mut(..message.payload.len())
                });
                if let Some(part) = part {
                    part.copy_from_slice(&message.payload);
                }
            });
            let length = u32::try_from(message.payload.len()).unwrap_or(u32::MAX);
            takes += self.costs.copied(length);
            self.copied += u64::from(length);
        }
        self.vis[vi].last_status = status;
        let ring = &mut self.vis[vi].posted_receives;
        ring.complete(status, (count, message.tag));
        let number = ring.take().map_or(NONE, |ticket| ticket.number);
        Performed::Returns(number, takes)
    }

    /// Learns that a send has completed for which no native waits by its own.
    pub(super) fn sent_posted(
        &mut self,
        vi: usize,
        (number, status): (u64, Status),
        actions: &mut Actions<'_>,
    ) {
        match Ticket::of(number) {
            Some(Ticket::Posted(_)) => {
                let ring = &mut self.vis[vi].posted_sends;
                if let Some(ticket) = ring.first_under_way() {
                    ring.complete(status, (ticket.length, ticket.tag));
                }
                if matches!(self.waits_for(), Some(Wait::Ticket(of, _)) if of == vi)
                    && let Some(performed) = self.sent_ticket(vi)
                {
                    self.ends_wait(performed, actions);
                }
            }
            Some(Ticket::Buffer(ticket)) => self.sent_buffer(vi, (ticket, status), actions),
            _ => {}
        }
    }

    /// Performs `ticketLength`, `ticketTag` and `ticketStatus`: returns something of the ticket that the last wait on its
    /// ring has returned.
    pub(super) fn of_ticket(
        &self,
        number: i32,
        what: impl Fn(u32, i32, Status) -> i32,
    ) -> Result<Performed, TrapKind> {
        let in_rings = self.vis.iter().find_map(|vi| {
            let sent = vi.posted_sends.returned(number);
            sent.or_else(|| vi.posted_receives.returned(number))
        });
        let ticket = in_rings.map(|ticket| (ticket.length, ticket.tag, ticket.status));
        let in_buffers = || {
            let last = self.vis.iter().filter_map(|vi| vi.last_buffer);
            let mut last = last.filter(|done| done.ticket == number);
            last.next()
                .map(|done| (done.length, done.tag, Some(done.status)))
        };
        let (length, tag, status) = ticket
            .or_else(in_buffers)
            .ok_or(TrapKind::ProtectionFault)?;
        let value = what(length, tag, status.unwrap_or(Status::Ok));
        Ok(Performed::Returns(value, SimDuration::ZERO))
    }

    /// Ends a wait for a ticket whose time is over.
    pub(super) fn ticket_late(&mut self, actions: &mut Actions<'_>) {
        if let Some(Wait::Ticket(_, Some(deadline))) = self.waits_for()
            && actions.now() >= deadline
        {
            self.ends_wait(Performed::Returns(NONE, SimDuration::ZERO), actions);
        }
    }
}
