//! Random schedules: whatever order messages, steps and calls come in, tables agree and readers see what was written.

use super::super::*;
use super::world::World;
use crate::random::Generator;

/// Returns how many random schedules a test runs: `JIVE_RUNS` if it is set.
pub(super) fn runs() -> u64 {
    match std::env::var("JIVE_RUNS") {
        Ok(runs) => runs.parse().expect("JIVE_RUNS is a number"),
        Err(_) => 100,
    }
}

/// Returns a network of 2 to 8 nodes that is connected.
pub(super) fn network(seed: u64) -> World {
    let mut generator = Generator::named(seed, &["lmmc", "schedules"]);
    let mut below = |count: u64| generator.draw() % count;
    let nodes = 2 + below(7) as usize;
    let mut pairs: Vec<(usize, usize)> = (1..nodes)
        .map(|node| (below(node as u64) as usize, node))
        .collect();
    for _ in 0..below(3) {
        let (a, b) = (below(nodes as u64) as usize, below(nodes as u64) as usize);
        if a != b && !pairs.contains(&(a.min(b), a.max(b))) {
            pairs.push((a.min(b), a.max(b)));
        }
    }
    let frames = 1 + below(4) as u32;
    let sizes = Sizes {
        page_bytes: 64 << below(3),
        frames,
        ports: frames << below(7),
    };
    let processes = 1 + below(3) as usize;
    World::new(generator, (nodes, processes), &pairs, sizes)
}

impl World {
    /// Does one thing somewhere in the network.
    pub(super) fn act(&mut self, ports_wanted: usize) {
        let node = self.below(self.nodes.len());
        if self.hostile == Some(node) {
            return self.act_hostile(node);
        }
        let link = self.below(self.nodes[node].links.len());
        let direction = match self.below(2) {
            0 => Direction::Send,
            _ => Direction::Receive,
        };
        match self.below(60) {
            0 | 1 => {
                let ports = self.ports(node, link, direction);
                if ports.len() < ports_wanted {
                    self.create(node, link, direction);
                }
            }
            2 | 3 => {
                let process = self.below(self.nodes[node].blocked.len());
                if let Some(port) = self.any_port(node, link, direction)
                    && self.nodes[node].links[link]
                        .end
                        .sharers(direction, port)
                        .len()
                        < 4
                {
                    self.map((node, link), process, (direction, port)).unwrap();
                }
            }
            4 => self.unmap_any(node),
            5 => {
                if let Some(port) = self.any_port(node, link, Direction::Send) {
                    let policy = match self.below(2) {
                        0 => Policy::Immediate,
                        _ => Policy::Late,
                    };
                    self.set_policy(node, link, port, policy);
                }
            }
            6 => {
                if let Some(port) = self.any_port(node, link, Direction::Send) {
                    self.flush(node, link, port);
                }
            }
            7 => {
                if self.below(4) == 0
                    && let Some(port) = self.any_port(node, link, direction)
                {
                    self.unmap_all(node, link, direction, port);
                    self.delete(node, link, (direction, port));
                    // Sometimes both ends delete a port at the same time.
                    if self.below(4) == 0 {
                        let (peer, there) = self.nodes[node].links[link].peer;
                        let direction = direction.opposite();
                        self.unmap_all(peer, there, direction, port);
                        self.delete(peer, there, (direction, port));
                    }
                }
            }
            8 => {
                let (place, frame) = (&mut self.nodes[node].links[link], FrameId(1));
                place.victims = match place.victims {
                    Victims::Fifo => Victims::Clock,
                    Victims::Clock => Victims::Named(frame),
                    Victims::Named(_) => Victims::Fifo,
                };
            }
            9..=21 => self.store_any(node),
            22..=34 => self.anywhere(World::step_fault),
            35..=44 => self.anywhere(World::step_serving),
            _ => self.anywhere(World::deliver),
        }
        self.check_end(node, link);
        let (peer, there) = self.nodes[node].links[link].peer;
        if !self.is_hostile(node, link) {
            self.check_end(peer, there);
        }
    }

    /// Does something at any end where it can be done.
    fn anywhere(&mut self, act: fn(&mut World, usize, usize) -> bool) {
        let ends: Vec<(usize, usize)> = (0..self.nodes.len())
            .flat_map(|node| (0..self.nodes[node].links.len()).map(move |link| (node, link)))
            .collect();
        let first = self.below(ends.len());
        for (node, link) in ends[first..].iter().chain(&ends[..first]) {
            if act(self, *node, *link) {
                let (peer, there) = self.nodes[*node].links[*link].peer;
                for (node, link) in [(*node, *link), (peer, there)] {
                    self.check_end(node, link);
                    if !self.is_hostile(node, link) {
                        self.check_readers(node, link);
                    }
                }
                return;
            }
        }
    }

