//! The backlog of a wire with stop-and-go flow control: a buffer at its receiving end, with the marks that stop and
//! restart the sender.

use std::collections::VecDeque;

use nic_core::id::DirectionId;
use nic_core::time::{SimDuration, SimTime};

use super::PacketRef;

/// The link directions with a backlog, in the order in which their backlogs began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlogs(pub(crate) VecDeque<DirectionId>);

/// Packets that passed a wire and found no slot in the NIC, oldest first. The backlog also holds the flow-control state
/// of both ends of the wire.
///
/// Only the first packet of a backlog can leave. The other packets wait until the first has left, whatever their
/// destinations.
#[derive(Clone, Debug)]
pub struct Backlog<P = PacketRef> {
    /// Capacity in bytes.
    size: u32,
    /// Fill level in bytes above which the receiver signals the sender to stop. The capacity above the mark holds the
    /// bytes that are still on the wire when the receiver sends the signal.
    mark: u32,
    /// Time after which a waiting packet of the backlog is dropped.
    timeout: SimDuration,
    /// The waiting packets, with the bytes of their frames and the times at which they are dropped.
    waiting: VecDeque<Waiting<P>>,
    /// Bytes of all waiting frames.
    bytes: u32,
    /// The last signal sent to the sender.
    pub told: Signal,
    /// The last signal that the sender has received.
    pub heard: Signal,
    /// When the wire would have been free if the receiver had not stopped the sender.
    pub free_at: SimTime,
}

#[derive(Copy, Clone, Debug)]
struct Waiting<P> {
    packet: P,
    frame: u32,
    until: SimTime,
}

/// A flow-control signal from the receiver to the sender of a wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The sender must not begin another packet.
    Stop,
    /// Continue to send.
    Go,
}

impl<P: Copy> Backlog<P> {
    /// Returns an empty backlog of `size` bytes, of which `reserve` are above the mark.
    #[must_use]
    pub fn new(size: u32, reserve: u64, timeout: SimDuration) -> Backlog<P> {
        let mark = u64::from(size).saturating_sub(reserve);
        Backlog {
            size,
            mark: u32::try_from(mark).unwrap_or(size),
            timeout,
            waiting: VecDeque::new(),
            bytes: 0,
            told: Signal::Go,
            heard: Signal::Go,
            free_at: SimTime::ZERO,
        }
    }

    /// Returns the oldest packet.
    #[must_use]
    pub fn first(&self) -> Option<P> {
        self.waiting.front().map(|waiting| waiting.packet)
    }

    /// Returns whether the oldest packet of the backlog has waited longer than the timeout.
    #[must_use]
    pub fn is_overdue(&self, now: SimTime) -> bool {
        let first = self.waiting.front();
        first.is_some_and(|waiting| waiting.until <= now)
    }

    /// Returns the time at which a packet is dropped that begins to wait now.
    #[must_use]
    pub fn drops_at(&self, now: SimTime) -> SimTime {
        now + self.timeout
    }

    /// Appends a packet of `frame` bytes, which is dropped at a time. Returns whether the packet fits.
    pub fn add(&mut self, packet: P, frame: u32, until: SimTime) -> bool {
        let bytes = self.bytes.checked_add(frame);
        let Some(bytes) = bytes.filter(|bytes| *bytes <= self.size) else {
            return false;
        };
        self.bytes = bytes;
        self.waiting.push_back(Waiting {
            packet,
            frame,
            until,
        });
        true
    }

    /// Removes the oldest packet.
    pub fn take(&mut self) -> Option<P> {
        let Waiting { packet, frame, .. } = self.waiting.pop_front()?;
        self.bytes -= frame;
        Some(packet)
    }

    /// Returns the next signal, if one is due: stop above the mark, and go at half the mark or below. The distance
    /// between the mark and half the mark avoids a signal for every packet.
    pub fn signal(&mut self) -> Option<Signal> {
        let signal = match self.told {
            Signal::Go if self.bytes > self.mark => Signal::Stop,
            Signal::Stop if self.bytes <= self.mark / 2 => Signal::Go,
            Signal::Stop | Signal::Go => return None,
        };
        self.told = signal;
        Some(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::reserve;

    #[test]
    fn what_is_under_way_fits_behind_the_mark() {
        // In 200 ns there and back the wire carries 200 bytes, and two frames have 50 bytes each.
        let reserve = reserve(50, SimDuration::from_ns(100), 1_000_000_000);
        assert_eq!(reserve, 300);
        let mut backlog = Backlog::new(400, reserve, SimDuration::from_ns(7));
        let until = backlog.drops_at(SimTime::ZERO);
        assert_eq!(until, SimTime::from_ps(7_000));
        let add = |backlog: &mut Backlog<u8>| backlog.add(7, 50, until);
        for expected in [None, None, Some(Signal::Stop), None] {
            assert!(add(&mut backlog));
            assert_eq!(backlog.signal(), expected);
        }
        for _ in 0..4 {
            assert!(add(&mut backlog));
        }
        assert!(!add(&mut backlog), "400 bytes are there");
        for left in (0..8).rev() {
            assert_eq!(backlog.take(), Some(7));
            let expected = (left == 1).then_some(Signal::Go);
            assert_eq!(backlog.signal(), expected, "{left}");
        }
        assert_eq!(backlog.first(), None);
    }
}
