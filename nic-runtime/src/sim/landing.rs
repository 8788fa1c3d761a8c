//! Reception directly into free buffers (`receive = "direct"`).
//!
//! A NIC that receives directly moves each packet for a U-Net endpoint by DMA into the next free buffer, before a
//! processor handles the packet. The NIC keeps the first `nic.header` bytes in an arrival slot. The buffer belongs to the
//! packet: when the packet's handling ends and no descriptor has named the buffer, the buffer returns to the front of the
//! free queue.

use super::{Engines, Parts};
use crate::calls::call::{Call, Cause};
use crate::nic::item::Next;
use crate::nic::transfer::{DmaPeer, Then, Transfer};
use crate::wire::PacketRef;
use nic_core::event::{DropReason, NicEvent, Trigger};
use nic_core::id::EndpointId;
use nic_core::sle::Arrived;

impl<E: Engines> Parts<'_, E> {
    /// Returns whether packets for an endpoint are received directly into its free buffers.
    #[cold]
    pub(crate) fn is_received_directly(&self, to: EndpointId) -> bool {
        self.nics[self.endpoints[to].nic].header.is_some()
    }

    /// Receives a packet into the next free buffer of its endpoint, or drops the packet.
    #[cold]
    pub(crate) fn land(&mut self, packet: PacketRef) {
        let (id, to, _, length) = self.arrival(packet);
        let endpoint = &mut self.endpoints[to];
        let taken = match length > endpoint.free.buffer_length() {
            true => Err(DropReason::TooLong),
            false => endpoint.free.take().ok_or(DropReason::NoFreeBuffer),
        };
        let span = taken.and_then(|offset| {
            let span = endpoint.area.span(offset.into(), length.into());
            span.map_err(|_| DropReason::NoFreeBuffer)
        });
        let host = match span {
            Ok(host) => host,
            Err(reason) => {
                let packet_id = Some(id);
                let kind = NicEvent::Drop {
                    packet: packet_id,
                    reason,
                };
                self.report.emit(self.now, to, kind);
                return self.end_arrival(packet);
            }
        };
        self.landings.add(packet, host.offset());
        self.levels_changed(to);
        self.queue_message(Transfer {
            endpoint: to,
            host,
            peer: DmaPeer::FromArrival {
                packet,
                offset: 0,
                then: Then::Handles,
            },
            trigger: Trigger::Arrival(id),
        });
    }

    /// Returns what an applet's call may name of the packet that it handles, if the packet lies in a free buffer.
    #[cold]
    pub(crate) fn arrived(&self, call: &Call) -> Option<Arrived> {
        let Cause::Arrival {
            arrival: packet, ..
        } = call.cause
        else {
            return None;
        };
        let offset = self.landings.buffer_of(packet)?;
        let (_, to, _, length) = self.arrival(packet);
        let header = self.nics[self.endpoints[to].nic].header?;
        Some(Arrived {
            offset,
            header: header.min(length),
        })
    }

    /// Notes whether a descriptor that an applet has just pushed, or that was refused, named the packet's buffer.
    #[cold]
    pub(crate) fn look_at_buffer(&mut self, packet: PacketRef) {
        let (to, _) = self.packets[packet].to;
        if let Some(offset) = self.landings.buffer_of(packet)
            && !self.endpoints[to].free.is_with_nic(offset)
        {
            self.landings.named(packet);
        }
    }

    /// Makes the buffer of a packet that of the call which handles the packet, so that a descriptor can name it.
    #[cold]
    pub(crate) fn adopt_buffer(&mut self, packet: PacketRef) {
        let (to, _) = self.packets[packet].to;
        if let Some(offset) = self.landings.own_buffer_of(packet) {
            self.endpoints[to].free.adopt(offset);
        }
    }

    /// Delivers a packet in a free buffer to its user, for an endpoint whose applet does not handle it. If the applet has
    /// already passed the buffer on before it trapped, the bytes are the user's, and the NIC has no others.
    #[cold]
    pub(crate) fn deliver_landed(&mut self, packet: PacketRef) -> Next {
        let (id, to, channel, length) = self.arrival(packet);
        self.adopt_buffer(packet);
        let pushed = match self.landings.own_buffer_of(packet) {
            Some(buffer) => {
                let message = (Some(id), channel, length);
                let pushed = self.endpoints[to].push_buffers(message, std::iter::once(buffer));
                pushed.map_err(|_| DropReason::RxQueueFull)
            }
            None => Err(DropReason::AppletTrap),
        };
        self.landings.named(packet);
        match pushed {
            Ok(()) => self.publish_in_turn(to),
            Err(reason) => {
                let kind = NicEvent::Drop {
                    packet: Some(id),
                    reason,
                };
                self.report.emit(self.now, to, kind);
            }
        }
        self.levels_changed(to);
        self.end_arrival(packet);
        Next::Look
    }

    /// Gives the buffer of a packet back whose handling ends, unless a descriptor has named the buffer.
    #[cold]
    pub(crate) fn end_landing(&mut self, packet: PacketRef) {
        let (to, _) = self.packets[packet].to;
        if let Some(offset) = self.landings.remove(packet)
            && self.endpoints[to].free.give_back(offset)
        {
            self.levels_changed(to);
        }
    }
}
