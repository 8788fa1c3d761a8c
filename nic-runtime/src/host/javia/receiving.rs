//! Messages that a program receives: `recv` (S2-08), and how native buffers are posted (S2-10).

use jive_core::{ArrayKind, TrapKind};
use nic_core::javia::ViaKind;
use nic_core::time::SimDuration;
use nic_core::via::Status;

use super::state::ClassProgram;
use super::vi::Arrived;
use super::wait::{Performed, Wait, within};
use crate::host::Actions;

impl ClassProgram<'_> {
    /// Performs `recv`.
    pub(super) fn recv(
        &mut self,
        [vi, ms]: [i32; 2],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        if let Some(message) = self.vis[vi].take() {
            return Ok(self.made(&message, actions));
        }
        Ok(self.wait_for_message(vi, within(ms), actions))
    }

    /// Asks a VI for a message, for which the program waits.
    pub(super) fn wait_for_message(
        &mut self,
        vi: usize,
        within: Option<SimDuration>,
        actions: &mut Actions<'_>,
    ) -> Performed {
        let endpoint = self.vis[vi].endpoint;
        let deadline = within.map(|within| actions.now() + within);
        match within {
            Some(SimDuration::ZERO) => actions.receive(endpoint),
            within => actions.receive_within(endpoint, within),
        }
        Performed::Waits(Wait::Message(vi, deadline))
    }

    /// Makes an array of a message, for `recv`.
    pub(super) fn made(&mut self, message: &Arrived, actions: &mut Actions<'_>) -> Performed {
        let kind = match self.kind() {
            Some(ViaKind::Recv(kind)) => kind,
            _ => ArrayKind::Byte,
        };
        if message.status != Status::Ok {
            return Performed::Returns(0, SimDuration::ZERO);
        }
        let width = usize::from(kind.width());
        let count = message.payload.len() / width;
        let whole = count * width;
        let Ok(length) = i32::try_from(count) else {
            return Performed::Traps(TrapKind::OutOfMemoryError);
        };
        let array = match self.allocate(kind, length, actions) {
            Ok(array) => array,
            Err(kind) => return Performed::Traps(kind),
        };
        self.with_heap(actions, |instance, _| {
            let elements = instance.heap_mut().bytes_mut(array);
            if let Some((elements, payload)) = elements.zip(message.payload.get(..whole)) {
                elements.copy_from_slice(payload);
            }
        });
        let bytes = u32::try_from(whole).unwrap_or(u32::MAX);
        self.copied += u64::from(bytes);
        let takes = self.costs.copied(bytes) + self.costs.allocated(bytes);
        Performed::Returns(array, takes)
    }
}
