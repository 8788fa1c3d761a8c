//! The stream of events: each event is a value, and every output is computed from the stream alone.
//!
//! Each interface declares an enum of its own events, in its own folder, and describes each event by its [`roles`].
//! [`NicEvent`] has the events of the NIC itself, which all interfaces share. A new interface adds one row to the macro
//! call `families`.
//!
//! Events are small: they carry ids and borrow the bytes that they show. [`Names`] maps the ids to names, which are
//! interned when the simulation is built. The code that emits an event does not depend on which outputs listen.

pub use crate::emp::EmpEvent;
pub use crate::host::HostEvent;
use crate::id::{EndpointId, NicId};
pub use crate::lmmc::LmmcEvent;
pub use crate::nic::{DropReason, NicEvent, Part, WireDropReason};
pub use crate::remote::{ReadStatus, RemoteEvent, WindowName, WriteHow};
use crate::report::fields::{FieldSink, Fields};
use crate::report::roles::{InUse, Roles, Shown, Step};
pub use crate::report::{
    DmaDirection, EventOf, Family, Levels, Made, Names, Trigger, fields, line, roles,
};
pub use crate::sle::{Executed, NativeArg, SleEvent, SwapRefusal, TracedCall, TrapDetails};
pub use crate::unet::{Refusal, RxBody, TxStatus, UnetEvent};
pub use crate::via::ViaEvent;

/// One event of any interface.
pub type Event<'a> = EventOf<EventKind<'a>>;

/// Declares the families of events: one enum for each interface, and one for the NIC itself.
macro_rules! families {
    ($($(#[$doc:meta])* $family:ident($event:ident)),+ $(,)?) => {
        /// What happened at an event: the fields that the trace shows (docs/seeing.md), and hidden fields with which
        /// outputs join events.
        #[derive(Copy, Clone, Debug)]
        pub enum EventKind<'a> {
            $($(#[$doc])* $family($event<'a>)),+
        }

        impl<'a> EventKind<'a> {
            /// Returns the roles of the event, by which outputs treat it.
            #[must_use]
            pub fn roles(&self) -> Roles<'a> {
                match self {
                    $(EventKind::$family(event) => event.roles()),+
                }
            }

            /// Returns what the event means for a message, a packet or a call, which is one of its [roles].
            // Outputs that count match on the result at once, and inlining spares the value in between.
            #[inline(always)]
            #[must_use]
            pub fn step(&self) -> Step<'a> {
                match self {
                    $(EventKind::$family(event) => event.step()),+
                }
            }
        }

        impl Family for EventKind<'_> {
            fn name(&self) -> &'static str {
                self.roles().name
            }

            fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
                match self {
                    $(EventKind::$family(event) => event.visit(fields)),+
                }
            }
        }

        $(
            impl Family for $event<'_> {
                fn name(&self) -> &'static str {
                    self.roles().name
                }

                fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
                    // The called method is that of the enum itself, which has the same name as the method of the trait.
                    $event::visit(self, fields)
                }
            }

            impl<'a> From<$event<'a>> for EventKind<'a> {
                fn from(event: $event<'a>) -> EventKind<'a> {
                    EventKind::$family(event)
                }
            }
        )+
    };
}

families! {
    /// An event of the NIC's own resources.
    Nic(NicEvent),
    /// An event of a U-Net endpoint.
    Unet(UnetEvent),
    /// An event of an EMP endpoint.
    Emp(EmpEvent),
    /// An event of a VI.
    Via(ViaEvent),
    /// An event of remote memory.
    Remote(RemoteEvent),
    /// An event of an endpoint of LMMC.
    Lmmc(LmmcEvent),
    /// An event of an endpoint's applet.
    Sle(SleEvent),
    /// An event of a process that runs a class.
    Host(HostEvent),
}

impl EventKind<'_> {
    /// Returns whether the trace shows the event, which is one of its [roles].
    #[inline]
    #[must_use]
    pub fn shown(&self) -> Shown {
        match self {
            EventKind::Nic(event) => event.shown(),
            EventKind::Sle(event) => event.shown(),
            EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => Shown::Always,
        }
    }

    /// Returns the trap that the event reports, as its step. Outputs about traps see at once that an event is none.
    #[inline]
    #[must_use]
    pub fn trap(&self) -> Option<Step<'_>> {
        match self {
            EventKind::Sle(event @ SleEvent::Trap { .. }) => Some(event.step()),
            EventKind::Sle(_)
            | EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => None,
        }
    }

    /// Returns an endpoint's levels, if the event reports them.
    #[inline]
    #[must_use]
    pub fn levels(&self) -> Option<Levels> {
        match self {
            EventKind::Nic(NicEvent::Levels(levels)) => Some(*levels),
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Sle(_)
            | EventKind::Host(_) => None,
        }
    }

    /// Returns the NIC or switch to which a port leads, if a switch dropped a packet because the port had no room.
    #[must_use]
    pub fn full_port(&self) -> Option<NicId> {
        match self {
            EventKind::Nic(NicEvent::WireDrop { port, .. }) => *port,
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Sle(_)
            | EventKind::Host(_) => None,
        }
    }

    /// Returns which part of the NIC the event shows in use.
    #[inline]
    #[must_use]
    pub fn in_use(&self) -> Option<InUse> {
        match self {
            EventKind::Nic(event) => event.in_use(),
            EventKind::Via(event) => event.in_use(),
            EventKind::Unet(_)
            | EventKind::Emp(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Sle(_)
            | EventKind::Host(_) => None,
        }
    }
}