    fn any_port(&mut self, node: usize, link: usize, direction: Direction) -> Option<PortId> {
        let ports = self.ports(node, link, direction);
        let place = self.below(ports.len());
        ports.get(place).copied()
    }

    /// Stores to any page of a process. Mostly the offsets go up, so that lines gather writes.
    fn store_any(&mut self, node: usize) {
        let process = self.below(self.nodes[node].blocked.len());
        if self.nodes[node].blocked[process].is_some() {
            return self.retry(node, process);
        }
        let own = self.nodes[node].pages.of_process(ProcessId(process as u32));
        let own = own.filter(|(_, entry)| entry.direction() == Direction::Send);
        let pages: Vec<_> = own.map(|(number, _)| number).collect();
        let place = self.below(pages.len());
        let Some(number) = pages.get(place) else {
            return;
        };
        let page = VirtualPage {
            process: ProcessId(process as u32),
            number: *number,
        };
        let mut offset = self.below(self.page_bytes as usize);
        for _ in 0..1 + self.below(4) {
            let most = (self.page_bytes as usize - offset).min(90);
            let length = match self.below(8) {
                0 => 1 + self.below(most),
                _ => 1 + self.below(most.min(8)),
            };
            if most == 0 || self.nodes[node].blocked[process].is_some() {
                return;
            }
            let mut bytes = vec![0; length];
            self.generator.fill(&mut bytes);
            self.store(node, page, offset as u32, &bytes);
            offset += length;
        }
    }

    /// Takes a page away from a process that waits for nothing.
    fn unmap_any(&mut self, node: usize) {
        let process = self.below(self.nodes[node].blocked.len());
        if self.nodes[node].blocked[process].is_some() {
            return;
        }
        let process = ProcessId(process as u32);
        let pages: Vec<_> = self.nodes[node].pages.of_process(process).collect();
        let pages: Vec<_> = pages
            .iter()
            .map(|(number, entry)| (*number, entry.link))
            .collect();
        let place = self.below(pages.len());
        if let Some((number, LinkId(link))) = pages.get(place) {
            let page = VirtualPage {
                process,
                number: *number,
            };
            let node = &mut self.nodes[node];
            let end = &mut node.links[*link as usize].end;
            end.unmap(&mut node.pages, page).unwrap();
        }
    }

    /// Takes a port away from all processes that map it and wait for nothing.
    fn unmap_all(&mut self, node: usize, link: usize, direction: Direction, port: PortId) {
        let node = &mut self.nodes[node];
        let end = &mut node.links[link].end;
        for sharer in end.sharers(direction, port).to_vec() {
            if node.blocked[sharer.page.process.0 as usize].is_none() {
                end.unmap(&mut node.pages, sharer.page).unwrap();
            }
        }
    }

    /// Sets up as many ports as are wanted, and maps each at both ends, before anything else happens.
    pub(super) fn begin(&mut self, ports_wanted: usize) {
        for node in 0..self.nodes.len() {
            for link in 0..self.nodes[node].links.len() {
                for number in 0..ports_wanted {
                    let direction = match number % 2 {
                        0 => Direction::Send,
                        _ => Direction::Receive,
                    };
                    self.create(node, link, direction);
                }
            }
        }
        self.rest();
        for node in 0..self.nodes.len() {
            for link in 0..self.nodes[node].links.len() {
                for direction in [Direction::Send, Direction::Receive] {
                    for port in self.ports(node, link, direction) {
                        let process = self.below(self.nodes[node].blocked.len());
                        self.map((node, link), process, (direction, port)).unwrap();
                        if direction == Direction::Send && self.below(2) == 0 {
                            self.set_policy(node, link, port, Policy::Late);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn readers_see_what_was_written_in_any_schedule() {
    let runs = runs();
    let mut most = 0;
    let mut total = super::world::Counts::default();
    for seed in 0..runs {
        let mut world = network(seed);
        world.counts = total;
        let sizes = world.nodes[0].links[0].end.sizes();
        let ports = 1 + world.below(sizes.ports as usize);
        if seed % 2 == 0 {
            world.begin(ports);
            most = most.max(world.ports(0, 0, Direction::Send).len() / sizes.frames as usize);
        }
        for _ in 0..1_500 {
            world.act(ports);
        }
        world.rest();
        total = world.counts;
    }
    if runs >= 100 {
        assert!(most >= 40, "{most} ports per frame");
        assert!(total.all_at_least(20), "{total:?}");
    }
}
