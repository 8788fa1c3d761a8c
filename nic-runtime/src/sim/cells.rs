//! Cell by cell: a packet is on the wire, and enters the receiver's memory, while the rest of it still moves into the
//! NIC.
//!
//! With `wire.cell` a stage begins with a packet when its first cell has left the stage before. It ends no sooner than
//! a cell after that stage. How long a packet takes on each stage is known when it begins, so that its cells need no
//! events of their own. The memory between two stages is small, so a stage that begins late holds up those before it.
//! Bytes enter the receiver's memory no faster than they pass the wire. Latency therefore grows by the slowest of the
//! three stages alone.
//!
//! Cells are for what the NIC moves by itself. An applet has what it fetches in an array before it goes on, and finds
//! all of a packet in `RxBuf`. A short message goes to its user in the descriptor. On a link with faults a packet is
//! judged when all of it has arrived. These wait for the last byte.

use std::collections::BTreeMap;

use nic_core::event::{DmaDirection, Sink};
use nic_core::id::DirectionId;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::INLINE_MAX;

use super::dma::{Cargo, Transfer, TransferRef};
use super::{Simulation, Work, at};
use crate::fabric::PacketRef;

/// The packets of which one stage has the beginning and another the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Whether there are cells on any wire.
    are_on: bool,
    passing: BTreeMap<PacketRef, Passage>,
    /// How long transfers take that are held up by what is before them.
    durations: BTreeMap<TransferRef, SimDuration>,
}

/// When the bytes of a packet leave a stage, one after the other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Passage {
    begins: SimTime,
    ends: SimTime,
}

impl Passage {
    /// Returns how long the first `bytes` of `length` take.
    fn of(self, bytes: u32, length: u32) -> SimDuration {
        let all = u128::from(self.ends.since(self.begins).as_ps());
        let share = all * u128::from(bytes) / u128::from(length.max(1));
        SimDuration::from_ps(u64::try_from(share).unwrap_or(u64::MAX))
    }
}

impl Cells {
    /// Returns what knows of no packet yet.
    pub(crate) fn new(are_on: bool) -> Cells {
        Cells {
            are_on,
            ..Cells::default()
        }
    }

    /// Returns whether packets pass any wire cell by cell.
    #[inline]
    pub(crate) fn are_on(&self) -> bool {
        self.are_on
    }

    /// Returns whether the receiver has the first cell of a packet, or will have it before the last.
    pub(crate) fn has_begun(&self, packet: PacketRef) -> bool {
        self.passing.contains_key(&packet)
    }

    /// Returns how long a transfer takes, where its length does not say that.
    pub(crate) fn duration(&self, transfer: TransferRef) -> Option<SimDuration> {
        self.durations.get(&transfer).copied()
    }
}

