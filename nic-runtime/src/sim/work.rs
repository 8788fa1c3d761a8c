//! Work: what the schedule holds, and when scheduled work has become obsolete.

use crate::ids::{ProcessorId, Table, ids};
use std::ops::Index;

use super::Simulation;
use super::dma::TransferRef;
use crate::fabric::PacketRef;
use crate::interface;
use nic_core::id::{DirectionId, EndpointId};
use nic_core::time::SimTime;

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
    Own(DelayRef),
    /// A NIC receives a stop or go signal.
    Heard(DirectionId),
    /// A processor finishes its work, unless the end of the work has moved since.
    Stretched(ProcessorId),
    /// Checks whether a processor's call yields.
    Yield(ProcessorId),
}

/// The delays of interfaces that are in the schedule. The delays are kept outside the schedule, so that the schedule's
/// own entries stay small and simple.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    /// Entries are reused.
    entries: Table<DelayRef, interface::Delay>,
    vacant: Vec<DelayRef>,
}

/// Refers to an interface's delay in the schedule.
#[derive(Copy, Clone, Debug)]
pub(crate) struct DelayRef(u32);

ids!(DelayRef);

impl Delays {
    fn add(&mut self, delay: interface::Delay) -> DelayRef {
        match self.vacant.pop() {
            Some(place) => {
                self.entries[place] = delay;
                place
            }
            None => self.entries.push(delay),
        }
    }

    /// Takes a delay that has become due.
    pub(super) fn take(&mut self, place: DelayRef) -> interface::Delay {
        self.vacant.push(place);
        self[place]
    }
}

impl Index<DelayRef> for Delays {
    type Output = interface::Delay;

    fn index(&self, place: DelayRef) -> &interface::Delay {
        &self.entries[place]
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

impl Simulation<'_> {
    /// Schedules the end of an interface's delay for the given time.
    pub(crate) fn schedule_own(&mut self, time: SimTime, delay: interface::Delay) {
        let place = self.delays.add(delay);
        self.schedule.insert(time, Work::Own(place));
    }

    /// Returns whether scheduled work has become obsolete: a check for a packet that is gone, or an end of work that
    /// has moved.
    #[cold]
    pub(super) fn is_obsolete(&self, time: SimTime, work: Work) -> bool {
        match work {
            Work::LookHeld(direction) => !self.fabric[direction].flows.is_overdue(time),
            Work::LookBacklog(direction) => {
                let backlog = &self.fabric[direction].backlog;
                !backlog
                    .as_ref()
                    .is_some_and(|backlog| backlog.is_overdue(time))
            }
            Work::Stretched(on) => self.is_stretched(time, on),
            // If the call goes on beyond `until`, so does its processor.
            Work::Yield(_) | Work::LookCapsule(_) => time > self.until,
            Work::Own(delay) => {
                time > self.until && interface::is_obsolete(self, self.delays[delay])
            }
            // A timer set for later than this check gets a check of its own.
            Work::Timer(endpoint) => {
                time > self.until
                    && self
                        .applets_of(endpoint)
                        .all(|applet| self.pending_calls.has_no_timer(applet))
            }
            Work::Processor(_)
            | Work::Swap(_)
            | Work::Send(_)
            | Work::TaskDone(_)
            | Work::Wake(_)
            | Work::Notice(_)
            | Work::EngineFree(_)
            | Work::TransferStart(_)
            | Work::TransferEnd(_)
            | Work::Publish(_)
            | Work::WireStart(_)
            | Work::WireOut(_)
            | Work::WireIn(_)
            | Work::WireLost(_)
            | Work::WireFree(_)
            | Work::FirstCellMoved(_)
            | Work::FirstCellIn(_)
            | Work::ArrivalOver(_)
            | Work::Heard(_) => false,
        }
    }
}
