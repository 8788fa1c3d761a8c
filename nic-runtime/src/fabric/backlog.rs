//! The memory at the far end of a wire on which stop and go say when its sender may send.

use std::collections::VecDeque;

use nic_core::time::{SimDuration, SimTime};

use super::PacketRef;

/// Packets that have passed a wire and find no place in the NIC, oldest first, and what the wire's two ends know of it.
///
/// Only the first of them can leave: those behind it wait, whatever their destination.
#[derive(Clone, Debug)]
pub struct Backlog<P = PacketRef> {
    /// Bytes that it holds.
    size: u32,
    /// Bytes beyond which the sender is told to stop, so that what is under way by then fits too.
    mark: u32,
    /// How long a packet waits before it is dropped.
    timeout: SimDuration,
    /// The packets, with their frames' bytes and the time at which each is dropped.
    waiting: VecDeque<Waiting<P>>,
    /// Bytes of their frames.
    bytes: u32,
    /// What the sender was told last.
    pub told: Signal,
    /// What of that has reached it.
    pub heard: Signal,
    /// When the wire would be free if the sender had not been told to stop.
    pub free_at: SimTime,
}

#[derive(Copy, Clone, Debug)]
struct Waiting<P> {
    packet: P,
    frame: u32,
    until: SimTime,
}

/// What a receiver tells the sender at the other end of a wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Not to begin with another packet.
    Stop,
    /// To send.
    Go,
}

/// Room that a backlog needs beyond its mark, for frames of at most so many bytes. It is for the frame that passes the
/// mark, the one being sent, and what is on the wire until a stop takes effect.
#[must_use]
pub fn reserve(longest_frame: u32, latency: SimDuration, bytes_per_second: u64) -> u64 {
    let picoseconds = 2 * u128::from(latency.as_ps()) * u128::from(bytes_per_second);
    let carried = picoseconds.div_ceil(1_000_000_000_000);
    let carried = u64::try_from(carried).unwrap_or(u64::MAX);
    carried.saturating_add(2 * u64::from(longest_frame))
}

impl<P: Copy> Backlog<P> {
    /// Returns an empty backlog of `size` bytes that keeps `reserve` for what is under way.
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

    /// Returns the packet that has waited longest.
    #[must_use]
    pub fn first(&self) -> Option<P> {
        self.waiting.front().map(|waiting| waiting.packet)
    }

    /// Returns whether the packet that has waited longest has waited too long.
    #[must_use]
    pub fn is_overdue(&self, now: SimTime) -> bool {
        let first = self.waiting.front();
        first.is_some_and(|waiting| waiting.until <= now)
    }

    /// Has a packet of `frame` bytes wait; returns until when, or `None` where there is no room for it.
    pub fn add(&mut self, packet: P, frame: u32, now: SimTime) -> Option<SimTime> {
        let bytes = self.bytes.checked_add(frame)?;
        if bytes > self.size {
            return None;
        }
        self.bytes = bytes;
        let until = now + self.timeout;
        self.waiting.push_back(Waiting {
            packet,
            frame,
            until,
        });
        Some(until)
    }

    /// Takes the packet that has waited longest.
    pub fn take(&mut self) -> Option<P> {
        let Waiting { packet, frame, .. } = self.waiting.pop_front()?;
        self.bytes -= frame;
        Some(packet)
    }

    /// Returns what the sender is to be told, if that has changed. It stops beyond the mark, and goes on when half of
    /// that has left.
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

    #[test]
    fn what_is_under_way_fits_behind_the_mark() {
        // 100 ns there and 100 back at a byte each nanosecond, and two frames of 50 bytes.
        let reserve = reserve(50, SimDuration::from_ns(100), 1_000_000_000);
        assert_eq!(reserve, 300);
        let mut backlog = Backlog::new(400, reserve, SimDuration::from_ns(7));
        let add = |backlog: &mut Backlog<u8>| backlog.add(7, 50, SimTime::ZERO);
        for expected in [None, None, Some(Signal::Stop), None] {
            assert_eq!(add(&mut backlog), Some(SimTime::from_ps(7_000)));
            assert_eq!(backlog.signal(), expected);
        }
        for _ in 0..4 {
            assert!(add(&mut backlog).is_some());
        }
        assert_eq!(add(&mut backlog), None, "400 bytes are there");
        for left in (0..8).rev() {
            assert!(backlog.take().is_some());
            let expected = (left == 1).then_some(Signal::Go);
            assert_eq!(backlog.signal(), expected, "{left}");
        }
        assert_eq!(backlog.first(), None);
    }
}
