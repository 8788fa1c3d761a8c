//! What the effects of natives do at once, and what they leave to whoever keeps the clock.

use jive_core::{ArrayKind, Heap, TrapKind};

use super::{ArraySpan, Effect};
use crate::id::PacketId;
use crate::memory::HostSpan;
use crate::storage::Storage;
use crate::unet::{Channel, Endpoint, Full, MessageBody, ReceiveDescriptor};

/// What came of an effect.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It is done, and the native returns this.
    Value(i32),
    /// A receive descriptor has its place in the queue and is to become visible in its turn.
    Described,
    /// The receive queue is full; the popped buffers that the descriptor named are free again.
    RxQueueFull,
    /// Bytes are to be moved into an array before the native returns.
    HostToNic {
        /// Where they go.
        to: ArraySpan,
        /// Where they come from.
        host: HostSpan,
    },
    /// Bytes are to be moved from an array, as they are now.
    NicToHost {
        /// Where they come from.
        from: ArraySpan,
        /// Where they go.
        host: HostSpan,
    },
    /// A packet is to be sent, as its bytes are now.
    Send {
        /// The message.
        from: ArraySpan,
        /// Whom to.
        channel: Channel,
    },
}

impl Effect {
    /// Applies what takes no time beside the native's own; `packet` is the one that is being handled.
    ///
    /// # Errors
    ///
    /// `OutOfMemoryError` where the heap has no room for a new array.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn apply<S: Storage>(
        self,
        endpoint: &mut Endpoint<S>,
        heap: &mut Heap<'_>,
        packet: Option<PacketId>,
    ) -> Result<Applied, TrapKind> {
        Ok(match self {
            Effect::NewArray { length } => Applied::Value(heap.allocate(ArrayKind::Byte, length)?),
            // A buffer's offset and length are below the buffer area's, which an `int` addresses.
            Effect::BufferLength => Applied::Value(endpoint.free.buffer_length().cast_signed()),
            Effect::PopBuffer => Applied::Value(endpoint.free.pop().map_or(-1, u32::cast_signed)),
            Effect::HostToNic { to, host } => Applied::HostToNic { to, host },
            Effect::NicToHost { from, host } => Applied::NicToHost { from, host },
            Effect::Send { from, channel } => Applied::Send { from, channel },
            Effect::Describe {
                offsets,
                channel,
                length,
            } => {
                // Not negative, and no more than a descriptor names: the check has seen to it.
                let buffers = offsets.offsets(heap).map(i32::cast_unsigned);
                described(endpoint.push_buffers((packet, channel, length), buffers))
            }
            Effect::Carry { from, channel } => {
                let body = MessageBody::inline(from.bytes(heap)).ok_or(TrapKind::Unverified)?;
                described(endpoint.receive.push(ReceiveDescriptor {
                    packet,
                    channel,
                    length: from.length(),
                    body,
                }))
            }
        })
    }
}

fn described<T>(pushed: Result<(), Full<T>>) -> Applied {
    match pushed {
        Ok(()) => Applied::Described,
        Err(Full(_)) => Applied::RxQueueFull,
    }
}
