//! Completion queues, from which a process learns which of its VIs completed a descriptor (S5-05).

use crate::id::EndpointId;
use crate::storage::{DESCRIPTORS_MAX, Queue, Storage};

/// The side of a VI: the work queue to which a descriptor belongs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The send queue.
    Send,
    /// The receive queue.
    Receive,
}

impl Side {
    /// Returns the word that the trace shows for the work queue.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Side::Send => "send",
            Side::Receive => "receive",
        }
    }
}

/// An entry of a completion queue: the VI and the side that completed a descriptor. The user finds the completed
/// descriptor itself in the work queue that the entry names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The VI.
    pub vi: EndpointId,
    /// The work queue.
    pub side: Side,
}

/// A completion queue.
///
/// Each work queue that reports to a completion queue reserves room for all its descriptors, so an entry always finds
/// room.
#[derive(Clone, Debug)]
pub struct CompletionQueue<S: Storage> {
    entries: S::Queue<Completed, DESCRIPTORS_MAX>,
    capacity: u32,
    reserved: u32,
}

/// The error of a completion queue without room for all descriptors of a work queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a completion queue of at least {needed} entries, found {capacity}")]
pub struct TooSmall {
    /// Number of entries that the work queues need.
    pub needed: u64,
    /// Number of entries that the completion queue has.
    pub capacity: u32,
}

impl<S: Storage> CompletionQueue<S> {
    /// Returns a completion queue of `capacity` entries. Without an allocator, the queue has at most
    /// [`DESCRIPTORS_MAX`] entries.
    #[must_use]
    pub fn new(capacity: u32) -> CompletionQueue<S> {
        CompletionQueue {
            entries: S::Queue::default(),
            capacity: S::capacity::<DESCRIPTORS_MAX>(capacity),
            reserved: 0,
        }
    }

    /// Reserves room for a work queue in which at most `descriptors` are completed and not taken.
    ///
    /// # Errors
    ///
    /// Returns [`TooSmall`] if the completion queue has no room for the descriptors.
    pub fn attach(&mut self, descriptors: u32) -> Result<(), TooSmall> {
        let needed = u64::from(self.reserved) + u64::from(descriptors);
        match u32::try_from(needed) {
            Ok(reserved) if reserved <= self.capacity => {
                self.reserved = reserved;
                Ok(())
            }
            _ => Err(TooSmall {
                needed,
                capacity: self.capacity,
            }),
        }
    }

    /// Appends an entry. Returns false if the queue is full, which cannot happen for work queues that have reserved
    /// room.
    #[must_use]
    pub fn push(&mut self, completed: Completed) -> bool {
        self.entries.len() < self.capacity as usize && self.entries.push_back(completed)
    }

    /// Takes the oldest entry.
    pub fn take(&mut self) -> Option<Completed> {
        self.entries.pop_front()
    }

    /// Returns the number of entries that wait for the user.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether no entry waits for the user.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    #[test]
    fn a_queue_has_room_for_all_descriptors_or_is_refused() {
        let mut queue = CompletionQueue::<Fixed>::new(3);
        queue.attach(2).unwrap();
        assert_eq!(
            queue.attach(2).unwrap_err().to_string(),
            "expected a completion queue of at least 4 entries, found 3"
        );
        queue.attach(1).unwrap();
        let huge = queue.attach(u32::MAX).unwrap_err();
        assert_eq!(huge.needed, u64::from(u32::MAX) + 3);
    }

    #[test]
    fn entries_say_which_vi_and_which_side_in_order() {
        let mut queue = CompletionQueue::<Fixed>::new(2);
        let entries = [(1, Side::Send), (0, Side::Receive)].map(|(vi, side)| Completed {
            vi: EndpointId(vi),
            side,
        });
        assert_eq!(entries.map(|entry| queue.push(entry)), [true, true]);
        assert!(!queue.push(entries[0]), "it is full");
        assert_eq!(queue.len(), 2);
        assert_eq!([queue.take(), queue.take()], entries.map(Some));
        assert_eq!(queue.take(), None);
    }
}
