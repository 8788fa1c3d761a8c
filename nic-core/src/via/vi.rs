//! A VI: its state, and the sequence numbers by which it notices loss.
//!
//! The NIC numbers the packets of a connection from 0. At the reliable levels, the receiver accepts only the next
//! number: a higher number shows that a packet was lost. The receiver of a connection acknowledges each packet whose
//! message is in its memory. If an acknowledgement does not come for long enough, the sender treats the packet as lost.
//! At the unreliable level, the receiver accepts every number that it has not passed, so a message arrives at most
//! once.

use super::{Reason, Reliability, ViState};

/// A VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Vi {
    reliability: Reliability,
    /// Whether a message that is longer than a receive descriptor continues in the next descriptor (S5-23).
    splits: bool,
    state: ViState,
    // Number that the next packet to send gets.
    next: u64,
    // Lowest number that the next packet to arrive may have.
    expected: u64,
    // The peer has acknowledged every packet with a number below this one.
    acknowledged: u64,
}

/// The error of an operation that the VI's state does not permit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a VI in state `{}`, found `{}`", expected.word(), found.word())]
pub struct WrongState {
    /// The state of the VI that the operation needs.
    pub expected: ViState,
    /// The VI's state.
    pub found: ViState,
}

/// What a packet that arrived means to its VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The packet carries the next message of the connection.
    Next,
    /// The packet has arrived before, or arrives after a later one.
    Duplicate,
    /// A packet before this one was lost, which the VI's level of reliability does not permit.
    Gap,
    /// The VI has no connection, so the packet is of no use.
    NotConnected,
}

/// What an acknowledgement means to its VI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// The acknowledgement names this many packets that no earlier one named and that the peer's memory has.
    More(u64),
    /// The acknowledgement names no further packets, or names packets that were not sent.
    Nothing,
}

impl Vi {
    /// Returns an idle VI.
    #[must_use]
    pub fn new(reliability: Reliability, splits: bool) -> Vi {
        Vi {
            reliability,
            splits,
            state: ViState::Idle,
            next: 0,
            expected: 0,
            acknowledged: 0,
        }
    }

    /// Returns the state.
    #[must_use]
    pub fn state(&self) -> ViState {
        self.state
    }

    /// Returns the level.
    #[must_use]
    pub fn reliability(&self) -> Reliability {
        self.reliability
    }

    /// Returns whether a message that is longer than a receive descriptor continues in the next descriptor.
    #[must_use]
    pub fn splits(&self) -> bool {
        self.splits
    }

