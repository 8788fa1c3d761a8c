//! The queue of messages that are due and that the user has not posted yet.

use std::collections::VecDeque;

/// Due messages, oldest first, stored as runs of messages of the same send. A send may become due far more often than
/// its user can post, so one counter for each run bounds the memory.
#[derive(Clone, Debug, Default)]
pub struct DueSends(VecDeque<Run>);

#[derive(Copy, Clone, Debug)]
struct Run {
    send: u32,
    count: u64,
}

impl DueSends {
    /// Appends a message of a send; `send` is the send's position in the scenario.
    pub fn add(&mut self, send: u32) {
        match self.0.back_mut() {
            Some(last) if last.send == send => last.count += 1,
            Some(_) | None => self.0.push_back(Run { send, count: 1 }),
        }
    }

    /// Returns whether no message is due.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the send of the oldest due message, as its position in the scenario.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.0.front().map(|run| run.send)
    }

    /// Removes the oldest message.
    pub fn remove_first(&mut self) {
        let Some(run) = self.0.front_mut() else {
            return;
        };
        run.count -= 1;
        if run.count == 0 {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_their_order() {
        let mut due = DueSends::default();
        let order = [7, 7, 7, 3, 7, 3, 3];
        for send in order {
            due.add(send);
        }
        assert_eq!(due.0.len(), 4, "runs");
        for send in order {
            assert_eq!(due.first(), Some(send));
            due.remove_first();
        }
        assert_eq!(due.first(), None);
        due.remove_first();
    }
}
