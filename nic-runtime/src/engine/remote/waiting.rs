//! What programs wait for at their windows: events of watches, and words that change.

use nic_core::remote::{EventQueue, WindowId};
use nic_core::time::SimTime;

use crate::storage::Growing;

/// Maximum number of words of an endpoint for which its program waits at a time.
const WORDS_MAX: usize = 64;

/// What the program of an endpoint has yet to learn of its windows.
#[derive(Clone, Debug, Default)]
pub(super) struct Noticing {
    /// Watches that have noticed a write, in the order in which they did.
    pub(super) events: EventQueue<Growing>,
    /// How long the program waits for an event, if it does: for ever (`Some(None)`), or up to a time.
    pub(super) waits: Option<Option<SimTime>>,
    words: Vec<Word>,
}

/// A word for whose change a program waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The number that the program gave the action.
    pub(super) ticket: u64,
    pub(super) window: WindowId,
    pub(super) offset: u32,
    /// The value that is not awaited.
    pub(super) was: u32,
    /// When the program stops to wait, if it does.
    pub(super) until: Option<SimTime>,
}

impl Noticing {
    /// Adds a word. Returns false if the program waits for too many already.
    pub(super) fn add(&mut self, word: Word) -> bool {
        let has_room = self.words.len() < WORDS_MAX;
        if has_room {
            self.words.push(word);
        }
        has_room
    }

    /// Returns the words in a window, oldest wait first.
    pub(super) fn words_of(&self, window: WindowId) -> Vec<Word> {
        let words = self.words.iter().copied();
        words.filter(|word| word.window == window).collect()
    }

    /// Ends the wait for a word.
    pub(super) fn remove(&mut self, word: Word) {
        self.words.retain(|other| *other != word);
    }

    /// Ends the waits whose time is over. Returns their words, and whether the wait for an event was among them.
    pub(super) fn overdue(&mut self, now: SimTime) -> (Vec<Word>, bool) {
        let is_over = |until: Option<SimTime>| until.is_some_and(|until| until <= now);
        let over = self
            .words
            .iter()
            .copied()
            .filter(|word| is_over(word.until));
        let over: Vec<Word> = over.collect();
        self.words.retain(|word| !is_over(word.until));
        let event = self.waits.is_some_and(is_over);
        if event {
            self.waits = None;
        }
        (over, event)
    }

    /// Returns whether a wait will end at a time of its own.
    pub(super) fn has_time(&self) -> bool {
        self.waits.is_some_and(|until| until.is_some())
            || self.words.iter().any(|word| word.until.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_at_its_time_and_only_then() {
        let at = |ns| SimTime::ZERO + nic_core::time::SimDuration::from_ns(ns);
        let word = |ticket, until| Word {
            ticket,
            window: WindowId(0),
            offset: 0,
            was: 0,
            until,
        };
        let mut noticing = Noticing::default();
        assert!(noticing.add(word(1, None)) && !noticing.has_time());
        assert!(noticing.add(word(2, Some(at(5)))) && noticing.has_time());
        noticing.waits = Some(Some(at(6)));
        assert_eq!(noticing.overdue(at(4)), (vec![], false));
        assert_eq!(noticing.overdue(at(5)), (vec![word(2, Some(at(5)))], false));
        assert_eq!(noticing.overdue(at(9)), (vec![], true));
        assert_eq!(noticing.words_of(WindowId(0)), [word(1, None)]);
        assert!(!noticing.has_time());
        for ticket in 0..WORDS_MAX as u64 - 1 {
            assert!(noticing.add(word(ticket, None)));
        }
        assert!(!noticing.add(word(99, None)), "there is no room");
    }
}
