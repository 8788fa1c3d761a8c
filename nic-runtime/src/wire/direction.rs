//! A direction of a link: its wire, its queue and the packet that it is sending.

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Index, IndexMut};

use nic_core::id::{DirectionId, NicId};
use nic_core::random::Name;
use nic_core::time::{Rate, SimDuration, SimTime};

use super::{Backlog, Crossbar, Faults, Flows, Input, PacketRef, Port, Worms};
use crate::profile::Framing;
use crate::spec::{Full, Routes, SwitchMode};

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

/// How packets go on at the switch to which a direction leads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Onward {
    /// When a packet goes on.
    pub(crate) mode: SwitchMode,
    /// The time that the switch takes for it.
    pub(crate) latency: SimDuration,
    /// What happens to a packet for which the switch has no room.
    pub(crate) full: Full,
}

/// A buffer of a switch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum BufferAt {
    /// That of the port at which a direction begins.
    Port(DirectionId),
    /// That of the input at which a direction ends.
    Input(DirectionId),
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The sending NIC or switch.
    pub from: NicId,
    /// The receiving NIC or switch.
    pub to: NicId,
    /// The direction's properties.
    pub wire: Wire,
    /// Whether any fault has a probability above zero.
    pub is_faulty: bool,
    /// Whether a packet that leaves on this direction may be lost before it reaches a NIC.
    pub(crate) may_lose: bool,
    /// Packets that wait for the wire, in the order in which they leave.
    pub queue: VecDeque<PacketRef>,
    /// Whether channels take turns at the port where the direction begins.
    pub(crate) takes_turns: bool,
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
    /// How packets go on at the end of the direction; `None` if it is a NIC.
    pub(crate) onward: Option<Onward>,
    /// The port at which the direction begins; `None` if it is that of a NIC.
    pub(crate) port: Option<Box<Port>>,
    /// The input at which the direction ends; `None` if packets do not wait at its end.
    pub(crate) input: Option<Box<Input>>,
    /// Whether the packet that the wire is sending is lost already, because the switch at its end has no room for it.
    pub(crate) is_sending_lost: bool,
}

impl Direction {
    /// Returns whether the wire can send a packet now.
    #[must_use]
    pub fn is_free(&self, now: SimTime) -> bool {
        self.sending.is_none() && self.gap_ends <= now
    }

    /// Returns whether the direction begins or ends at a switch.
    #[must_use]
    pub(crate) fn is_at_switch(&self) -> bool {
        self.onward.is_some() || self.port.is_some()
    }

    /// Returns whether a switch sends packets on while they still arrive on this direction. Faults strike whole packets,
    /// so a switch waits for the end of a packet on a link that has faults.
    #[must_use]
    pub(crate) fn is_cut_through(&self) -> bool {
        let mode = self.onward.map(|onward| onward.mode);
        let is_early = matches!(mode, Some(SwitchMode::CutThrough | SwitchMode::WormHole));
        is_early && !self.is_faulty
    }

    /// Returns whether a packet that waits at the direction's end keeps the direction.
    #[must_use]
    pub(crate) fn is_worm_hole(&self) -> bool {
        let mode = self.onward.map(|onward| onward.mode);
        mode == Some(SwitchMode::WormHole) && !self.is_faulty
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
    /// The directions between NICs that a link joins.
    direct: BTreeMap<(NicId, NicId), DirectionId>,
    /// The routes over switches.
    routes: Option<Routes>,
    /// The directions of each link of the routes, first that from the link's first node.
    of_links: Vec<[DirectionId; 2]>,
    /// The packets on their way over worm-hole switches.
    pub(crate) worms: Worms,
    /// The switches whose packets wait at their inputs.
    pub(crate) crossbars: BTreeMap<NicId, Crossbar>,
}

impl Fabric {
    /// Returns a fabric without links.
    #[must_use]
    pub fn new() -> Fabric {
        Fabric::default()
    }

    /// Returns the link direction on which packets leave a NIC for a NIC.
    #[must_use]
    pub fn route(&self, from: NicId, to: NicId) -> Option<DirectionId> {
        match &self.routes {
            Some(_) if from != to => self.next(from, (from, to)),
            Some(_) | None => self.direct.get(&(from, to)).copied(),
        }
    }

