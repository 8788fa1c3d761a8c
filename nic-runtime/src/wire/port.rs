//! A port of a switch: what is known of the packets that wait for its link, beside the queue of the link itself.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use nic_core::id::{DirectionId, EndpointId};
use nic_core::time::SimTime;

use crate::spec::Full;

/// A packet that waits at a port.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Waits {
    /// The endpoint that sent the packet.
    pub(crate) sender: EndpointId,
    /// Bytes of the packet's frame; 0 if the packet takes no place in the buffer, and is never dropped.
    pub(crate) frame: u32,
    /// When the packet came to the port.
    pub(crate) since: SimTime,
    /// The direction on which the packet came.
    pub(crate) came_by: DirectionId,
    /// How many packets needed the same output when the packet left its input, at a switch whose packets wait there.
    pub(crate) behind: usize,
}

/// The packets at a port of a switch, and the buffer that holds them.
///
/// A packet is in the buffer until its last bit has left. If the buffer has no room for another packet, the endpoint with
/// the most bytes in it loses its newest packets. So an endpoint with no more than its equal share of the buffer loses
/// nothing. Where `full` is [`Full::Stop`], packets come only if they have room, and nothing is lost.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    size: Option<NonZeroU32>,
    full: Full,
    bytes: u64,
    /// The bytes of packets that have room and are on their way.
    reserved: u64,
    /// The links that wait for room, in the order in which they get it.
    stopped: VecDeque<DirectionId>,
    of_sender: BTreeMap<EndpointId, u64>,
    /// The waiting packets, in the order of the link's queue.
    waiting: VecDeque<Waits>,
    /// The packet that the link is sending.
    sending: Option<Waits>,
}

impl Port {
    pub(crate) fn new(size: Option<NonZeroU32>, full: Full) -> Port {
        Port {
            size,
            full,
            bytes: 0,
            reserved: 0,
            stopped: VecDeque::new(),
            of_sender: BTreeMap::new(),
            waiting: VecDeque::new(),
            sending: None,
        }
    }

    /// Returns whether the port may have no room for a packet.
    pub(crate) fn may_overflow(&self) -> bool {
        self.size.is_some() && self.full == Full::Drop
    }

    /// Reserves room for the next packet of a link, if it is the link's turn and there is room. Otherwise the link waits
    /// for room.
    pub(crate) fn reserve(&mut self, link: DirectionId, frame: u32) -> bool {
        let taken = self.bytes + self.reserved + u64::from(frame);
        let fits = self.size.is_none_or(|size| taken <= u64::from(size.get()));
        let is_first = self.stopped.front() == Some(&link);
        if fits && (is_first || self.stopped.is_empty()) {
            self.reserved += u64::from(frame);
            self.stopped.pop_front();
            return true;
        }
        if !self.stopped.contains(&link) {
            self.stopped.push_back(link);
        }
        false
    }

    /// Gives up the room of a packet that is lost on its way to the port.
    pub(crate) fn give_up(&mut self, frame: u32) {
        self.reserved -= u64::from(frame);
    }

    /// Returns the link that gets room next, of those that wait for it.
    pub(crate) fn first_stopped(&self) -> Option<DirectionId> {
        self.stopped.front().copied()
    }

    /// Takes a packet that comes to the port, behind all others.
    pub(crate) fn take(&mut self, packet: Waits) {
        if self.full == Full::Stop {
            self.reserved -= u64::from(packet.frame);
        }
        self.bytes += u64::from(packet.frame);
        *self.of_sender.entry(packet.sender).or_default() += u64::from(packet.frame);
        self.waiting.push_back(packet);
    }

    /// Removes a packet for which the buffer has no room, and returns its place in the queue and how it came. Returns
    /// `None` if the buffer holds all packets.
    pub(crate) fn overflow(&mut self) -> Option<(usize, Waits)> {
        let size = self.size.filter(|_| self.full == Full::Drop)?;
        if self.bytes <= u64::from(size.get()) {
            return None;
        }
        // Of two senders with as many bytes, the one with the later number loses a packet.
        let most = self.of_sender.iter().max_by_key(|(_, bytes)| **bytes);
        let (sender, _) = most?;
        let place = self
            .waiting
            .iter()
            .rposition(|packet| packet.sender == *sender && packet.frame > 0)?;
        let packet = self.waiting.remove(place)?;
        self.release(packet);
        Some((place, packet))
    }

    /// Returns the packet that the link is sending, or is the next to send.
    pub(crate) fn begun(&self) -> Option<Waits> {
        self.sending
    }

