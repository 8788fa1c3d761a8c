//! The network between the NICs: links and switches.
//!
//! NICs and switches are the nodes of the network. A [`NicId`] below the number of NICs is a NIC, and the numbers behind
//! it are switches, in the order of the scenario.

use std::num::NonZeroU32;

use nic_core::id::NicId;
use nic_core::time::SimDuration;

use crate::profile::WireProfile;

/// A link between two nodes, or of one NIC to itself.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// The nodes at the ends of the link; twice the same NIC for a NIC's link to itself.
    pub between: (NicId, NicId),
    /// The properties of each direction: the wire of a profile, with the latency and bandwidth of the file.
    pub wire: WireProfile,
    /// The probability that a packet is lost.
    pub loss: f64,
    /// The probability that a packet arrives twice.
    pub duplicate: f64,
    /// The probability that one bit of a packet is flipped.
    pub corrupt: f64,
    /// The probability that a packet is delayed until after the next packet.
    pub reorder: f64,
    /// Whether the wire's CRC detects flipped bits.
    pub crc: bool,
}

/// A switch, which sends each packet that it receives on towards the packet's destination.
#[derive(Clone, Debug)]
pub struct SwitchSpec {
    /// The switch's name, unique among NICs and switches.
    pub name: String,
    /// How many links the switch may have.
    pub ports: u32,
    /// The time between the arrival of a packet and its place in the queue of the port by which it leaves.
    pub latency: SimDuration,
    /// When the switch sends a packet on.
    pub mode: SwitchMode,
    /// How many bytes of frames wait at each port at most; `None` if there is no limit.
    pub buffer: Option<NonZeroU32>,
    /// What happens to a packet for which the buffer has no room.
    pub full: Full,
    /// The switch's place in a mesh, by dimension; empty if it is in none.
    pub at: Vec<u32>,
}

/// When a switch sends a packet on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SwitchMode {
    /// When the packet's last bit has arrived.
    StoreAndForward,
    /// When the packet's first bit has arrived, or so much later that the packet's end is there when it is needed.
    CutThrough,
    /// When the packet's first bit has arrived. If the packet has to wait, it keeps every link on which a part of it lies.
    WormHole,
    /// When the packet's last bit has arrived, and the packet is the first at its input. The packets at an input wait in
    /// one queue, and each output has an arbiter.
    Crossbar(Arbiter),
}

/// What happens to a packet for which the buffer of a switch has no room.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Full {
    /// The endpoint with the most bytes in the buffer loses its newest packet.
    #[default]
    Drop,
    /// The packet does not leave the node before the switch until there is room.
    Stop,
}

/// Which of the packets that are first at their inputs an output takes next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// The inputs have their turns one after the other.
    RoundRobin,
    /// The packet that has waited longest at the switch.
    Oldest,
}
