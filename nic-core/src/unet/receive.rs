//! The receive queue: descriptors from the NIC's push until the user takes them.
//!
//! A descriptor takes its place when it is pushed and becomes visible when all DMA queued before it is
//! done. Both happen in the same order.

use super::{Full, ReceiveDescriptor};
use crate::storage::{DESCRIPTORS_MAX, Queue, Storage};

/// The receive queue of one endpoint.
#[derive(Clone, Debug)]
pub struct ReceiveQueue<S: Storage> {
    descriptors: S::Queue<ReceiveDescriptor, DESCRIPTORS_MAX>,
    capacity: usize,
    visible: usize,
}

impl<S: Storage> ReceiveQueue<S> {
    /// Returns a queue with room for `capacity` descriptors; without an allocator for
    /// [`DESCRIPTORS_MAX`] at most.
    #[must_use]
    pub fn new(capacity: u32) -> ReceiveQueue<S> {
        ReceiveQueue {
            // Grows to what is in use at once: an idle endpoint weighs little.
            descriptors: S::Queue::default(),
            capacity: S::capacity::<DESCRIPTORS_MAX>(capacity),
            visible: 0,
        }
    }

    /// Returns whether a descriptor can be pushed.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.descriptors.len() < self.capacity
    }

    /// Pushes a descriptor, which the user does not see yet.
    ///
    /// # Errors
    ///
    /// Gives it back where the queue is full.
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

    /// Makes the oldest descriptor that the user does not see visible, and returns it.
    pub fn publish(&mut self) -> Option<&ReceiveDescriptor> {
        let descriptor = self.descriptors.get(self.visible)?;
        self.visible += 1;
        Some(descriptor)
    }

    /// Returns how many descriptors the user sees and has not taken.
    #[must_use]
    pub fn visible(&self) -> usize {
        self.visible
    }

    /// Returns the oldest visible descriptor.
    #[must_use]
    pub fn first(&self) -> Option<&ReceiveDescriptor> {
        self.descriptors.front().filter(|_| self.visible > 0)
    }

    /// Takes the oldest visible descriptor.
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
