//! Effects of natives: transfers, packets on the wire, and receive descriptors.

use core::num::NonZeroU64;

use heapless::Deque;
use jive_core::{Heap, TrapKind};
use nic_core::event::{
    DmaDirection, DropReason, Made, NicEvent, RxBody, SleEvent, Trigger, UnetEvent,
};
use nic_core::id::{ChannelId, PacketId, packet_number};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Effect, Members, Port, Request, Rights, check, perform};
use nic_core::storage::Fixed;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{Channel, Endpoint, INLINE_MAX, MessageBody};

use super::{Arrival, Call, ENDPOINT, NicState, REFILLS};
use crate::failure::Failure;
use crate::machine::Machine;
use crate::memory::{AREA_BYTES, ARRIVALS};

/// Bandwidth of DMA and wire, in bytes per second, as in the profile.
const BANDWIDTH: NonZeroU64 = NonZeroU64::new(1_000_000_000_000_000_000).unwrap();

/// A packet that the applet has sent and that has not left the NIC.
#[derive(Copy, Clone)]
pub(super) struct Sent {
    arrival: Arrival,
    channel: ChannelId,
    trigger: Trigger,
}

impl<M: Machine> NicState<'_, M> {
    /// Performs a native, with all effects that occur before the applet continues.
    pub(super) fn perform(
        &mut self,
        call: Call,
        request: &Request,
        heap: &mut Heap<'_>,
        members: &Members,
        sent: &mut Deque<Sent, ARRIVALS>,
    ) -> Result<Result<i32, TrapKind>, Failure> {
        let rights = Rights::of(&self.endpoint);
        let effect = match check(request.native(), request.args(), heap, &rights) {
            Ok(effect) => effect,
            Err(kind) => return Ok(Err(kind)),
        };
        // A swap takes no time and may still be refused, so nothing may be sent or moved.
        if self.is_swapping && !matches!(effect, Effect::Local(_)) {
            return Ok(Err(TrapKind::ProtectionFault));
        }
        let mut port = InCall {
            state: self,
            heap,
            members,
            call,
            request,
            sent,
        };
        perform(effect, &mut port)
    }

    /// Copies a packet into a slot that no waiting packet uses.
    fn stage(
        &mut self,
        call: Call,
        id: PacketId,
        channel: Channel,
        bytes: &[u8],
    ) -> Result<Sent, Failure> {
        let is_free = |slot: &usize| self.arrivals.iter().all(|other| other.slot != *slot);
        let slot = (0..self.slots.len()).find(is_free).ok_or_else(no_slot)?;
        // The index is in bounds: the endpoint's rights limit a packet to the length of a slot.
        self.slots[slot][..bytes.len()].copy_from_slice(bytes);
        Ok(Sent {
            arrival: Arrival {
                id,
                channel: channel.peer_id,
                // The cast is lossless: a packet is at most as long as a slot.
                length: bytes.len() as u32,
                slot,
                post: call.post,
            },
            channel: channel.id,
            trigger: call.trigger,
        })
    }

    /// Transmits a packet over the wire: records its departure and its arrival, and queues the packet for the NIC.
    pub(super) fn carry(&mut self, packet: Sent) -> Result<(), Failure> {
        let Arrival {
            id,
            length,
            slot,
            post,
            ..
        } = packet.arrival;
        let payload = &self.slots[slot][..length as usize];
        let duration = transfer(length);
        let out = NicEvent::WireTx {
            packet: id,
            peer: ENDPOINT,
            channel: packet.channel,
            payload,
            part: None,
            post,
            duration,
            trigger: packet.trigger,
        };
        self.trace.event(self.now, out)?;
        let landed = NicEvent::WireRx {
            packet: id,
            peer: ENDPOINT,
            channel: packet.arrival.channel,
            payload,
            part: None,
            post,
        };
        self.trace.event(self.now + duration, landed)?;
        self.arrivals
            .push_back(packet.arrival)
            .map_err(|_| no_slot())
    }

    /// Makes the pushed receive descriptor visible. The user reads the message at once and returns the message's
    /// buffers.
    fn publish(&mut self, call: Call, members: &Members) -> Result<(), Failure> {
        if let Some(descriptor) = self.endpoint.receive.publish() {
            let body = match &descriptor.body {
                MessageBody::Inline(bytes) => RxBody::Inline(bytes),
                MessageBody::Buffers(list) => RxBody::Buffers {
                    offsets: list.offsets(),
                    share: self.endpoint.free.buffer_length(),
                    area: self.area,
                },
            };
            let kind = UnetEvent::RxDescriptor {
                packet: descriptor.packet,
                channel: descriptor.channel,
                length: descriptor.length,
                body,
                post: descriptor.packet.and(call.post),
            };
            self.trace.event(self.now, kind)?;
        }
        self.note_refills(members)?;
        self.endpoint.put_back_received();
        Ok(())
    }

    /// Records the buffers that the user is about to return, if the applet has `doRefill`.
    fn note_refills(&mut self, members: &Members) -> Result<(), Failure> {
        let Some(message) = self.endpoint.receive.first() else {
            return Ok(());
        };
        if members.do_refill.is_none() {
            return Ok(());
        }
        let mut note = |length: u32, offset: i32| {
            let refill = [length.cast_signed(), message.channel.0, offset];
            self.refills.push_back(refill).map_err(|_| Failure::Room {
                what: "buffers that were given back",
                needed: REFILLS + 1,
                room: REFILLS,
            })
        };
        match &message.body {
            MessageBody::Inline(_) => note(INLINE_MAX as u32, -1),
            MessageBody::Buffers(list) => {
                let length = self.endpoint.free.buffer_length();
                let mut owed = list.owed();
                owed.try_for_each(|offset| note(length, offset.cast_signed()))
            }
        }
    }

    fn native(
        &mut self,
        request: &Request,
        value: i32,
        made: Made,
        heap: &Heap<'_>,
    ) -> Result<(), Failure> {
        let args = request.shown_args(heap);
        let kind = SleEvent::Native {
            name: request.name(),
            args: &args[..request.args().len()],
            result: request.shown_result(heap, value),
            moved: request.moved(heap),
            begun: self.now,
            made,
        };
        self.trace.event(self.now, kind)
    }

    fn dma(&mut self, call: Call, direction: DmaDirection, host: HostSpan) -> Result<(), Failure> {
        let kind = NicEvent::Dma {
            direction,
            offset: host.offset(),
            length: host.length(),
            duration: transfer(host.length()),
            trigger: call.trigger,
        };
        self.trace.event(self.now, kind)
    }
}

