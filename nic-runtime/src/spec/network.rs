//! The network between the NICs: links, switches, and the routes that packets take.
//!
//! NICs and switches are the nodes of the network. A [`NicId`] below the number of NICs is a NIC, and the numbers behind
//! it are switches, in the order of the scenario.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use nic_core::id::NicId;
use nic_core::time::SimDuration;

use crate::ids::Id;
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
}

/// When a switch sends a packet on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SwitchMode {
    /// When the packet's last bit has arrived.
    StoreAndForward,
    /// When the packet's first bit has arrived, or so much later that the packet's end is there when it is needed.
    CutThrough,
    /// When the packet's last bit has arrived, and the packet is the first at its input. The packets at an input wait in
    /// one queue, and each output has an arbiter.
    Crossbar(Arbiter),
}

/// Which of the packets that are first at their inputs an output takes next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// The inputs have their turns one after the other.
    RoundRobin,
    /// The packet that has waited longest at the switch.
    Oldest,
}

/// No link.
const NONE: u32 = u32::MAX;

/// The routes of a network: for each node and each NIC, the link on which the node sends packets to the NIC.
///
/// Each route has the fewest links. Where several have, a node prefers the next node whose name comes first, and of two
/// links to the same node the first of the file. So a route visits no node twice, and only switches are between its
/// ends.
#[derive(Clone, Debug)]
pub struct Routes {
    nics: usize,
    /// For each node, the position of a link for each NIC, or [`NONE`].
    next: Vec<u32>,
}

impl Routes {
    /// Finds the routes between NICs over the links between different nodes. `names` has the name of each node, the NICs
    /// first.
    #[must_use]
    pub fn new(names: &[&str], nics: usize, links: &[LinkSpec]) -> Routes {
        let mut of_node = vec![Vec::new(); names.len()];
        for (link, spec) in (0u32..).zip(links) {
            let (a, b) = spec.between;
            if a != b {
                of_node[a.index()].push((b, link));
                of_node[b.index()].push((a, link));
            }
        }
        let mut routes = Routes {
            nics,
            next: vec![NONE; names.len() * nics],
        };
        for to in (0u32..).map(NicId).take(nics) {
            routes.find(to, names, &of_node);
        }
        routes
    }

    /// Finds the routes of all nodes to a NIC.
    fn find(&mut self, to: NicId, names: &[&str], of_node: &[Vec<(NicId, u32)>]) {
        let mut distances = vec![NONE; names.len()];
        distances[to.index()] = 0;
        let mut reached = VecDeque::from([to]);
        while let Some(node) = reached.pop_front() {
            // A NIC passes no packets on.
            if node != to && node.index() < self.nics {
                continue;
            }
            for (neighbour, _) in &of_node[node.index()] {
                if distances[neighbour.index()] == NONE {
                    distances[neighbour.index()] = distances[node.index()] + 1;
                    reached.push_back(*neighbour);
                }
            }
        }
        for (node, links) in of_node.iter().enumerate() {
            let nearer = links.iter().filter(|(next, _)| {
                let passes_on = next.index() >= self.nics || *next == to;
                passes_on && distances[next.index()].checked_add(1) == Some(distances[node])
            });
            let first = nearer.min_by_key(|(next, link)| (names[next.index()], *link));
            if let Some((_, link)) = first {
                self.next[node * self.nics + to.index()] = *link;
            }
        }
    }

    /// Returns the number of NICs, behind which the numbers of switches begin.
    #[must_use]
    pub fn nics(&self) -> usize {
        self.nics
    }

    /// Returns the position of the link on which a node sends packets to a NIC.
    #[must_use]
    pub fn next(&self, node: NicId, to: NicId) -> Option<usize> {
        let link = self.next.get(node.index() * self.nics + to.index())?;
        (*link != NONE).then_some(*link as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn links(ends: &[(u32, u32)]) -> Vec<LinkSpec> {
        let wire = Profile::builtin("lanai-1998").expect("it is built in").wire;
        let link = |(a, b): &(u32, u32)| LinkSpec {
            between: (NicId(*a), NicId(*b)),
            wire,
            loss: 0.0,
            duplicate: 0.0,
            corrupt: 0.0,
            reorder: 0.0,
            crc: true,
        };
        ends.iter().map(link).collect()
    }

    #[test]
    fn the_shortest_route_is_taken_and_then_the_first_name() {
        // Two NICs with two switches between them, a third switch that makes a detour, and a NIC without a link.
        let names = ["a", "b", "alone", "y", "x", "w"];
        let ends = [(0, 3), (0, 4), (3, 1), (4, 1), (0, 5), (5, 4)];
        let routes = Routes::new(&names, 3, &links(&ends));
        assert_eq!(routes.next(NicId(0), NicId(1)), Some(1), "by x");
        assert_eq!(routes.next(NicId(4), NicId(1)), Some(3));
        assert_eq!(routes.next(NicId(5), NicId(1)), Some(5));
        assert_eq!(routes.next(NicId(1), NicId(0)), Some(3), "by x as well");
        assert_eq!(routes.next(NicId(0), NicId(2)), None);
        assert_eq!(routes.next(NicId(0), NicId(0)), None);
    }

    #[test]
    fn no_nic_passes_packets_on() {
        // The only way from the first NIC to the third leads through the second.
        let routes = Routes::new(&["a", "b", "c"], 3, &links(&[(0, 1), (1, 2)]));
        assert_eq!(routes.next(NicId(0), NicId(1)), Some(0));
        assert_eq!(routes.next(NicId(0), NicId(2)), None);
    }

    #[test]
    fn of_two_links_the_first_is_taken() {
        let routes = Routes::new(&["a", "b"], 2, &links(&[(1, 0), (0, 1)]));
        assert_eq!(routes.next(NicId(0), NicId(1)), Some(0));
    }
}
