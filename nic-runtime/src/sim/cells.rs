//! Cut-through by cells: a packet can be on the wire and enter the receiver's memory while its end still moves into the
//! sending NIC.
//!
//! With `wire.cell`, each stage of a packet's way begins when the packet's first cell has left the stage before. A
//! stage ends at least one cell's time after the stage before. The duration of each stage is known when it begins, so
//! single cells need no events. The memory between two stages is small, so a stage that begins late delays the stages
//! before it. Bytes enter the receiver's memory no faster than they pass the wire. With cells, a longer packet adds
//! latency only for the slowest of three stages: into the NIC, over the wire, into the receiver's memory.
//!
//! Cells apply only to bytes that the NIC moves by itself. An applet waits until its array holds all bytes that it
//! fetches, and finds all of a packet in `RxBuf`. A short message reaches its user inside the receive descriptor. A
//! link with faults decides a packet's fate when all of the packet has arrived. Applets, short messages and links with
//! faults all wait for a packet's last byte.

use super::{Engines, Parts};
use crate::nic::cells::Passage;
use crate::nic::transfer::{DmaPeer, Transfer, TransferRef};
use crate::nic::work::Work;
use crate::wire::PacketRef;
use nic_core::event::DmaDirection;
use nic_core::id::DirectionId;
use nic_core::time::SimDuration;
use nic_core::unet::INLINE_MAX;

impl<E: Engines> Parts<'_, E> {
    /// Returns the cell size of the wire that a message takes, in bytes; 0 if the wire has no cells.
    fn cell_of(&self, peer: DmaPeer) -> u32 {
        match peer {
            DmaPeer::IntoPacket(packet) | DmaPeer::FromArrival { packet, .. } => {
                self.fabric[self.packets[packet].route].wire.cell
            }
            DmaPeer::IntoArray(_)
            | DmaPeer::IntoWrite(_)
            | DmaPeer::Behind(_)
            | DmaPeer::PartOf(_)
            | DmaPeer::Staged
            | DmaPeer::StagedBeside
            | DmaPeer::Passed => 0,
        }
    }

    #[cold]
    pub(crate) fn queue_by_cells(&mut self, id: TransferRef, transfer: Transfer) {
        let Transfer {
            endpoint,
            host,
            peer,
            ..
        } = transfer;
        let cell = self.cell_of(peer);
        let length = host.length();
        let dma = &mut self.nics[self.endpoints[endpoint].nic].dma;
        let (start, end) = match peer {
            DmaPeer::IntoPacket(packet) if cell > 0 && length > cell => {
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
            DmaPeer::FromArrival { packet, offset, .. } if self.cells.has_begun(packet) => {
                let whole = u32::try_from(self.packets[packet].bytes.len()).unwrap_or(u32::MAX);
                let passage = self.cells.passing[&packet];
                let there = passage.begins + passage.of(offset + length, whole);
                // The packet's first cell has already arrived, and its other cells follow at the pace of the wire.
                let ready = if offset == 0 { cell.min(length) } else { 0 };
                let moving = |bytes| dma.moving(DmaDirection::NicToHost, bytes);
                let pace = moving(ready) + passage.of(length - ready, whole);
                let ends = there + moving(cell.min(length));
                let moved = (DmaDirection::NicToHost, length);
                let (start, end) = dma.queue_paced(self.now, moved, pace, ends);
                self.cells.durations.insert(id, end.since(start));
                (start, end)
            }
            DmaPeer::IntoPacket(_)
            | DmaPeer::FromArrival { .. }
            | DmaPeer::IntoArray(_)
            | DmaPeer::IntoWrite(_)
            | DmaPeer::Behind(_)
            | DmaPeer::PartOf(_)
            | DmaPeer::Staged
            | DmaPeer::StagedBeside
            | DmaPeer::Passed => return self.queue_transfer(id),
        };
        self.schedule.insert(start, Work::TransferStart(id));
        self.schedule.insert(end, Work::TransferEnd(id));
    }

    /// The first cell of a packet is in the NIC: the packet goes on the wire, and the rest follows.
    pub(crate) fn first_cell_moved(&mut self, id: TransferRef) {
        if let Some(packet) = self.fill_packet(id) {
            self.enqueue(packet);
        }
    }

    /// Starts to send a packet, whose end may still be moving into the NIC.
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
        let waits_for_all =
            direction.is_faulty || self.infos[to].applet.is_some() || self.swaps.may_replace(to);
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

    /// If a packet whose handling is over has not fully arrived, schedules its end for its full arrival, and returns
    /// true.
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

    /// Forgets the duration of a transfer that is over.
    #[cold]
    pub(crate) fn forget_duration(&mut self, id: TransferRef) {
        self.cells.durations.remove(&id);
    }
}
