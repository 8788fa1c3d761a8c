//! The one stream of events: everything a run reports, as values that every output is a fold over.
//!
//! Each interface has its own enum of events, in its own folder, and describes them by [`roles`]. Events of the NIC,
//! whatever interface runs on it, are in [`NicEvent`]. A new interface is a row of `families`.
//!
//! Events are small, carry ids and borrow what they show; names are interned in [`Names`] when the
//! simulation is built. The emitting code does not know who listens.

pub mod fields;
pub mod line;
mod nic;
pub mod roles;

use jive_core::MethodId;

use self::fields::{FieldSink, Fields, PayloadMode};
pub use self::nic::{DmaDirection, DropReason, Levels, NicEvent, WireDropReason};
use self::roles::{Roles, Shown};
use crate::id::{EndpointId, NicId, PacketId, PostId};
pub use crate::sle::{NativeArg, SleEvent};
use crate::time::SimTime;
pub use crate::unet::{Refusal, RxBody, TxStatus, UnetEvent};

/// What a NIC does something for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// An applet is loaded.
    Load,
    /// The user pushed a transmit descriptor.
    Post(PostId),
    /// A packet arrived.
    Arrival(PacketId),
    /// The time is over that an applet has set.
    Timer,
    /// The user gave a receive buffer back.
    Refill,
}

/// One event: when, where, what.
#[derive(Copy, Clone, Debug)]
pub struct Event<'a> {
    /// When it happened; never less than that of the event before.
    pub time: SimTime,
    /// The NIC it happened at.
    pub nic: NicId,
    /// The endpoint it belongs to, where it belongs to one.
    pub endpoint: Option<EndpointId>,
    /// What happened.
    pub kind: EventKind<'a>,
}

/// Declares the families of events: each interface has an enum of its own.
macro_rules! families {
    ($($(#[$doc:meta])* $family:ident($event:ident)),+ $(,)?) => {
        /// What happened, with the fields that the trace shows (docs/seeing.md), and those with which the other
        /// outputs join events.
        #[derive(Copy, Clone, Debug)]
        pub enum EventKind<'a> {
            $($(#[$doc])* $family($event<'a>)),+
        }

        impl<'a> EventKind<'a> {
            /// Returns what the event is to the outputs.
            #[must_use]
            pub fn roles(&self) -> Roles<'a> {
                match self {
                    $(EventKind::$family(event) => event.roles()),+
                }
            }

            fn visit<S: FieldSink>(&self, fields: &mut Fields<'_, S>) -> Result<(), S::Error> {
                match self {
                    $(EventKind::$family(event) => event.visit(fields)),+
                }
            }
        }

        $(impl<'a> From<$event<'a>> for EventKind<'a> {
            fn from(event: $event<'a>) -> EventKind<'a> {
                EventKind::$family(event)
            }
        })+
    };
}

families! {
    /// Of the NIC's resources.
    Nic(NicEvent),
    /// Of a U-Net endpoint.
    Unet(UnetEvent),
    /// Of an endpoint's applet.
    Sle(SleEvent),
}

impl Event<'_> {
    /// Gives the fields of the event to `sink`, those that all events share not included.
    ///
    /// # Errors
    ///
    /// Returns the first failure of the sink, which gets no more fields.
    pub fn visit<S: FieldSink>(
        &self,
        names: &dyn Names,
        payload_mode: PayloadMode,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let fields = &mut Fields::new(names, self.endpoint, payload_mode, sink);
        self.kind.visit(fields)
    }
}

/// What a native left behind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Neither a packet nor a descriptor.
    Nothing,
    /// This packet, which is about to leave.
    Packet(PacketId),
    /// A receive descriptor, which the user is about to see.
    Descriptor,
}

/// Names of what the ids of a run's events stand for, interned when the simulation is built.
pub trait Names {
    /// Returns the NIC's name in the scenario.
    fn nic(&self, nic: NicId) -> &str;
    /// Returns the endpoint's name in the scenario.
    fn endpoint(&self, endpoint: EndpointId) -> &str;
    /// Returns the NIC that the endpoint lives on.
    fn home(&self, endpoint: EndpointId) -> NicId;
    /// Returns the name of the class that the endpoint loaded, or `None` where it loaded none.
    fn class(&self, endpoint: EndpointId) -> Option<&str>;
    /// Returns the method's name in the class that the endpoint loaded.
    fn method(&self, endpoint: EndpointId, method: MethodId) -> &str;
}

/// Why a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Nothing was left to do.
    Idle,
    /// The scenario's `until` was reached.
    Until,
    /// The scenario's `max_events` was reached.
    MaxEvents,
    /// An applet was about to execute more than the scenario's `max_bytecodes` left.
    MaxBytecodes,
    /// An applet trapped while it was loaded.
    LoadTrap,
    /// The sink has failed.
    Unheard,
    /// The user ended it.
    Interrupted,
}

impl EndReason {
    /// Returns the word that outputs have for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            EndReason::Idle => "idle",
            EndReason::Until => "until",
            EndReason::MaxEvents => "max-events",
            EndReason::MaxBytecodes => "max-bytecodes",
            EndReason::LoadTrap => "load-trap",
            EndReason::Unheard => "unheard",
            EndReason::Interrupted => "interrupted",
        }
    }
}

/// What listens to a run.
pub trait Sink {
    /// Whether anyone listens. Where nobody does, no event is made.
    const LISTENS: bool = true;

    /// Returns whether the sink uses events of this visibility. A run asks once, before its first event, and makes no
    /// event that the sink does not want.
    fn wants(&self, _shown: Shown) -> bool {
        true
    }

    /// Takes one event; `names` tells what its ids stand for.
    fn event(&mut self, names: &dyn Names, event: &Event<'_>);

    /// Returns whether what is still to come would be lost on it, as on a pipe that nobody reads; the run
    /// ends then.
    fn has_failed(&self) -> bool {
        false
    }

    /// Returns whether the user wants the run to end now. A run asks once in many events.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Nobody listens, and nobody pays.
impl Sink for () {
    const LISTENS: bool = false;

    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {}
}
