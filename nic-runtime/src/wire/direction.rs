//! A direction of a link: its wire, its queue and the packet that it is sending.

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Index, IndexMut};

use nic_core::id::{DirectionId, NicId};
use nic_core::random::Name;
use nic_core::time::{Rate, SimDuration, SimTime};

use super::{Backlog, Faults, Flows, PacketRef};
use crate::profile::Framing;

/// Properties of one direction of a link.
#[derive(Copy, Clone, Debug)]
pub struct Wire {
    /// Time from the sending of a packet's last bit to its reception.
    pub latency: SimDuration,
    /// Rate at which the wire sends bytes.
    pub rate: Rate,
    /// Bytes that the wire carries in addition to a message.
    pub framing: Framing,
    /// Maximum number of message bytes of a packet.
    pub longest: u32,
    /// Bytes of a cell; 0 if packets are not split into cells.
    pub cell: u32,
    /// Longest time for which a reordered packet is held back until the next packet has passed.
    pub reorder_max: SimDuration,
    /// Probability of each fault.
    pub faults: Faults,
    /// Size and reserve in bytes of the backlog at the receiving end, and the time after which a packet that waits
    /// there is dropped. The backlog is `None` if the wire has no stop-and-go flow control.
    pub backlog: Option<(u32, u64, SimDuration)>,
    /// Whether the receiver detects flipped bits by a CRC.
    pub crc: bool,
    /// The condition for a packet to leave its sender's memory for this wire.
    pub admission: Admission,
}

impl Wire {
    /// Returns whether any fault has a probability above zero.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.faults != Faults::NONE
    }
}

/// The condition for a packet to leave its sender's memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The packet has an arrival slot at the receiver.
    Slot,
    /// No condition must hold. A packet that finds no slot at the receiver waits in the backlog or is dropped.
    Unasked,
    /// The packet must not leave, because sender and receiver are in different groups of NICs.
    LeavesGroup,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The sending NIC.
    pub from: NicId,
    /// The receiving NIC.
    pub to: NicId,
    /// The direction's properties.
    pub wire: Wire,
    /// Whether any fault has a probability above zero.
    pub is_faulty: bool,
    /// Packets that wait for the wire.
    pub queue: VecDeque<PacketRef>,
    /// The packet that the wire is sending.
    pub sending: Option<PacketRef>,
    /// Least idle time after a frame.
    pub gap: SimDuration,
    /// End of the idle time that follows the last frame.
    pub gap_ends: SimTime,
    /// Whether an event is scheduled for the end of the idle time after a frame.
    pub waits_for_gap: bool,
    /// The condition for a packet to leave its sender's memory in this direction.
    pub admission: Admission,
    /// Whether every packet is delivered, because faults are impossible and each packet has its slot.
    pub delivers_all: bool,
    /// The backlog of packets at the receiving end; `None` without stop-and-go flow control.
    pub backlog: Option<Box<Backlog>>,
    /// The state of each channel whose packets use this direction, if faults are possible.
    pub flows: Flows,
    /// The direction's hashed name, which seeds the draws of faults.
    pub name: Name,
}

impl Direction {
    /// Returns whether the wire can send a packet now.
    #[must_use]
    pub fn is_free(&self, now: SimTime) -> bool {
        self.sending.is_none() && self.gap_ends <= now
    }

    /// Returns how long a packet with a message of `length` bytes occupies the wire.
    #[must_use]
    pub fn occupied_by(&self, length: u32) -> SimDuration {
        self.wire.rate.time(self.wire.framing.frame(length))
    }
}

/// All link directions.
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

    /// Returns the link direction from one NIC to another.
    #[must_use]
    pub fn route(&self, from: NicId, to: NicId) -> Option<DirectionId> {
        self.routes.get(&(from, to)).copied()
    }

    /// Returns all directions.
    pub fn directions(&self) -> impl Iterator<Item = (DirectionId, &Direction)> {
        (0u32..).map(DirectionId).zip(&self.directions)
    }

    /// Marks the link directions between NICs of different groups, so that no packet leaves on them.
    pub fn mark_leaving(&mut self, group: impl Fn(NicId) -> NicId) {
        for direction in &mut self.directions {
            if group(direction.from) != group(direction.to) {
                direction.admission = Admission::LeavesGroup;
            }
        }
    }

    /// Adds the link direction from one NIC to another.
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
