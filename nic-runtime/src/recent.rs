//! What is known about the newest of many numbered things.

use std::collections::VecDeque;

/// Maximum number of things that are kept, which bounds the memory of an endpoint. More may be on their way where queues
/// are long, and of those the oldest are not known any more.
const KEPT: usize = 1 << 14;

/// What is known about the newest of an endpoint's packets or posts, by their numbers, which count from 0.
#[derive(Clone, Debug)]
pub(crate) struct Recent<T> {
    /// The number of the first thing that is kept.
    first: u64,
    kept: VecDeque<Option<T>>,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent {
            first: 0,
            kept: VecDeque::new(),
        }
    }
}

impl<T> Recent<T> {
    /// Notes what is known about a thing. Things need not come in the order of their numbers, and one that is too old is
    /// left out.
    pub(crate) fn set(&mut self, number: u64, value: Option<T>) {
        let Some(ahead) = number.checked_sub(self.first) else {
            return;
        };
        let mut place = usize::try_from(ahead).unwrap_or(usize::MAX);
        if place >= 2 * KEPT {
            self.kept.clear();
            (self.first, place) = (number, 0);
        }
        while place >= self.kept.len() {
            self.kept.push_back(None);
        }
        self.kept[place] = value;
        while self.kept.len() > KEPT {
            self.kept.pop_front();
            self.first += 1;
        }
    }

    /// Returns what is known about a thing.
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.kept.get(self.place(number)?)?.as_ref()
    }

    /// Returns what is known about a thing, so that it can be changed.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number)?;
        self.kept.get_mut(place)?.as_mut()
    }

    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_whatever_their_order() {
        let mut recent = Recent::default();
        let kept = KEPT as u64;
        for number in [1, 0, 3] {
            recent.set(number, Some(number));
        }
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| recent.get(number).copied()),
            [Some(0), Some(1), None, Some(3), None]
        );
        recent.set(kept, Some(kept));
        assert_eq!([recent.get(0), recent.get(1)], [None, Some(&1)]);
        recent.set(0, Some(7));
        assert_eq!(recent.get(0), None, "too old");
        recent.set(10 * kept, Some(5));
        assert_eq!([recent.get(kept), recent.get(10 * kept)], [None, Some(&5)]);
    }
}
