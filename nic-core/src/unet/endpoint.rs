//! A U-Net endpoint: buffer area, transmit, receive and free queue, and channels (U-Net/SLE §2).

use super::{
    BufferList, Channels, Completion, FreeQueue, Full, MessageBody, ReceiveDescriptor,
    ReceiveQueue, TransmitQueue,
};
use crate::id::{ChannelId, NicId, PacketId};
use crate::memory::Region;
use crate::storage::Storage;

/// Capacities of an endpoint's queues.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueSizes {
    /// Number of descriptors that the transmit queue can hold.
    pub transmit: u32,
    /// Number of descriptors that the receive queue can hold.
    pub receive: u32,
}

/// The state of an endpoint that the NIC and the user share.
#[derive(Clone, Debug)]
pub struct Endpoint<S: Storage> {
    /// The NIC to which the endpoint belongs.
    pub nic: NicId,
    /// Maximum number of bytes that a packet of the endpoint carries.
    pub max_packet: u32,
    /// Whether the free buffers are receive descriptors of the user, of which each message takes one, as those of a VI.
    pub posts_descriptors: bool,
    /// The endpoint's buffer area.
    pub area: Region,
    /// The endpoint's transmit queue.
    pub transmit: TransmitQueue<S>,
    /// The endpoint's receive queue.
    pub receive: ReceiveQueue<S>,
    /// The endpoint's free queue.
    pub free: FreeQueue<S>,
    /// The endpoint's channels.
    pub channels: Channels<S>,
}

impl<S: Storage> Endpoint<S> {
    /// Returns an endpoint on a NIC, whose packets hold at most `max_packet` bytes. The transmit and receive queues of
    /// the new endpoint are empty, and it has no channels.
    #[must_use]
    pub fn new(
        (nic, max_packet): (NicId, u32),
        area: Region,
        free: FreeQueue<S>,
        queues: QueueSizes,
    ) -> Endpoint<S> {
        Endpoint {
            nic,
            max_packet,
            posts_descriptors: false,
            area,
            transmit: TransmitQueue::new(queues.transmit),
            receive: ReceiveQueue::new(queues.receive),
            free,
            channels: Channels::default(),
        }
    }

    /// Returns the length of the buffer that the NIC would pop next. All free buffers of U-Net have the same length. If
    /// the endpoint is a VI without a posted receive descriptor, the result is 0.
    #[must_use]
    pub fn next_buffer_length(&self) -> u32 {
        if self.posts_descriptors && self.free.is_empty() {
            return 0;
        }
        self.free.buffer_length()
    }

    /// Pushes a receive descriptor for a message in the buffer area. `offsets` yields the offsets of at most as many
    /// shares as a descriptor can name. Popped free buffers that the descriptor names pass to the user.
    ///
    /// # Errors
    ///
    /// Fails if the receive queue is full, and leaves the popped buffers at the front of the free queue, in their
    /// order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn push_buffers(
        &mut self,
        (packet, channel, length): (Option<PacketId>, ChannelId, u32),
        offsets: impl Iterator<Item = u32>,
    ) -> Result<(), Full<()>> {
        let pushed = self.receive.push(ReceiveDescriptor {
            packet,
            channel,
            length,
            body: MessageBody::Buffers(BufferList::default()),
        });
        // The list of offsets is filled in the queue itself, because a copy of the new list would stall on store
        // forwarding.
        let mut refused = BufferList::default();
        let list = match self.receive.newest() {
            Some(ReceiveDescriptor {
                body: MessageBody::Buffers(list),
                ..
            }) if pushed.is_ok() => list,
            _ => &mut refused,
        };
        for (index, offset) in offsets.enumerate() {
            list.push(offset);
            if self.free.name(offset) {
                list.owe(index);
            }
        }
        for offset in refused.owed().rev() {
            self.free.put_first(offset);
        }
        pushed.map_err(|_| Full(()))
    }

    /// Takes the oldest visible message and puts its buffers back into the free queue, or returns false if no message
    /// is visible.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn put_back_received(&mut self) -> bool {
        let Some(message) = self.receive.first() else {
            return false;
        };
        if let MessageBody::Buffers(list) = &message.body {
            for offset in list.owed() {
                self.free.put_back(offset);
            }
        }
        self.receive.take().is_some()
    }
}

/// The limit of 16 bytes keeps completions small, because they are passed by value.
const _: () = assert!(size_of::<Completion>() <= 16);
