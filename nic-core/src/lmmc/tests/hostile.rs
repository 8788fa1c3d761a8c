//! Peers that send what they want.

use super::super::*;
use super::schedules::{network, runs};
use super::world::{Flying, World};

impl World {
    /// Sends a random message, often one that an honest peer could send.
    pub(super) fn act_hostile(&mut self, node: usize) {
        let link = self.below(self.nodes[node].links.len());
        if self.below(2) == 0 {
            self.deliver(node, link);
            let (peer, there) = self.nodes[node].links[link].peer;
            return self.check_end(peer, there);
        }
        let Sizes { frames, ports, .. } = self.nodes[node].links[link].end.sizes();
        let mut port = || PortId::new(1 + self.below(ports as usize + 1) as u32).unwrap();
        let (port, to) = (port(), port());
        let mut frame = || FrameId(self.below(frames as usize + 1) as u32);
        let (frame, given) = (frame(), frame());
        let bytes = vec![7; 1 + self.below(self.page_bytes as usize)];
        let by = match self.below(2) {
            0 => Direction::Send,
            _ => Direction::Receive,
        };
        let given = Some(given).filter(|_| by == Direction::Send && self.below(2) == 0);
        let step = match (self.below(6), by) {
            (0 | 1, _) => SetUpStep::Offer { frame: given },
            (2, _) => SetUpStep::Answer { to, frame: given },
            (3, _) => SetUpStep::Answer {
                to: port,
                frame: given,
            },
            (4, _) => SetUpStep::Refuse,
            (_, Direction::Send) => SetUpStep::Delete,
            (_, Direction::Receive) if self.below(2) == 0 => SetUpStep::Close,
            (_, Direction::Receive) => SetUpStep::Deleted,
        };
        let message = match self.below(4) {
            0 => Message::Write(Write {
                frame,
                offset: self.below(self.page_bytes as usize + 1) as u32,
                bytes: &bytes,
            }),
            1 => Message::Paging(PageRequest { port, frame }),
            _ => Message::SetUp(SetUp { by, port, step }),
        };
        let out = &mut self.nodes[node].links[link].out;
        out.push_back(Flying::forged(
            [&message.header(), message.payload()].concat(),
        ));
    }
}

#[test]
fn a_hostile_node_harms_the_ports_of_its_own_links_alone() {
    let runs = runs();
    let mut refused = 0;
    for seed in 0..runs {
        let mut world = network(1_000_000 + seed);
        let ports = 1 + world.below(world.nodes[0].links[0].end.sizes().ports as usize);
        world.begin(ports.min(12));
        world.hostile = Some(world.below(world.nodes.len()));
        for _ in 0..800 {
            world.act(ports);
        }
        // Honest nodes come to rest, and see what was written on honest links.
        world.rest();
        refused += world.counts.refused;
    }
    assert!(u64::from(refused) > 10 * runs, "{refused}");
}
