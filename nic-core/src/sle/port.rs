//! How natives take effect: the order of their effects is the same on every kind of NIC.
//!
//! [`check`](super::check) has turned a call into an [`Effect`] that the endpoint is entitled to. The caller of
//! [`perform`] has checked the quota of the call and has reserved slots for packets. [`perform`] serves the simulated
//! NIC, the loading of applets, `jive exec` and firmware. The users of [`perform`] differ in the destination of bytes
//! and in time, which a [`Port`] supplies.

use jive_core::{ArrayKind, Heap, TrapKind};

use super::effect::Effect;
use super::span::ArraySpan;
use crate::id::{ChannelId, PacketId};
use crate::memory::HostSpan;
use crate::remote::WindowId;
use crate::report::Made;
use crate::storage::Storage;
use crate::time::{SimDuration, SimTime};
use crate::unet::{Channel, Endpoint, Full, MessageBody, ReceiveDescriptor};

/// The NIC, or a substitute for one, on which natives take effect.
pub trait Port {
    /// The storage in which the endpoint's queues keep their elements.
    type Storage: Storage;
    /// A packet that a native made and that has not left yet.
    type Packet;
    /// Why the native cannot finish now, or why the run must stop. A trap of the native is not a `Stop`.
    type Stop;

    /// Calls `then` with the endpoint of the calling applet and the applet's heap.
    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint<Self::Storage>, &mut Heap<'_>) -> R)
    -> R;

    /// Returns the packet that the applet is handling, if it is handling one.
    fn handled(&self) -> Option<PacketId>;

    /// Copies bytes from the buffer area into an array. The native that copies the bytes ends when the bytes have
    /// arrived. A port on which the copy takes time returns a `Stop`, and calls [`tell`](Port::tell) itself later.
    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Self::Stop>;

    /// Copies bytes of an array, as they are now, to the buffer area. The native that copies the bytes does not wait
    /// for the transfer.
    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Self::Stop>;

    /// Makes a packet from the bytes of an array as they are now.
    fn make(
        &mut self,
        from: ArraySpan,
        channel: Channel,
    ) -> Result<(PacketId, Self::Packet), Self::Stop>;

    /// Sends a packet.
    fn send(&mut self, packet: Self::Packet) -> Result<(), Self::Stop>;

    /// Returns whether a short message of `length` bytes will find a receive descriptor. Returns `None` if receive
    /// descriptors carry short messages themselves, as those of U-Net do.
    fn placing(&mut self, _length: u32) -> Option<Made> {
        None
    }

    /// Writes a short message to the buffer of the next receive descriptor, and completes the descriptor. [`perform`]
    /// calls `place` only after [`placing`](Port::placing) has said that descriptors carry no message.
    fn place(&mut self, _from: ArraySpan, _channel: ChannelId) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Queues the newest receive descriptor, so that it becomes visible after all earlier transfers.
    fn publish(&mut self) -> Result<(), Self::Stop>;

    /// Drops a message because the receive queue is full. The popped buffers that the message's descriptor named are
    /// already back in the free queue.
    fn refuse(&mut self) -> Result<(), Self::Stop>;

    /// Returns the current time.
    fn now(&self) -> SimTime;

    /// Sets the applet's timer, replacing any earlier setting; a zero clears the timer.
    fn set_timer(&mut self, after: SimDuration) -> Result<(), Self::Stop>;

    /// Emits an event `applet-trace`.
    fn note(&mut self, tag: i32, value: i32) -> Result<(), Self::Stop>;

    /// Returns the immediate data of the message that the applet handles. Messages of endpoints other than VIs have no
    /// immediate data.
    fn immediate(&self) -> u32 {
        0
    }

    /// Sets the immediate data of the packets that the running call sends from now on.
    fn set_immediate(&mut self, _value: u32) {}

    /// Sets a watch of the applet, or removes all watches of a window if the length is 0. Endpoints without windows have
    /// no watches.
    fn watch(&mut self, _window: WindowId, _range: (u32, u32)) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Sends bytes of an array, as they are now, to an offset of the window at position `_peer` of the endpoint's
    /// table. Endpoints without windows may not write to windows.
    fn write_window(
        &mut self,
        _from: ArraySpan,
        _peer: u32,
        _offset: u32,
    ) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Reports that the native has ended, what it made, and that it returns `value`.
    fn tell(&mut self, value: i32, made: Made) -> Result<(), Self::Stop>;
}

