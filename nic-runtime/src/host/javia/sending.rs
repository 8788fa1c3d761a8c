//! Messages that a program sends from its arrays: `send`, `sendPin` (S2-08, S2-11, S2-12).

use jive_core::{ArrayKind, TrapKind};
use nic_core::host::TransmitSpace;
use nic_core::javia::status_number;
use nic_core::time::SimDuration;
use nic_core::via::{Handle, Segment, Status};

use super::state::ClassProgram;
use super::ticket::Ticket;
use super::wait::{Outgoing, Performed, Pinned, Wait};
use crate::host::Actions;

impl ClassProgram<'_> {
    /// Returns the bytes of elements of an array.
    pub(super) fn elements(
        &mut self,
        kind: ArrayKind,
        [array, offset, length]: [i32; 3],
        actions: &mut Actions<'_>,
    ) -> Result<(u32, u32), TrapKind> {
        if array == 0 {
            return Err(TrapKind::NullPointerException);
        }
        let view = self.with_heap(actions, |instance, _| instance.heap().array(array));
        let view = view.ok_or(TrapKind::Unverified)?;
        let outside = TrapKind::ArrayIndexOutOfBoundsException;
        let offset = u32::try_from(offset).map_err(|_| outside)?;
        let length = u32::try_from(length).map_err(|_| outside)?;
        let end = offset.checked_add(length).ok_or(outside)?;
        if end > view.length {
            return Err(outside);
        }
        let width = u32::from(kind.width());
        // Both products are at most the length of the array in bytes.
        let start = view.start.saturating_add(offset.saturating_mul(width));
        Ok((start, length.saturating_mul(width)))
    }

    /// Performs `send`.
    pub(super) fn send(
        &mut self,
        kind: ArrayKind,
        [vi, array, offset, length, tag]: [i32; 5],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        let (start, length) = self.elements(kind, [array, offset, length], actions)?;
        let bytes = bytes(actions.linear(), start, length);
        self.outgoing = Some(Outgoing { bytes, tag });
        Ok(self.send_now(vi, actions))
    }

    /// Copies the message that waits into native memory and posts it, or waits for room.
    pub(super) fn send_now(&mut self, vi: usize, actions: &mut Actions<'_>) -> Performed {
        let Some(Outgoing { bytes, tag }) = self.outgoing.take() else {
            return Performed::Traps(TrapKind::Unverified);
        };
        match self.post_copy(vi, Ticket::Waiting, (&bytes, tag), actions) {
            Posted::Yes => Performed::Waits(Wait::Sent(vi)),
            Posted::NoRoom => {
                self.outgoing = Some(Outgoing { bytes, tag });
                Performed::Waits(Wait::Room(vi))
            }
            Posted::TooLong => {
                self.vis[vi].last_status = Status::LengthError;
                Performed::Returns(status_number(Status::LengthError), SimDuration::ZERO)
            }
        }
    }

    /// Copies a message into native memory and posts it.
    pub(super) fn post_copy(
        &mut self,
        vi: usize,
        ticket: Ticket,
        (bytes, tag): (&[u8], i32),
        actions: &mut Actions<'_>,
    ) -> Posted {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let of = &mut self.vis[vi];
        let (Some(handle), true) = (of.area, of.can_send()) else {
            return Posted::NoRoom;
        };
        let place = match of.room(length) {
            TransmitSpace::Free(place) => place,
            TransmitSpace::Taken => return Posted::NoRoom,
            TransmitSpace::TooLong => return Posted::TooLong,
        };
        of.sends(ticket, Some(place));
        let takes = self.costs.copied_out(length);
        self.copied += u64::from(length);
        actions.fill_in(of.endpoint, place.offset(), bytes.to_vec(), takes);
        let segment = Segment {
            handle,
            offset: place.offset(),
            length,
        };
        let tag = Some(tag.cast_unsigned());
        actions.post_send(of.endpoint, ticket.number(), vec![segment], tag);
        Posted::Yes
    }

    /// Performs `sendPin`.
    pub(super) fn send_pin(
        &mut self,
        kind: ArrayKind,
        [vi, array, offset, length, tag]: [i32; 5],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        let (start, length) = self.elements(kind, [array, offset, length], actions)?;
        self.pinned = Some(Pinned {
            vi,
            length,
            tag,
            handle: None,
        });
        let (before, _) = self.costs.pinned(length);
        actions.compute(before);
        let endpoint = self.vis[vi].endpoint;
        actions.register_linear(endpoint, (start, length), Ticket::Pinned.number());
        Ok(Performed::Waits(Wait::Sent(vi)))
    }

    /// Sends the array that has been pinned.
    pub(super) fn send_pinned(&mut self, handle: Option<Handle>, actions: &mut Actions<'_>) {
        let Some(pinned) = &mut self.pinned else {
            return;
        };
        pinned.handle = handle;
        let Pinned {
            vi, length, tag, ..
        } = *pinned;
        let Some(handle) = handle else {
            self.pinned = None;
            self.vis[vi].last_status = Status::ProtectionError;
            let refused = status_number(Status::ProtectionError);
            return self.ends_wait(Performed::Returns(refused, SimDuration::ZERO), actions);
        };
        let segment = Segment {
            handle,
            offset: 0,
            length,
        };
        let of = &mut self.vis[vi];
        of.sends(Ticket::Waiting, None);
        actions.compute(self.costs.in_place());
        let number = Ticket::Waiting.number();
        actions.post_send(
            of.endpoint,
            number,
            vec![segment],
            Some(tag.cast_unsigned()),
        );
    }
}

/// Whether a message has been posted.
pub(super) enum Posted {
    Yes,
    /// Native memory or the ring has no room now.
    NoRoom,
    /// The message is longer than the native memory.
    TooLong,
}

/// Returns a copy of bytes of the memory.
pub(super) fn bytes(memory: &[u8], start: u32, length: u32) -> Vec<u8> {
    let end = start.saturating_add(length);
    let range = start as usize..end as usize;
    memory.get(range).unwrap_or(&[]).to_vec()
}
