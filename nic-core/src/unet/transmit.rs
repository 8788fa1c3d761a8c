//! The transmit queue: descriptors from the user's push until their completion.
//!
//! A transmit descriptor keeps its entry until it completes, because the completion flag is in the entry (U-Net/SLE
//! §2). Entries of the queue may complete out of order, since the packets of their descriptors may leave on different
//! links. The descriptors of a VI complete in posting order: one that is done before an older one waits for it.

use super::event::TxStatus;
use super::{Full, TransmitDescriptor};
use crate::chain::{Chain, Link, Stack};
use crate::id::PostId;
use crate::storage::{DESCRIPTORS_MAX, List, Storage};

/// The transmit queue of an endpoint.
#[derive(Clone, Debug)]
pub struct TransmitQueue<S: Storage> {
    // The list grows to the most entries ever in use at once, so that an idle endpoint needs little memory.
    entries: S::List<Entry, DESCRIPTORS_MAX>,
    // Counts of descriptors are `u32`, so that an idle endpoint needs little memory.
    // The capacity has the bit `IN_ORDER` besides.
    capacity: u32,
    pending: u32,
    // Number of descriptors that were posted so far.
    number: u32,
    vacant: Stack,
    posted: Chain,
}

/// The bit of a capacity that says that descriptors complete in posting order. An endpoint without descriptors needs no
/// memory for it.
const IN_ORDER: u32 = 1 << 31;

#[derive(Copy, Clone, Debug)]
struct Entry {
    descriptor: TransmitDescriptor,
    // Number of packets of the entry's descriptor that have not left.
    packets: u32,
    // The status of the descriptor, once the NIC has handled it, even if packets still have to leave. A vacant entry has
    // the status of its last descriptor, and no packets.
    ended: Option<TxStatus>,
    // Whether a packet of the entry's descriptor has failed on a reliable interface.
    has_failed: bool,
    // Whether the entry's descriptor is done and waits for an older one to complete.
    is_held: bool,
    // Number of descriptors that were posted before.
    number: u32,
    // The link to the next entry in `vacant` or `posted`.
    link: Link,
}

impl AsMut<Link> for Entry {
    fn as_mut(&mut self) -> &mut Link {
        &mut self.link
    }
}

/// A completed descriptor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The descriptor.
    pub descriptor: TransmitDescriptor,
    /// The completion status.
    pub status: TxStatus,
}

impl<S: Storage> TransmitQueue<S> {
    /// Returns a transmit queue for `capacity` descriptors. Without an allocator, the capacity of the queue is at most
    /// [`DESCRIPTORS_MAX`].
    #[must_use]
    pub fn new(capacity: u32) -> TransmitQueue<S> {
        TransmitQueue {
            entries: S::List::default(),
            capacity: S::capacity::<DESCRIPTORS_MAX>(capacity),
            pending: 0,
            number: 0,
            vacant: Stack::default(),
            posted: Chain::default(),
        }
    }

    /// Makes descriptors complete in posting order. The queue must be new.
    pub fn complete_in_order(&mut self) {
        self.capacity |= IN_ORDER;
    }

