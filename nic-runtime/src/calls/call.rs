//! The call of an applet on a processor: its cause, and its state of execution.

use std::collections::VecDeque;

use jive_core::{CallStack, MethodId, Trap};
use nic_core::event::Trigger;
use nic_core::id::{ChannelId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, NicEntry, NicNative};
use nic_core::time::SimTime;

use super::pending::{ReadDone, Refill, TimerTurn, Watched};
use super::quota::Spent;
use crate::nic::endpoint::AppletAt;
use crate::nic::item::Posted;
use crate::nic::item::Way as PacketWay;
use crate::wire::PacketRef;

/// A call of one of an applet's [entries](nic_core::sle::NicEntry).
#[derive(Copy, Clone, Debug)]
pub(crate) struct Call {
    pub(crate) applet_at: AppletAt,
    pub(crate) method: MethodId,
    pub(crate) cause: Cause,
    /// The cause in the form that events use. It is kept because each transfer and packet of the call asks for it.
    trigger: Trigger,
}

/// The cause of a call.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Cause {
    /// The processor has taken a transmit descriptor.
    Post(Posted),
    /// A packet has arrived and is copied to `RxBuf`.
    Arrival {
        packet: PacketId,
        channel: ChannelId,
        length: u32,
        /// The packet itself, which keeps its arrival slot until the call is over.
        arrival: PacketRef,
    },
    /// The applet's timer has expired, in the turn that the call carries.
    Timer(TimerTurn),
    /// The user has returned a receive buffer.
    Refill(Refill),
    /// A peer has written to bytes that the applet watches.
    Watch(Watched),
    /// A read that the applet began has ended.
    Read(ReadDone),
    /// Another applet of the chain has handed a message over.
    Chain(ChainMessage),
}

/// A message between two applets of a chain, whose bytes are in the [chain](super::chain).
#[derive(Copy, Clone, Debug)]
pub(crate) struct ChainMessage {
    /// The cause of the first call of the chain's round; [`Trigger::Passed`] if a packet caused that call.
    pub(crate) trigger: Trigger,
    pub(crate) length: u32,
    pub(crate) channel: ChannelId,
    /// The direction: `doTx` handles a message that goes down, and `doRx` one that goes up.
    pub(crate) way: Way,
    /// Offset of the message if `doTx` handles it.
    pub(crate) staged_at: u32,
}

/// The direction of a message in a chain.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Towards the wire: `doTx` handles the message.
    Down,
    /// Towards the user: `doRx` handles the message.
    Up,
}

/// A [`Cause`] must stay small, because each call is copied once; see `Activation::begin`.
const _: () = assert!(size_of::<Cause>() <= 32);

impl Call {
    #[inline]
    pub(crate) fn new(applet_at: AppletAt, method: MethodId, cause: Cause) -> Call {
        let trigger = match cause {
            Cause::Post(posted) => Trigger::Post(posted.post),
            Cause::Arrival { packet, .. } => Trigger::Arrival(packet),
            Cause::Timer(_) => Trigger::Timer,
            Cause::Refill(_) => Trigger::Refill,
            Cause::Watch(_) => Trigger::Watch,
            Cause::Read(_) => Trigger::Read,
            Cause::Chain(message) => message.trigger,
        };
        Call {
            applet_at,
            method,
            cause,
            trigger,
        }
    }

    /// Returns the packet that the call handles, if it handles one.
    pub(crate) fn packet(&self) -> Option<PacketId> {
        match self.cause {
            Cause::Arrival { packet, .. }
            | Cause::Chain(ChainMessage {
                trigger: Trigger::Passed(packet),
                way: Way::Up,
                ..
            }) => Some(packet),
            Cause::Post(_)
            | Cause::Timer(_)
            | Cause::Refill(_)
            | Cause::Watch(_)
            | Cause::Read(_)
            | Cause::Chain(_) => None,
        }
    }

    /// Returns the call's cause in the form that events use.
    pub(crate) fn trigger(&self) -> Trigger {
        self.trigger
    }

    /// Returns the applet's entry to call.
    pub(crate) fn entry(&self) -> NicEntry {
        match self.cause {
            Cause::Post(_) => NicEntry::DoTx,
            Cause::Arrival { .. } => NicEntry::DoRx,
            Cause::Timer(_) => NicEntry::DoTimer,
            Cause::Refill(_) => NicEntry::DoRefill,
            Cause::Watch(_) => NicEntry::DoWatch,
            Cause::Read(_) => NicEntry::DoRead,
            Cause::Chain(message) => match message.way {
                Way::Down => NicEntry::DoTx,
                Way::Up => NicEntry::DoRx,
            },
        }
    }

    /// Returns whether the call belongs to a transmit descriptor.
    pub(crate) fn is_for_post(&self) -> bool {
        matches!(
            self.cause,
            Cause::Post(_)
                | Cause::Chain(ChainMessage {
                    trigger: Trigger::Post(_),
                    ..
                })
        )
    }

    /// Returns whether the call handles a message.
    pub(crate) fn is_for_message(&self) -> bool {
        match self.cause {
            Cause::Post(_) | Cause::Arrival { .. } | Cause::Chain(_) => true,
            Cause::Timer(_) | Cause::Refill(_) | Cause::Watch(_) | Cause::Read(_) => false,
        }
    }

