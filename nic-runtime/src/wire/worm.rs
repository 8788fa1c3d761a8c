//! Packets that lie on several links at a time, because they cross worm-hole switches.

use std::collections::BTreeMap;

use nic_core::id::DirectionId;
use nic_core::time::{SimDuration, SimTime};

use super::PacketRef;

/// A link that a packet lies on.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Held {
    pub(crate) direction: DirectionId,
    /// When the packet's end leaves the link, unless the packet is held up.
    ends: SimTime,
    /// How long after this link's end the packet's end leaves the next.
    ahead: SimDuration,
    /// When the simulation looks whether the end leaves the link.
    looks_at: Option<SimTime>,
}

/// A packet on its way over worm-hole switches.
///
/// When its beginning has to wait, the whole packet stands still: it keeps every link that its end has not left, and the
/// link behind its beginning in any case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worm {
    /// The links from the end of the packet to its beginning.
    held: Vec<Held>,
    /// Since when the beginning has waited.
    stands_since: Option<SimTime>,
    /// Whether the beginning is on the last link, behind which nothing holds the packet up.
    is_through: bool,
}

impl Worm {
    /// Notes that the beginning of the packet waits.
    pub(crate) fn stand(&mut self, now: SimTime) {
        self.stands_since = Some(now);
    }

    /// Returns whether the beginning of the packet is on a link or has left it for the switch behind it.
    pub(crate) fn begins_on(&self, direction: DirectionId) -> bool {
        let last = self.held.last();
        last.is_some_and(|last| last.direction == direction)
    }

    /// Notes that the beginning of the packet leaves on another link, which takes `duration` for the packet, and returns
    /// when its end leaves this link.
    ///
    /// `ahead` is the time from one link to the next; `None` if nothing holds the packet up behind this link. The times of
    /// the links behind change, and none of them is before the present.
    pub(crate) fn go_on(
        &mut self,
        direction: DirectionId,
        (now, duration): (SimTime, SimDuration),
        ahead: Option<SimDuration>,
    ) -> SimTime {
        if let Some(since) = self.stands_since.take() {
            let waited = now.since(since);
            for held in self.held.iter_mut().filter(|held| held.ends > since) {
                held.ends = held.ends + waited;
            }
        }
        let before = self.held.last().map(|held| held.ends + held.ahead);
        let ends = before.map_or(now + duration, |before| before.max(now + duration));
        // A slow link holds up those behind it.
        let mut latest = ends;
        for held in self.held.iter_mut().rev() {
            latest = SimTime::from_ps(latest.as_ps().saturating_sub(held.ahead.as_ps()));
            held.ends = held.ends.max(latest).max(now);
        }
        self.is_through = ahead.is_none();
        self.held.push(Held {
            direction,
            ends,
            ahead: ahead.unwrap_or_default(),
            looks_at: Some(ends),
        });
        ends
    }

    /// Returns the links behind the beginning for which the simulation has to look at another time than it would, each with
    /// the time when the packet's end leaves it.
    pub(crate) fn moved(&mut self) -> Vec<(DirectionId, SimTime)> {
        let behind = self.held.split_last_mut().map(|(_, behind)| behind);
        let behind = behind.unwrap_or_default().iter_mut();
        let moved = behind.filter(|held| held.looks_at != Some(held.ends));
        moved
            .map(|held| {
                held.looks_at = Some(held.ends);
                (held.direction, held.ends)
            })
            .collect()
    }

    /// Notes that the packet's end may leave a link now. Returns whether it does.
    fn leave(&mut self, direction: DirectionId, now: SimTime) -> bool {
        let mut held = self.held.iter();
        let Some(place) = held.position(|held| held.direction == direction) else {
            return true;
        };
        let is_last = place + 1 == self.held.len();
        let held = &mut self.held[place];
        if held.looks_at == Some(now) {
            held.looks_at = None;
        }
        let stands = self.stands_since.is_some_and(|since| held.ends > since);
        if held.ends > now || stands || (is_last && !self.is_through) {
            return false;
        }
        self.held.remove(place);
        true
    }
}