    /// Returns whether the queue has room for another descriptor.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.pending < self.capacity & !IN_ORDER
    }

    /// Pushes a descriptor of the user, and returns the descriptor's id.
    ///
    /// # Errors
    ///
    /// Returns the descriptor to the caller if every entry is in use.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn post(
        &mut self,
        descriptor: TransmitDescriptor,
    ) -> Result<PostId, Full<TransmitDescriptor>> {
        if !self.has_room() {
            return Err(Full(descriptor));
        }
        let entry = match self.vacant.pop(&mut self.entries) {
            Some(entry) => entry,
            None => {
                let entry = u32::try_from(self.entries.len()).expect("the capacity is a `u32`");
                self.entries.push(Entry {
                    descriptor,
                    packets: 0,
                    ended: None,
                    has_failed: false,
                    is_held: false,
                    number: 0,
                    link: Link::default(),
                });
                entry
            }
        };
        let taken = &mut self.entries[entry as usize];
        taken.descriptor = descriptor;
        taken.ended = None;
        taken.has_failed = false;
        let number = self.number;
        taken.number = number;
        self.number = number.wrapping_add(1);
        self.posted.push_back(&mut self.entries, entry);
        self.pending += 1;
        Ok(PostId { entry, number })
    }

    /// Returns the id that [`TransmitQueue::post`] would give the next descriptor, or `None` if the descriptor would
    /// take an entry that no descriptor has used yet.
    #[must_use]
    pub fn next_post(&self) -> Option<PostId> {
        let entry = self.vacant.first()?;
        let number = self.number;
        Some(PostId { entry, number })
    }

    /// Returns whether the NIC has taken every descriptor in the queue.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.posted.is_empty()
    }

    /// Returns the oldest descriptor that the NIC has not taken.
    #[must_use]
    pub fn first(&self) -> Option<TransmitDescriptor> {
        let entry = self.posted.first()?;
        Some(self.entries[entry as usize].descriptor)
    }

    /// Returns the descriptor that was posted last, if the NIC has not taken it.
    #[must_use]
    pub fn newest(&self) -> Option<TransmitDescriptor> {
        let entry = self.posted.last()?;
        Some(self.entries[entry as usize].descriptor)
    }

    /// Takes the oldest descriptor that the NIC has not taken yet, for the NIC.
    pub fn take(&mut self) -> Option<(PostId, TransmitDescriptor)> {
        let entry = self.posted.pop_front(&mut self.entries)?;
        let Entry {
            descriptor, number, ..
        } = self.entries[entry as usize];
        Some((PostId { entry, number }, descriptor))
    }

    /// Puts a descriptor, on which the NIC has not acted yet, back at the front of the queue.
    pub fn take_back(&mut self, post: PostId) {
        self.check_number(post);
        self.posted.push_front(&mut self.entries, post.entry);
    }

    /// Returns the number of descriptors in the queue that have not completed.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending as usize
    }

    /// Returns how many descriptors the user has posted, modulo 2³².
    #[must_use]
    pub fn posted(&self) -> u32 {
        self.number
    }

    /// Returns the descriptors that have not completed, in no particular order.
    pub fn outstanding(&self) -> impl Iterator<Item = (PostId, TransmitDescriptor)> {
        let entries = (0u32..).zip(self.entries.iter());
        let entries = entries
            .filter(|(_, entry)| entry.ended.is_none() || entry.packets > 0 || entry.is_held);
        entries.map(|(entry, of)| {
            let number = of.number;
            (PostId { entry, number }, of.descriptor)
        })
    }

    /// Records that a descriptor caused a packet.
    pub fn packet_made(&mut self, post: PostId) {
        self.check_number(post);
        self.entries[post.index()].packets += 1;
    }

    /// Records that a packet of a descriptor has left, and returns the completion if nothing else of the descriptor is
    /// outstanding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn packet_left(&mut self, post: PostId) -> Option<Completion> {
        self.check_number(post);
        self.entries[post.index()].packets -= 1;
        self.complete(post)
    }

    /// Records that a packet of a descriptor will never arrive. A descriptor with a failed packet fails, even if its
    /// status would be `Ok`.
    pub fn packet_failed(&mut self, post: PostId) {
        self.check_number(post);
        self.entries[post.index()].has_failed = true;
    }

    /// Records the status of a descriptor, and returns the completion if none of the descriptor's packets is
    /// outstanding.
    pub fn end(&mut self, post: PostId, status: TxStatus) -> Option<Completion> {
        self.check_number(post);
        self.entries[post.index()].ended = Some(status);
        self.complete(post)
    }

    /// Checks in debug builds that the entry still has the descriptor that the caller means.
    fn check_number(&self, post: PostId) {
        debug_assert_eq!(
            self.entries[post.index()].number,
            post.number,
            "the descriptor has completed, and another has its entry"
        );
    }

    /// Completes the oldest descriptor if it was done before an older one, which has completed since. The caller of
    /// [`TransmitQueue::end`] and [`TransmitQueue::packet_left`] calls this until the result is `None`, if descriptors
    /// complete in posting order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn next_held(&mut self) -> Option<(PostId, Completion)> {
        match self.is_in_order() {
            true => self.next_in_order(),
            false => None,
        }
    }

    #[cold]
    fn next_in_order(&mut self) -> Option<(PostId, Completion)> {
        let number = self.oldest();
        let mut entries = (0u32..).zip(self.entries.iter());
        let (entry, _) = entries.find(|(_, entry)| entry.is_held && entry.number == number)?;
        let post = PostId { entry, number };
        self.complete(post).map(|completion| (post, completion))
    }

    fn is_in_order(&self) -> bool {
        self.capacity & IN_ORDER != 0
    }

    /// Returns the number of the oldest descriptor that has not completed, if descriptors complete in posting order.
    fn oldest(&self) -> u32 {
        self.number.wrapping_sub(self.pending)
    }

    fn complete(&mut self, post: PostId) -> Option<Completion> {
        let Entry {
            descriptor,
            packets,
            ended,
            has_failed,
            ..
        } = self.entries[post.index()];
        let mut status = ended.filter(|_| packets == 0)?;
        if has_failed && status == TxStatus::Ok {
            status = TxStatus::Failed;
        }
        if self.is_in_order() {
            let is_held = post.number != self.oldest();
            self.entries[post.index()].is_held = is_held;
            if is_held {
                return None;
            }
        }
        self.vacant.push(&mut self.entries, post.entry);
        self.pending -= 1;
        Some(Completion { descriptor, status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ChannelId;
    use crate::storage::Fixed;

    fn descriptor(offset: u32) -> TransmitDescriptor {
        TransmitDescriptor {
            channel: ChannelId(1),
            offset,
            length: 5,
        }
    }

    #[test]
    fn what_is_taken_back_is_taken_first() {
        let mut queue = TransmitQueue::<Fixed>::new(3);
        let posts = [0, 8].map(|offset| queue.post(descriptor(offset)).unwrap());
        let (first, _) = queue.take().unwrap();
        queue.take_back(first);
        let third = queue.post(descriptor(16)).unwrap();
        let taken = [(); 3].map(|()| queue.take().unwrap().0);
        assert_eq!(taken, [posts[0], posts[1], third]);
        assert!(queue.is_drained());
    }

    #[test]
    fn a_full_queue_gives_the_descriptor_back() {
        let mut queue = TransmitQueue::<Fixed>::new(1);
        assert_eq!(queue.next_post(), None);
        assert_eq!(
            queue.post(descriptor(0)),
            Ok(PostId {
                entry: 0,
                number: 0
            })
        );
        assert_eq!(queue.post(descriptor(8)), Err(Full(descriptor(8))));
        let (post, taken) = queue.take().unwrap();
        assert_eq!(taken, descriptor(0));
        // The NIC takes a descriptor, which does not complete the descriptor.
        assert!(!queue.has_room());
        assert!(queue.end(post, TxStatus::Ok).is_some());
        // The entry of the completed descriptor is reused with the next number.
        assert_eq!(
            queue.next_post(),
            Some(PostId {
                entry: 0,
                number: 1
            })
        );
        assert_eq!(
            queue.post(descriptor(8)),
            Ok(PostId {
                entry: 0,
                number: 1
            })
        );
    }

    #[test]
    fn what_is_done_early_completes_after_the_older_ones() {
        let mut queue = TransmitQueue::<Fixed>::new(4);
        queue.complete_in_order();
        let posts = [0, 8, 16].map(|offset| queue.post(descriptor(offset)).unwrap());
        while queue.take().is_some() {}
        assert_eq!(queue.end(posts[2], TxStatus::Failed), None);
        assert_eq!(queue.next_held(), None, "two older ones are not done");
        queue.packet_made(posts[1]);
        assert_eq!(queue.end(posts[1], TxStatus::Ok), None);
        assert!(queue.end(posts[0], TxStatus::Ok).is_some());
        assert_eq!(queue.next_held(), None, "a packet has to leave");
        let pending: Vec<u32> = queue.outstanding().map(|(_, of)| of.offset).collect();
        assert_eq!((pending, queue.pending()), (vec![8, 16], 2));
        assert!(queue.packet_left(posts[1]).is_some());
        let (post, completion) = queue.next_held().unwrap();
        assert_eq!((post, completion.status), (posts[2], TxStatus::Failed));
        assert_eq!((queue.next_held(), queue.pending()), (None, 0));
        assert_eq!(queue.outstanding().count(), 0);
    }

    #[test]
    fn descriptor_completes_once_after_its_last_packet() {
        let mut queue = TransmitQueue::<Fixed>::new(2);
        queue.post(descriptor(0)).unwrap();
        queue.post(descriptor(8)).unwrap();
        let (first, _) = queue.take().unwrap();
        let (second, _) = queue.take().unwrap();
        queue.packet_made(first);
        queue.packet_made(first);
        assert_eq!(queue.packet_left(first), None, "doTx runs still");
        assert_eq!(
            queue.end(first, TxStatus::Trap),
            None,
            "a packet has to leave"
        );
        // The second descriptor of the queue completes before the first.
        assert_eq!(
            queue.end(second, TxStatus::Refused),
            Some(Completion {
                descriptor: descriptor(8),
                status: TxStatus::Refused
            })
        );
        assert_eq!(queue.pending(), 1);
        assert_eq!(
            queue.packet_left(first),
            Some(Completion {
                descriptor: descriptor(0),
                status: TxStatus::Trap
            })
        );
        assert_eq!(queue.pending(), 0);
    }
}
