//! Which function performs which native, and the natives that concern neither messages nor buffers.

use jive_core::TrapKind;
use nic_core::javia::{ViaKind, ViaNative, status_number};
use nic_core::time::SimDuration;

use super::state::ClassProgram;
use super::wait::{Performed, Wait};
use crate::host::Actions;

/// Nanoseconds of a microsecond.
const MICROSECOND: u64 = 1_000;

impl ClassProgram<'_> {
    /// Performs a native.
    pub(super) fn performed(
        &mut self,
        native: ViaNative,
        args: &[i32],
        actions: &mut Actions<'_>,
    ) -> Performed {
        let performed = self.perform_kind(native.kind(), args, actions);
        performed.unwrap_or_else(Performed::Traps)
    }

    fn perform_kind(
        &mut self,
        kind: ViaKind,
        args: &[i32],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let now = |value| Ok(Performed::Returns(value, SimDuration::ZERO));
        match (kind, args) {
            (ViaKind::Connect | ViaKind::Accept, &[vi, tag, ms]) => {
                self.connect(kind, [vi, tag, ms], actions)
            }
            (ViaKind::Disconnect, &[vi]) => self.disconnect(vi, actions),
            (ViaKind::Send(of), &[vi, data, offset, length, tag]) => {
                self.send(of, [vi, data, offset, length, tag], actions)
            }
            (ViaKind::SendPin(of), &[vi, data, offset, length, tag]) => {
                self.send_pin(of, [vi, data, offset, length, tag], actions)
            }
            (ViaKind::Recv(_), &[vi, ms]) => self.recv([vi, ms], actions),
            (ViaKind::SendPost(of), &[vi, data, offset, length, tag]) => {
                self.send_post(of, [vi, data, offset, length, tag], actions)
            }
            (ViaKind::RecvPost(of), &[vi, into, offset, length]) => {
                self.recv_post(of, [vi, into, offset, length], actions)
            }
            (ViaKind::SendWait, &[vi, ms]) => self.send_wait([vi, ms], actions),
            (ViaKind::RecvWait, &[vi, ms]) => self.recv_wait([vi, ms], actions),
            (ViaKind::TicketLength, &[ticket]) => {
                self.of_ticket(ticket, |length, _, _| length.cast_signed())
            }
            (ViaKind::TicketTag, &[ticket]) => self.of_ticket(ticket, |_, tag, _| tag),
            (ViaKind::TicketStatus, &[ticket]) => {
                self.of_ticket(ticket, |_, _, status| status_number(status))
            }
            (ViaKind::Alloc, &[bytes]) => self.alloc(bytes),
            (ViaKind::Free, &[buffer]) => self.free(buffer, actions),
            (ViaKind::Register, &[buffer, vi]) => self.register([buffer, vi], actions),
            (ViaKind::Deregister, &[ticket]) => self.deregister(ticket, actions),
            (ViaKind::ToArray(of), &[buffer]) => self.array_of(of, buffer, actions),
            (ViaKind::UnRef, &[buffer, number]) => self.un_ref([buffer, number]),
            (ViaKind::SendBufPost, &[ticket, offset, length, tag]) => {
                self.send_buf_post([ticket, offset, length, tag], actions)
            }
            (ViaKind::RecvBufPost, &[ticket]) => self.recv_buf_post(ticket, actions),
            (ViaKind::SendBufWait, &[vi, ms]) => self.send_buf_wait([vi, ms], actions),
            (ViaKind::RecvBufWait, &[vi, ms]) => self.recv_buf_wait([vi, ms], actions),
            (ViaKind::LastTag, &[vi]) => now(self.vis[self.vi(vi)?].last_tag),
            (ViaKind::LastStatus, &[vi]) => now(status_number(self.vis[self.vi(vi)?].last_status)),
            (ViaKind::Collect, &[]) => {
                self.collect(actions)?;
                now(0)
            }
            (ViaKind::Now, &[]) => {
                let us = actions.now().as_ps() / 1_000 / MICROSECOND;
                // The cast keeps the lower bits, as the native says.
                now(us as i32)
            }
            (ViaKind::Pause, &[us]) => {
                let us = u64::try_from(us).unwrap_or(0);
                let time = actions.now() + SimDuration::from_ns(MICROSECOND).times(us);
                actions.wake_at(time);
                Ok(Performed::Waits(Wait::Time(time)))
            }
            // The verifier has checked the arguments of each native.
            _ => Err(TrapKind::Unverified),
        }
    }

    /// Learns that a time has come for which an action asked.
    pub(super) fn time_came(&mut self, actions: &mut Actions<'_>) {
        if let Some(Wait::Time(time)) = self.waits_for()
            && actions.now() >= time
        {
            self.ends_wait(Performed::Returns(0, SimDuration::ZERO), actions);
        }
        self.ticket_late(actions);
        self.buffer_late(actions);
    }
}
