//! Nodes with links, processes and the bytes that the module itself does not have: what an engine is in the simulator,
//! without time.

use std::collections::{BTreeMap, VecDeque};

use super::super::paging::{
    Chosen, Faulted, Invalidated, Outgoing, PageCopy, PagedIn, PagedOut, Requested, Restored,
    Saved, Stopped, Trapped, Validated,
};
use super::super::*;
use super::growing::Growing;
use super::readers::Model;
use crate::random::Generator;

/// A fault between two of its steps.
pub(super) enum Fault {
    Trapped(Trapped),
    Faulted(Faulted),
    Chosen(Chosen),
    Requested(Requested),
    Invalidated(Invalidated),
    Validated(Validated),
}

/// A paging request that is served, between two of its steps.
pub(super) enum Serving {
    Stopped(Stopped),
    Outgoing(Outgoing),
    PagedOut(PagedOut),
    Saved(Saved),
    PagedIn(PagedIn),
    Restored(Restored),
}

/// A message under way. `of` is what the test knows of a write and the message does not say: its port, and which of the
/// ports that had this id one after another.
pub(super) struct Flying {
    pub(super) bytes: Vec<u8>,
    pub(super) of: Option<(PortId, u64)>,
}

/// One end of a link with the memory that it uses.
pub(super) struct Site {
    pub(super) end: LinkEnd<Growing>,
    /// The node at the other end, and the number of the link there.
    pub(super) peer: (usize, usize),
    /// The receiver's frames.
    pub(super) frames: Vec<Vec<u8>>,
    /// The backing memory of the ports that this end receives on.
    pub(super) backing: BTreeMap<PortId, Vec<u8>>,
    /// What this end has sent and the peer has not taken.
    pub(super) out: VecDeque<Flying>,
    pub(super) fault: Option<Fault>,
    pub(super) serving: Option<Serving>,
    pub(super) victims: Victims,
    /// The ports that this end sends on.
    pub(super) models: BTreeMap<PortId, Model>,
}

/// A store that waits for a port to be paged in.
#[derive(Clone)]
pub(super) struct Blocked {
    page: VirtualPage,
    offset: u32,
    bytes: Vec<u8>,
}

pub(super) struct Node {
    pub(super) pages: PageTables<Growing>,
    pub(super) links: Vec<Site>,
    /// The store of each process that waits.
    pub(super) blocked: Vec<Option<Blocked>>,
    next_page: u32,
}

/// What the schedules of a test have reached.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) opened: u32,
    pub(super) proposed: u32,
    pub(super) faults: u32,
    pub(super) evictions: u32,
    pub(super) busy: u32,
    pub(super) held: u32,
    pub(super) landed: u32,
    pub(super) gathered: u32,
    pub(super) deleted: u32,
    pub(super) asked: u32,
    pub(super) both_deleted: u32,
    pub(super) kept_at_paging: u32,
    pub(super) saved: u32,
    pub(super) refused: u32,
}

pub(super) struct World {
    pub(super) nodes: Vec<Node>,
    pub(super) generator: Generator,
    pub(super) counts: Counts,
    pub(super) page_bytes: u32,
    /// A node that sends what it wants.
    pub(super) hostile: Option<usize>,
    pub(super) serial: u64,
}

pub(super) fn write_into(memory: &mut [u8], offset: u32, bytes: &[u8]) {
    memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
}