    /// Returns whether the VI has a connection.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.state == ViState::Connected
    }

    /// Requests a connection from the peer. A VI whose former connection ended starts again with new numbers.
    ///
    /// # Errors
    ///
    /// Returns [`WrongState`] if the VI has a connection or has requested one.
    pub fn connect(&mut self) -> Result<(), WrongState> {
        match self.state {
            ViState::Idle | ViState::Error | ViState::Disconnected => {
                *self = Vi::new(self.reliability, self.splits);
                self.state = ViState::Connecting;
                Ok(())
            }
            ViState::Connecting | ViState::Connected => Err(WrongState {
                expected: ViState::Idle,
                found: self.state,
            }),
        }
    }

    /// Records that the peer has accepted the connection that the VI requested.
    ///
    /// # Errors
    ///
    /// Returns [`WrongState`] if the VI has not requested a connection.
    pub fn accepted(&mut self) -> Result<(), WrongState> {
        self.leave(ViState::Connecting, ViState::Connected)
    }

    /// Records that no peer accepts the connection that the VI requested, so that the VI is idle again.
    ///
    /// # Errors
    ///
    /// Returns [`WrongState`] if the VI has not requested a connection.
    pub fn not_accepted(&mut self) -> Result<(), WrongState> {
        self.leave(ViState::Connecting, ViState::Idle)
    }

    /// Ends the connection of the VI for a reason. Returns the new state of the VI, or `None` if the VI had no
    /// connection.
    ///
    /// After the end of the connection, the caller completes every descriptor that is still posted as `flushed`.
    pub fn end(&mut self, reason: Reason) -> Option<ViState> {
        if !self.is_connected() {
            return None;
        }
        self.state = match reason {
            Reason::Disconnect => ViState::Disconnected,
            Reason::Requested
            | Reason::Accepted
            | Reason::NotAccepted
            | Reason::Loss
            | Reason::Overrun
            | Reason::LengthError => ViState::Error,
        };
        Some(self.state)
    }

    /// Returns the number for the next packet to send, and counts that packet as sent.
    pub fn number(&mut self) -> u64 {
        let number = self.next;
        // The number of packets cannot overflow, because no run lasts for 2⁶⁴ packets.
        self.next += 1;
        number
    }

    /// Decides what a packet that arrived with a number means to the VI.
    pub fn arrived(&mut self, number: u64) -> Arrival {
        if !self.is_connected() {
            return Arrival::NotConnected;
        }
        if number < self.expected {
            return Arrival::Duplicate;
        }
        if number > self.expected && self.reliability.is_reliable() {
            return Arrival::Gap;
        }
        self.expected = number.saturating_add(1);
        Arrival::Next
    }

    /// Records an acknowledgement of every packet before `number`.
    pub fn acknowledge(&mut self, number: u64) -> Acknowledged {
        if number > self.next || !self.is_connected() {
            return Acknowledged::Nothing;
        }
        match number.checked_sub(self.acknowledged) {
            None | Some(0) => Acknowledged::Nothing,
            Some(more) => {
                self.acknowledged = number;
                Acknowledged::More(more)
            }
        }
    }

    /// Returns how many packets the VI has sent that the peer has not acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.next - self.acknowledged
    }

    /// Returns how many packets of the connection the peer has acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    fn leave(&mut self, expected: ViState, to: ViState) -> Result<(), WrongState> {
        if self.state != expected {
            return Err(WrongState {
                expected,
                found: self.state,
            });
        }
        self.state = to;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connected(reliability: Reliability) -> Vi {
        let mut vi = Vi::new(reliability, false);
        vi.connect().unwrap();
        vi.accepted().unwrap();
        vi
    }

    #[test]
    fn a_connect_that_nobody_accepts_leaves_the_vi_idle() {
        let mut vi = Vi::new(Reliability::Delivery, false);
        assert_eq!(
            vi.accepted().unwrap_err().to_string(),
            "expected a VI in state `connecting`, found `idle`"
        );
        vi.connect().unwrap();
        assert_eq!(
            vi.connect().unwrap_err().to_string(),
            "expected a VI in state `idle`, found `connecting`"
        );
        vi.not_accepted().unwrap();
        assert_eq!(vi.state(), ViState::Idle);
        assert_eq!(vi.arrived(0), Arrival::NotConnected);
    }

    #[test]
    fn a_reliable_vi_accepts_the_next_packet_alone() {
        for level in [Reliability::Delivery, Reliability::Reception] {
            let mut vi = connected(level);
            let judged = [0, 0, 2, 1, 2, 1].map(|number| vi.arrived(number));
            assert_eq!(
                judged,
                [
                    Arrival::Next,
                    Arrival::Duplicate,
                    Arrival::Gap,
                    Arrival::Next,
                    Arrival::Next,
                    Arrival::Duplicate
                ]
            );
        }
    }

    #[test]
    fn an_unreliable_vi_accepts_gaps_but_nothing_twice() {
        let mut vi = connected(Reliability::Unreliable);
        let judged = [0, 3, 1, 3, 4].map(|number| vi.arrived(number));
        assert_eq!(
            judged,
            [
                Arrival::Next,
                Arrival::Next,
                Arrival::Duplicate,
                Arrival::Duplicate,
                Arrival::Next
            ]
        );
    }

    #[test]
    fn acknowledgements_count_once_and_never_beyond_what_was_sent() {
        let mut vi = connected(Reliability::Delivery);
        assert_eq!([vi.number(), vi.number(), vi.number()], [0, 1, 2]);
        assert_eq!(vi.acknowledge(4), Acknowledged::Nothing);
        assert_eq!(vi.acknowledge(2), Acknowledged::More(2));
        assert_eq!(vi.acknowledge(2), Acknowledged::Nothing);
        assert_eq!(vi.acknowledge(1), Acknowledged::Nothing);
        assert_eq!(vi.unacknowledged(), 1);
        assert_eq!(vi.acknowledge(3), Acknowledged::More(1));
        assert_eq!(vi.acknowledge(u64::MAX), Acknowledged::Nothing);
    }

    #[test]
    fn a_connection_ends_once() {
        let mut vi = connected(Reliability::Delivery);
        assert_eq!(vi.end(Reason::Loss), Some(ViState::Error));
        assert_eq!(vi.end(Reason::Disconnect), None);
        assert_eq!(vi.state(), ViState::Error);
        // A second connection of the VI begins with new numbers.
        vi.number();
        vi.connect().unwrap();
        vi.accepted().unwrap();
        assert_eq!(vi.number(), 0);
        assert_eq!(vi.end(Reason::Disconnect), Some(ViState::Disconnected));
    }
}
