//! DMA transfers between host memory and NIC memory, and the receive descriptors queued behind them.

use super::{Engines, Parts};
use crate::ids::{ProcessorId, at};
use crate::nic::item::Next;
use crate::nic::stage::Stage;
use crate::nic::transfer::{DmaPeer, Entry, Then, Transfer, TransferRef};
use crate::nic::work::Work;
use crate::wire::PacketRef;
use nic_core::event::{DmaDirection, NicEvent, RxBody, Trigger, UnetEvent};
use nic_core::id::EndpointId;
use nic_core::memory::HostSpan;
use nic_core::time::SimDuration;
use nic_core::unet::MessageBody;

impl<E: Engines> Parts<'_, E> {
    /// Makes a processor wait until a DMA engine without a queue accepts its request. Returns `None` if the DMA engine
    /// accepts the processor's request now.
    #[cold]
    pub(crate) fn await_engine(
        &mut self,
        on: ProcessorId,
        direction: DmaDirection,
        stage: Stage,
    ) -> Option<Next> {
        let nic = self.processors[on].nic;
        let takes_at = self.nics[nic].dma.takes_at(self.now, direction)?;
        if !self.processors[on].role.is_timed() {
            return Some(Next::after(takes_at.since(self.now), stage));
        }
        // The wait is no work: busy neighbours do not stretch it, and it does not slow them down.
        self.schedule.insert(takes_at, Work::EngineFree(on));
        Some(self.wait(on, stage))
    }

    /// Queues a DMA transfer of a message, which may move cell by cell.
    pub(crate) fn queue_message(&mut self, transfer: Transfer) {
        let id = self.transfers.add(&transfer, &[]);
        if self.cells.are_on() {
            self.queue_by_cells(id, transfer);
        } else {
            self.queue_transfer(id);
        }
    }

    /// Queues a transfer on its DMA engine.
    pub(crate) fn queue_transfer(&mut self, id: TransferRef) {
        let Transfer {
            endpoint,
            host,
            peer,
            ..
        } = self.transfers.entries[id].transfer;
        let dma = &mut self.nics[self.endpoints[endpoint].nic].dma;
        let (start, end) = dma.queue(self.now, peer.direction(), host.length());
        if start == self.now {
            self.transfer_starts(id);
        } else {
            self.schedule.insert(start, Work::TransferStart(id));
        }
        self.schedule.insert(end, Work::TransferEnd(id));
    }

    #[inline(always)]
    pub(crate) fn transfer_starts(&mut self, id: TransferRef) {
        if self.report.listens() {
            self.report_transfer(id);
        }
    }

    /// Reports that a DMA transfer starts.
    #[cold]
    #[inline(never)]
    fn report_transfer(&mut self, id: TransferRef) {
        let Transfer {
            endpoint,
            host,
            peer,
            trigger,
        } = self.transfers.entries[id].transfer;
        let duration = self.cells.duration(id);
        self.emit_dma(endpoint, (peer.direction(), host), trigger, duration);
    }

    /// Emits the event that a DMA transfer starts. Without a `duration`, the transfer's length determines how long the
    /// transfer takes.
    pub(crate) fn emit_dma(
        &mut self,
        endpoint: EndpointId,
        (direction, host): (DmaDirection, HostSpan),
        trigger: Trigger,
        duration: Option<SimDuration>,
    ) {
        let dma = &self.nics[self.endpoints[endpoint].nic].dma;
        let duration = duration.unwrap_or_else(|| dma.duration(direction, host.length()));
        let (offset, length) = (host.offset(), host.length());
        self.report.emit(
            self.now,
            endpoint,
            NicEvent::Dma {
                direction,
                offset,
                length,
                duration,
                trigger,
            },
        );
    }

    /// Fills a packet from the buffer area before the transfer is over, because the packet enters the wire with its
    /// first cell.
    pub(crate) fn fill_packet(&mut self, id: TransferRef) -> Option<PacketRef> {
        let transfer = &mut self.transfers.entries[id].transfer;
        let DmaPeer::IntoPacket(packet) = transfer.peer else {
            return None;
        };
        transfer.peer = DmaPeer::Passed;
        let bytes = &mut self.packets[packet].bytes;
        // Transfers of earlier pieces have filled the beginning of the packet.
        bytes.extend_from_slice(self.memory.bytes(transfer.host));
        Some(packet)
    }

    /// Ends a transfer. Returns the processor whose call waits for its bytes, if one does: the call copies them itself, in
    /// the stage that follows.
    pub(crate) fn transfer_ends(&mut self, id: TransferRef) -> Option<ProcessorId> {
        let Entry {
            transfer:
                Transfer {
                    endpoint,
                    host,
                    peer,
                    ..
                },
            staged,
        } = &self.transfers.entries[id];
        let (endpoint, host, peer) = (*endpoint, *host, *peer);
        let nic = self.endpoints[endpoint].nic;
        match peer {
            DmaPeer::IntoArray(_) | DmaPeer::Behind(_) | DmaPeer::Passed => {}
            DmaPeer::IntoPacket(packet) | DmaPeer::IntoWrite(packet) | DmaPeer::PartOf(packet) => {
                let bytes = &mut self.packets[packet].bytes;
                bytes.extend_from_slice(self.memory.bytes(host));
            }
            DmaPeer::Staged | DmaPeer::StagedBeside => {
                self.memory.bytes_mut(host).copy_from_slice(staged);
            }
            DmaPeer::FromArrival { packet, offset, .. } => {
                let share = &self.packets[packet].bytes[at(offset)..][..at(host.length())];
                self.memory.bytes_mut(host).copy_from_slice(share);
            }
        }
        self.transfers.vacant.push(id);
        match peer {
            DmaPeer::IntoArray(on) => return Some(on),
            DmaPeer::IntoPacket(packet) => {
                self.enqueue(packet);
            }
            DmaPeer::IntoWrite(packet) => {
                self.enqueue(packet);
                E::request_over(self, endpoint, host.length());
            }
            DmaPeer::Behind(packet) => {
                let trigger = self.packets[packet].trigger;
                self.enqueue(packet);
                E::requests_done(self, endpoint, trigger);
                E::request_over(self, endpoint, host.length());
            }
            DmaPeer::Staged => {
                self.dma_slot_freed(nic);
            }
            DmaPeer::FromArrival { packet, then, .. } => {
                if self.cells.are_on() {
                    self.forget_duration(id);
                }
                match then {
                    Then::More => {}
                    Then::Ends => self.end_arrival(packet),
                    Then::Handles => self.queue_arrival(packet),
                }
            }
            DmaPeer::PartOf(_) | DmaPeer::Passed | DmaPeer::StagedBeside => {}
        }
        None
    }

    /// Queues the newest receive descriptor to become visible after all transfers queued so far.
    pub(crate) fn publish_in_turn(&mut self, endpoint: EndpointId) {
        let nic = self.endpoints[endpoint].nic;
        let turn = self.nics[nic].dma.queue_descriptor(self.now);
        self.schedule.insert(turn, Work::Publish(endpoint));
    }

    /// Makes the oldest invisible receive descriptor visible.
    pub(crate) fn publish(&mut self, id: EndpointId) {
        E::publish(self, id);
    }

    /// Makes the oldest invisible receive descriptor of an endpoint without receive descriptors of its user visible.
    pub(crate) fn publish_message(&mut self, id: EndpointId) {
        if self.endpoints[id].receive.publish().is_none() {
            return;
        }
        if self.report.listens() {
            self.report_message(id);
        }
        self.levels_changed(id);
        self.message_arrived(id);
    }

    /// Reports the receive descriptor that has become visible last.
    #[cold]
    #[inline(never)]
    fn report_message(&mut self, id: EndpointId) {
        let endpoint = &self.endpoints[id];
        let Some(descriptor) = endpoint.receive.newest_visible() else {
            return;
        };
        let body = match &descriptor.body {
            MessageBody::Inline(bytes) => RxBody::Inline(bytes),
            MessageBody::Buffers(list) => RxBody::Buffers {
                offsets: list.offsets(),
                share: endpoint.free.buffer_length(),
                area: self.memory.region(endpoint.area),
            },
        };
        let kind = UnetEvent::RxDescriptor {
            packet: descriptor.packet,
            channel: descriptor.channel,
            length: descriptor.length,
            body,
            post: descriptor
                .packet
                .and_then(|packet| self.report.post_of(packet)),
        };
        self.report.emit(self.now, id, kind);
    }
}
