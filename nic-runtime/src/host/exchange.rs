//! Host programs that exchange a number of equal messages, as the measurements of EMP do.

use nic_core::event::TxStatus;
use nic_core::id::ChannelId;

use super::program::{Actions, Happened, HostProgram};
use crate::spec::{Exchange, ExchangePattern};

/// Returns how many messages the program may post in all, after these numbers of messages have completed and arrived.
fn allowance(exchange: Exchange, completed: u32, arrived: u32) -> u32 {
    let allowed = match exchange.pattern {
        ExchangePattern::Ping => completed.min(arrived).saturating_add(1),
        ExchangePattern::Stream => completed.saturating_add(2),
        ExchangePattern::BothWays => completed.min(arrived).saturating_add(2),
    };
    allowed.min(exchange.rounds)
}

/// The program of an [`Exchange`] on a channel of the process's first endpoint. The program posts no further message
/// after a message has failed.
#[derive(Copy, Clone, Debug)]
pub struct Exchanging {
    exchange: Exchange,
    channel: ChannelId,
    posted: u32,
    completed: u32,
    arrived: u32,
    has_failed: bool,
}

impl Exchanging {
    /// Returns the program in its state before the first message.
    #[must_use]
    pub fn new(exchange: Exchange, channel: ChannelId) -> Exchanging {
        Exchanging {
            exchange,
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
            | Happened::Vi { .. } => {}
            Happened::Message { .. } => self.arrived = self.arrived.saturating_add(1),
            Happened::Completed { status, .. } => match status {
                TxStatus::Ok => self.completed = self.completed.saturating_add(1),
                TxStatus::Trap | TxStatus::Refused | TxStatus::Failed => self.has_failed = true,
            },
        }
        let Some(&endpoint) = actions.endpoints().first() else {
            return;
        };
        let allowed = allowance(self.exchange, self.completed, self.arrived);
        while self.posted < allowed && !self.has_failed {
            self.posted += 1;
            // The payload is the bytes 0, 1, 2, …, as `count` of a `[[send]]` makes them.
            let payload = (0..self.exchange.length).map(|place| place as u8);
            actions.post(endpoint, self.channel, payload.collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_waits_for_what_its_pattern_says() {
        let exchange = |pattern| Exchange {
            pattern,
            rounds: 10,
            length: 0,
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
    }
}
