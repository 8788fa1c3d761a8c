//! Queues and lists that grow with use, so that an idle endpoint needs little memory.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use nic_core::storage::{List, Queue, Storage};

/// Storage of queues and lists in memory from the allocator.
#[derive(Copy, Clone, Debug)]
pub enum Growing {}

impl Storage for Growing {
    type Queue<T: Clone + Debug, const N: usize> = GrowingQueue<T>;
    type List<T: Clone + Debug, const N: usize> = GrowingList<T>;

    fn capacity<const N: usize>(wanted: u32) -> u32 {
        wanted
    }
}

/// A queue without a fixed capacity.
#[derive(Clone, Debug)]
pub struct GrowingQueue<T>(VecDeque<T>);

impl<T> Default for GrowingQueue<T> {
    fn default() -> GrowingQueue<T> {
        GrowingQueue(VecDeque::new())
    }
}

impl<T: Clone + Debug> Queue<T> for GrowingQueue<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn back_mut(&mut self) -> Option<&mut T> {
        self.0.back_mut()
    }

    fn front(&self) -> Option<&T> {
        self.0.front()
    }

    fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.get_mut(index)
    }

    fn pop_front(&mut self) -> Option<T> {
        let first = self.0.pop_front();
        if self.0.is_empty() {
            // `clear` moves the queue back to the start of its buffer, so the next element uses memory that is still
            // cached.
            self.0.clear();
        }
        first
    }

    fn push_back(&mut self, element: T) -> bool {
        self.0.push_back(element);
        true
    }
}

/// A list without a fixed capacity.
#[derive(Clone, Debug)]
pub struct GrowingList<T>(Vec<T>);

impl<T> Default for GrowingList<T> {
    fn default() -> GrowingList<T> {
        GrowingList(Vec::new())
    }
}

impl<T> Deref for GrowingList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for GrowingList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone + Debug> List<T> for GrowingList<T> {
    fn push(&mut self, element: T) -> bool {
        if self.0.len() == self.0.capacity() {
            // The capacity of a list grows from one element by doubling. A plain `Vec` begins with room for four
            // elements, and most endpoints have one channel.
            self.0.reserve_exact(self.0.len().max(1));
        }
        self.0.push(element);
        true
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }
}

/// The state of a U-Net endpoint that the NIC and the user share.
pub type Endpoint = nic_core::unet::Endpoint<Growing>;

/// The free queue of a U-Net endpoint.
pub type FreeQueue = nic_core::unet::FreeQueue<Growing>;

/// The channel table of a U-Net endpoint.
pub type Channels = nic_core::unet::Channels<Growing>;
