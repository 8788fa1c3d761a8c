//! Host programs that exchange a number of equal messages, as the measurements of EMP do.

use nic_core::event::TxStatus;
use nic_core::id::ChannelId;

use super::program::{Actions, Happened, HostProgram, Unfinished};
use crate::spec::{Exchange, ExchangePattern};

/// The credits of a stream: how many messages the peer can receive at first, and how many more with each message that
/// arrives from the peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Credits {
    /// Free buffers or receive descriptors of the peer.
    pub first: u32,
    /// Messages of the stream that the peer answers with one message.
    pub each: u32,
}

/// Returns how many messages the program may post in all, after these numbers of messages have completed and arrived.
fn allowance((exchange, credits): (Exchange, Credits), completed: u32, arrived: u32) -> u32 {
    let allowed = match exchange.pattern {
        ExchangePattern::Ping => completed.min(arrived).saturating_add(1),
        ExchangePattern::Stream => completed.saturating_add(2),
        ExchangePattern::BothWays => completed.min(arrived).saturating_add(2),
        ExchangePattern::Credits => {
            let more = arrived.saturating_mul(credits.each);
            let at_once = at_once(exchange.length);
            let credits = credits.first.saturating_add(more);
            credits.min(completed.saturating_add(at_once))
        }
    };
    allowed.min(exchange.rounds)
}

/// Most messages of a program that have not completed.
const MESSAGES_AT_ONCE: u32 = 4_096;

/// Most bytes of these messages, which lie in memory until they are posted.
const BYTES_AT_ONCE: u32 = 1 << 26;

/// Returns how many messages of this length a program lets wait for completion at most, however many credits it has.
fn at_once(length: u32) -> u32 {
    (BYTES_AT_ONCE / length.max(1)).clamp(2, MESSAGES_AT_ONCE)
}

/// Returns the bytes 0, 1, 2, …, as `count` of a `[[send]]` makes them. They are copied, because a stream makes the bytes
/// of a long message for each of its messages.
fn counting(length: u32) -> Vec<u8> {
    let length = length as usize;
    let turn: Vec<u8> = (0..=u8::MAX).collect();
    let mut bytes = turn.repeat(length.div_ceil(turn.len()));
    bytes.truncate(length);
    bytes
}

/// The program of an [`Exchange`] on a channel of the process's first endpoint. The program posts no further message
/// after a message has failed.
#[derive(Copy, Clone, Debug)]
pub struct Exchanging {
    exchange: Exchange,
    credits: Credits,
    channel: ChannelId,
    posted: u32,
    completed: u32,
    arrived: u32,
    has_failed: bool,
}

impl Exchanging {
    /// Returns the program in its state before the first message.
    #[must_use]
    pub fn new((exchange, credits): (Exchange, Credits), channel: ChannelId) -> Exchanging {
        Exchanging {
            exchange,
            credits,
            channel,
            posted: 0,
            completed: 0,
            arrived: 0,
            has_failed: false,
        }
    }
}

