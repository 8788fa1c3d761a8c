//! An endpoint: buffer area, transmit, receive and free queue, channels (U-Net/SLE §2).

use super::{
    Channels, Completion, FreeQueue, Full, MessageBody, ReceiveDescriptor, ReceiveQueue, Region,
    TransmitQueue,
};
use crate::event::NicId;

/// How many descriptors an endpoint's queues hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueSizes {
    /// Descriptors of the transmit queue.
    pub transmit: u32,
    /// Descriptors of the receive queue.
    pub receive: u32,
}

/// An endpoint as its NIC and its user share it.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The NIC it lives on.
    pub nic: NicId,
    /// Its buffer area.
    pub area: Region,
    /// Its transmit queue.
    pub transmit: TransmitQueue,
    /// Its receive queue.
    pub receive: ReceiveQueue,
    /// Its free queue.
    pub free: FreeQueue,
    /// Its channels.
    pub channels: Channels,
}

impl Endpoint {
    /// Returns an endpoint whose queues are empty and whose free buffers are all free.
    #[must_use]
    pub fn new(nic: NicId, area: Region, free: FreeQueue, queues: QueueSizes) -> Endpoint {
        Endpoint {
            nic,
            area,
            transmit: TransmitQueue::new(queues.transmit),
            receive: ReceiveQueue::new(queues.receive),
            free,
            channels: Channels::default(),
        }
    }

    /// Pushes a receive descriptor; the popped buffers that it names pass to the user.
    ///
    /// # Errors
    ///
    /// Gives the descriptor back where the receive queue is full; the popped buffers that it names are
    /// then at the front of the free queue, in their order.
    pub fn push_received(
        &mut self,
        mut descriptor: ReceiveDescriptor,
    ) -> Result<(), Full<ReceiveDescriptor>> {
        if let MessageBody::Buffers(list) = &mut descriptor.body {
            for index in 0..list.offsets().len() {
                if self.free.name(list.offsets()[index]) {
                    list.owe(index);
                }
            }
        }
        self.receive.push(descriptor).inspect_err(|Full(refused)| {
            if let MessageBody::Buffers(list) = &refused.body {
                for offset in list.owed().rev() {
                    self.free.put_first(offset);
                }
            }
        })
    }

    /// Takes the oldest message that the user can see, and puts back the buffers that the user owes for it;
    /// says whether there was one.
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

/// Completions pass through here by value; keep them small.
const _: () = assert!(size_of::<Completion>() <= 16);
