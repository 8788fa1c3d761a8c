//! A call of an applet on a NIC's processor: what it is for, and how far it is.

use jive_core::{CallStack, MethodId, Trap};
use nic_core::event::Trigger;
use nic_core::id::{ChannelId, PacketId};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, NicEntry, NicNative};
use nic_core::time::SimTime;

use super::agenda::Refill;
use super::quota::Spent;
use crate::fabric::PacketRef;
use crate::sim::Tenant;
use crate::sim::ahead::Way;
use crate::sim::crew::Parked;
use crate::sim::processor::Posted;

/// A call of one of an applet's [entries](nic_core::sle::NicEntry).
#[derive(Copy, Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tenant: Tenant,
    pub(crate) method: MethodId,
    pub(crate) cause: Cause,
}

/// Why an applet is called.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Cause {
    /// For the transmit descriptor that the processor has taken.
    Post(Posted),
    /// For a packet in `RxBuf`.
    Arrival {
        packet: PacketId,
        channel: ChannelId,
        length: u32,
        /// The packet itself; it has its arrival slot until the call is over.
        arrival: PacketRef,
    },
    /// The time is over that it has set.
    Timer,
    /// The user gave a receive buffer back.
    Refill(Refill),
}

impl Call {
    /// Returns the packet that is being handled.
    pub(crate) fn packet(&self) -> Option<PacketId> {
        match self.cause {
            Cause::Arrival { packet, .. } => Some(packet),
            Cause::Post(_) | Cause::Timer | Cause::Refill(_) => None,
        }
    }

    /// Returns the cause as the trace knows it.
    pub(crate) fn trigger(&self) -> Trigger {
        match self.cause {
            Cause::Post(posted) => Trigger::Post(posted.post),
            Cause::Arrival { packet, .. } => Trigger::Arrival(packet),
            Cause::Timer => Trigger::Timer,
            Cause::Refill(_) => Trigger::Refill,
        }
    }

    /// Returns the entry that is called.
    pub(crate) fn entry(&self) -> NicEntry {
        match self.cause {
            Cause::Post(_) => NicEntry::DoTx,
            Cause::Arrival { .. } => NicEntry::DoRx,
            Cause::Timer => NicEntry::DoTimer,
            Cause::Refill(_) => NicEntry::DoRefill,
        }
    }

    /// Returns whether there is a message that it is for.
    pub(crate) fn is_for_message(&self) -> bool {
        matches!(self.cause, Cause::Post(_) | Cause::Arrival { .. })
    }

    /// Returns which way goes what is handled.
    pub(crate) fn way(&self) -> Way {
        match self.cause {
            Cause::Arrival { .. } => Way::In,
            Cause::Post(_) | Cause::Timer | Cause::Refill(_) => Way::Out,
        }
    }

    pub(crate) fn arguments<'p>(&self, place: &'p mut [i32; 3]) -> &'p [i32] {
        // The buffer area and packets are shorter than 2³¹ bytes.
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
            Cause::Timer => &[],
            Cause::Refill(refill) => {
                let offset = refill.offset.map_or(-1, u32::cast_signed);
                *place = [refill.length.cast_signed(), refill.channel.0, offset];
                &place[..]
            }
        }
    }
}

/// A call, and what a processor has to know to go on with it.
pub(crate) struct Activation<'a> {
    pub(crate) stack: CallStack<'a>,
    /// What the call has used of its quota.
    pub(crate) spent: Spent,
    /// The call that is under way, or else the last one; `None` before the first.
    call: Option<Call>,
    /// Where the bytes go that a native waits for, and where they come from.
    pub(crate) landing: Option<(ArraySpan, HostSpan)>,
    /// What came for the applet while this call was suspended.
    pub(crate) parked: Parked,
    /// Whether it was given the DMA slot that its native has waited for.
    pub(crate) has_dma_slot: bool,
    /// Whether this call was ever suspended.
    pub(crate) was_suspended: bool,
    /// Whether this call has set its applet's timer.
    pub(crate) has_set_timer: bool,
    /// The trap in which the call has ended, if it has.
    pub(crate) trap: Option<Trap>,
    /// What its events report. Recorded only if a sink listens.
    pub(crate) told: Told,
}

/// What events tell of a call.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Told {
    /// The native that it reached last, and when.
    pub(crate) reached: Option<(NicNative, SimTime)>,
    /// What it returned.
    pub(crate) returned: Option<i32>,
}

impl<'a> Activation<'a> {
    /// Returns an activation on this stack that no call was made with yet.
    pub(crate) fn new(stack: CallStack<'a>) -> Activation<'a> {
        Activation {
            stack,
            spent: Spent::default(),
            call: None,
            landing: None,
            parked: Parked::default(),
            has_dma_slot: false,
            was_suspended: false,
            has_set_timer: false,
            trap: None,
            told: Told::default(),
        }
    }

    /// Makes a call the one that is under way.
    #[inline]
    pub(crate) fn begin(&mut self, call: Call) {
        self.call = Some(call);
    }

    /// Returns the call; there is one at every stage that is about a call.
    #[inline]
    pub(crate) fn call(&self) -> &Call {
        self.call.as_ref().expect("a call is under way")
    }
}
