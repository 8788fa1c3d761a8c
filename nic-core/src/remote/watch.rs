//! Watches, which notice writes to a range of a window and put their events into one queue (S5-09, where they are
//! called tripwires).

use super::WindowId;
use crate::storage::{List, Queue, Storage};

/// Maximum number of watches of a node: the entries of CLAN's content-addressed memory (S5-10).
pub const WATCHES_MAX: usize = 4_096;

/// Number of a watch among those of its node.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchId(pub u32);

/// A watched range of a window.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// The window.
    pub window: WindowId,
    /// Offset in the window.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

impl Watch {
    /// Returns whether a write of `length` bytes at `offset` of a window touches the watched range. No write touches an
    /// empty range, and an empty write touches no range.
    #[must_use]
    pub fn meets(&self, window: WindowId, offset: u32, length: u32) -> bool {
        let end = |offset: u32, length: u32| u64::from(offset) + u64::from(length);
        self.window == window
            && length > 0
            && self.length > 0
            && u64::from(offset) < end(self.offset, self.length)
            && u64::from(self.offset) < end(offset, length)
    }
}

/// The error of a watch that cannot be set or found.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// All watches that the node may set are in use.
    #[error("expected one of {WATCHES_MAX} watches to be free")]
    Full,
    /// The node has no watch with this number.
    #[error("expected the number of a watch, found {}", watch.0)]
    Unknown {
        /// The number.
        watch: WatchId,
    },
}

/// The watches of a node.
#[derive(Clone, Debug)]
pub struct Watches<S: Storage> {
    entries: S::List<Option<Watch>, WATCHES_MAX>,
    set: u32,
}

impl<S: Storage> Default for Watches<S> {
    fn default() -> Watches<S> {
        Watches {
            entries: S::List::default(),
            set: 0,
        }
    }
}

impl<S: Storage> Watches<S> {
    /// Sets a watch.
    ///
    /// # Errors
    ///
    /// Returns [`WatchError::Full`] if the node has no free watch.
    pub fn set(&mut self, watch: Watch) -> Result<WatchId, WatchError> {
        if self.set as usize >= WATCHES_MAX {
            return Err(WatchError::Full);
        }
        let free = self.entries.iter().position(Option::is_none);
        let place = match free {
            Some(place) => {
                self.entries[place] = Some(watch);
                place
            }
            None if self.entries.push(Some(watch)) => self.entries.len() - 1,
            None => return Err(WatchError::Full),
        };
        self.set += 1;
        // The number of a watch fits in a `u32`, because the table has at most `WATCHES_MAX` entries.
        Ok(WatchId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// Removes a watch of the node, and returns the watch.
    ///
    /// # Errors
    ///
    /// Returns [`WatchError::Unknown`] if the node has no such watch.
    pub fn remove(&mut self, watch: WatchId) -> Result<Watch, WatchError> {
        let entry = self.entries.get_mut(watch.0 as usize);
        let removed = entry.and_then(Option::take);
        let removed = removed.ok_or(WatchError::Unknown { watch })?;
        self.set -= 1;
        Ok(removed)
    }

    /// Returns a watch by its number.
    #[must_use]
    pub fn get(&self, watch: WatchId) -> Option<Watch> {
        self.entries.get(watch.0 as usize).copied().flatten()
    }

    /// Returns the number of a watch that watches exactly this range.
    #[must_use]
    pub fn find(&self, wanted: Watch) -> Option<WatchId> {
        self.first(|watch| *watch == wanted)
    }

    /// Returns the number of the first watch of a window.
    #[must_use]
    pub fn first_of(&self, window: WindowId) -> Option<WatchId> {
        self.first(|watch| watch.window == window)
    }

    fn first(&self, is_wanted: impl Fn(&Watch) -> bool) -> Option<WatchId> {
        let mut entries = (0u32..).zip(self.entries.iter());
        let found = entries.find(|(_, entry)| entry.as_ref().is_some_and(&is_wanted));
        found.map(|(number, _)| WatchId(number))
    }

    /// Returns the watches that a write touches, in the order of their numbers.
    pub fn met(
        &self,
        window: WindowId,
        offset: u32,
        length: u32,
    ) -> impl Iterator<Item = WatchId> + '_ {
        (0u32..)
            .zip(self.entries.iter())
            .filter_map(move |(number, watch)| {
                let watch = watch.as_ref()?;
                watch
                    .meets(window, offset, length)
                    .then_some(WatchId(number))
            })
    }
}

/// The queue of a node's events. The queue adds no watch twice, so it never overflows, and its user finds each event in
/// constant time.
#[derive(Clone, Debug)]
pub struct EventQueue<S: Storage> {
    events: S::Queue<WatchId, WATCHES_MAX>,
    is_queued: S::List<bool, WATCHES_MAX>,
}

impl<S: Storage> Default for EventQueue<S> {
    fn default() -> EventQueue<S> {
        EventQueue {
            events: S::Queue::default(),
            is_queued: S::List::default(),
        }
    }
}

impl<S: Storage> EventQueue<S> {
    /// Adds the event of a watch to the queue, and returns whether the event was not in the queue before.
    pub fn add(&mut self, watch: WatchId) -> bool {
        let place = watch.0 as usize;
        while self.is_queued.len() <= place {
            if !self.is_queued.push(false) {
                return false;
            }
        }
        if self.is_queued[place] || !self.events.push_back(watch) {
            return false;
        }
        self.is_queued[place] = true;
        true
    }