    /// Returns the direction of the message that the call handles, for prefetching.
    pub(crate) fn way(&self) -> PacketWay {
        match self.cause {
            Cause::Arrival { .. } => PacketWay::In,
            Cause::Post(_)
            | Cause::Timer(_)
            | Cause::Refill(_)
            | Cause::Watch(_)
            | Cause::Read(_)
            | Cause::Chain(_) => PacketWay::Out,
        }
    }

    pub(crate) fn arguments<'p>(&self, place: &'p mut [i32; 3]) -> &'p [i32] {
        // The casts cannot wrap: buffer areas and packets are shorter than 2³¹ bytes.
        match self.cause {
            Cause::Post(Posted { descriptor, .. }) => {
                *place = [
                    descriptor.length.cast_signed(),
                    descriptor.channel.0,
                    descriptor.offset.cast_signed(),
                ];
                &place[..]
            }
            Cause::Arrival {
                channel, length, ..
            } => {
                *place = [length.cast_signed(), channel.0, 0];
                &place[..2]
            }
            Cause::Timer(_) => &[],
            Cause::Refill(refill) => {
                let offset = refill.offset.map_or(-1, u32::cast_signed);
                *place = [refill.length.cast_signed(), refill.channel.0, offset];
                &place[..]
            }
            Cause::Watch(watched) => {
                let (offset, length) = watched.range;
                *place = [watched.window, offset.cast_signed(), length.cast_signed()];
                &place[..]
            }
            Cause::Read(done) => {
                *place = [done.window, done.offset.cast_signed(), done.status.code()];
                &place[..]
            }
            Cause::Chain(message) => {
                *place = [
                    message.length.cast_signed(),
                    message.channel.0,
                    message.staged_at.cast_signed(),
                ];
                match message.way {
                    Way::Down => &place[..],
                    Way::Up => &place[..2],
                }
            }
        }
    }
}

/// Packets that arrived for an applet while one of its calls was suspended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parked {
    /// Packets for the suspended applet that no processor has taken.
    pub(crate) arrivals: VecDeque<PacketRef>,
    /// Packets that a processor had already taken when it found the applet suspended.
    pub(crate) taken: VecDeque<PacketRef>,
}

/// The call of a processor, with all state needed to continue it.
pub(crate) struct Activation<'a> {
    pub(crate) stack: CallStack<'a>,
    /// The part of the quota that the call has used.
    pub(crate) spent: Spent,
    /// The processor's running call, or else its last call; `None` before the first call.
    call: Option<Call>,
    /// Destination and source of the bytes for which the call's native waits.
    pub(crate) landing: Option<(ArraySpan, HostSpan)>,
    /// Packets that arrived for the applet while this call was suspended.
    pub(crate) parked: Parked,
    /// Whether the call was given the DMA slot that its native waited for.
    pub(crate) has_dma_slot: bool,
    /// Whether this call has been suspended.
    pub(crate) was_suspended: bool,
    /// Whether something waits for the end of this call: a timer that the call has set, or a swap of its applet.
    pub(crate) has_asides: bool,
    /// The native that the call has reached last, if it has reached one.
    pub(crate) reached: Option<NicNative>,
    /// The trap that ended the call, if one did.
    pub(crate) trap: Option<Trap>,
    /// Data for the call's events.
    pub(crate) reported: Reported,
}

/// Data for the events of a call.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Reported {
    /// When the call reached its last native.
    pub(crate) reached: SimTime,
    /// The value that the call returned.
    pub(crate) returned: Option<i32>,
}

impl<'a> Activation<'a> {
    /// Returns an activation with this call stack, before the first call.
    pub(crate) fn new(stack: CallStack<'a>) -> Activation<'a> {
        Activation {
            stack,
            spent: Spent::default(),
            call: None,
            landing: None,
            parked: Parked::default(),
            has_dma_slot: false,
            was_suspended: false,
            has_asides: false,
            reached: None,
            trap: None,
            reported: Reported::default(),
        }
    }

    /// Begins a call.
    #[inline]
    pub(crate) fn begin(&mut self, call: Call) {
        self.call = Some(call);
    }

    /// Directs the call to another method, because the call's applet was replaced before the call entered it.
    pub(crate) fn retarget(&mut self, method: MethodId) {
        if let Some(call) = &mut self.call {
            call.method = method;
        }
    }

    /// Returns the applet of the running call or of the last one.
    pub(crate) fn applet_at(&self) -> Option<AppletAt> {
        self.call.as_ref().map(|call| call.applet_at)
    }

    /// Returns the native that the call has reached; must be used only at [`Stage::Perform`](crate::nic::stage::Stage).
    #[inline]
    pub(crate) fn native(&self) -> NicNative {
        self.reached.expect("the call has reached a native")
    }

    /// Returns the processor's call; must be used only at stages of a call.
    #[inline]
    pub(crate) fn call(&self) -> &Call {
        self.call.as_ref().expect("a call is under way")
    }
}

#[cfg(test)]
impl Activation<'_> {
    /// Counts what waits for the end of the call.
    pub(crate) fn counted(&self, path: &str, census: &mut crate::at_rest::Census) {
        let Activation {
            stack: _,
            spent: _,
            call: _,
            landing,
            parked,
            has_dma_slot,
            was_suspended,
            has_asides,
            reached: _,
            trap: _,
            reported: _,
        } = self;
        census.count(&format!("{path}.landing"), &landing.is_some());
        census.count(&format!("{path}.parked"), parked);
        census.count(&format!("{path}.has_dma_slot"), has_dma_slot);
        census.count(&format!("{path}.was_suspended"), was_suspended);
        census.count(&format!("{path}.has_asides"), has_asides);
    }
}
