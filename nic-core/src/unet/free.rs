//! The free queue: an endpoint's free buffers, and the current holder of each.
//!
//! Each free buffer has one holder: the queue, the NIC or the user. The NIC holds buffers that it has popped and that
//! no descriptor names yet. The user holds buffers that a descriptor names, until the user puts them back. Every
//! operation on the free queue checks the holder of a buffer and moves the buffer to the next holder. A buffer
//! therefore cannot be freed twice or handed out twice.

use crate::chain::{Chain, Link};
use crate::storage::{FREE_BUFFERS_MAX, List, Storage};

/// The free queue of an endpoint. The endpoint's free buffers lie at offsets 0, L, 2L, … of its buffer area.
#[derive(Clone, Debug)]
pub struct FreeQueue<S: Storage> {
    buffer_length: u32,
    // The number of buffers in the queue, in 32 bits, so that an idle endpoint needs little memory.
    free: u32,
    buffers: S::List<Buffer, FREE_BUFFERS_MAX>,
    queue: Chain,
    // The buffers that the running call has popped and that no descriptor names, newest first.
    popped: Chain,
}

/// A function that inserts a buffer at one end of the queue.
type Put = fn(&mut Chain, &mut [Buffer], u32);

#[derive(Copy, Clone, Debug)]
struct Buffer {
    holder: Holder,
    // The link to the next buffer in `queue` or `popped`.
    link: Link,
}

impl AsMut<Link> for Buffer {
    fn as_mut(&mut self) -> &mut Link {
        &mut self.link
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Holder {
    Queue,
    // A packet that the NIC has received into the buffer, and that no call handles yet.
    Packet,
    Nic,
    User,
}

impl<S: Storage> FreeQueue<S> {
    /// Returns a free queue of `count` buffers of `buffer_length` bytes, in order of offset. Without an allocator, the
    /// queue has at most [`FREE_BUFFERS_MAX`] buffers.
    #[must_use]
    pub fn new(count: u32, buffer_length: u32) -> FreeQueue<S> {
        let mut buffers = S::List::<Buffer, FREE_BUFFERS_MAX>::default();
        let mut queue = Chain::default();
        let mut free = 0;
        for buffer in 0..count {
            let element = Buffer {
                holder: Holder::Queue,
                link: Link::default(),
            };
            if !buffers.push(element) {
                break;
            }
            queue.push_back(&mut buffers, buffer);
            free += 1;
        }
        FreeQueue {
            buffer_length,
            free,
            buffers,
            queue,
            popped: Chain::default(),
        }
    }

    /// Returns the length of each free buffer in bytes.
    #[must_use]
    pub fn buffer_length(&self) -> u32 {
        self.buffer_length
    }

    /// Returns the number of buffers in the free queue.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free as usize
    }

    /// Returns whether the queue is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.free == 0
    }

