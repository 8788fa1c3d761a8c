//! How queues and lists store their elements: in arrays of fixed size, or in memory that grows.

use core::fmt::Debug;
use core::ops::{Deref, DerefMut};

/// Maximum number of free buffers that an endpoint has without an allocator.
///
/// Each costs 8 bytes. The maximum is chosen by JIVE: it suffices for two messages that each need the most buffers of a
/// descriptor, and some more.
pub const FREE_BUFFERS_MAX: usize = 32;

/// Maximum number of descriptors that a queue of an endpoint has without an allocator.
///
/// Each descriptor costs up to 104 bytes. The maximum is chosen by JIVE: a NIC that handles one message at a time has
/// fewer descriptors under way.
pub const DESCRIPTORS_MAX: usize = 8;

/// Maximum number of channels that an endpoint has without an allocator.
///
/// Each costs 16 bytes. Chosen.
pub const CHANNELS_MAX: usize = 8;

/// A way to store the elements of queues and lists. `N` is the capacity of a queue or list if the storage has a fixed
/// size.
pub trait Storage: Copy + Debug + 'static {
    /// A queue of elements.
    type Queue<T: Clone + Debug, const N: usize>: Queue<T>;
    /// A list of elements.
    type List<T: Clone + Debug, const N: usize>: List<T>;

    /// Returns the capacity that a queue gets if the scenario wants `wanted` places.
    #[must_use]
    fn capacity<const N: usize>(wanted: u32) -> u32;
}

/// A queue whose elements are stored by a [`Storage`].
pub trait Queue<T>: Clone + Debug + Default {
    /// Returns the number of elements in the queue.
    fn len(&self) -> usize;

    /// Returns whether the queue is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the last element.
    fn back_mut(&mut self) -> Option<&mut T>;

    /// Returns the first element.
    fn front(&self) -> Option<&T>;

    /// Returns the element of the queue at a position.
    fn get(&self, index: usize) -> Option<&T>;

    /// Returns the element of the queue at a position, mutably.
    fn get_mut(&mut self, index: usize) -> Option<&mut T>;

    /// Removes and returns the first element of the queue.
    fn pop_front(&mut self) -> Option<T>;

    /// Appends an element to the queue, or returns false if the queue is full.
    fn push_back(&mut self, element: T) -> bool;
}

/// A list whose elements are stored by a [`Storage`].
pub trait List<T>: Clone + Debug + Default + Deref<Target = [T]> + DerefMut {
    /// Appends an element to the list, or returns false if the list is full.
    fn push(&mut self, element: T) -> bool;

    /// Removes and returns the last element of the list.
    fn pop(&mut self) -> Option<T>;
}

/// The storage in arrays of fixed size, for NICs without an allocator.
#[derive(Copy, Clone, Debug)]
pub enum Fixed {}

impl Storage for Fixed {
    type Queue<T: Clone + Debug, const N: usize> = heapless::Deque<T, N>;
    type List<T: Clone + Debug, const N: usize> = heapless::Vec<T, N>;

    fn capacity<const N: usize>(wanted: u32) -> u32 {
        u32::try_from(N).map_or(wanted, |most| wanted.min(most))
    }
}

impl<T: Clone + Debug, const N: usize> Queue<T> for heapless::Deque<T, N> {
    fn len(&self) -> usize {
        self.len()
    }

    fn back_mut(&mut self) -> Option<&mut T> {
        self.back_mut()
    }

    fn front(&self) -> Option<&T> {
        self.front()
    }

    fn get(&self, index: usize) -> Option<&T> {
        self.get(index)
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.get_mut(index)
    }

    fn pop_front(&mut self) -> Option<T> {
        self.pop_front()
    }

    fn push_back(&mut self, element: T) -> bool {
        self.push_back(element).is_ok()
    }
}

impl<T: Clone + Debug, const N: usize> List<T> for heapless::Vec<T, N> {
    fn push(&mut self, element: T) -> bool {
        self.push(element).is_ok()
    }

    fn pop(&mut self) -> Option<T> {
        self.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_added_to_what_is_full() {
        let mut queue = <Fixed as Storage>::Queue::<u8, 2>::default();
        let queued = [1, 2, 3].map(|element| Queue::push_back(&mut queue, element));
        assert_eq!(queued, [true, true, false]);
        assert_eq!(
            [0, 1, 2].map(|at| Queue::get(&queue, at)),
            [Some(&1), Some(&2), None]
        );
        let mut list = <Fixed as Storage>::List::<u8, 2>::default();
        let listed = [1, 2, 3].map(|element| List::push(&mut list, element));
        assert_eq!(listed, [true, true, false]);
        assert_eq!(list[..], [1, 2]);
        assert_eq!([1, 2, 3].map(Fixed::capacity::<2>), [1, 2, 2]);
    }

    #[test]
    fn a_queue_takes_at_its_end_and_gives_at_its_front() {
        let mut queue = <Fixed as Storage>::Queue::<u8, 4>::default();
        assert!([1, 2, 3].map(|element| Queue::push_back(&mut queue, element)) == [true; 3]);
        assert_eq!(
            (
                Queue::len(&queue),
                Queue::front(&queue),
                Queue::get(&queue, 2)
            ),
            (3, Some(&1), Some(&3))
        );
        assert_eq!(Queue::pop_front(&mut queue), Some(1));
        assert_eq!(Queue::get_mut(&mut queue, 1), Some(&mut 3));
        assert_eq!(Queue::get_mut(&mut queue, 2), None);
    }
}
