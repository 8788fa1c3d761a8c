//! Matching: the receives that a user has posted, and which of them accepts a message.

use crate::memory::HostSpan;
use crate::storage::{List, Storage};

/// Maximum number of receives that can be posted without an allocator.
///
/// Each costs 32 bytes. Chosen.
const RECEIVES_MAX: usize = 16;

/// Which tags or sources a receive accepts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Every one.
    Any,
    /// This one.
    Only(u16),
}

impl Filter {
    /// Returns whether the filter accepts a value.
    #[must_use]
    pub fn accepts(self, value: u16) -> bool {
        match self {
            Filter::Any => true,
            Filter::Only(wanted) => wanted == value,
        }
    }
}

/// A receive that a user has posted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PostedReceive {
    /// The tags of messages that the receive accepts.
    pub tag: Filter,
    /// The sources of messages that the receive accepts.
    pub source: Filter,
    /// Where the message goes. The bytes of a message are written only inside this range.
    pub room: HostSpan,
    /// Number of the receive, in the order in which the user posted its receives.
    pub number: u32,
}

/// The receives that wait for a message, in the order of posting.
#[derive(Clone, Debug)]
pub struct Receives<S: Storage>(S::List<PostedReceive, RECEIVES_MAX>);

impl<S: Storage> Default for Receives<S> {
    fn default() -> Receives<S> {
        Receives(S::List::default())
    }
}

impl<S: Storage> Receives<S> {
    /// Adds a receive after all others, or returns false if there is no room.
    pub fn post(&mut self, receive: PostedReceive) -> bool {
        self.0.push(receive)
    }

    /// Puts a receive, whose message was given up, back at its place in the order of posting.
    pub fn put_back(&mut self, receive: PostedReceive) {
        let earlier = |posted: &&PostedReceive| posted.number < receive.number;
        let place = self.0.iter().take_while(earlier).count();
        if self.0.push(receive) {
            self.0[place..].rotate_right(1);
        }
    }

    /// Returns the number of waiting receives.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no receive waits for a message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes and returns the oldest receive that accepts the message.
    pub fn take(&mut self, source: u16, tag: u16) -> Option<PostedReceive> {
        let accepts =
            |posted: &PostedReceive| posted.source.accepts(source) && posted.tag.accepts(tag);
        let place = self.0.iter().position(accepts)?;
        self.0[place..].rotate_left(1);
        self.0.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Region;
    use crate::storage::Fixed;

    fn receive(number: u32, source: Filter, tag: Filter) -> PostedReceive {
        PostedReceive {
            tag,
            source,
            room: Region::sole(100).span(0, 100).unwrap(),
            number,
        }
    }

    fn numbers(receives: &mut Receives<Fixed>, wanted: &[(u16, u16)]) -> Vec<Option<u32>> {
        let take = |&(source, tag): &(u16, u16)| receives.take(source, tag);
        let taken = wanted.iter().map(take);
        taken.map(|taken| taken.map(|taken| taken.number)).collect()
    }

    #[test]
    fn first_receive_with_source_and_tag_takes_the_message() {
        use Filter::{Any, Only};
        let mut receives = Receives::<Fixed>::default();
        let posted = [
            (Only(1), Only(7)),
            (Any, Only(7)),
            (Only(1), Any),
            (Any, Any),
        ];
        for (number, (source, tag)) in (0..).zip(posted) {
            assert!(receives.post(receive(number, source, tag)));
        }
        let taken = numbers(&mut receives, &[(2, 8), (2, 8), (2, 7), (1, 7), (1, 7)]);
        assert_eq!(taken, [Some(3), None, Some(1), Some(0), Some(2)]);
        assert!(receives.is_empty());
    }

    #[test]
    fn a_receive_that_is_put_back_has_its_old_place() {
        let mut receives = Receives::<Fixed>::default();
        for number in 0..4 {
            receives.post(receive(number, Filter::Any, Filter::Any));
        }
        let taken = [(); 3].map(|()| receives.take(0, 0).unwrap());
        for place in [1, 2, 0] {
            receives.put_back(taken[place]);
        }
        let taken = numbers(&mut receives, &[(0, 0); 5]);
        assert_eq!(taken, [Some(0), Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut receives = Receives::<Fixed>::default();
        let posted = (0..20).filter(|&number| {
            let receive = receive(number, Filter::Any, Filter::Only(u16::MAX));
            receives.post(receive)
        });
        assert_eq!(posted.count(), RECEIVES_MAX);
        assert_eq!(receives.take(0, 0), None);
    }
}