    /// Takes the oldest event.
    pub fn take(&mut self) -> Option<WatchId> {
        let watch = self.events.pop_front()?;
        self.is_queued[watch.0 as usize] = false;
        Some(watch)
    }

    /// Removes the event of a watch, if it is in the queue.
    pub fn forget(&mut self, watch: WatchId) {
        match self.is_queued.get_mut(watch.0 as usize) {
            Some(is_queued) if *is_queued => *is_queued = false,
            Some(_) | None => return,
        }
        for _ in 0..self.events.len() {
            if let Some(event) = self.events.pop_front()
                && event != watch
            {
                let is_back = self.events.push_back(event);
                debug_assert!(is_back, "it was there before");
            }
        }
    }

    /// Returns whether no event waits in the queue.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    /// Runs a test on a larger stack: the fixed storage for 4,096 watches does not fit on a test's usual stack.
    fn on_a_stack_of_a_mebibyte(test: fn()) {
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(test);
        let joined = thread.expect("a thread").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }

    fn watch(offset: u32, length: u32) -> Watch {
        Watch {
            window: WindowId(1),
            offset,
            length,
        }
    }

    #[test]
    fn a_write_touches_the_watches_that_it_overlaps() {
        on_a_stack_of_a_mebibyte(|| {
            let mut watches = Watches::<Fixed>::default();
            for range in [(0, 4), (4, 4), (8, 0), (u32::MAX, 1)] {
                watches.set(watch(range.0, range.1)).unwrap();
            }
            let met = |window, offset, length| -> Vec<u32> {
                let met = watches.met(WindowId(window), offset, length);
                met.map(|watch| watch.0).collect()
            };
            assert_eq!(met(1, 3, 1), [0]);
            assert_eq!(met(1, 3, 2), [0, 1]);
            assert_eq!(met(1, 0, u32::MAX), [0, 1]);
            assert_eq!(met(1, u32::MAX, u32::MAX), [3]);
            assert_eq!(met(1, 8, 8), []);
            assert_eq!(met(1, 4, 0), [], "an empty write");
            assert_eq!(met(2, 0, 8), [], "another window");
        });
    }

    #[test]
    fn the_4097th_watch_is_refused_until_one_is_removed() {
        on_a_stack_of_a_mebibyte(|| {
            let mut watches = Watches::<Fixed>::default();
            for offset in 0..4_096 {
                assert_eq!(watches.set(watch(offset, 1)), Ok(WatchId(offset)));
            }
            assert_eq!(watches.set(watch(0, 1)), Err(WatchError::Full));
            assert_eq!(watches.remove(WatchId(17)), Ok(watch(17, 1)));
            let unknown = WatchError::Unknown { watch: WatchId(17) };
            assert_eq!(watches.remove(WatchId(17)), Err(unknown));
            assert_eq!(watches.get(WatchId(17)), None);
            assert_eq!(watches.set(watch(9, 9)), Ok(WatchId(17)));
            assert_eq!(watches.get(WatchId(17)), Some(watch(9, 9)));
            assert_eq!(watches.find(watch(9, 9)), Some(WatchId(17)));
            assert_eq!(watches.find(watch(9, 8)), None);
            assert_eq!(watches.first_of(WindowId(1)), Some(WatchId(0)));
            assert_eq!(watches.first_of(WindowId(2)), None);
        });
    }

    #[test]
    fn a_watch_is_in_the_queue_once() {
        on_a_stack_of_a_mebibyte(|| {
            let mut queue = EventQueue::<Fixed>::default();
            let added = [3, 1, 3].map(|watch| queue.add(WatchId(watch)));
            assert_eq!(added, [true, true, false]);
            assert_eq!(queue.take(), Some(WatchId(3)));
            assert!(queue.add(WatchId(3)), "it may come again");
            let rest = [(); 3].map(|()| queue.take());
            assert_eq!(rest, [Some(WatchId(1)), Some(WatchId(3)), None]);
            assert!(queue.is_empty());
            assert!(!queue.add(WatchId(4_096)), "there is no such watch");
            let added = [5, 6, 7].map(|watch| queue.add(WatchId(watch)));
            assert_eq!(added, [true; 3]);
            queue.forget(WatchId(6));
            queue.forget(WatchId(6));
            assert!(queue.add(WatchId(6)), "it was forgotten");
            let rest = [(); 4].map(|()| queue.take());
            let order = [5, 7, 6].map(|watch| Some(WatchId(watch)));
            assert_eq!(rest[..3], order);
            assert_eq!(rest[3], None);
        });
    }
}
