//! The receive queue: descriptors from the NIC's push until the user takes them.
//!
//! A receive descriptor takes its place in the queue when it is pushed. A receive descriptor becomes visible to the
//! user when all DMA queued before it is done. Receive descriptors become visible in the order in which they were
//! pushed.

use super::{Full, ReceiveDescriptor};
use crate::storage::{DESCRIPTORS_MAX, Queue, Storage};

/// The receive queue of one endpoint.
#[derive(Clone, Debug)]
pub struct ReceiveQueue<S: Storage> {
    descriptors: S::Queue<ReceiveDescriptor, DESCRIPTORS_MAX>,
    // Counts of descriptors are `u32`, so that an idle endpoint needs little memory.
    capacity: u32,
    visible: u32,
}

impl<S: Storage> ReceiveQueue<S> {
    /// Returns a receive queue for `capacity` descriptors. Without an allocator, the capacity of the queue is at most
    /// [`DESCRIPTORS_MAX`].
    #[must_use]
    pub fn new(capacity: u32) -> ReceiveQueue<S> {
        ReceiveQueue {
            // The memory of the queue starts empty and grows with use, so that an idle endpoint needs little memory.
            descriptors: S::Queue::default(),
            capacity: S::capacity::<DESCRIPTORS_MAX>(capacity),
            visible: 0,
        }
    }

    /// Returns the number of descriptors in the queue, visible or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.descriptors.len()
    }

    /// Returns whether the queue has no descriptor, visible or not.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the queue has room for another descriptor.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.descriptors.len() < self.capacity as usize
    }

    /// Appends a descriptor to the queue, in which it is not visible yet.
    ///
    /// # Errors
    ///
    /// Returns the descriptor to the caller if the queue is full.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn push(&mut self, descriptor: ReceiveDescriptor) -> Result<(), Full<ReceiveDescriptor>> {
        if !self.has_room() {
            return Err(Full(descriptor));
        }
        self.descriptors.push_back(descriptor);
        Ok(())
    }

    /// Returns the descriptor that was pushed last.
    pub fn newest(&mut self) -> Option<&mut ReceiveDescriptor> {
        self.descriptors.back_mut()
    }

    /// Makes the oldest descriptor that is not visible yet visible, and returns it.
    pub fn publish(&mut self) -> Option<&ReceiveDescriptor> {
        let descriptor = self.descriptors.get(self.visible as usize)?;
        self.visible += 1;
        Some(descriptor)
    }

    /// Returns the number of descriptors in the queue that are visible to the user.
    #[must_use]
    pub fn visible(&self) -> usize {
        self.visible as usize
    }

    /// Returns the descriptor that became visible last.
    #[must_use]
    pub fn newest_visible(&self) -> Option<&ReceiveDescriptor> {
        self.descriptors.get(self.visible.checked_sub(1)? as usize)
    }

    /// Returns the oldest visible descriptor.
    #[must_use]
    pub fn first(&self) -> Option<&ReceiveDescriptor> {
        self.descriptors.front().filter(|_| self.visible > 0)
    }

    /// Removes and returns the oldest visible descriptor.
    pub fn take(&mut self) -> Option<ReceiveDescriptor> {
        self.visible = self.visible.checked_sub(1)?;
        self.descriptors.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ChannelId;
    use crate::storage::Fixed;
    use crate::unet::MessageBody;

    fn descriptor(channel: i32) -> ReceiveDescriptor {
        ReceiveDescriptor {
            packet: None,
            channel: ChannelId(channel),
            length: 0,
            body: MessageBody::inline(&[0; 56]).unwrap(),
        }
    }

    #[test]
    fn a_descriptor_takes_its_place_before_it_is_seen() {
        let mut queue = ReceiveQueue::<Fixed>::new(2);
        queue.push(descriptor(1)).unwrap();
        queue.push(descriptor(2)).unwrap();
        assert_eq!(queue.push(descriptor(3)), Err(Full(descriptor(3))));
        assert_eq!(queue.take(), None);
        assert_eq!(queue.publish(), Some(&descriptor(1)));
        assert_eq!(queue.take(), Some(descriptor(1)));
        assert_eq!(queue.first(), None);
        queue.push(descriptor(3)).unwrap();
        assert_eq!(queue.publish(), Some(&descriptor(2)));
        assert_eq!(queue.publish(), Some(&descriptor(3)));
        assert_eq!(queue.publish(), None);
        assert_eq!(
            [queue.take(), queue.take(), queue.take()],
            [Some(descriptor(2)), Some(descriptor(3)), None]
        );
    }
}