    /// Notes that the link begins to send the first waiting packet, and returns it.
    pub(crate) fn begin(&mut self) -> Option<Waits> {
        let packet = self.waiting.pop_front()?;
        self.sending = Some(packet);
        Some(packet)
    }

    /// Notes that the packet that the link was sending has left, and returns what is known of it.
    pub(crate) fn end(&mut self) -> Option<Waits> {
        let packet = self.sending.take()?;
        self.release(packet);
        Some(packet)
    }

    /// Puts the packet that the link has sent in front of the others again, because the link sends a copy of it.
    pub(crate) fn again(&mut self, now: SimTime) {
        if let Some(packet) = self.sending.take() {
            self.waiting.push_front(Waits {
                since: now,
                ..packet
            });
        }
    }

    /// Returns what is known of the first packet that waits.
    pub(crate) fn first(&self) -> Option<&Waits> {
        self.waiting.front()
    }

    /// Returns the number of packets that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn release(&mut self, packet: Waits) {
        self.bytes -= u64::from(packet.frame);
        if let Some(bytes) = self.of_sender.get_mut(&packet.sender) {
            *bytes -= u64::from(packet.frame);
            if *bytes == 0 {
                self.of_sender.remove(&packet.sender);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(sender: u32, frame: u32) -> Waits {
        Waits {
            sender: EndpointId(sender),
            frame,
            since: SimTime::ZERO,
            came_by: DirectionId(0),
            behind: 0,
        }
    }

    #[test]
    fn the_endpoint_with_the_most_bytes_loses_its_newest_packet() {
        let mut port = Port::new(NonZeroU32::new(400), Full::Drop);
        for sender in [1, 0, 1, 1] {
            port.take(packet(sender, 100));
            assert!(port.overflow().is_none());
        }
        port.begin();
        // The packet of the first endpoint fits, because the flood gives way.
        port.take(packet(0, 100));
        let (place, lost) = port.overflow().expect("500 bytes do not fit");
        assert_eq!((place, lost.sender), (2, EndpointId(1)));
        assert!(port.overflow().is_none());
        // A packet of the flood itself is lost at once.
        port.take(packet(1, 100));
        let (place, lost) = port.overflow().expect("500 bytes do not fit");
        assert_eq!((place, lost.sender), (3, EndpointId(1)));
        // What has left makes room.
        port.end();
        port.take(packet(1, 100));
        assert!(port.overflow().is_none());
        assert_eq!(port.waiting(), 4);
    }

    #[test]
    fn links_get_room_in_the_order_in_which_they_asked() {
        let mut port = Port::new(NonZeroU32::new(250), Full::Stop);
        let [a, b, c] = [1, 2, 3].map(DirectionId);
        assert!(port.reserve(a, 100) && port.reserve(b, 100));
        port.take(packet(0, 100));
        port.take(packet(0, 100));
        assert!(!port.reserve(a, 100));
        // A small packet must not overtake.
        assert!(!port.reserve(c, 10));
        assert_eq!(port.first_stopped(), Some(a));
        port.begin();
        port.end();
        assert!(!port.reserve(c, 10) && port.reserve(a, 100) && port.reserve(c, 10));
        assert_eq!(port.first_stopped(), None);
        port.give_up(100);
        assert!(port.reserve(b, 100) && !port.reserve(b, 100));
        assert!(!port.may_overflow() && port.overflow().is_none());
    }

    #[test]
    fn within_its_share_an_endpoint_loses_nothing() {
        // Four endpoints share 800 bytes; one keeps to its 200, the others flood.
        let mut port = Port::new(NonZeroU32::new(800), Full::Drop);
        let mut generator = nic_core::random::Generator::named(1, &["port"]);
        let mut own = 0;
        for _ in 0..10_000 {
            let draw = generator.draw();
            let (sender, frame) = ((draw % 4) as u32, 10 + (draw >> 8) as u32 % 90);
            if sender == 0 && own + frame > 200 {
                continue;
            }
            own += if sender == 0 { frame } else { 0 };
            port.take(packet(sender, frame));
            while let Some((_, lost)) = port.overflow() {
                assert_ne!(lost.sender, EndpointId(0));
            }
            if draw >> 40 & 1 == 0 && port.waiting() > 0 {
                let sent = port.begin().expect("it waits");
                port.end();
                own -= if sent.sender == EndpointId(0) {
                    sent.frame
                } else {
                    0
                };
            }
        }
    }
}