impl<S: Sink> Simulation<'_, S> {
    /// Queues a transfer of a message that the NIC moves by itself.
    pub(crate) fn queue_message(&mut self, transfer: Transfer) {
        let id = self.transfers.add(transfer, &[]);
        if self.cells.are_on() {
            self.queue_by_cells(id, transfer);
        } else {
            self.queue_transfer(id);
        }
    }

    /// Returns the bytes of a cell on the wire of a message; 0 where it passes as a whole.
    fn cell_of(&self, cargo: Cargo) -> u32 {
        match cargo {
            Cargo::IntoPacket(packet) | Cargo::FromArrival { packet, .. } => {
                self.fabric[self.packets[packet].route].wire.cell
            }
            Cargo::IntoArray(_) | Cargo::Staged | Cargo::Passed => 0,
        }
    }

    #[cold]
    fn queue_by_cells(&mut self, id: TransferRef, transfer: Transfer) {
        let Transfer {
            endpoint,
            host,
            cargo,
            ..
        } = transfer;
        let cell = self.cell_of(cargo);
        let length = host.length();
        let dma = &mut self.nics[at(self.endpoints[at(endpoint.0)].nic.0)].dma;
        let (start, end) = match cargo {
            Cargo::IntoPacket(packet) if cell > 0 && length > cell => {
                let (start, end) = dma.queue(self.now, DmaDirection::HostToNic, length);
                let passage = Passage {
                    begins: start,
                    ends: end,
                };
                let first = start + dma.duration(DmaDirection::HostToNic, cell);
                self.cells.passing.insert(packet, passage);
                self.schedule.insert(first, Work::FirstCellMoved(id));
                (start, end)
            }
            Cargo::FromArrival { packet, offset, .. } if self.cells.has_begun(packet) => {
                let whole = u32::try_from(self.packets[packet].bytes.len()).unwrap_or(u32::MAX);
                let passage = self.cells.passing[&packet];
                let there = passage.begins + passage.of(offset + length, whole);
                // The first cell is there already; the others come as they have passed the wire.
                let ready = if offset == 0 { cell.min(length) } else { 0 };
                let moving = |bytes| dma.moving(DmaDirection::NicToHost, bytes);
                let pace = moving(ready) + passage.of(length - ready, whole);
                let ends = there + moving(cell.min(length));
                let moved = (DmaDirection::NicToHost, length);
                let (start, end) = dma.queue_paced(self.now, moved, pace, ends);
                self.cells.durations.insert(id, end.since(start));
                (start, end)
            }
            Cargo::IntoPacket(_)
            | Cargo::FromArrival { .. }
            | Cargo::IntoArray(_)
            | Cargo::Staged
            | Cargo::Passed => return self.queue_transfer(id),
        };
        self.schedule.insert(start, Work::TransferStart(id));
        self.schedule.insert(end, Work::TransferEnd(id));
    }

    /// The first cell of a packet is in the NIC: it goes on the wire, and the rest follows.
    pub(crate) fn first_cell_moved(&mut self, id: TransferRef) {
        if let Some(packet) = self.fill_packet(id) {
            self.enqueue(packet);
        }
    }

    /// Begins to send a packet, of which the rest may still be moved into the NIC.
    pub(crate) fn send_by_cells(
        &mut self,
        id: DirectionId,
        packet: PacketRef,
        duration: SimDuration,
    ) {
        let sent = &self.packets[packet];
        let length = u32::try_from(sent.bytes.len()).unwrap_or(u32::MAX);
        let (to, _) = sent.to;
        let direction = &self.fabric[id];
        let wire = &direction.wire;
        let cell = wire.cell;
        if cell == 0 {
            return self.first_bit_goes(id, packet, duration);
        }
        let first = wire.rate.time(cell.min(wire.framing.frame(length)));
        let moved = self.cells.passing.remove(&packet);
        let out = (self.now + duration).max(moved.map_or(self.now, |moved| moved.ends + first));
        let waits_for_all = direction.is_faulty || self.seats[at(to.0)].applet.is_some();
        if !waits_for_all && length > cell && length > INLINE_MAX as u32 {
            let passage = Passage {
                begins: self.now + wire.latency,
                ends: out + wire.latency,
            };
            self.schedule
                .insert(passage.begins + first, Work::FirstCellIn(packet));
            self.cells.passing.insert(packet, passage);
        }
        self.first_bit_goes(id, packet, out.since(self.now));
    }

    /// Returns whether a packet that ends is still on its way; then it ends when all of it is there.
    #[cold]
    pub(crate) fn is_still_arriving(&mut self, packet: PacketRef) -> bool {
        let Some(&Passage { ends, .. }) = self.cells.passing.get(&packet) else {
            return false;
        };
        if ends > self.now {
            self.schedule.insert(ends, Work::ArrivalOver(packet));
            return true;
        }
        self.cells.passing.remove(&packet);
        false
    }

    /// Forgets how long a transfer takes that is over.
    #[cold]
    pub(crate) fn forget_duration(&mut self, id: TransferRef) {
        self.cells.durations.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_packet_pass_evenly() {
        let at = |ns: u64| SimTime::from_ps(ns * 1_000);
        let passage = Passage {
            begins: at(5),
            ends: at(25),
        };
        let taken = |bytes| passage.of(bytes, 1_000).as_ps();
        assert_eq!([0, 250, 1_000].map(taken), [0, 5_000, 20_000]);
        // Nothing is divided by nothing.
        assert_eq!(passage.of(0, 0).as_ps(), 0);
    }
}
