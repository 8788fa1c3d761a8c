//! The interface through which natives take effect.
//!
//! The simulated NIC, the loading of applets, `jive exec` and firmware perform natives in the same order
//! ([`perform`](super::perform)). They differ in the destination of bytes and in time, which a [`Port`] supplies.

use jive_core::Heap;

use super::span::ArraySpan;
use crate::id::{ChannelId, PacketId};
use crate::memory::HostSpan;
use crate::remote::WindowId;
use crate::report::Made;
use crate::storage::Storage;
use crate::time::{SimDuration, SimTime};
use crate::unet::{Channel, Endpoint};

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

    /// Copies bytes of the header of the handled packet into an array, from an offset of the packet on. Only a NIC that
    /// receives directly lets its applets name the header.
    fn peek(&mut self, _into: ArraySpan, _offset: u32) -> Result<(), Self::Stop> {
        Ok(())
    }

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

    /// Writes a short message to the buffer of the next receive descriptor, and completes the descriptor. The message is
    /// placed only after [`placing`](Port::placing) has said that descriptors carry no message.
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

    /// Asks for bytes of the window at position `_peer` of the endpoint's table, from an offset on. The bytes come later.
    /// Endpoints without windows may not read windows.
    fn read_window(
        &mut self,
        _into: ArraySpan,
        _peer: u32,
        _offset: u32,
    ) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Reports that the native has ended, what it made, and that it returns `value`.
    fn tell(&mut self, value: i32, made: Made) -> Result<(), Self::Stop>;
}
