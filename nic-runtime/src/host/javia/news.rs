//! What a program learns of its VIs, and which wait of it that ends.

use nic_core::javia::{ViaKind, status_number};
use nic_core::time::SimDuration;
use nic_core::via::{Handle, Status};

use super::state::ClassProgram;
use super::ticket::Ticket;
use super::wait::{Performed, Pinned, Wait};
use crate::host::{Actions, Descriptor, ViNews};

impl ClassProgram<'_> {
    /// Learns the handle of memory that it has registered.
    fn registered(
        &mut self,
        vi: usize,
        (ticket, handle): (Option<Ticket>, Option<Handle>),
        actions: &mut Actions<'_>,
    ) {
        match ticket {
            Some(Ticket::Area) => {
                self.vis[vi].area = handle;
                self.post_native(actions);
            }
            Some(Ticket::Pinned) => self.send_pinned(handle, actions),
            Some(Ticket::Buffer(buffer)) => self.registered_buffer(vi, (buffer, handle), actions),
            _ => {}
        }
    }

    /// Learns something of a VI.
    pub(super) fn vi_news(&mut self, vi: usize, what: ViNews<'_>, actions: &mut Actions<'_>) {
        match what {
            ViNews::Registered { ticket, registered } => {
                self.registered(vi, (Ticket::of(ticket), registered.ok()), actions);
            }
            ViNews::Sent { ticket, status, .. } => self.sent(vi, (ticket, status), actions),
            ViNews::Received(descriptor) => self.received(vi, descriptor, actions),
            ViNews::NoMessage => self.no_message(vi, actions),
            ViNews::NotPossible { ticket } => self.not_possible(vi, ticket),
            ViNews::Deregistered { .. } => {}
        }
    }

    /// Learns that a VI has not taken a receive descriptor.
    pub(super) fn not_possible(&mut self, vi: usize, number: u64) {
        match Ticket::of(number) {
            Some(Ticket::Native(buffer)) => self.vis[vi].not_posted(buffer),
            Some(ticket) => self.refused(vi, ticket),
            None => {}
        }
    }

    /// Learns of a receive descriptor that has completed.
    pub(super) fn received(
        &mut self,
        vi: usize,
        descriptor: Descriptor<'_>,
        actions: &mut Actions<'_>,
    ) {
        let first = descriptor.tickets.first().copied().and_then(Ticket::of);
        match first {
            Some(Ticket::Buffer(_)) => self.received_buffer(vi, &descriptor),
            _ => {
                self.vis[vi].arrived(&descriptor);
                // A message that is split may go on in buffers of the program.
                self.received_buffer(vi, &descriptor);
            }
        }
        match self.waits_for() {
            Some(Wait::Drained(of)) if of == vi => actions.receive(self.vis[vi].endpoint),
            Some(Wait::Message(of, deadline)) if of == vi => {
                let is_over = descriptor.status == Status::Flushed && !self.vis[vi].is_connected;
                let performed = self.found(vi, is_over, actions);
                let performed = performed.unwrap_or_else(|| {
                    let now = actions.now();
                    let left = deadline.map(|deadline| deadline.since(now));
                    self.wait_for_message(vi, left, actions)
                });
                match performed {
                    Performed::Waits(wait) => self.waits_next(wait),
                    ended => self.ends_wait(ended, actions),
                }
            }
            _ => {}
        }
    }

    /// Returns what the native returns that waits for a message, if there is one for it or none will come: the connection
    /// is over.
    fn found(&mut self, vi: usize, is_over: bool, actions: &mut Actions<'_>) -> Option<Performed> {
        let kind = self.kind()?;
        if is_over {
            self.vis[vi].last_status = Status::Flushed;
        }
        match kind {
            ViaKind::Recv(_) => match self.vis[vi].take() {
                Some(message) => Some(self.made(&message, actions)),
                None if is_over => Some(Performed::Returns(0, SimDuration::ZERO)),
                None => None,
            },
            ViaKind::RecvWait => self.found_for_ring(vi, is_over, actions),
            ViaKind::RecvBufWait => self.found_in_buffer(vi),
            _ => None,
        }
    }

    /// Learns that no message has come in time.
    pub(super) fn no_message(&mut self, vi: usize, actions: &mut Actions<'_>) {
        if self.waits_for() == Some(Wait::Drained(vi)) {
            return self.drained(vi, actions);
        }
        if !matches!(self.waits_for(), Some(Wait::Message(of, _)) if of == vi) {
            return;
        }
        let value = match self.kind() {
            Some(ViaKind::Recv(_)) => 0,
            _ => -1,
        };
        self.ends_wait(Performed::Returns(value, SimDuration::ZERO), actions);
    }

    /// Learns that a send descriptor has completed.
    pub(super) fn sent(
        &mut self,
        vi: usize,
        (number, status): (u64, Status),
        actions: &mut Actions<'_>,
    ) {
        self.vis[vi].sent();
        match Ticket::of(number) {
            Some(Ticket::Waiting) if self.waits_for() == Some(Wait::Sent(vi)) => {
                self.vis[vi].last_status = status;
                let after = match self.pinned.take() {
                    Some(Pinned {
                        handle: Some(handle),
                        length,
                        ..
                    }) => {
                        let endpoint = self.vis[vi].endpoint;
                        actions.deregister(endpoint, handle, Ticket::Pinned.number());
                        self.costs.pinned(length).1
                    }
                    Some(_) | None => SimDuration::ZERO,
                };
                let value = status_number(status);
                self.ends_wait(Performed::Returns(value, after), actions);
            }
            _ => self.sent_posted(vi, (number, status), actions),
        }
        if self.waits_for() == Some(Wait::Room(vi)) {
            let performed = self.send_now(vi, actions);
            self.go(performed, actions);
        }
    }
}
