//! A list that grows in memory that the caller of the linker lends.

/// A list whose elements are at the beginning of lent memory.
///
/// The lent memory may have any contents, such as leftovers of another class. The list gives no access to memory after
/// its last element, so a linked program depends on its class alone.
pub(crate) struct SliceVec<'p, T> {
    memory: &'p mut [T],
    count: usize,
}

impl<'p, T: Copy> SliceVec<'p, T> {
    /// Makes an empty list.
    pub(crate) const fn new(memory: &'p mut [T]) -> Self {
        Self { memory, count: 0 }
    }

    /// Returns the count of elements of the list.
    #[inline]
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Adds an element. Returns false if the lent memory is full.
    #[inline]
    #[must_use]
    pub(super) fn push(&mut self, element: T) -> bool {
        let Some(place) = self.memory.get_mut(self.count) else {
            return false;
        };
        *place = element;
        // The count is at most the length of a slice, so it cannot wrap.
        self.count = self.count.wrapping_add(1);
        true
    }

    /// Removes the last element.
    pub(super) const fn pop(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Returns an element.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<T> {
        self.as_slice().get(at).copied()
    }

    /// Returns a mutable reference to an element.
    #[inline]
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.from(0).get_mut(at)
    }

    /// Returns a mutable reference to the last element.
    #[inline]
    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        // The memory is indexed directly, because cutting the memory to the list's length first would take a second
        // bounds check.
        let last = self.count.checked_sub(1)?;
        self.memory.get_mut(last)
    }

    /// Returns all elements.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        self.memory.get(..self.count).unwrap_or_default()
    }

    /// Returns the elements from the one at `first` on, as a mutable slice.
    #[inline]
    pub(super) fn from(&mut self, first: usize) -> &mut [T] {
        let laid = self.memory.get_mut(..self.count).unwrap_or_default();
        laid.get_mut(first..).unwrap_or_default()
    }

    /// Returns all elements of the list, for as long as the memory is lent.
    pub(super) fn into_slice(self) -> &'p [T] {
        self.memory.get(..self.count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_not_yet_pushed_cannot_be_read() {
        let mut memory = [7; 3];
        let mut laid = SliceVec::new(&mut memory);
        assert_eq!((laid.get(0), laid.last_mut()), (None, None));
        assert!(laid.push(1) && laid.push(2));
        assert_eq!((laid.get(1), laid.get(2)), (Some(2), None));
        laid.pop();
        assert_eq!((laid.get(1), laid.last_mut()), (None, Some(&mut 1)));
        assert_eq!(laid.get_mut(1), None);
        assert!(laid.from(1).is_empty() && laid.from(2).is_empty());
        assert!(laid.push(3) && laid.push(4) && !laid.push(5));
        assert_eq!(laid.as_slice(), [1, 3, 4]);
        assert_eq!(laid.into_slice(), [1, 3, 4]);
    }
}
