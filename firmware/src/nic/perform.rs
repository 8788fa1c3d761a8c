//! Effects of natives: transfers, packets on the wire, and receive descriptors.

use core::num::NonZeroU64;

use heapless::Deque;
use jive_core::{Heap, TrapKind};
use nic_core::event::{
    DmaDirection, DropReason, Made, NicEvent, RxBody, SleEvent, Trigger, UnetEvent,
};
use nic_core::id::{ChannelId, PacketId, PostNumber, packet_number};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, Effect, Port, Request, Rights, check, perform};
use nic_core::storage::Fixed;
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{Channel, Endpoint, INLINE_MAX, MessageBody};

use super::{Arrival, Call, ENDPOINT, Nic, REFILLS};
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

impl<M: Machine> Nic<'_, '_, M> {
    /// Performs a native, with all effects that occur before the applet continues.
    pub(super) fn perform(
        &mut self,
        call: Call,
        request: &Request,
        sent: &mut Deque<Sent, ARRIVALS>,
    ) -> Result<Result<i32, TrapKind>, Failure> {
        let heap = self.applet.instance.heap();
        let rights = Rights::of(&self.state.endpoint);
        let effect = match check(request.native(), request.args(), heap, &rights) {
            Ok(effect) => effect,
            Err(kind) => return Ok(Err(kind)),
        };
        // A swap takes no time and may still be refused, so nothing may be sent or moved.
        if self.state.is_swapping && !matches!(effect, Effect::Local(_)) {
            return Ok(Err(TrapKind::ProtectionFault));
        }
        let mut port = InCall {
            nic: self,
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
        from: ArraySpan,
    ) -> Result<Sent, Failure> {
        let is_free = |slot: &usize| self.state.arrivals.iter().all(|other| other.slot != *slot);
        let slot = (0..self.state.slots.len())
            .find(is_free)
            .ok_or_else(no_slot)?;
        let bytes = from.bytes(self.applet.instance.heap());
        // The index is in bounds: the endpoint's rights limit a packet to the length of a slot.
        self.state.slots[slot][..bytes.len()].copy_from_slice(bytes);
        Ok(Sent {
            arrival: Arrival {
                id,
                channel: channel.peer_id,
                length: from.length(),
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
        let payload = &self.state.slots[slot][..length as usize];
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
        self.state.trace.event(self.state.now, out)?;
        let landed = NicEvent::WireRx {
            packet: id,
            peer: ENDPOINT,
            channel: packet.arrival.channel,
            payload,
            part: None,
            post,
        };
        self.state.trace.event(self.state.now + duration, landed)?;
        self.state
            .arrivals
            .push_back(packet.arrival)
            .map_err(|_| no_slot())
    }

    /// Makes the pushed receive descriptor visible. The user reads the message at once and returns the message's
    /// buffers.
    fn publish(&mut self, of: Option<PostNumber>) -> Result<(), Failure> {
        if let Some(descriptor) = self.state.endpoint.receive.publish() {
            let body = match &descriptor.body {
                MessageBody::Inline(bytes) => RxBody::Inline(bytes),
                MessageBody::Buffers(list) => RxBody::Buffers {
                    offsets: list.offsets(),
                    share: self.state.endpoint.free.buffer_length(),
                    area: self.state.area,
                },
            };
            let kind = UnetEvent::RxDescriptor {
                packet: descriptor.packet,
                channel: descriptor.channel,
                length: descriptor.length,
                body,
                post: descriptor.packet.and(of),
            };
            self.state.trace.event(self.state.now, kind)?;
        }
        self.note_refills()?;
        self.state.endpoint.put_back_received();
        Ok(())
    }

    /// Records the buffers that the user is about to return, if the applet has `doRefill`.
    fn note_refills(&mut self) -> Result<(), Failure> {
        let Some(message) = self.state.endpoint.receive.first() else {
            return Ok(());
        };
        if self.applet.members.do_refill.is_none() {
            return Ok(());
        }
        let mut note = |length: u32, offset: i32| {
            let refill = [length.cast_signed(), message.channel.0, offset];
            self.state
                .refills
                .push_back(refill)
                .map_err(|_| Failure::Room {
                    what: "buffers that were given back",
                    needed: REFILLS + 1,
                    room: REFILLS,
                })
        };
        match &message.body {
            MessageBody::Inline(_) => note(INLINE_MAX as u32, -1),
            MessageBody::Buffers(list) => {
                let length = self.state.endpoint.free.buffer_length();
                let mut owed = list.owed();
                owed.try_for_each(|offset| note(length, offset.cast_signed()))
            }
        }
    }

    fn native(&mut self, request: &Request, value: i32, made: Made) -> Result<(), Failure> {
        let heap = self.applet.instance.heap();
        let args = request.shown_args(heap);
        let kind = SleEvent::Native {
            name: request.name(),
            args: &args[..request.args().len()],
            result: request.shown_result(heap, value),
            moved: request.moved(heap),
            begun: self.state.now,
            made,
        };
        self.state.trace.event(self.state.now, kind)
    }

    fn dma(&mut self, call: Call, direction: DmaDirection, host: HostSpan) -> Result<(), Failure> {
        let kind = NicEvent::Dma {
            direction,
            offset: host.offset(),
            length: host.length(),
            duration: transfer(host.length()),
            trigger: call.trigger,
        };
        self.state.trace.event(self.state.now, kind)
    }
}

/// Performs the effects of a native that a call makes, one after another.
struct InCall<'c, 'p, 'n, M: Machine> {
    nic: &'c mut Nic<'p, 'n, M>,
    call: Call,
    request: &'c Request,
    sent: &'c mut Deque<Sent, ARRIVALS>,
}

impl<M: Machine> Port for InCall<'_, '_, '_, M> {
    type Storage = Fixed;
    type Packet = Sent;
    type Stop = Failure;

    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint<Fixed>, &mut Heap<'_>) -> R) -> R {
        let heap = self.nic.applet.instance.heap_mut();
        then(&mut self.nic.state.endpoint, heap)
    }

    fn handled(&self) -> Option<PacketId> {
        self.call.packet()
    }

    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Failure> {
        self.nic.dma(self.call, DmaDirection::HostToNic, host)?;
        self.nic.pass(self.call, transfer(host.length()));
        let heap = self.nic.applet.instance.heap_mut();
        to.bytes_mut(heap)
            .copy_from_slice(&self.nic.state.area[host.range()]);
        Ok(())
    }

    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Failure> {
        let heap = self.nic.applet.instance.heap();
        self.nic.state.area[host.range()].copy_from_slice(from.bytes(heap));
        self.nic.dma(self.call, DmaDirection::NicToHost, host)
    }

    fn make(&mut self, from: ArraySpan, channel: Channel) -> Result<(PacketId, Sent), Failure> {
        let id = packet_number(ENDPOINT, self.nic.state.packets_made);
        self.nic.state.packets_made += 1;
        Ok((id, self.nic.stage(self.call, id, channel, from)?))
    }

    fn send(&mut self, packet: Sent) -> Result<(), Failure> {
        if self.call.trigger != Trigger::Load {
            self.nic.carry(packet)
        } else {
            self.sent.push_back(packet).map_err(|_| no_slot())
        }
    }

    fn publish(&mut self) -> Result<(), Failure> {
        self.nic.publish(self.call.post)
    }

    fn refuse(&mut self) -> Result<(), Failure> {
        let packet = self.call.packet();
        self.nic.drop_message(packet, DropReason::RxQueueFull)
    }

    fn now(&self) -> SimTime {
        self.nic.state.now
    }

    fn set_timer(&mut self, after: SimDuration) -> Result<(), Failure> {
        let is_set = self.nic.applet.members.do_timer.is_some() && after > SimDuration::ZERO;
        self.nic.state.was_timer_set = true;
        self.nic.state.timer = is_set.then(|| self.nic.state.now + after);
        Ok(())
    }

    fn note(&mut self, tag: i32, value: i32) -> Result<(), Failure> {
        let kind = SleEvent::AppletTrace { tag, value };
        self.nic.state.trace.event(self.nic.state.now, kind)
    }

    fn tell(&mut self, value: i32, made: Made) -> Result<(), Failure> {
        self.nic.native(self.request, value, made)
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
