//! Queues and lists of endpoints: of any length where there is an allocator (feature `std`), up to a
//! fixed one where there is none.

use core::ops::{Deref, DerefMut};
#[cfg(feature = "std")]
use std::collections::VecDeque;

/// Free buffers of one endpoint where there is no allocator.
///
/// Each costs 9 bytes. Enough for two messages of as many buffers as a descriptor names.
pub const FREE_BUFFERS_MAX: usize = 32;

/// Descriptors in one queue of an endpoint where there is no allocator.
///
/// Each costs up to 104 bytes. Chosen: more than one NIC has under way that handles a message at a time.
pub const DESCRIPTORS_MAX: usize = 8;

/// Channels of one endpoint where there is no allocator.
///
/// Each costs 16 bytes. Chosen.
pub const CHANNELS_MAX: usize = 8;

/// A queue; without an allocator of up to `N` elements.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T, const N: usize> {
    #[cfg(feature = "std")]
    elements: VecDeque<T>,
    #[cfg(not(feature = "std"))]
    elements: heapless::Deque<T, N>,
}

impl<T, const N: usize> Queue<T, N> {
    /// Returns how many elements a queue may hold of which `wanted` are wanted.
    pub(crate) const fn capacity(wanted: u32) -> usize {
        let wanted = wanted as usize;
        if cfg!(feature = "std") || wanted < N {
            wanted
        } else {
            N
        }
    }

    /// Returns an empty queue.
    pub(crate) const fn new() -> Queue<T, N> {
        Queue {
            #[cfg(feature = "std")]
            elements: VecDeque::new(),
            #[cfg(not(feature = "std"))]
            elements: heapless::Deque::new(),
        }
    }

    /// Returns how many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the first element.
    pub(crate) fn front(&self) -> Option<&T> {
        self.elements.front()
    }

    /// Returns the element at a position.
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.elements.get(index)
    }

    /// Returns all elements in one piece.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements.make_contiguous()
    }

    /// Removes and returns the first element.
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        self.elements.pop_front()
    }

    /// Adds an element at the end; says whether there was room.
    pub(crate) fn push_back(&mut self, element: T) -> bool {
        #[cfg(feature = "std")]
        self.elements.push_back(element);
        #[cfg(not(feature = "std"))]
        if self.elements.push_back(element).is_err() {
            return false;
        }
        true
    }

    /// Adds an element in front of the first; says whether there was room.
    pub(crate) fn push_front(&mut self, element: T) -> bool {
        #[cfg(feature = "std")]
        self.elements.push_front(element);
        #[cfg(not(feature = "std"))]
        if self.elements.push_front(element).is_err() {
            return false;
        }
        true
    }
}

/// A list; without an allocator of up to `N` elements.
#[derive(Clone, Debug)]
pub(crate) struct List<T, const N: usize> {
    #[cfg(feature = "std")]
    elements: Vec<T>,
    #[cfg(not(feature = "std"))]
    elements: heapless::Vec<T, N>,
}

impl<T, const N: usize> List<T, N> {
    /// Returns an empty list.
    pub(crate) const fn new() -> List<T, N> {
        List {
            #[cfg(feature = "std")]
            elements: Vec::new(),
            #[cfg(not(feature = "std"))]
            elements: heapless::Vec::new(),
        }
    }

    /// Adds an element at the end; says whether there was room.
    pub(crate) fn push(&mut self, element: T) -> bool {
        #[cfg(feature = "std")]
        self.elements.push(element);
        #[cfg(not(feature = "std"))]
        if self.elements.push(element).is_err() {
            return false;
        }
        true
    }

    /// Removes and returns the last element.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.elements.pop()
    }

    /// Removes the element at a position, which there is.
    pub(crate) fn remove(&mut self, index: usize) {
        self.elements.remove(index);
    }

    /// Removes all elements.
    pub(crate) fn clear(&mut self) {
        self.elements.clear();
    }
}

impl<T, const N: usize> Default for List<T, N> {
    fn default() -> List<T, N> {
        List::new()
    }
}

impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T, const N: usize> DerefMut for List<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_takes_at_both_ends_and_reads_in_one_piece() {
        let mut queue = Queue::<u8, 4>::new();
        assert!(queue.push_back(2) && queue.push_back(3) && queue.push_front(1));
        assert_eq!(
            (queue.len(), queue.front(), queue.get(2)),
            (3, Some(&1), Some(&3))
        );
        assert_eq!(queue.as_mut_slice(), [1, 2, 3]);
        assert_eq!(queue.pop_front(), Some(1));
        assert!(!queue.is_empty());
    }

    #[test]
    fn a_list_removes_from_its_middle() {
        let mut list = List::<u8, 4>::new();
        assert!(list.push(1) && list.push(2) && list.push(3));
        list.remove(1);
        assert_eq!(list[..], [1, 3]);
        assert_eq!(list.pop(), Some(3));
        list.clear();
        assert_eq!(list.pop(), None);
    }
}
