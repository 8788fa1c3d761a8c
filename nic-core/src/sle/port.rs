//! How natives take effect: the order in which things happen, wherever they do.
//!
//! [`check`](super::check) has turned a call into an [`Effect`] that the endpoint may have. The caller of [`perform`]
//! has checked its quota, and reserved places for what it sends. The rest is the same on a simulated NIC, while an
//! applet is loaded, in `jive exec` and in firmware. Only the destination of bytes and the time they take differ.

use jive_core::{ArrayKind, Heap, TrapKind};

use super::{ArraySpan, Effect};
use crate::event::Made;
use crate::id::PacketId;
use crate::memory::HostSpan;
use crate::storage::Storage;
use crate::time::{SimDuration, SimTime};
use crate::unet::{Channel, Endpoint, Full, MessageBody, ReceiveDescriptor};

/// Where natives take effect: a NIC, or what stands for one.
pub trait Port {
    /// How queues of an endpoint keep their elements.
    type Storage: Storage;
    /// A packet that is made and has not left.
    type Packet;
    /// Why the native is not over yet, or why nothing goes on: no trap.
    type Stop;

    /// Lends the endpoint of the applet that calls, and the applet's heap.
    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint<Self::Storage>, &mut Heap<'_>) -> R)
    -> R;

    /// Returns the packet that is being handled.
    fn handled(&self) -> Option<PacketId>;

    /// Moves bytes from the buffer area into an array. The native is over when they are there: a port where that
    /// takes time stops here, and [tells](Port::tell) of the native itself.
    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Self::Stop>;

    /// Moves bytes from an array, as they are now, to the buffer area; the native does not wait for it.
    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Self::Stop>;

    /// Makes a packet of bytes as they are now.
    fn make(
        &mut self,
        from: ArraySpan,
        channel: Channel,
    ) -> Result<(PacketId, Self::Packet), Self::Stop>;

    /// Has a packet leave.
    fn send(&mut self, packet: Self::Packet) -> Result<(), Self::Stop>;

    /// Has the receive descriptor that was pushed last become visible in its turn.
    fn publish(&mut self) -> Result<(), Self::Stop>;

    /// Drops the message whose receive descriptor found no room; the popped buffers that it named are free again.
    fn refuse(&mut self) -> Result<(), Self::Stop>;

    /// Returns the time.
    fn now(&self) -> SimTime;

    /// Has the applet called when this is over, in place of any time that was set; not at all for no time.
    fn set_timer(&mut self, after: SimDuration) -> Result<(), Self::Stop>;

    /// Notes what the applet tells about itself.
    fn note(&mut self, tag: i32, value: i32) -> Result<(), Self::Stop>;

    /// Reports that the native has ended and returns `value`.
    fn tell(&mut self, value: i32, made: Made) -> Result<(), Self::Stop>;
}

/// Performs what a native asks for; returns what the native returns, or its trap.
///
/// # Errors
///
/// Where the port stops.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn perform<P: Port>(effect: Effect, port: &mut P) -> Result<Result<i32, TrapKind>, P::Stop> {
    let value = match effect {
        Effect::NewArray { length } => {
            match port.with(|_, heap| heap.allocate(ArrayKind::Byte, length)) {
                Ok(array) => array,
                Err(kind) => return Ok(Err(kind)),
            }
        }
        // A buffer's offset and length are below the buffer area's, which an `int` addresses.
        Effect::BufferLength => {
            port.with(|endpoint, _| endpoint.free.buffer_length().cast_signed())
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
                    // Not negative, and no more than a descriptor names: the check has seen to it.
                    let buffers = offsets.offsets(heap).map(i32::cast_unsigned);
                    endpoint.push_buffers((packet, channel, length), buffers)
                },
            );
            describe(port, pushed)?;
            return Ok(Ok(0));
        }
        Effect::Carry { from, channel } => {
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
        // Whole microseconds, of which the lowest 32 bits are told.
        Effect::Time => (port.now().as_ps() / 1_000_000) as i32,
        Effect::Timer { after } => {
            port.set_timer(after)?;
            0
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