/// Why a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The run had nothing left to do.
    Idle,
    /// Something waited for a slot, a processor, a wake-up or an acknowledgement, and nothing was due that could bring
    /// it. This is an error of the simulator.
    Stuck,
    /// The run reached the time `until` of the scenario.
    Until,
    /// The run reached the number `max_events` of the scenario.
    MaxEvents,
    /// An applet was about to exceed the number `max_bytecodes` of the scenario.
    MaxBytecodes,
    /// An applet of this endpoint trapped while the NIC loaded it.
    LoadTrap(EndpointId),
    /// The sink failed, so no output would have received the further events.
    Unheard,
    /// The user ended it.
    Interrupted,
}

impl EndReason {
    /// Returns the word that outputs show for the reason.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            EndReason::Idle => "idle",
            EndReason::Stuck => "stuck",
            EndReason::Until => "until",
            EndReason::MaxEvents => "max-events",
            EndReason::MaxBytecodes => "max-bytecodes",
            EndReason::LoadTrap(_) => "load-trap",
            EndReason::Unheard => "unheard",
            EndReason::Interrupted => "interrupted",
        }
    }
}

/// Receives the events of a run.
pub trait Sink {
    /// Returns whether the sink uses events at all, which the run determines once, before its first event. If the sink
    /// uses no events, the run does not build any, and calls no other method of the sink.
    fn listens(&self) -> bool {
        true
    }

    /// Returns whether the sink uses events of this visibility, by default all but those of busy processors. A run
    /// determines once, before its first event, whether the sink uses a visibility, and does not build other events.
    /// Unless the sink wants details, natives that create something have neither arguments nor results.
    fn wants(&self, shown: Shown) -> bool {
        shown != Shown::AsBusy
    }

    /// Takes one event. `names` maps the ids in the event to names.
    fn event(&mut self, names: &dyn Names, event: &Event<'_>);

    /// Learns at the end of a run how many events that a trace shows the run did not build, because the sink does not
    /// want them.
    fn left_out(&mut self, _events: u64) {}

    /// Returns whether the sink uses the instructions that applets execute. A run determines once, before its first
    /// event, whether the sink uses instructions. A run that reports its instructions takes many times as long as one
    /// that does not.
    fn watches(&self) -> bool {
        false
    }

    /// Receives instructions that an applet executes, if the sink [watches](Sink::watches) them. The sink receives the
    /// instructions before the events that they lead to.
    fn executed(&mut self, _names: &dyn Names, _executed: &Executed<'_>) {}

    /// Learns that the last instruction at an endpoint, a call of a native, was not executed, because fuel was missing.
    fn took_back(&mut self, _endpoint: EndpointId) {}

    /// Returns whether the sink uses the numbers of posts (`post`), which a run otherwise leaves out of its events. A run
    /// determines once, before its first event, whether the sink uses them.
    fn wants_posts(&self) -> bool {
        true
    }

    /// Returns whether the sink may fail. A run determines once, before its first event, whether it may, and otherwise
    /// asks only once in many events whether to end.
    fn may_fail(&self) -> bool {
        true
    }

    /// Returns whether the sink can no longer write, as on a closed pipe, which ends the run.
    fn has_failed(&self) -> bool {
        false
    }

    /// Returns whether the user asked the run to end. `is_interrupted` may be slow, because the simulation calls it
    /// only once in many events.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A sink for runs without output.
impl Sink for () {
    fn listens(&self) -> bool {
        false
    }

    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {}
}

/// Two sinks that hear the same run. Each takes every event that one of them wants.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn listens(&self) -> bool {
        self.0.listens() || self.1.listens()
    }

    fn wants(&self, shown: Shown) -> bool {
        self.0.wants(shown) || self.1.wants(shown)
    }

    #[inline]
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.0.event(names, event);
        self.1.event(names, event);
    }

    fn left_out(&mut self, events: u64) {
        self.0.left_out(events);
        self.1.left_out(events);
    }

    fn watches(&self) -> bool {
        self.0.watches() || self.1.watches()
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        self.0.executed(names, executed);
        self.1.executed(names, executed);
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        self.0.took_back(endpoint);
        self.1.took_back(endpoint);
    }

    fn wants_posts(&self) -> bool {
        self.0.wants_posts() || self.1.wants_posts()
    }

    fn may_fail(&self) -> bool {
        self.0.may_fail() || self.1.may_fail()
    }

    fn has_failed(&self) -> bool {
        self.0.has_failed() || self.1.has_failed()
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted() || self.1.is_interrupted()
    }
}