/// Performs the effects of a native that a call makes, one after another.
struct InCall<'c, 'n, 'h, M: Machine> {
    state: &'c mut NicState<'n, M>,
    heap: &'c mut Heap<'h>,
    members: &'c Members,
    call: Call,
    request: &'c Request,
    sent: &'c mut Deque<Sent, ARRIVALS>,
}

impl<M: Machine> Port for InCall<'_, '_, '_, M> {
    type Storage = Fixed;
    type Packet = Sent;
    type Stop = Failure;

    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint<Fixed>, &mut Heap<'_>) -> R) -> R {
        then(&mut self.state.endpoint, self.heap)
    }

    fn handled(&self) -> Option<PacketId> {
        self.call.packet()
    }

    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Failure> {
        self.state.dma(self.call, DmaDirection::HostToNic, host)?;
        self.state.pass(self.call, transfer(host.length()));
        to.bytes_mut(self.heap)
            .copy_from_slice(&self.state.area[host.range()]);
        Ok(())
    }

    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Failure> {
        self.state.area[host.range()].copy_from_slice(from.bytes(self.heap));
        self.state.dma(self.call, DmaDirection::NicToHost, host)
    }

    fn make(&mut self, from: ArraySpan, channel: Channel) -> Result<(PacketId, Sent), Failure> {
        let id = packet_number(ENDPOINT, self.state.packets_made);
        self.state.packets_made += 1;
        let bytes = from.bytes(self.heap);
        Ok((id, self.state.stage(self.call, id, channel, bytes)?))
    }

    fn send(&mut self, packet: Sent) -> Result<(), Failure> {
        if self.call.trigger != Trigger::Load {
            self.state.carry(packet)
        } else {
            self.sent.push_back(packet).map_err(|_| no_slot())
        }
    }

    fn publish(&mut self) -> Result<(), Failure> {
        self.state.publish(self.call, self.members)
    }

    fn refuse(&mut self) -> Result<(), Failure> {
        let packet = self.call.packet();
        self.state.drop_message(packet, DropReason::RxQueueFull)
    }

    fn now(&self) -> SimTime {
        self.state.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), Failure> {
        let is_set = self.members.do_timer.is_some() && after > SimDuration::ZERO;
        self.state.was_timer_set = true;
        self.state.timer = is_set.then(|| self.state.now + after);
        Ok(())
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), Failure> {
        let kind = SleEvent::AppletTrace { tag, value };
        self.state.trace.event(self.state.now, kind)
    }

    fn tell(&mut self, value: i32, made: Made) -> Result<(), Failure> {
        self.state.native(self.request, value, made, self.heap)
    }
}

/// Returns the duration of a transfer or of a packet on the wire.
fn transfer(length: u32) -> SimDuration {
    // No transfer is longer than the buffer area. Because `min` bounds the length, the compiler leaves out the 128-bit
    // division that longer transfers would need, over 1 KB of code.
    SimDuration::of_transfer(length.min(AREA_BYTES as u32), BANDWIDTH)
}

fn no_slot() -> Failure {
    Failure::Room {
        what: "packets under way",
        needed: ARRIVALS + 1,
        room: ARRIVALS,
    }
}