impl HostProgram for Exchanging {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
            Happened::Message { .. } => self.arrived = self.arrived.saturating_add(1),
            Happened::Completed { status, .. } => match status {
                TxStatus::Ok => self.completed = self.completed.saturating_add(1),
                TxStatus::Trap | TxStatus::Refused | TxStatus::Failed => self.has_failed = true,
            },
        }
        let Some(&endpoint) = actions.endpoints().first() else {
            return;
        };
        let allowed = allowance((self.exchange, self.credits), self.completed, self.arrived);
        while self.posted < allowed && !self.has_failed {
            self.posted += 1;
            actions.post(endpoint, self.channel, counting(self.exchange.length));
        }
    }

    fn unfinished(&self) -> Option<Unfinished> {
        let Exchange {
            pattern, rounds, ..
        } = self.exchange;
        let (answered, answers) = match pattern {
            ExchangePattern::Ping => {
                let arrived = self.arrived;
                (arrived >= rounds, format!(", and {arrived} answers came"))
            }
            ExchangePattern::Stream | ExchangePattern::BothWays | ExchangePattern::Credits => {
                (true, String::new())
            }
        };
        let is_done = self.completed >= rounds && answered;
        (!is_done).then(|| {
            let completed = self.completed;
            let failed = match self.has_failed {
                true => ", and one failed",
                false => "",
            };
            Unfinished {
                after: format!("{completed} of {rounds} messages were sent{answers}{failed}"),
                has_stopped: self.has_failed,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_counts_up_and_begins_again_after_255() {
        assert!(counting(0).is_empty());
        assert_eq!(counting(3), [0, 1, 2]);
        let bytes = counting(600);
        assert_eq!(
            (bytes.len(), bytes[255], bytes[256], bytes[599]),
            (600, 255, 0, 87)
        );
    }

    #[test]
    fn a_program_that_is_not_done_says_how_far_it_came() {
        let exchange = |pattern| Exchange {
            pattern,
            rounds: 3,
            length: 0,
        };
        let credits = Credits { first: 4, each: 2 };
        let program = |pattern, completed, arrived| Exchanging {
            completed,
            arrived,
            ..Exchanging::new((exchange(pattern), credits), ChannelId(1))
        };
        let ping = |completed, arrived| program(ExchangePattern::Ping, completed, arrived);
        let unfinished = |after: &str, has_stopped| {
            let after = after.to_owned();
            Some(Unfinished { after, has_stopped })
        };
        assert_eq!(ping(3, 3).unfinished(), None);
        // The answer may come.
        let text = "3 of 3 messages were sent, and 2 answers came";
        assert_eq!(ping(3, 2).unfinished(), unfinished(text, false));
        let stream = program(ExchangePattern::Stream, 2, 0);
        let failed = Exchanging {
            has_failed: true,
            ..stream
        };
        let text = "2 of 3 messages were sent";
        assert_eq!(stream.unfinished(), unfinished(text, false));
        let text = "2 of 3 messages were sent, and one failed";
        assert_eq!(failed.unfinished(), unfinished(text, true));
        let credits = program(ExchangePattern::Credits, 3, 0);
        assert_eq!(credits.unfinished(), None);
    }

    #[test]
    fn a_program_waits_for_what_its_pattern_says() {
        let exchange = |pattern| {
            let exchange = Exchange {
                pattern,
                rounds: 10,
                length: 0,
            };
            (exchange, Credits { first: 4, each: 2 })
        };
        let ping = exchange(ExchangePattern::Ping);
        assert_eq!(
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(c, a)| allowance(ping, c, a)),
            [1, 1, 1, 2]
        );
        let stream = exchange(ExchangePattern::Stream);
        assert_eq!(
            [(0, 0), (1, 0), (9, 0)].map(|(c, a)| allowance(stream, c, a)),
            [2, 3, 10]
        );
        let both = exchange(ExchangePattern::BothWays);
        assert_eq!(
            [(0, 0), (5, 2), (2, 5), (9, 9)].map(|(c, a)| allowance(both, c, a)),
            [2, 4, 4, 10]
        );
        // The bytes of 8,000,000 credits would need 256 GB.
        let (mut many, _) = exchange(ExchangePattern::Credits);
        (many.rounds, many.length) = (u32::MAX, 32_768);
        let credits = Credits {
            first: 8_000_000,
            each: 1,
        };
        assert_eq!(
            [(0, 0), (5, 0)].map(|(c, a)| allowance((many, credits), c, a)),
            [2_048, 2_053]
        );
        let credits = exchange(ExchangePattern::Credits);
        assert_eq!(
            [(0, 0), (4, 0), (4, 1), (6, 2), (9, 9)].map(|(c, a)| allowance(credits, c, a)),
            [4, 4, 6, 8, 10]
        );
    }
}
