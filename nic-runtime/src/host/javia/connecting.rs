//! Connections of a program's VIs: `connect`, `accept`, `disconnect` (S2-07).

use jive_core::TrapKind;
use nic_core::javia::ViaKind;
use nic_core::time::SimDuration;

use super::state::ClassProgram;
use super::wait::{Connecting, Performed, Wait, within};
use crate::host::{Actions, ConnectionNews};

/// What the natives return that S2-07 lets throw an exception.
const FAILED: i32 = -1;

impl ClassProgram<'_> {
    /// Performs `connect` or `accept`.
    pub(super) fn connect(
        &mut self,
        kind: ViaKind,
        [vi, tag, ms]: [i32; 3],
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        let connecting = Connecting {
            accepts: kind == ViaKind::Accept,
            tag: tag.cast_unsigned(),
            within: within(ms),
        };
        self.vis[vi].connecting = Some(connecting);
        // What the end of the last connection has flushed is posted again before the next one.
        if std::mem::take(&mut self.vis[vi].has_flushed) {
            actions.receive(self.vis[vi].endpoint);
            return Ok(Performed::Waits(Wait::Drained(vi)));
        }
        self.begin_connection(vi, actions);
        Ok(Performed::Waits(Wait::Connection(vi)))
    }

    /// Asks for the connection, when the VI is ready for it.
    fn begin_connection(&mut self, vi: usize, actions: &mut Actions<'_>) {
        self.post_native(actions);
        let endpoint = self.vis[vi].endpoint;
        let Some(Connecting {
            accepts,
            tag,
            within,
        }) = self.vis[vi].connecting.take()
        else {
            return;
        };
        match accepts {
            true => actions.accept(endpoint, tag, within),
            false => actions.connect(endpoint, tag, within),
        }
    }

    /// Goes on with a connection when no flushed descriptor is left to take.
    pub(super) fn drained(&mut self, vi: usize, actions: &mut Actions<'_>) {
        self.begin_connection(vi, actions);
        self.waits_next(Wait::Connection(vi));
    }

    /// Performs `disconnect`.
    pub(super) fn disconnect(
        &mut self,
        vi: i32,
        actions: &mut Actions<'_>,
    ) -> Result<Performed, TrapKind> {
        let vi = self.vi(vi)?;
        actions.disconnect(self.vis[vi].endpoint);
        Ok(Performed::Returns(0, SimDuration::ZERO))
    }

    /// Learns what has become of the connection of a VI.
    pub(super) fn connection(
        &mut self,
        vi: usize,
        what: ConnectionNews,
        actions: &mut Actions<'_>,
    ) {
        let value = match what {
            ConnectionNews::Made => {
                self.vis[vi].is_connected = true;
                0
            }
            ConnectionNews::Ended { .. } => {
                self.vis[vi].is_connected = false;
                self.vis[vi].has_flushed = true;
                return;
            }
            ConnectionNews::Refused | ConnectionNews::TimedOut | ConnectionNews::NotPossible => {
                FAILED
            }
            // The request waits for `accept`.
            ConnectionNews::Requested { .. } => return,
        };
        if self.waits_for() == Some(Wait::Connection(vi)) {
            self.ends_wait(Performed::Returns(value, SimDuration::ZERO), actions);
        }
    }
}
