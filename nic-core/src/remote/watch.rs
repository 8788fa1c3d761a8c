//! Watches, which notice writes to a range of a window and put their events into one queue (S5-09, where they are
//! called tripwires).

use super::WindowId;
use crate::storage::{List, Queue, Storage};

/// Maximum number of watches of a node: the entries of CLAN's content-addressed memory (S5-10).
pub const WATCHES_MAX: usize = 4_096;

/// One setting of a watch. When a watch is removed, the next one may get its place in the table, but never its turn: what
/// still waits for the removed watch finds nothing, even if the next one watches the same range.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WatchId {
    place: u32,
    turn: u32,
}

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
    /// The node has no such watch, or has no longer.
    #[error("expected a watch that is set, found one that was removed from place {}", watch.place)]
    Unknown {
        /// The watch.
        watch: WatchId,
    },
}

/// The watches of a node.
#[derive(Clone, Debug)]
pub struct Watches<S: Storage> {
    /// Each watch with its turn.
    entries: S::List<Option<(Watch, u32)>, WATCHES_MAX>,
    set: u32,
    /// The turn of the next watch. It wraps after 2^32 settings, long after a removed watch was last waited for.
    turn: u32,
}

impl<S: Storage> Default for Watches<S> {
    fn default() -> Watches<S> {
        Watches {
            entries: S::List::default(),
            set: 0,
            turn: 0,
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
        let turn = self.turn;
        let free = self.entries.iter().position(Option::is_none);
        let place = match free {
            Some(place) => {
                self.entries[place] = Some((watch, turn));
                place
            }
            None if self.entries.push(Some((watch, turn))) => self.entries.len() - 1,
            None => return Err(WatchError::Full),
        };
        self.set += 1;
        self.turn = turn.wrapping_add(1);
        // A place fits in a `u32`, because the table has at most `WATCHES_MAX` entries.
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        Ok(WatchId { place, turn })
    }

    /// Removes a watch of the node, and returns the watch.
    ///
    /// # Errors
    ///
    /// Returns [`WatchError::Unknown`] if the node has no such watch.
    pub fn remove(&mut self, watch: WatchId) -> Result<Watch, WatchError> {
        let removed = self.get(watch).ok_or(WatchError::Unknown { watch })?;
        self.entries[watch.place as usize] = None;
        self.set -= 1;
        Ok(removed)
    }

    /// Returns a watch, unless it was removed.
    #[must_use]
    pub fn get(&self, watch: WatchId) -> Option<Watch> {
        let entry = self.entries.get(watch.place as usize)?;
        let (found, turn) = (*entry)?;
        (turn == watch.turn).then_some(found)
    }

    /// Returns the watch of exactly this range.
    #[must_use]
    pub fn find(&self, wanted: Watch) -> Option<WatchId> {
        self.first(|watch| *watch == wanted)
    }

    /// Returns the first watch of a window.
    #[must_use]
    pub fn first_of(&self, window: WindowId) -> Option<WatchId> {
        self.first(|watch| watch.window == window)
    }

    fn first(&self, is_wanted: impl Fn(&Watch) -> bool) -> Option<WatchId> {
        self.all()
            .find_map(|(id, watch)| is_wanted(&watch).then_some(id))
    }

    fn all(&self) -> impl Iterator<Item = (WatchId, Watch)> + '_ {
        (0u32..)
            .zip(self.entries.iter())
            .filter_map(|(place, entry)| {
                let (watch, turn) = (*entry)?;
                Some((WatchId { place, turn }, watch))
            })
    }

    /// Returns the watches that a write touches, in the order of their places.
    pub fn met(
        &self,
        window: WindowId,
        offset: u32,
        length: u32,
    ) -> impl Iterator<Item = WatchId> + '_ {
        self.all()
            .filter_map(move |(id, watch)| watch.meets(window, offset, length).then_some(id))
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
        let place = watch.place as usize;
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
        self.is_queued[watch.place as usize] = false;
        Some(watch)
    }

    /// Removes the event of a watch, if it is in the queue.
    pub fn forget(&mut self, watch: WatchId) {
        match self.is_queued.get_mut(watch.place as usize) {
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

    /// The first watch of a table at this place: its turn is the number of watches before it.
    fn nth(place: u32) -> WatchId {
        WatchId { place, turn: place }
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
                met.map(|watch| watch.place).collect()
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
                assert_eq!(watches.set(watch(offset, 1)), Ok(nth(offset)));
            }
            assert_eq!(watches.set(watch(0, 1)), Err(WatchError::Full));
            assert_eq!(watches.remove(nth(17)), Ok(watch(17, 1)));
            let unknown = Err(WatchError::Unknown { watch: nth(17) });
            assert_eq!(watches.remove(nth(17)), unknown);
            assert_eq!(watches.get(nth(17)), None);
            // The place is used again, for the same range, and the old watch stays unknown.
            let again = WatchId {
                place: 17,
                turn: 4_096,
            };
            assert_eq!(watches.set(watch(17, 1)), Ok(again));
            assert_eq!(watches.get(again), Some(watch(17, 1)));
            assert_eq!(watches.get(nth(17)), None);
            assert_eq!(watches.remove(nth(17)), unknown);
            assert_eq!(watches.find(watch(17, 1)), Some(again));
            assert_eq!(watches.find(watch(9, 8)), None);
            assert_eq!(watches.first_of(WindowId(1)), Some(nth(0)));
            assert_eq!(watches.first_of(WindowId(2)), None);
        });
    }

    #[test]
    fn a_watch_is_in_the_queue_once() {
        on_a_stack_of_a_mebibyte(|| {
            let mut queue = EventQueue::<Fixed>::default();
            let added = [3, 1, 3].map(|watch| queue.add(nth(watch)));
            assert_eq!(added, [true, true, false]);
            assert_eq!(queue.take(), Some(nth(3)));
            assert!(queue.add(nth(3)), "it may come again");
            let rest = [(); 3].map(|()| queue.take());
            assert_eq!(rest, [Some(nth(1)), Some(nth(3)), None]);
            assert!(queue.is_empty());
            assert!(!queue.add(nth(4_096)), "there is no such watch");
            let added = [5, 6, 7].map(|watch| queue.add(nth(watch)));
            assert_eq!(added, [true; 3]);
            queue.forget(nth(6));
            queue.forget(nth(6));
            assert!(queue.add(nth(6)), "it was forgotten");
            let rest = [(); 4].map(|()| queue.take());
            let order = [5, 7, 6].map(|watch| Some(nth(watch)));
            assert_eq!(rest[..3], order);
            assert_eq!(rest[3], None);
        });
    }
}