    /// Returns the link direction on which the packets of a NIC to another leave a node on their way.
    pub(crate) fn next(&self, node: NicId, way: (NicId, NicId)) -> Option<DirectionId> {
        let [there, back] = self.of_links[self.routes.as_ref()?.next(node, way)?];
        let is_first = self[there].from == node;
        Some(if is_first { there } else { back })
    }

    /// Returns the link directions of the whole route from a NIC to a NIC.
    pub(crate) fn way(&self, from: NicId, to: NicId) -> impl Iterator<Item = &Direction> {
        let mut next = self.route(from, to);
        std::iter::from_fn(move || {
            let direction = &self[next?];
            next = (direction.to != to)
                .then(|| self.next(direction.to, (from, to)))
                .flatten();
            Some(direction)
        })
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

    /// Adds the link direction from one node to another.
    pub fn add(&mut self, (from, to): (NicId, NicId), wire: Wire, name: Name) -> DirectionId {
        let id = u32::try_from(self.directions.len()).expect("a scenario has fewer links");
        self.direct.insert((from, to), DirectionId(id));
        self.directions.push(Direction {
            from,
            to,
            is_faulty: wire.is_faulty(),
            may_lose: wire.is_faulty(),
            wire,
            queue: VecDeque::new(),
            takes_turns: false,
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
            onward: None,
            port: None,
            input: None,
            is_sending_lost: false,
        });
        DirectionId(id)
    }

    /// Returns a buffer of a switch.
    pub(crate) fn buffer(&mut self, at: BufferAt) -> Option<&mut Port> {
        match at {
            BufferAt::Port(id) => self[id].port.as_deref_mut(),
            BufferAt::Input(id) => self[id].input.as_mut().map(|input| &mut input.buffer),
        }
    }

    /// Sets the routes over switches, with the directions of each link.
    pub(crate) fn set_routes(&mut self, routes: Routes, of_links: Vec<[DirectionId; 2]>) {
        self.routes = Some(routes);
        self.of_links = of_links;
        let loses = |direction: &Direction| {
            let of_port = direction.port.as_deref();
            let of_input = direction.input.as_ref().map(|input| &input.buffer);
            let mut buffers = of_port.into_iter().chain(of_input);
            direction.is_faulty || buffers.any(Port::may_overflow)
        };
        if self.directions.iter().any(loses) {
            let to_switches = self
                .directions
                .iter_mut()
                .filter(|direction| direction.is_at_switch());
            to_switches.for_each(|direction| direction.may_lose = true);
        }
    }

    /// Lets a direction end at a switch with buffers like this one.
    pub(crate) fn end_at_switch(&mut self, id: DirectionId, onward: Onward, buffer: Port) {
        if let SwitchMode::Crossbar(arbiter) = onward.mode {
            let crossbar = self.crossbars.entry(self[id].to);
            let crossbar = crossbar.or_insert_with(|| Crossbar::new(arbiter));
            let position = crossbar.add_input(id);
            self[id].input = Some(Box::new(Input::new(position, buffer)));
        }
        let direction = &mut self[id];
        direction.onward = Some(onward);
        // A switch has no slots, so nothing holds packets up at this end.
        direction.delivers_all = false;
        direction.backlog = None;
    }

    /// Lets a direction begin at a port of a switch of this mode with buffers like this one.
    pub(crate) fn begin_at_switch(&mut self, id: DirectionId, mode: SwitchMode, buffer: Port) {
        let port = match mode {
            SwitchMode::StoreAndForward | SwitchMode::CutThrough | SwitchMode::WormHole => buffer,
            SwitchMode::Crossbar(arbiter) => {
                let crossbar = self.crossbars.entry(self[id].from);
                let crossbar = crossbar.or_insert_with(|| Crossbar::new(arbiter));
                crossbar.add_output(id);
                // An output holds the packet that it sends and no other.
                Port::new(None, Full::Drop)
            }
        };
        self[id].port = Some(Box::new(port));
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
