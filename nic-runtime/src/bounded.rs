//! Queues and lists of endpoints: of any length where there is an allocator (feature `std`), up to a
//! fixed one where there is none.

use core::ops::{Deref, DerefMut};
#[cfg(feature = "std")]
use std::collections::VecDeque;

/// Free buffers of one endpoint where there is no allocator.
///
/// Each costs 8 bytes. Enough for two messages of as many buffers as a descriptor names.
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

    /// Returns the last element.
    pub(crate) fn back_mut(&mut self) -> Option<&mut T> {
        self.elements.back_mut()
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
        let first = self.elements.pop_front();
        if self.elements.is_empty() {
            // The next element takes the same place again, which is in the processor's cache still.
            self.elements.clear();
        }
        first
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

/// What an element says of its place in a [`Chain`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link(u32);

/// The end of a chain, and of one that is empty.
const END: u32 = u32::MAX;

impl Default for Link {
    fn default() -> Link {
        Link(END)
    }
}

/// An order of some elements of a slice, each of which names the next one: it needs no memory of its
/// own. An element is in one chain of its slice at most.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain {
            first: END,
            last: END,
        }
    }
}

impl Chain {
    /// Returns whether no element is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.first == END
    }

    /// Returns the first element.
    pub(crate) fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    /// Adds an element of the slice at the end.
    pub(crate) fn push_back<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        slice[element as usize].as_mut().0 = END;
        match slice.get_mut(self.last as usize) {
            Some(last) => last.as_mut().0 = element,
            None => self.first = element,
        }
        self.last = element;
    }

    /// Adds an element of the slice in front of the first.
    pub(crate) fn push_front<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        slice[element as usize].as_mut().0 = self.first;
        if self.first == END {
            self.last = element;
        }
        self.first = element;
    }

    /// Removes and returns the first element.
    pub(crate) fn pop_front<T: AsMut<Link>>(&mut self, slice: &mut [T]) -> Option<u32> {
        let first = self.first;
        let Link(next) = *slice.get_mut(first as usize)?.as_mut();
        self.first = next;
        if next == END {
            self.last = END;
        }
        Some(first)
    }

    /// Removes an element, at a cost that grows with how many are in front of it; nothing happens where
    /// it is not in the chain.
    pub(crate) fn remove<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        let (mut before, mut here) = (END, self.first);
        while here != element {
            let Some(other) = slice.get_mut(here as usize) else {
                return;
            };
            before = here;
            here = other.as_mut().0;
        }
        let Some(removed) = slice.get_mut(here as usize) else {
            return;
        };
        let Link(next) = *removed.as_mut();
        match slice.get_mut(before as usize) {
            Some(before) => before.as_mut().0 = next,
            None => self.first = next,
        }
        if next == END {
            self.last = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Element(Link);

    impl AsMut<Link> for Element {
        fn as_mut(&mut self) -> &mut Link {
            &mut self.0
        }
    }

    #[test]
    fn chains_of_one_slice_keep_their_order() {
        let mut slice: [Element; 6] = std::array::from_fn(|_| Element(Link::default()));
        let (mut chain, mut other) = (Chain::default(), Chain::default());
        for element in [1, 2, 3, 5] {
            chain.push_back(&mut slice, element);
        }
        chain.push_front(&mut slice, 0);
        other.push_front(&mut slice, 4);
        // The middle, the end, the front, and what is not there.
        for element in [2, 5, 0, 4] {
            chain.remove(&mut slice, element);
        }
        chain.push_back(&mut slice, 2);
        let order: Vec<u32> = std::iter::from_fn(|| chain.pop_front(&mut slice)).collect();
        assert_eq!(order, [1, 3, 2]);
        assert!(chain.is_empty() && !other.is_empty());
        assert_eq!(other.pop_front(&mut slice), Some(4));
        chain.push_back(&mut slice, 5);
        chain.remove(&mut slice, 5);
        assert_eq!(chain.pop_front(&mut slice), None);
    }

    #[test]
    fn a_queue_takes_at_its_end_and_reads_in_one_piece() {
        let mut queue = Queue::<u8, 4>::new();
        assert!(queue.push_back(1) && queue.push_back(2) && queue.push_back(3));
        assert_eq!(
            (queue.len(), queue.front(), queue.get(2)),
            (3, Some(&1), Some(&3))
        );
        assert_eq!(queue.as_mut_slice(), [1, 2, 3]);
        assert_eq!(queue.pop_front(), Some(1));
        assert_eq!(queue.len(), 2);
    }

    #[cfg(not(feature = "std"))]
    #[test]
    fn without_an_allocator_nothing_is_added_to_what_is_full() {
        let mut queue = Queue::<u8, 2>::new();
        let queued = [1, 2, 3].map(|element| queue.push_back(element));
        assert_eq!(queued, [true, true, false]);
        assert_eq!(queue.as_mut_slice(), [1, 2]);
        let mut list = List::<u8, 2>::new();
        let listed = [1, 2, 3].map(|element| list.push(element));
        assert_eq!(listed, [true, true, false]);
        assert_eq!(list[..], [1, 2]);
        assert_eq!([1, 2, 3].map(Queue::<u8, 2>::capacity), [1, 2, 2]);
    }

    #[test]
    fn a_list_grows_at_its_end() {
        let mut list = List::<u8, 4>::new();
        assert!(list.push(1) && list.push(2));
        list[0] = 3;
        assert_eq!(list[..], [3, 2]);
    }
}