impl World {
    /// Returns nodes of which each pair in `pairs` has a link.
    pub(super) fn new(
        generator: Generator,
        (nodes, processes): (usize, usize),
        pairs: &[(usize, usize)],
        sizes: Sizes,
    ) -> World {
        let mut world = World {
            nodes: (0..nodes)
                .map(|_| Node {
                    pages: PageTables::default(),
                    links: Vec::new(),
                    blocked: vec![None; processes],
                    next_page: 0,
                })
                .collect(),
            generator,
            counts: Counts::default(),
            page_bytes: sizes.page_bytes,
            hostile: None,
            serial: 0,
        };
        for &(a, b) in pairs {
            let numbers = [a, b].map(|node| world.nodes[node].links.len());
            for (node, peer) in [(a, (b, numbers[1])), (b, (a, numbers[0]))] {
                let links = &mut world.nodes[node].links;
                let link = LinkId(links.len() as u32);
                let page = vec![0; sizes.page_bytes as usize];
                links.push(Site {
                    end: LinkEnd::new(link, sizes).unwrap(),
                    peer,
                    frames: vec![page; sizes.frames as usize],
                    backing: BTreeMap::new(),
                    out: VecDeque::new(),
                    fault: None,
                    serving: None,
                    victims: Victims::Fifo,
                    models: BTreeMap::new(),
                });
            }
        }
        world
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.generator.draw() % count.max(1) as u64) as usize
    }

    /// Returns whether one of a link's ends does what it wants.
    pub(super) fn is_hostile(&self, node: usize, link: usize) -> bool {
        let (peer, _) = self.nodes[node].links[link].peer;
        self.hostile
            .is_some_and(|hostile| hostile == node || hostile == peer)
    }

    fn send(&mut self, node: usize, link: usize, message: Message<'_>, port: Option<PortId>) {
        let site = &mut self.nodes[node].links[link];
        let serial = |port: PortId| Some((port, site.models.get(&port)?.serial));
        let flying = Flying {
            bytes: [&message.header(), message.payload()].concat(),
            of: port.and_then(serial),
        };
        site.out.push_back(flying);
    }

    pub(super) fn create(&mut self, node: usize, link: usize, direction: Direction) {
        if let Ok((_, offer)) = self.nodes[node].links[link].end.create(direction) {
            self.send(node, link, Message::SetUp(offer), None);
        }
    }

    /// Maps a port at the next page of a process.
    pub(super) fn map(
        &mut self,
        (node, link): (usize, usize),
        process: usize,
        port: (Direction, PortId),
    ) -> Result<VirtualPage, PortError> {
        let node = &mut self.nodes[node];
        let page = VirtualPage {
            process: ProcessId(process as u32),
            number: PageNumber(node.next_page),
        };
        node.links[link].end.map(&mut node.pages, page, port)?;
        node.next_page += 1;
        Ok(page)
    }

    /// Stores bytes to a page, or blocks the process until the port was paged in.
    pub(super) fn store(&mut self, node: usize, page: VirtualPage, offset: u32, bytes: &[u8]) {
        let process = page.process.0 as usize;
        assert!(self.nodes[node].blocked[process].is_none());
        let mut offset = offset;
        let mut left = bytes;
        while !left.is_empty() {
            let Node { pages, links, .. } = &mut self.nodes[node];
            let link = match pages.entry(page) {
                Some(entry) => entry.link.0 as usize,
                // The receiver has deleted the port.
                None => return,
            };
            let site = &mut links[link];
            match site.end.resolve(pages, page, (offset, left)) {
                Ok(store) => {
                    let (here, rest) = left.split_at(store.taken());
                    let (port, sends) = (store.port(), store.sends());
                    let sent = site.end.store(pages, store);
                    assert_eq!(sends, sent.is_some());
                    let model = site.models.get_mut(&port).expect("the port is open");
                    model.store(offset, here);
                    match sent {
                        Some(sent) => self.send(node, link, sent.message(), Some(port)),
                        None => self.counts.gathered += 1,
                    }
                    offset += here.len() as u32;
                    left = rest;
                }
                Err(StoreError::Fault { .. }) => {
                    match site.end.trap(pages, page) {
                        Ok(trapped) => {
                            assert!(site.fault.is_none());
                            site.fault = Some(Fault::Trapped(trapped));
                            self.counts.faults += 1;
                        }
                        Err(FaultError::Busy { .. }) => self.counts.busy += 1,
                        Err(error) => panic!("{error}"),
                    }
                    return self.block(node, page, offset, left);
                }
                Err(StoreError::Held { .. }) => {
                    self.counts.held += 1;
                    return self.block(node, page, offset, left);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn block(&mut self, node: usize, page: VirtualPage, offset: u32, bytes: &[u8]) {
        self.nodes[node].blocked[page.process.0 as usize] = Some(Blocked {
            page,
            offset,
            bytes: bytes.to_vec(),
        });
    }

    /// Makes the store of a blocked process again.
    pub(super) fn retry(&mut self, node: usize, process: usize) {
        if let Some(blocked) = self.nodes[node].blocked[process].take() {
            self.store(node, blocked.page, blocked.offset, &blocked.bytes);
        }
    }

    pub(super) fn flush(&mut self, node: usize, link: usize, port: PortId) {
        if let Some(flushed) = self.nodes[node].links[link].end.flush(port) {
            self.send(node, link, Message::Write(flushed.write()), Some(port));
        }
    }

    pub(super) fn set_policy(&mut self, node: usize, link: usize, port: PortId, policy: Policy) {
        let Node { pages, links, .. } = &mut self.nodes[node];
        if let Ok(Some(flushed)) = links[link].end.set_write_policy(pages, port, policy) {
            self.send(node, link, Message::Write(flushed.write()), Some(port));
        }
    }

    pub(super) fn delete(&mut self, node: usize, link: usize, of: (Direction, PortId)) {
        let (direction, port) = of;
        let end = &mut self.nodes[node].links[link].end;
        if let Ok(deletion) = end.delete(direction, port) {
            self.carry_out(node, link, port, &deletion);
            self.counts.deleted += 1;
        }
    }

    fn carry_out(&mut self, node: usize, link: usize, port: PortId, deletion: &Deletion) {
        if let Some(flushed) = deletion.flushed {
            self.send(node, link, Message::Write(flushed.write()), Some(port));
        }
        self.send(node, link, Message::SetUp(deletion.message), None);
    }

    fn delete_asked(&mut self, node: usize, link: usize) {
        loop {
            let Node { pages, links, .. } = &mut self.nodes[node];
            let Some((port, deletion)) = links[link].end.delete_asked(pages) else {
                return;
            };
            self.carry_out(node, link, port, &deletion);
            self.counts.asked += 1;
        }
    }

    /// Takes one step of a fault, if there is one.
    pub(super) fn step_fault(&mut self, node: usize, link: usize) -> bool {
        let Node { pages, links, .. } = &mut self.nodes[node];
        let site = &mut links[link];
        let end = &mut site.end;
        let next = match site.fault.take() {
            None => return false,
            Some(Fault::Trapped(trapped)) => Fault::Faulted(end.find_port(trapped)),
            Some(Fault::Faulted(faulted)) => {
                let chosen = end.choose(pages, faulted, site.victims);
                self.counts.evictions += u32::from(chosen.victim().is_some());
                Fault::Chosen(chosen)
            }
            Some(Fault::Chosen(chosen)) => {
                let victim = chosen.victim();
                let (requested, page_out) = end.request(chosen);
                site.fault = Some(Fault::Requested(requested));
                if let Some(flushed) = page_out.flushed {
                    self.counts.kept_at_paging += 1;
                    self.send(node, link, Message::Write(flushed.write()), victim);
                }
                self.send(node, link, Message::Paging(page_out.request), None);
                return true;
            }
            Some(Fault::Requested(requested)) => {
                Fault::Invalidated(end.invalidate(pages, requested))
            }
            Some(Fault::Invalidated(invalidated)) => {
                Fault::Validated(end.validate(pages, invalidated))
            }
            Some(Fault::Validated(validated)) => {
                let page = end.resume(validated);
                self.delete_asked(node, link);
                self.retry(node, page.process.0 as usize);
                return true;
            }
        };
        site.fault = Some(next);
        true
    }

    /// Takes one step of serving a paging request, if one is served.
    pub(super) fn step_serving(&mut self, node: usize, link: usize) -> bool {
        let Node { pages, links, .. } = &mut self.nodes[node];
        let site = &mut links[link];
        let end = &mut site.end;
        let next = match site.serving.take() {
            None => return false,
            Some(Serving::Stopped(stopped)) => match end.read_request(stopped) {
                Ok(outgoing) => {
                    self.counts.saved += u32::from(outgoing.outgoing().is_some());
                    Serving::Outgoing(outgoing)
                }
                Err(error) => {
                    assert!(self.hostile.is_some(), "{error}");
                    self.counts.refused += 1;
                    return true;
                }
            },
            Some(Serving::Outgoing(outgoing)) => {
                let (paged_out, copy) = end.page_out(outgoing);
                if let Some(PageCopy { port, frame }) = copy {
                    let bytes = site.frames[frame.0 as usize].clone();
                    site.backing.insert(port, bytes);
                }
                Serving::PagedOut(paged_out)
            }
            Some(Serving::PagedOut(paged_out)) => Serving::Saved(end.save(pages, paged_out)),
            Some(Serving::Saved(saved)) => {
                let (paged_in, PageCopy { port, frame }) = end.page_in(saved);
                site.frames[frame.0 as usize].clone_from(&site.backing[&port]);
                Serving::PagedIn(paged_in)
            }
            Some(Serving::PagedIn(paged_in)) => Serving::Restored(end.restore(pages, paged_in)),
            Some(Serving::Restored(restored)) => {
                end.go(restored);
                return true;
            }
        };
        site.serving = Some(next);
        true
    }

    /// Lets the oldest message of one end arrive at the other, unless the link holds it.
    pub(super) fn deliver(&mut self, from: usize, link: usize) -> bool {
        let (to, there) = self.nodes[from].links[link].peer;
        if self.nodes[to].links[there].end.is_stopped() {
            return false;
        }
        let Some(flying) = self.nodes[from].links[link].out.pop_front() else {
            return false;
        };
        if self.hostile == Some(to) {
            return true;
        }
        let Node { pages, links, .. } = &mut self.nodes[to];
        let site = &mut links[there];
        let message = Message::decode(&flying.bytes).expect("only messages are sent");
        match site.end.receive(pages, message) {
            Ok(Received::Write(landing)) => {
                let frame = &mut site.frames[landing.frame.0 as usize];
                write_into(frame, landing.offset, message.payload());
                self.counts.landed += 1;
                if !self.is_hostile(from, link) {
                    self.check_landing((from, link), &flying, landing.port);
                }
            }
            Ok(Received::Paging(stopped)) => site.serving = Some(Serving::Stopped(stopped)),
            Ok(Received::SetUp { progress, answer }) => {
                self.follow(to, there, progress);
                if let Some(answer) = answer {
                    self.send(to, there, Message::SetUp(answer), None);
                }
                self.delete_asked(to, there);
            }
            Err(error) => {
                assert!(self.is_hostile(from, link), "{error}: {message:?}");
                self.counts.refused += 1;
            }
        }
        true
    }

    /// Returns the open ports of one direction.
    pub(super) fn ports(&self, node: usize, link: usize, direction: Direction) -> Vec<PortId> {
        let end = &self.nodes[node].links[link].end;
        let ids = (1..=end.sizes().ports).map_while(PortId::new);
        let is_open = |port: &PortId| end.state(direction, *port) == Some(PortState::Open);
        ids.filter(is_open).collect()
    }
}

impl Flying {
    /// Returns a message that nobody has asked for.
    pub(super) fn forged(bytes: Vec<u8>) -> Flying {
        Flying { bytes, of: None }
    }
}

impl Counts {
    fn all(&self) -> [u32; 13] {
        [
            self.opened,
            self.proposed,
            self.faults,
            self.evictions,
            self.busy,
            self.held,
            self.landed,
            self.gathered,
            self.deleted,
            self.asked,
            self.both_deleted,
            self.kept_at_paging,
            self.saved,
        ]
    }

    /// Returns whether everything that honest nodes do has happened this often.
    pub(super) fn all_at_least(&self, least: u32) -> bool {
        self.all().iter().all(|count| *count >= least)
    }
}