    /// Returns the offset of the buffer that [`FreeQueue::pop`] would return.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        let first = self.queue.first()?;
        let buffer = self.buffers.get(first as usize)?;
        (buffer.holder == Holder::Queue).then(|| first * self.buffer_length)
    }

    /// Returns the offsets of the buffers in the queue, in the order in which [`FreeQueue::pop`] would return them.
    pub fn queued(&self) -> impl Iterator<Item = u32> {
        let next = |&buffer: &u32| self.buffers.get(buffer as usize)?.link.following();
        let buffers = core::iter::successors(self.queue.first(), next);
        buffers.map(|buffer| buffer * self.buffer_length)
    }

    /// Returns the number of free buffers that the endpoint has, whatever their holders.
    #[must_use]
    pub fn count(&self) -> usize {
        self.buffers.len()
    }

    /// Pops the first buffer of the queue for the NIC, and returns the buffer's offset.
    pub fn pop(&mut self) -> Option<u32> {
        let buffer = self.queue.pop_front(&mut self.buffers)?;
        self.free -= 1;
        self.buffers[buffer as usize].holder = Holder::Nic;
        self.popped.push_front(&mut self.buffers, buffer);
        Some(buffer * self.buffer_length)
    }

    /// Takes the first buffer of the queue for a packet that the NIC receives into it, and returns the buffer's offset.
    /// Until [`FreeQueue::adopt`] no descriptor can name the buffer: it is the packet's, whatever other calls name.
    pub fn take(&mut self) -> Option<u32> {
        let buffer = self.queue.pop_front(&mut self.buffers)?;
        self.free -= 1;
        self.buffers[buffer as usize].holder = Holder::Packet;
        Some(buffer * self.buffer_length)
    }

    /// Passes a buffer that [`FreeQueue::take`] has returned to the NIC, because a call or the base path handles the packet
    /// in it. The end of no call gives the buffer back, as it gives popped buffers back.
    pub fn adopt(&mut self, offset: u32) {
        if let Some(buffer) = self.buffer_at(offset)
            && self.buffers[buffer as usize].holder == Holder::Packet
        {
            self.buffers[buffer as usize].holder = Holder::Nic;
        }
    }

    /// Returns whether the NIC holds the buffer at `offset`.
    #[must_use]
    pub fn is_with_nic(&self, offset: u32) -> bool {
        let buffer = self.buffer_at(offset);
        buffer.is_some_and(|buffer| self.buffers[buffer as usize].holder == Holder::Nic)
    }

    /// Puts a buffer that [`FreeQueue::take`] has returned at the front of the queue, because nobody needs the packet in
    /// it. Returns false if neither the packet nor the NIC holds the buffer.
    pub fn give_back(&mut self, offset: u32) -> bool {
        let Some(buffer) = self.buffer_at(offset) else {
            return false;
        };
        let holder = &mut self.buffers[buffer as usize].holder;
        match holder {
            Holder::Packet | Holder::Nic => *holder = Holder::Queue,
            Holder::Queue | Holder::User => return false,
        }
        self.queue.push_front(&mut self.buffers, buffer);
        self.free += 1;
        true
    }

    /// Passes the buffer at `offset` from the NIC to the user, or returns false if the NIC holds no buffer there.
    pub fn name(&mut self, offset: u32) -> bool {
        let Some(buffer) = self.buffer_at(offset) else {
            return false;
        };
        if self.buffers[buffer as usize].holder != Holder::Nic {
            return false;
        }
        self.buffers[buffer as usize].holder = Holder::User;
        // The removal is usually cheap, because calls usually name first the buffer that they popped last. A buffer
        // that an earlier call popped is not in the chain `popped`, so `remove` does nothing for it.
        self.popped.remove(&mut self.buffers, buffer);
        true
    }

    /// Appends the user's buffer at `offset` to the queue, or returns false if the user does not hold that buffer.
    pub fn put_back(&mut self, offset: u32) -> bool {
        self.release(offset, Chain::push_back)
    }

    /// Puts the user's buffer at `offset` at the front of the queue, or returns false if the user does not hold that
    /// buffer.
    pub fn put_first(&mut self, offset: u32) -> bool {
        self.release(offset, Chain::push_front)
    }

    /// Ends a call that returns: the NIC keeps the popped buffers that the call did not name.
    pub fn keep_popped(&mut self) {
        self.popped = Chain::default();
    }

    /// Ends a call that traps: the popped buffers that it did not name return to the front of the queue, in their
    /// order.
    pub fn return_popped(&mut self) {
        while let Some(buffer) = self.popped.pop_front(&mut self.buffers) {
            self.buffers[buffer as usize].holder = Holder::Queue;
            self.queue.push_front(&mut self.buffers, buffer);
            self.free += 1;
        }
    }

    fn release(&mut self, offset: u32, put: Put) -> bool {
        let Some(buffer) = self.buffer_at(offset) else {
            return false;
        };
        if self.buffers[buffer as usize].holder != Holder::User {
            return false;
        }
        self.buffers[buffer as usize].holder = Holder::Queue;
        put(&mut self.queue, &mut self.buffers, buffer);
        self.free += 1;
        true
    }

    fn buffer_at(&self, offset: u32) -> Option<u32> {
        let buffer = offset.checked_div(self.buffer_length)?;
        let starts_there = offset.is_multiple_of(self.buffer_length);
        (starts_there && (buffer as usize) < self.buffers.len()).then_some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    fn drain(queue: &mut FreeQueue<Fixed>) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn a_trap_returns_what_it_popped_to_the_front_in_order() {
        let mut queue = FreeQueue::<Fixed>::new(4, 100);
        assert_eq!(queue.pop(), Some(0));
        queue.keep_popped();
        assert_eq!([queue.pop(), queue.pop()], [Some(100), Some(200)]);
        queue.return_popped();
        // An earlier call popped the buffer at offset 0, so the NIC keeps that buffer.
        assert_eq!(drain(&mut queue), [100, 200, 300]);
        assert!(queue.name(0));
    }

    #[test]
    fn a_taken_buffer_belongs_to_no_call() {
        let mut queue = FreeQueue::<Fixed>::new(3, 100);
        assert_eq!(queue.take(), Some(0));
        assert_eq!(queue.pop(), Some(100));
        queue.return_popped();
        assert_eq!(queue.first(), Some(100));
        assert!(!queue.name(0), "it is the packet's");
        assert!(queue.give_back(0));
        assert!(!queue.give_back(0), "it is in the queue");
        assert_eq!(queue.take(), Some(0));
        assert!(!queue.is_with_nic(0));
        queue.adopt(0);
        assert!(queue.is_with_nic(0) && queue.name(0));
        assert!(!queue.give_back(0), "the user has it");
        assert_eq!(drain(&mut queue), [100, 200]);
    }

    #[test]
    fn a_trap_does_not_return_what_was_named() {
        let mut queue = FreeQueue::<Fixed>::new(3, 100);
        drain(&mut queue);
        assert!(queue.name(100));
        queue.return_popped();
        assert_eq!(drain(&mut queue), [0, 200]);
    }

    #[test]
    fn only_popped_buffers_are_named_once_by_exact_offset() {
        let mut queue = FreeQueue::<Fixed>::new(2, 100);
        assert!(!queue.name(0), "still in the queue");
        queue.pop();
        assert!(!queue.name(50), "inside of it");
        assert!(!queue.name(100), "another one");
        assert!(!queue.name(200), "past the last");
        assert!(queue.name(0));
        assert!(!queue.name(0), "named already");
    }

    #[test]
    fn a_buffer_is_put_back_once_by_its_receiver() {
        let mut queue = FreeQueue::<Fixed>::new(2, 100);
        assert!(!queue.put_back(0), "still in the queue");
        queue.pop();
        assert!(!queue.put_back(0), "with the NIC");
        queue.name(0);
        assert!(queue.put_back(0));
        assert!(!queue.put_back(0));
        assert_eq!(queue.first(), Some(100));
        assert_eq!(drain(&mut queue), [100, 0]);
        assert_eq!(queue.first(), None);
    }

    #[test]
    fn no_buffers_and_no_length_are_fine() {
        let mut queue = FreeQueue::<Fixed>::new(0, 0);
        assert_eq!(queue.pop(), None);
        assert!(!queue.name(0) && !queue.put_back(0));
    }
}
