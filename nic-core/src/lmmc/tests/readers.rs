//! What readers may see: for each port one flat array of bytes, which its stores change in their order.

use std::collections::VecDeque;

use super::super::*;
use super::world::{Flying, Site, World, write_into};

/// A port as the test sees it: one flat array of bytes, and the stores that have not arrived.
pub(super) struct Model {
    /// Which of the ports that had this id one after another.
    pub(super) serial: u64,
    written: Vec<u8>,
    seen: Vec<u8>,
    pending: VecDeque<(u32, Vec<u8>)>,
}

impl Model {
    fn new(serial: u64, page_bytes: u32) -> Model {
        let page = vec![0; page_bytes as usize];
        Model {
            serial,
            written: page.clone(),
            seen: page,
            pending: VecDeque::new(),
        }
    }

    /// Follows a store.
    pub(super) fn store(&mut self, offset: u32, bytes: &[u8]) {
        self.pending.push_back((offset, bytes.to_vec()));
        write_into(&mut self.written, offset, bytes);
    }
}

impl World {
    /// Compares what a write has made of a port with what was stored: the first so many stores, and no others.
    pub(super) fn check_landing(
        &mut self,
        (from, link): (usize, usize),
        flying: &Flying,
        port: PortId,
    ) {
        let (to, there) = self.nodes[from].links[link].peer;
        let now = self.nodes[to].links[there].bytes(port).to_vec();
        let model = self.nodes[from].links[link].models.get_mut(&port);
        let model = model.expect("the port is open");
        assert_eq!(
            Some((port, model.serial)),
            flying.of,
            "another port was meant"
        );
        while model.seen != now {
            let store = model.pending.pop_front();
            let (offset, bytes) = store.expect("a reader sees the stores in their order");
            write_into(&mut model.seen, offset, &bytes);
        }
    }

    /// Follows what a set-up message has done at an end.
    pub(super) fn follow(&mut self, node: usize, link: usize, progress: Progress) {
        let site = &mut self.nodes[node].links[link];
        match progress {
            Progress::Opened { port, frame, .. } => {
                self.counts.opened += 1;
                let page = vec![0; self.page_bytes as usize];
                if site.end.state(Direction::Receive, port) == Some(PortState::Open)
                    && !site.backing.contains_key(&port)
                {
                    if let Some(frame) = frame {
                        site.frames[frame.0 as usize].clone_from(&page);
                    }
                    site.backing.insert(port, page.clone());
                }
            }
            Progress::Deleted { port, frame } => {
                if let Some(frame) = frame {
                    let bytes = site.frames[frame.0 as usize].clone();
                    site.backing.insert(port, bytes);
                }
                let last = site.backing.remove(&port);
                let (peer, there) = site.peer;
                if !self.is_hostile(node, link) {
                    let model = &self.nodes[peer].links[there].models[&port];
                    assert_eq!(Some(&model.written), last.as_ref());
                }
            }
            Progress::Freed { port } => {
                site.models.remove(&port);
            }
            Progress::Proposed { .. } => self.counts.proposed += 1,
            Progress::Nothing => self.counts.both_deleted += 1,
            Progress::Failed { .. } | Progress::Asked { .. } => {}
        }
        self.follow_models(node, link);
    }

    /// Gives each new send port of an end its array.
    fn follow_models(&mut self, node: usize, link: usize) {
        let site = &mut self.nodes[node].links[link];
        for (port, _) in site
            .end
            .send
            .ports
            .iter()
            .filter(|(_, port)| port.state == PortState::Open)
        {
            site.models.entry(port).or_insert_with(|| {
                self.serial += 1;
                Model::new(self.serial, self.page_bytes)
            });
        }
    }

    /// Lets everything that is under way end, and compares what every reader sees.
    pub(super) fn rest(&mut self) {
        for round in 0.. {
            assert!(round < 100_000, "the nodes never come to rest");
            let mut is_busy = false;
            for node in 0..self.nodes.len() {
                for process in 0..self.nodes[node].blocked.len() {
                    is_busy |= self.nodes[node].blocked[process].is_some();
                    self.retry(node, process);
                }
                for link in 0..self.nodes[node].links.len() {
                    let ports = self.ports(node, link, Direction::Send);
                    ports.iter().for_each(|port| self.flush(node, link, *port));
                    is_busy |= self.step_fault(node, link);
                    is_busy |= self.step_serving(node, link);
                    is_busy |= self.deliver(node, link);
                    self.check_end(node, link);
                }
            }
            if !is_busy {
                break;
            }
        }
        for node in 0..self.nodes.len() {
            for link in 0..self.nodes[node].links.len() {
                if !self.is_hostile(node, link) {
                    self.check_at_rest(node, link);
                    self.check_arrived(node, link);
                    self.check_readers(node, link);
                }
            }
        }
    }

    /// Every process that maps a receive port reads what has arrived of the stores at the other end, also between two
    /// steps of paging.
    pub(super) fn check_readers(&self, node: usize, link: usize) {
        let site = &self.nodes[node].links[link];
        let (peer, there) = site.peer;
        let models = &self.nodes[peer].links[there].models;
        let nothing = vec![0; self.page_bytes as usize];
        for port in self.ports(node, link, Direction::Receive) {
            // The sender may not have the port yet.
            let seen = models.get(&port).map_or(&nothing, |model| &model.seen);
            for sharer in site.end.sharers(Direction::Receive, port) {
                let page = self.nodes[node].pages.receive_page(sharer.page);
                let read = match page.unwrap().frame {
                    Some(frame) => &site.frames[frame.0 as usize],
                    None => &site.backing[&port],
                };
                assert_eq!(read, seen, "{port:?}");
            }
        }
    }

    /// At rest, everything that was stored has arrived.
    fn check_arrived(&self, node: usize, link: usize) {
        let site = &self.nodes[node].links[link];
        let (peer, there) = site.peer;
        let there = &self.nodes[peer].links[there];
        for port in self.ports(node, link, Direction::Send) {
            assert_eq!(there.bytes(port), site.models[&port].written, "{port:?}");
        }
    }
}

impl Site {
    /// Returns the bytes of a port that this end receives on.
    pub(super) fn bytes(&self, port: PortId) -> &[u8] {
        match self.end.frame(Direction::Receive, port) {
            Some(frame) => &self.frames[frame.0 as usize],
            None => &self.backing[&port],
        }
    }
}
