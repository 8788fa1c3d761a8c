//! One direction of a link: its wire, the packets that queue for it and the one it holds back.

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Index, IndexMut};

use nic_core::id::{DirectionId, NicId};
use nic_core::random::Name;
use nic_core::time::{Rate, SimDuration, SimTime};

use super::{Backlog, Faults, Flows, Framing, PacketRef};

/// What a link is like, in one direction.
#[derive(Copy, Clone, Debug)]
pub struct Wire {
    /// Time from last bit out to last bit in.
    pub latency: SimDuration,
    /// How fast bytes go out.
    pub rate: Rate,
    /// What goes out beside a message.
    pub framing: Framing,
    /// Bytes that a packet on it has at most.
    pub longest: u32,
    /// Bytes of a cell; 0 where packets pass as a whole.
    pub cell: u32,
    /// How long it holds a packet back for the next one.
    pub reorder_max: SimDuration,
    /// How likely each fault is.
    pub faults: Faults,
    /// Bytes at its end for packets that find no place; how many of them are for packets under way; how long a packet
    /// waits there; `None` where none waits.
    pub backlog: Option<(u32, u64, SimDuration)>,
    /// Whether flipped bits are detected.
    pub crc: bool,
    /// What a packet needs before it leaves.
    pub admission: Admission,
}

impl Wire {
    /// Returns whether a fault can strike.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.faults != Faults::NONE
    }
}

/// What a packet needs before it leaves its sender's memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// An arrival slot at the receiver.
    Slot,
    /// Nothing: it is dropped where it finds no slot.
    Unasked,
    /// It must not go: the NICs at the two ends are not expected to meet.
    LeavesGroup,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The NIC whose packets it carries.
    pub from: NicId,
    /// The NIC it carries them to.
    pub to: NicId,
    /// What it is like.
    pub wire: Wire,
    /// Whether a fault can strike there.
    pub is_faulty: bool,
    /// Packets that wait for the wire.
    pub queue: VecDeque<PacketRef>,
    /// The packet whose bits are on their way out.
    pub sending: Option<PacketRef>,
    /// How long the wire is idle behind a frame, at least.
    pub gap: SimDuration,
    /// When the gap behind the last frame is over.
    pub gap_ends: SimTime,
    /// Whether the next packet waits for that.
    pub waits_for_gap: bool,
    /// What a packet needs before it leaves its sender.
    pub admission: Admission,
    /// Whether whatever comes in is delivered: no fault can strike, and each packet has its place.
    pub delivers_all: bool,
    /// What waits at its end for a place, and whether that has its sender stop.
    pub backlog: Option<Box<Backlog>>,
    /// What it knows of each channel, where faults can strike.
    pub flows: Flows,
    /// Its name, from which the faults of its packets are drawn.
    pub name: Name,
}

impl Direction {
    /// Returns whether a packet may go out.
    #[must_use]
    pub fn is_free(&self, now: SimTime) -> bool {
        self.sending.is_none() && self.gap_ends <= now
    }

    /// Returns the time from the first bit out to the last one of a packet with a message of `length` bytes.
    #[must_use]
    pub fn occupied_by(&self, length: u32) -> SimDuration {
        self.wire.rate.time(self.wire.framing.frame(length))
    }
}

/// Every link direction.
#[derive(Clone, Debug, Default)]
pub struct Fabric {
    directions: Vec<Direction>,
    routes: BTreeMap<(NicId, NicId), DirectionId>,
}

impl Fabric {
    /// Returns a fabric without links.
    #[must_use]
    pub fn new() -> Fabric {
        Fabric::default()
    }

    /// Returns the direction that leads from one NIC to another.
    #[must_use]
    pub fn route(&self, from: NicId, to: NicId) -> Option<DirectionId> {
        self.routes.get(&(from, to)).copied()
    }

    /// Returns every direction.
    pub fn directions(&self) -> impl Iterator<Item = (DirectionId, &Direction)> {
        (0u32..).map(DirectionId).zip(&self.directions)
    }

    /// Marks the directions between NICs of different groups.
    pub fn mark_leaving(&mut self, group: impl Fn(NicId) -> NicId) {
        for direction in &mut self.directions {
            if group(direction.from) != group(direction.to) {
                direction.admission = Admission::LeavesGroup;
            }
        }
    }

    /// Adds the direction from one NIC to another.
    pub fn add(&mut self, (from, to): (NicId, NicId), wire: Wire, name: Name) {
        let id = u32::try_from(self.directions.len()).expect("a scenario has fewer links");
        self.routes.insert((from, to), DirectionId(id));
        self.directions.push(Direction {
            from,
            to,
            is_faulty: wire.is_faulty(),
            wire,
            queue: VecDeque::new(),
            sending: None,
            gap: wire.rate.time(wire.framing.gap),
            gap_ends: SimTime::ZERO,
            waits_for_gap: false,
            admission: wire.admission,
            delivers_all: !wire.is_faulty() && wire.admission == Admission::Slot,
            backlog: wire
                .backlog
                .map(|(size, reserve, timeout)| Box::new(Backlog::new(size, reserve, timeout))),
            flows: Flows::default(),
            name,
        });
    }
}

impl Index<DirectionId> for Fabric {
    type Output = Direction;

    fn index(&self, direction: DirectionId) -> &Direction {
        &self.directions[direction.0 as usize]
    }
}

impl IndexMut<DirectionId> for Fabric {
    fn index_mut(&mut self, direction: DirectionId) -> &mut Direction {
        &mut self.directions[direction.0 as usize]
    }
}