/// The packets that are on their way over worm-hole switches. Where other switches are among them, a packet may be in
/// several pieces, each of which stands and goes on for itself; the last of them has the beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worms(BTreeMap<PacketRef, Vec<Worm>>);

impl Worms {
    /// Returns the piece of a packet that something may hold up.
    pub(crate) fn of(&mut self, packet: PacketRef) -> Option<&mut Worm> {
        let last = self.0.get_mut(&packet)?.last_mut();
        last.filter(|worm| !worm.is_through)
    }

    /// Begins another piece of a packet.
    pub(crate) fn begin(&mut self, packet: PacketRef) {
        self.0.entry(packet).or_default().push(Worm::default());
    }

    /// Notes that the packet's end may leave a link now. Returns whether it does.
    pub(crate) fn leave(
        &mut self,
        packet: PacketRef,
        direction: DirectionId,
        now: SimTime,
    ) -> bool {
        let Some(pieces) = self.0.get_mut(&packet) else {
            return true;
        };
        let leaves = pieces.iter_mut().all(|worm| worm.leave(direction, now));
        pieces.retain(|worm| !(worm.is_through && worm.held.is_empty()));
        if pieces.is_empty() {
            self.0.remove(&packet);
        }
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> SimTime {
        SimTime::from_ps(ns * 1_000)
    }

    fn ns(ns: u64) -> SimDuration {
        SimDuration::from_ns(ns)
    }

    const LINKS: [DirectionId; 3] = [DirectionId(0), DirectionId(1), DirectionId(2)];

    #[test]
    fn a_packet_that_waits_keeps_what_it_has() {
        // 100 ns on each link, which are 10 ns from each other.
        let [one, two, three] = LINKS;
        let mut worm = Worm::default();
        assert_eq!(worm.go_on(one, (at(0), ns(100)), Some(ns(10))), at(100));
        assert_eq!(worm.go_on(two, (at(10), ns(100)), Some(ns(10))), at(110));
        worm.stand(at(20));
        assert!(!worm.leave(one, at(100)));
        assert_eq!(worm.go_on(three, (at(500), ns(100)), None), at(600));
        assert_eq!(worm.moved(), [(one, at(580)), (two, at(590))]);
        assert!(!worm.leave(one, at(579)));
        assert!(worm.leave(one, at(580)) && worm.leave(two, at(590)) && worm.leave(three, at(600)));
        assert!(worm.held.is_empty());
    }

    #[test]
    fn a_short_packet_leaves_a_link_when_it_has_the_next() {
        // 5 ns on each link, which are 10 ns from each other.
        let [one, two, _] = LINKS;
        let mut worm = Worm::default();
        assert_eq!(worm.go_on(one, (at(0), ns(5)), Some(ns(10))), at(5));
        assert!(!worm.leave(one, at(5)));
        worm.stand(at(10));
        assert_eq!(worm.go_on(two, (at(70), ns(5)), None), at(75));
        assert_eq!(worm.moved(), [(one, at(70))]);
        assert!(worm.leave(one, at(70)));
    }

    #[test]
    fn a_slow_link_holds_up_those_behind_it() {
        let [one, two, _] = LINKS;
        let mut worm = Worm::default();
        worm.go_on(one, (at(0), ns(100)), Some(ns(10)));
        assert_eq!(worm.go_on(two, (at(10), ns(400)), None), at(410));
        assert_eq!(worm.moved(), [(one, at(400))]);
        // A fast one has to wait for the slow one.
        let mut worm = Worm::default();
        worm.go_on(one, (at(0), ns(400)), Some(ns(10)));
        assert_eq!(worm.go_on(two, (at(10), ns(100)), None), at(410));
        assert_eq!(worm.moved(), []);
    }
}
