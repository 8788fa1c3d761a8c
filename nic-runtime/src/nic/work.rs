//! Work: what the schedule holds.

use super::transfer::TransferRef;
use crate::ids::ProcessorId;
use crate::slab::DelayRef;
use crate::spec::InterfaceKind;
use crate::wire::PacketRef;
use nic_core::id::{DirectionId, EndpointId, NicId};

/// The kinds of work in the schedule.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Work {
    /// A processor continues with its next stage.
    Processor(ProcessorId),
    /// A class is to become an endpoint's applet. The work holds the swap's position in the scenario.
    Swap(u32),
    /// The next message of a send becomes due. The work holds the send's position in the scenario.
    Send(u32),
    /// A user has finished its current task.
    TaskDone(EndpointId),
    /// A program is called at the time for which it has asked. The work holds the first endpoint of the program's
    /// process.
    Wake(EndpointId),
    /// A user polls the receive queue, or receives an upcall.
    Notice(EndpointId),
    /// Checks whether a fragment of an endpoint's half-finished capsule is overdue.
    LookCapsule(EndpointId),
    /// Checks whether an endpoint's applet timer has expired.
    Timer(EndpointId),
    /// Checks whether reads of an endpoint have waited too long for answers, or its program at its windows.
    LookWindows(EndpointId),
    /// A DMA engine without a queue has ended the transfer for whose end a processor waits.
    EngineFree(ProcessorId),
    /// A DMA transfer starts.
    TransferStart(TransferRef),
    /// A DMA transfer ends.
    TransferEnd(TransferRef),
    /// The next receive descriptor of an endpoint becomes visible.
    Publish(EndpointId),
    /// The last bit of a packet leaves the sender.
    WireOut(DirectionId),
    /// The first bit of a packet that waited for transfers leaves the sender.
    WireStart(DirectionId),
    /// The last bit of a packet reaches the receiver.
    WireIn(PacketRef),
    /// The last bit of a lost packet would reach the receiver.
    WireLost(PacketRef),
    /// The idle gap after a packet is over, and another packet waits to be sent.
    WireFree(DirectionId),
    /// The first cell of a packet is in the sending NIC.
    FirstCellMoved(TransferRef),
    /// The first cell of a packet is in the receiving NIC.
    FirstCellIn(PacketRef),
    /// A packet that was handled from its first cell on has fully arrived.
    ArrivalOver(PacketRef),
    /// Checks whether a link has delayed a packet for reordering for too long.
    LookHeld(DirectionId),
    /// Checks whether a packet has waited in a backlog for too long.
    LookBacklog(DirectionId),
    /// A delay that an interface has scheduled is over.
    Own(OwnDelay),
    /// A packet comes to the port of a switch by which it goes on.
    Forward(PacketRef),
    /// The arbiters of a switch decide which packets leave their inputs.
    Arbitrate(NicId),
    /// A NIC receives a stop or go signal.
    Heard(DirectionId),
    /// A processor finishes its work, unless the end of the work has moved since.
    Stretched(ProcessorId),
    /// Checks whether a processor's call yields.
    Yield(ProcessorId),
}

/// A delay of an interface: the interface and its own reference, in one word so that [`Work`] is passed in registers.
#[derive(Copy, Clone, Debug)]
pub(crate) struct OwnDelay(u32);

impl OwnDelay {
    const INTERFACES: u32 = InterfaceKind::ALL.len() as u32;

    pub(crate) fn new(interface: InterfaceKind, delay: DelayRef) -> OwnDelay {
        let place = delay.0.checked_mul(OwnDelay::INTERFACES);
        let place = place.expect("memory bounds the delays");
        OwnDelay(place + interface as u32)
    }

    pub(crate) fn interface(self) -> InterfaceKind {
        let (_, interface) = InterfaceKind::ALL[(self.0 % OwnDelay::INTERFACES) as usize];
        interface
    }

    pub(crate) fn delay(self) -> DelayRef {
        DelayRef(self.0 / OwnDelay::INTERFACES)
    }
}

/// [`Work`] must stay small, because the schedule copies it often.
const _: () = assert!(size_of::<Work>() <= 8);

/// A placeholder for vacant entries of the schedule.
impl Default for Work {
    fn default() -> Work {
        Work::Processor(ProcessorId(0))
    }
}
