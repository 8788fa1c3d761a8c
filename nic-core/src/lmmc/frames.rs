//! The table of link page frames of one direction of a link (S4-15), and which frame is given up (S4-17, step 3).

use super::names::{FrameId, PortId};
use crate::storage::{List, Storage};

/// Maximum number of frames of one direction of a link without an allocator. Each costs 16 bytes. Chosen.
pub const FRAMES_MAX: usize = 8;

/// How a frame is chosen when all are taken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Victims {
    /// The frame whose port came in first.
    Fifo,
    /// The next frame whose port was not written since the last search.
    Clock,
    /// This frame, which somebody else has chosen. If the link has no such frame, FIFO chooses.
    Named(FrameId),
}

/// Which port each frame of one direction holds. A frame holds at most one port.
#[derive(Clone, Debug)]
pub struct FrameTable<S: Storage> {
    frames: S::List<Frame, FRAMES_MAX>,
    /// How many ports came in so far.
    loads: u64,
    /// The frame at which [`Victims::Clock`] looks next.
    hand: u32,
}

#[derive(Copy, Clone, Debug)]
struct Frame {
    port: Option<PortId>,
    /// How many ports came in before this one.
    since: u64,
}

impl<S: Storage> FrameTable<S> {
    /// Returns a table of so many empty frames, for which the storage has room.
    pub(super) fn new(count: u32) -> FrameTable<S> {
        let mut frames = S::List::default();
        let empty = Frame {
            port: None,
            since: 0,
        };
        for _ in 0..count {
            let has_room = frames.push(empty);
            debug_assert!(has_room);
        }
        FrameTable {
            frames,
            loads: 0,
            hand: 0,
        }
    }

    /// Returns the number of frames.
    #[must_use]
    pub fn count(&self) -> u32 {
        // There are as many frames as `new` was asked for.
        self.frames.len() as u32
    }

    /// Returns whether the table has this frame.
    #[must_use]
    pub fn has(&self, frame: FrameId) -> bool {
        frame.0 < self.count()
    }

    /// Returns the port in a frame, if there is such a frame and it holds one.
    #[must_use]
    pub fn port(&self, frame: FrameId) -> Option<PortId> {
        self.frames.get(frame.0 as usize)?.port
    }

    /// Returns the lowest empty frame that is not `except`.
    pub(super) fn free(&self, except: Option<FrameId>) -> Option<FrameId> {
        let mut frames = (0..).map(FrameId).zip(self.frames.iter());
        let found = frames.find(|(id, frame)| frame.port.is_none() && Some(*id) != except);
        found.map(|(id, _)| id)
    }

    /// Gives a frame of the table to a port.
    pub(super) fn put(&mut self, frame: FrameId, port: PortId) {
        if let Some(entry) = self.frames.get_mut(frame.0 as usize) {
            entry.port = Some(port);
            entry.since = self.loads;
            self.loads = self.loads.saturating_add(1);
        }
    }

    /// Takes the port out of a frame.
    pub(super) fn clear(&mut self, frame: FrameId) {
        if let Some(entry) = self.frames.get_mut(frame.0 as usize) {
            entry.port = None;
        }
    }

    /// Returns the frame to give up when all are taken. `take_used` says whether a port was written since it was last
    /// asked.
    pub(super) fn victim(
        &mut self,
        victims: Victims,
        take_used: impl FnMut(PortId) -> bool,
    ) -> FrameId {
        match victims {
            Victims::Named(frame) if self.has(frame) => frame,
            Victims::Fifo | Victims::Named(_) => self.oldest(),
            Victims::Clock => self.clock(take_used),
        }
    }

    fn oldest(&self) -> FrameId {
        let frames = (0..).map(FrameId).zip(self.frames.iter());
        let oldest = frames.min_by_key(|(_, frame)| frame.since);
        // A link has at least one frame.
        oldest.map_or(FrameId(0), |(id, _)| id)
    }

    fn clock(&mut self, mut take_used: impl FnMut(PortId) -> bool) -> FrameId {
        // After one round every port was asked once, so the second ends at the first frame at the latest, unless ports
        // are written in between.
        for _ in 0..self.count() {
            let frame = FrameId(self.hand);
            self.advance();
            if !self.port(frame).is_some_and(&mut take_used) {
                return frame;
            }
        }
        let frame = FrameId(self.hand);
        self.advance();
        frame
    }

    fn advance(&mut self) {
        let next = self.hand + 1;
        self.hand = if next < self.count() { next } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    fn port(number: u32) -> PortId {
        PortId::new(number).unwrap()
    }

    fn full() -> FrameTable<Fixed> {
        let mut table = FrameTable::new(3);
        for (frame, number) in [(1, 11), (2, 12), (0, 10)] {
            table.put(FrameId(frame), port(number));
        }
        table
    }

    #[test]
    fn a_frame_holds_what_was_put_there_last() {
        let mut table = full();
        let ports = [0, 1, 2, 3].map(|frame| table.port(FrameId(frame)));
        assert_eq!(
            ports,
            [Some(port(10)), Some(port(11)), Some(port(12)), None]
        );
        assert_eq!(table.free(None), None);
        table.clear(FrameId(1));
        table.clear(FrameId(2));
        assert_eq!(table.free(None), Some(FrameId(1)));
        assert_eq!(table.free(Some(FrameId(1))), Some(FrameId(2)));
        assert_eq!((table.count(), table.has(FrameId(3))), (3, false));
        table.put(FrameId(3), port(1));
        assert_eq!(table.port(FrameId(3)), None);
    }

    #[test]
    fn fifo_gives_up_the_oldest_and_a_name_goes_before_it() {
        let mut table = full();
        let never = |_| panic!("only the clock asks");
        let mut gone = Vec::new();
        for number in 20..24 {
            let frame = table.victim(Victims::Fifo, never);
            table.put(frame, port(number));
            gone.push(frame.0);
        }
        assert_eq!(gone, [1, 2, 0, 1]);
        let named = table.victim(Victims::Named(FrameId(0)), never);
        assert_eq!(named, FrameId(0));
        let unknown = table.victim(Victims::Named(FrameId(3)), never);
        assert_eq!(unknown, FrameId(2));
    }

    #[test]
    fn the_clock_passes_over_what_was_written() {
        let mut table = full();
        let mut written = vec![10, 12];
        let mut take = |port: PortId| {
            let place = written.iter().position(|number| *number == port.number());
            place.map(|place| written.remove(place)).is_some()
        };
        let gone = [(); 4].map(|()| table.victim(Victims::Clock, &mut take).0);
        // Frames 0 and 2 were written once, and are passed over once.
        assert_eq!(gone, [1, 0, 1, 2]);
        assert_eq!(table.victim(Victims::Clock, |_| true), FrameId(0));
        assert_eq!(table.victim(Victims::Clock, |_| true), FrameId(1));
    }
}
