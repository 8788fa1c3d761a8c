//! The queue of messages that are due and that the user has not posted yet.

use std::collections::VecDeque;

use nic_core::time::SimTime;

/// Due messages, oldest first, stored as runs of messages of the same send. A send may become due far more often than
/// its user can post, so one counter for each run bounds the memory.
///
/// All messages of a send without time between them are due at once. They are one run from the beginning, so that they
/// cost nothing before their turn. Such runs of the same time take turns, message by message.
///
/// The runs are in the order of `from`, and of `turns` where `from` is equal.
#[derive(Clone, Debug, Default)]
pub struct DueSends(VecDeque<Run>);

#[derive(Copy, Clone, Debug)]
struct Run {
    send: u32,
    count: u64,
    /// When the first message of the run became due.
    from: SimTime,
    /// Whether all messages of the run became due at once.
    is_at_once: bool,
    /// Whether a run that is due at once has become due at the same time.
    is_in_turns: bool,
    /// How many messages of a run that is due at once have been removed.
    turns: u64,
}

impl Run {
    fn of_one(send: u32, from: SimTime) -> Run {
        Run {
            send,
            count: 1,
            from,
            is_at_once: false,
            is_in_turns: false,
            turns: 0,
        }
    }
}

impl DueSends {
    /// Appends a message of a send; `send` is the send's position in the scenario.
    #[inline(always)]
    pub fn add(&mut self, send: u32, now: SimTime) {
        match self.0.back_mut() {
            // A run that takes turns may only be continued by messages of its own time.
            Some(last)
                if last.send == send
                    && !last.is_at_once
                    && (last.from == now || !last.is_in_turns) =>
            {
                last.count += 1;
            }
            Some(last) => {
                let is_in_turns = last.from == now && last.is_in_turns;
                self.insert(Run {
                    is_in_turns,
                    ..Run::of_one(send, now)
                });
            }
            None => self.0.push_back(Run::of_one(send, now)),
        }
    }

    /// Inserts a run behind all runs of its time that have had as many turns.
    #[cold]
    fn insert(&mut self, run: Run) {
        let order = |run: &Run| (run.from, run.turns);
        let behind = self.0.partition_point(|other| order(other) <= order(&run));
        self.0.insert(behind, run);
    }

    /// Appends `count` messages of a send that are due at once, one at least.
    pub fn add_at_once(&mut self, send: u32, count: u64, now: SimTime) {
        for run in self.0.iter_mut().rev() {
            if run.from != now {
                break;
            }
            run.is_in_turns = true;
        }
        self.insert(Run {
            send,
            count: count.max(1),
            from: now,
            is_at_once: true,
            is_in_turns: true,
            turns: 0,
        });
    }

    /// Returns whether no message is due.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the messages that are due: the position of each send in the scenario, and how many of its messages. A send
    /// may occur several times.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|run| (run.send, run.count))
    }

    /// Returns the send of the oldest due message, as its position in the scenario.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.0.front().map(|run| run.send)
    }

    /// Removes the oldest message. Returns whether another message, due at once with it, lines up in its place.
    pub fn remove_first(&mut self) -> bool {
        match self.0.front_mut() {
            Some(run) if !run.is_at_once && run.count > 1 => run.count -= 1,
            Some(run) if run.is_at_once && run.count > 1 => {
                self.take_turn();
                return true;
            }
            Some(_) | None => _ = self.0.pop_front(),
        }
        false
    }

    /// Removes a message of the first run, which lines up behind the other runs of its time.
    #[cold]
    fn take_turn(&mut self) {
        if let Some(mut run) = self.0.pop_front() {
            run.count -= 1;
            run.turns += 1;
            self.insert(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: SimTime = SimTime::ZERO;

    fn later(ps: u64) -> SimTime {
        SimTime::from_ps(ps)
    }

    #[test]
    fn messages_keep_their_order() {
        let mut due = DueSends::default();
        let order = [7, 7, 7, 3, 7, 3, 3];
        for send in order {
            due.add(send, AT);
        }
        assert_eq!(due.0.len(), 4, "runs");
        for send in order {
            assert_eq!(due.first(), Some(send));
            assert!(!due.remove_first());
        }
        assert_eq!(due.first(), None);
        assert!(!due.remove_first());
    }

    /// Compares the queue with a list of single messages. In the list the sends of one time take turns, in rounds of one
    /// message of each send that has more of them.
    #[test]
    fn runs_that_are_due_at_once_take_turns() {
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..2_000 {
            let (mut due, mut list) = (DueSends::default(), VecDeque::new());
            for time in 0..4 {
                let mut rounds = Vec::new();
                // If nothing else is due, the first message is removed before the others become due.
                let removes_first = list.is_empty() && draw(2) == 0;
                for send in 0..u32::try_from(draw(4)).expect("it is small") {
                    if draw(2) == 0 {
                        due.add(send, later(time));
                        rounds.push((send, 1));
                    } else {
                        let count = 1 + draw(4);
                        due.add_at_once(send, count, later(time));
                        rounds.push((send, count));
                    }
                    if removes_first && send == 0 {
                        assert_eq!(due.first(), Some(0));
                        due.remove_first();
                    }
                }
                let is_removed = removes_first && !rounds.is_empty();
                while !rounds.is_empty() {
                    list.extend(rounds.iter().map(|(send, _)| *send));
                    rounds.iter_mut().for_each(|(_, count)| *count -= 1);
                    rounds.retain(|(_, count)| *count > 0);
                }
                if is_removed {
                    list.pop_front();
                }
                for _ in 0..draw(8) {
                    assert_eq!(due.first(), list.pop_front());
                    due.remove_first();
                }
            }
            while let Some(send) = list.pop_front() {
                assert_eq!(due.first(), Some(send));
                due.remove_first();
            }
            assert!(due.is_empty());
        }
    }

    #[test]
    fn a_long_wait_needs_few_runs() {
        let mut due = DueSends::default();
        due.add_at_once(0, u64::MAX, AT);
        for time in 1..10_000 {
            due.add(1, later(time));
        }
        assert_eq!(due.0.len(), 2);
    }
}