/// Performs the effect of a native on a port. Returns the native's result, or its trap.
///
/// # Errors
///
/// Returns the port's `Stop`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn perform<P: Port>(effect: Effect, port: &mut P) -> Result<Result<i32, TrapKind>, P::Stop> {
    let value = match effect {
        Effect::NewArray { length } => {
            match port.with(|_, heap| heap.allocate(ArrayKind::Byte, length)) {
                Ok(array) => array,
                Err(kind) => return Ok(Err(kind)),
            }
        }
        // The cast cannot wrap, because an `int` can address the whole buffer area, and so hold the length of any
        // buffer.
        Effect::BufferLength => {
            port.with(|endpoint, _| endpoint.next_buffer_length().cast_signed())
        }
        Effect::PopBuffer => {
            port.with(|endpoint, _| endpoint.free.pop().map_or(-1, u32::cast_signed))
        }
        Effect::HostToNic { to, host } => {
            port.fetch(to, host)?;
            0
        }
        Effect::NicToHost { from, host } => {
            port.tell(0, Made::Nothing)?;
            port.store(from, host)?;
            return Ok(Ok(0));
        }
        Effect::Send { from, channel } => {
            let (id, packet) = port.make(from, channel)?;
            port.tell(0, Made::Packet(id))?;
            port.send(packet)?;
            return Ok(Ok(0));
        }
        Effect::Describe {
            offsets,
            channel,
            length,
        } => {
            let packet = port.handled();
            let pushed = port.with(
                #[cfg_attr(not(debug_assertions), inline(always))]
                |endpoint, heap| {
                    // `check` proved that the offsets of the shares are not negative and not more than a descriptor
                    // names.
                    let buffers = offsets.offsets(heap).map(i32::cast_unsigned);
                    endpoint.push_buffers((packet, channel, length), buffers)
                },
            );
            describe(port, pushed)?;
            return Ok(Ok(0));
        }
        Effect::Carry { from, channel } => {
            if let Some(made) = port.placing(from.length()) {
                port.tell(0, made)?;
                port.place(from, channel)?;
                return Ok(Ok(0));
            }
            let packet = port.handled();
            let pushed = port.with(|endpoint, heap| {
                let body = MessageBody::inline(from.bytes(heap))?;
                Some(endpoint.receive.push(ReceiveDescriptor {
                    packet,
                    channel,
                    length: from.length(),
                    body,
                }))
            });
            let Some(pushed) = pushed else {
                return Ok(Err(TrapKind::Unverified));
            };
            describe(port, pushed)?;
            return Ok(Ok(0));
        }
        // The cast truncates the time to the lowest 32 bits, because the native is documented to wrap.
        Effect::Time => (port.now().as_ps() / 1_000_000) as i32,
        Effect::Timer { after } => {
            port.set_timer(after)?;
            0
        }
        Effect::Immediate => port.immediate().cast_signed(),
        Effect::SetImmediate { value } => {
            port.set_immediate(value.cast_unsigned());
            0
        }
        Effect::Watch { window, range } => {
            port.watch(window, range)?;
            0
        }
        Effect::WriteWindow { from, peer, offset } => {
            port.tell(0, Made::Nothing)?;
            port.write_window(from, peer, offset)?;
            return Ok(Ok(0));
        }
        Effect::Note { tag, value } => {
            port.tell(0, Made::Nothing)?;
            port.note(tag, value)?;
            return Ok(Ok(0));
        }
    };
    port.tell(value, Made::Nothing)?;
    Ok(Ok(value))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn describe<P: Port, T>(port: &mut P, pushed: Result<(), Full<T>>) -> Result<(), P::Stop> {
    match pushed {
        Ok(()) => {
            port.tell(0, Made::Descriptor)?;
            port.publish()
        }
        Err(Full(_)) => {
            port.tell(0, Made::Nothing)?;
            port.refuse()
        }
    }
}
