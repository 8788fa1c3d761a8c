//! What a checked call of a native does.

use super::local::LocalEffect;
use super::span::ArraySpan;
use crate::id::ChannelId;
use crate::memory::HostSpan;
use crate::unet::Channel;

/// A checked call of a native. An `Effect` proves that the endpoint is entitled to the call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The native involves nothing but the applet and its endpoint's free queue.
    Local(LocalEffect),
    /// The native copies bytes from the buffer area into an array.
    HostToNic {
        /// Destination of the bytes.
        to: ArraySpan,
        /// Source of the bytes.
        host: HostSpan,
    },
    /// The native copies bytes from an array into the buffer area.
    NicToHost {
        /// Source of the bytes.
        from: ArraySpan,
        /// Destination of the bytes.
        host: HostSpan,
    },
    /// The native copies bytes from the header of the handled packet into an array.
    Peek {
        /// Destination of the bytes.
        into: ArraySpan,
        /// First byte of the packet that is copied.
        offset: u32,
    },
    /// Sends a packet.
    Send {
        /// The message.
        from: ArraySpan,
        /// The channel on which the native sends the packet.
        channel: Channel,
    },
    /// The native pushes a receive descriptor for a message in the buffer area.
    Describe {
        /// Elements of an `int` array, which are the offsets of the message's shares in the buffer area.
        offsets: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
        /// The message's length in bytes.
        length: u32,
    },
    /// The native pushes a receive descriptor that carries the message.
    Carry {
        /// The message.
        from: ArraySpan,
        /// The channel that the descriptor names.
        channel: ChannelId,
    },
    /// The native writes bytes to a window of a peer.
    WriteWindow {
        /// Source of the bytes.
        from: ArraySpan,
        /// Position of the window in the table of the peers' windows.
        peer: u32,
        /// Offset in the window. The window has room for the bytes from this offset on.
        offset: u32,
    },
    /// The native asks for bytes of a window of a peer.
    ReadWindow {
        /// Destination of the bytes, in an array that outlives the call.
        into: ArraySpan,
        /// Position of the window in the table of the peers' windows.
        peer: u32,
        /// Offset in the window, which has the bytes from this offset on.
        offset: u32,
    },
}

impl Effect {
    /// Returns the reference to the array that the call names, if it names one.
    #[must_use]
    #[inline]
    pub fn array(&self) -> Option<i32> {
        match *self {
            Effect::HostToNic { to: span, .. }
            | Effect::NicToHost { from: span, .. }
            | Effect::Peek { into: span, .. }
            | Effect::Send { from: span, .. }
            | Effect::Describe { offsets: span, .. }
            | Effect::Carry { from: span, .. }
            | Effect::WriteWindow { from: span, .. }
            | Effect::ReadWindow { into: span, .. } => Some(span.array()),
            Effect::Local(_) => None,
        }
    }

    /// Returns how many bytes the native copies from or to an array.
    #[must_use]
    #[inline]
    pub fn bytes_moved(&self) -> u32 {
        match *self {
            Effect::HostToNic { to: span, .. }
            | Effect::NicToHost { from: span, .. }
            | Effect::Peek { into: span, .. }
            | Effect::Send { from: span, .. }
            | Effect::Carry { from: span, .. }
            | Effect::WriteWindow { from: span, .. } => span.length(),
            // The bytes of a message in free buffers are copied within a chain only.
            Effect::Describe { length, .. } => length,
            Effect::Local(_) | Effect::ReadWindow { .. } => 0,
        }
    }
}
