//! Replaces the applet between two packets, as the simulator does at a `[[swap]]`.

use core::fmt::Write;

use heapless::{Deque, String};
use jive_core::limits::NAME_CHARS_MAX;
use jive_core::{Cut, MethodId, Trap, Utf8};
use nic_core::event::{SleEvent, SwapRefusal, Trigger};
use nic_core::sle::{Applet, HeapFull, carry};
use nic_core::time::SimTime;

use super::{ARRIVALS, Call, Failure, Machine, Nic, Sent};
use crate::names::NameTable;

/// Greatest length of the name of a class as it is shown, in bytes: the characters, and one for the rest.
const CLASS_NAME_MAX: usize = (NAME_CHARS_MAX + 1) * size_of::<char>();

/// A NIC that was to replace its applet.
pub(crate) enum Swapped<'p, 'q, 'n, M: Machine> {
    /// The new class is the applet.
    Made(Nic<'q, 'n, M>),
    /// The old applet goes on.
    Refused(Nic<'p, 'n, M>, SwapRefusal),
}

impl<'p, 'n, M: Machine> Nic<'p, 'n, M> {
    /// Calls `doTimer` for each timer that expires before `time`, and passes the rest of the time.
    pub(crate) fn pass_to(&mut self, time: SimTime) -> Result<(), Failure> {
        self.take_timers(time)?;
        if self.state.now > time {
            return Err(Failure::Busy);
        }
        self.state.now = time;
        Ok(())
    }

    /// Returns the machine, while no event is written.
    pub(crate) fn machine(&mut self) -> &mut M {
        self.state.trace.machine()
    }

    /// Reports a class that is refused before any of its code has run. The class has a name if it could be parsed.
    pub(crate) fn refused(
        &mut self,
        name: Option<Utf8<'_>>,
        reason: SwapRefusal,
    ) -> Result<(), Failure> {
        let mut shown = String::<CLASS_NAME_MAX>::new();
        if let Some(name) = name {
            write!(shown, "{}", Cut(name))?;
        }
        let kind = SleEvent::SwapRefused {
            class: name.map(|_| shown.as_str()),
            reason,
        };
        self.state.trace.event(self.state.now, kind)
    }

    /// Makes another class the applet. If a step of it fails, nothing has changed. `aside` holds arrays that the new
    /// applet keeps, while those of the old one are carried over.
    pub(crate) fn swap<'q>(
        self,
        applet: Applet<'q>,
        names: NameTable,
        aside: &mut [u8],
    ) -> Result<Swapped<'p, 'q, 'n, M>, Failure> {
        let armed = self.state.timer.take();
        let names = self.state.trace.rename(names);
        let (mut nic, old) = self.with_applet(applet);
        (nic.state.is_swapping, nic.state.was_timer_set) = (true, false);
        let program = nic.applet.class.program;
        let mut started = Ok(());
        for method in program.initializers() {
            started = nic.initialize(method)?;
            if started.is_err() {
                break;
            }
        }
        nic.state.is_swapping = false;
        let carried = started
            .map_err(|trap| SwapRefusal::Trapped(trap.kind))
            .and_then(|()| {
                carry(&old, &mut nic.applet, aside).map_err(|HeapFull| SwapRefusal::NoHeap)
            });
        let carried = match carried {
            Ok(carried) => carried,
            Err(reason) => {
                nic.state.endpoint.free.return_popped();
                let names = nic.state.trace.rename(names);
                let kind = SleEvent::SwapRefused {
                    class: names.class(),
                    reason,
                };
                nic.state.trace.event(nic.state.now, kind)?;
                nic.state.timer = armed;
                return Ok(Swapped::Refused(nic.with_applet(old).0, reason));
            }
        };
        nic.state.endpoint.free.keep_popped();
        let kind = SleEvent::AppletSwap {
            code_bytes: program.code_bytes(),
            heap_bytes: nic.applet.heap_bytes(),
            carried,
        };
        nic.state.trace.event(nic.state.now, kind)?;
        if !nic.state.was_timer_set {
            nic.state.timer = armed;
        }
        let members = nic.applet.members;
        if members.do_timer.is_none() {
            nic.state.timer = None;
        }
        if members.do_refill.is_none() {
            nic.state.refills.clear();
        }
        Ok(Swapped::Made(nic))
    }

    /// Runs an initializer of a class that is to replace the applet.
    fn initialize(&mut self, method: MethodId) -> Result<Result<(), Trap>, Failure> {
        let call = Call::without_message(method, Trigger::Load);
        let mut sent: Deque<Sent, ARRIVALS> = Deque::new();
        match self.call(call, &[], &mut sent)? {
            Ok(value) => {
                self.returned(method, value)?;
                Ok(Ok(()))
            }
            Err(trap) => {
                self.trapped(trap)?;
                Ok(Err(trap))
            }
        }
    }

    /// Returns the NIC with another applet, and the applet that it had.
    fn with_applet<'q>(self, applet: Applet<'q>) -> (Nic<'q, 'n, M>, Applet<'p>) {
        let Nic { applet: old, state } = self;
        (Nic { applet, state }, old)
    }
}
