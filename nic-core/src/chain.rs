//! An intrusive singly linked list: a chain of some elements of a slice, which needs no memory of its own.

/// The index of the next element of a [`Chain`]. Each element of the chain's slice holds one link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Link(u32);

impl Link {
    /// Returns the index of the next element of the chain, if there is one.
    #[must_use]
    pub fn following(self) -> Option<u32> {
        (self.0 != END).then_some(self.0)
    }
}

/// Marks the end of a chain, and an empty chain.
const END: u32 = u32::MAX;

impl Default for Link {
    fn default() -> Link {
        Link(END)
    }
}

/// Allows a chain over a slice of bare links.
impl AsMut<Link> for Link {
    fn as_mut(&mut self) -> &mut Link {
        self
    }
}

/// A singly linked list of some elements of a slice, in which each element holds the index of the next. An element may
/// be in at most one chain at a time.
#[derive(Copy, Clone, Debug)]
pub struct Chain {
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
    /// Returns whether the chain is empty.
    pub fn is_empty(&self) -> bool {
        self.first == END
    }

    /// Returns the index of the chain's first element.
    pub fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    /// Returns the index of the chain's last element.
    pub fn last(&self) -> Option<u32> {
        (self.first != END).then_some(self.last)
    }

    /// Appends an element of the slice to the chain.
    pub fn push_back<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        slice[element as usize].as_mut().0 = END;
        match slice.get_mut(self.last as usize) {
            Some(last) => last.as_mut().0 = element,
            None => self.first = element,
        }
        self.last = element;
    }

    /// Inserts an element of the slice at the front of the chain.
    pub fn push_front<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        slice[element as usize].as_mut().0 = self.first;
        if self.first == END {
            self.last = element;
        }
        self.first = element;
    }

    /// Removes the first element of the chain and returns its index.
    pub fn pop_front<T: AsMut<Link>>(&mut self, slice: &mut [T]) -> Option<u32> {
        let first = self.first;
        let Link(next) = *slice.get_mut(first as usize)?.as_mut();
        self.first = next;
        if next == END {
            self.last = END;
        }
        Some(first)
    }

    /// Removes an element from the chain, or does nothing if the chain does not hold the element. The search for the
    /// element follows the chain from its front.
    pub fn remove<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
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

/// A list like a [`Chain`] whose elements come and go at the front alone, in half the memory.
#[derive(Copy, Clone, Debug)]
pub struct Stack {
    first: u32,
}

impl Default for Stack {
    fn default() -> Stack {
        Stack { first: END }
    }
}

impl Stack {
    /// Returns the index of the newest element.
    pub fn first(&self) -> Option<u32> {
        (self.first != END).then_some(self.first)
    }

    /// Adds an element of the slice.
    pub fn push<T: AsMut<Link>>(&mut self, slice: &mut [T], element: u32) {
        slice[element as usize].as_mut().0 = self.first;
        self.first = element;
    }

    /// Removes the newest element and returns its index.
    pub fn pop<T: AsMut<Link>>(&mut self, slice: &mut [T]) -> Option<u32> {
        let first = self.first;
        let Link(next) = *slice.get_mut(first as usize)?.as_mut();
        self.first = next;
        Some(first)
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
    fn newest_element_of_a_stack_comes_first() {
        let mut slice: [Element; 3] = std::array::from_fn(|_| Element(Link::default()));
        let mut stack = Stack::default();
        assert_eq!((stack.first(), stack.pop(&mut slice)), (None, None));
        for element in [1, 0, 2] {
            stack.push(&mut slice, element);
        }
        assert_eq!(stack.pop(&mut slice), Some(2));
        stack.push(&mut slice, 2);
        assert_eq!(stack.first(), Some(2));
        let order: Vec<u32> = std::iter::from_fn(|| stack.pop(&mut slice)).collect();
        assert_eq!(order, [2, 0, 1]);
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
        // The removed elements are in the middle, at the end, at the front, and in another chain.
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
}
