//! The items that a processor takes, what taking them costs, and what the processor does after a stage.

use nic_core::id::{EndpointId, PostId};
use nic_core::time::SimDuration;
use nic_core::unet::TransmitDescriptor;

use super::stage::Stage;
use crate::profile::BaseCosts;
use crate::slab::JobRef;
use crate::wire::{PacketRef, PacketStore};

/// An item that a processor has taken.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Item {
    /// A transmit descriptor.
    Post(Posted),
    /// A packet.
    Arrival(PacketRef),
    /// An item that an interface defines itself, for one of its endpoints.
    Own(EndpointId, OwnItem),
}

/// An item that only the interface of its endpoint can handle.
#[derive(Copy, Clone, Debug)]
pub(crate) struct OwnItem {
    /// The key under which a placement lists the work on this item.
    pub(crate) work: &'static str,
    /// What the item stands for, in the interface's own state.
    pub(crate) job: JobRef,
}

/// A taken transmit descriptor.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) endpoint: EndpointId,
    pub(crate) post: PostId,
    pub(crate) descriptor: TransmitDescriptor,
}

impl Item {
    /// Returns the endpoint that sends or receives the item.
    pub(crate) fn endpoint(&self, packets: &PacketStore) -> EndpointId {
        match *self {
            Item::Post(posted) => posted.endpoint,
            Item::Arrival(packet) => packets[packet].to.0,
            Item::Own(endpoint, _) => endpoint,
        }
    }
}

/// The result of a stage, which is returned in two registers: a value of [`Stage`] that is no stage stands for
/// [`Next::Look`] or [`Next::Stopped`]. If [`Next::After`] had two fields in place of a pair, [`Next`] would have a third
/// part and be returned through memory.
pub(crate) enum Next {
    /// The processor is busy for the given time, then runs the given stage.
    After((SimDuration, Stage)),
    /// The processor has finished with its item or call, and looks for other work at once.
    Look,
    /// The processor has recorded its next stage and waits for another event.
    Stopped,
}

impl Next {
    /// The processor is busy for a time, then runs a stage.
    #[inline]
    pub(crate) fn after(delay: SimDuration, then: Stage) -> Next {
        Next::After((delay, then))
    }
}

/// Costs of taking an item, including the poll of every endpoint.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taking {
    /// A transmit descriptor.
    pub(crate) post: SimDuration,
    /// An arrival.
    pub(crate) arrival: SimDuration,
}

impl Taking {
    /// Returns the costs of taking items on a NIC with this many endpoints and this cost of an interrupt. Taking items costs nothing if the profile
    /// has no `[base]` section.
    pub(crate) fn new(
        base: Option<&BaseCosts>,
        interrupt: SimDuration,
        endpoints: usize,
    ) -> Taking {
        let Some(base) = base else {
            return Taking::default();
        };
        let polls = base.poll.times(endpoints as u64);
        Taking {
            post: base.transmit + polls,
            arrival: base.receive + polls + interrupt,
        }
    }
}

/// The direction of the packet that an endpoint is about to handle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Sent by its user.
    Out,
    /// Arriving.
    In,
}
