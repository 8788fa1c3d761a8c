//! Two nodes that page each other in, over links with room for one message: who may wait for what.
//!
//! A node's processor makes stores, takes the traps of its interface, and handles its own faults. Whatever waits for room
//! in the link must let the interface trap: the peer's messages move only when its paging request is served. The paper
//! does not say it. A processor that takes a trap before its next store would never stand still, but a trap takes time.

use std::collections::VecDeque;

use super::super::*;
use super::pair::{Half, page, port, settle};
use crate::random::Generator;

/// What keeps a processor from taking the interface's trap.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stall {
    /// Nothing. A store into a full link is given up, and made again.
    Nothing,
    /// A store into a full link.
    Store,
    /// A fault whose request finds a full link.
    Fault,
}

/// A node with two ports to write to and one frame.
struct Node {
    half: Half,
    /// The messages in the link, of which there is at most one.
    link: VecDeque<Vec<u8>>,
    /// What a fault sends in step 4.
    unsent: VecDeque<Vec<u8>>,
    fault: Option<Requested>,
    /// The request that has stopped the controller. Some time later it reaches the processor as a trap.
    stopped: Option<Stopped>,
    trap: Option<Stopped>,
    /// A store waits in the processor.
    is_stalled: bool,
    stores: u32,
    faults: u32,
}

fn bytes(message: &Message<'_>) -> Vec<u8> {
    [&message.header(), message.payload()].concat()
}

impl Node {
    /// Lets the processor do one thing, if it can do any.
    fn run(&mut self, stall: Stall) -> bool {
        if self.is_stalled {
            return self.store(stall);
        }
        let waits = stall == Stall::Fault && !self.unsent.is_empty();
        if let Some(stopped) = self.trap.take_if(|_| !waits) {
            let Half { end, pages } = &mut self.half;
            let outgoing = end.read_request(stopped).unwrap();
            let (paged_out, _) = end.page_out(outgoing);
            let saved = end.save(pages, paged_out);
            let (paged_in, _) = end.page_in(saved);
            let restored = end.restore(pages, paged_in);
            end.go(restored);
            return true;
        }
        if !self.unsent.is_empty() {
            let has_room = self.link.is_empty();
            if has_room {
                self.link.extend(self.unsent.pop_front());
            }
            return has_room;
        }
        if let Some(requested) = self.fault.take() {
            let Half { end, pages } = &mut self.half;
            let invalidated = end.invalidate(pages, requested);
            let validated = end.validate(pages, invalidated);
            end.resume(validated);
            self.faults += 1;
            return true;
        }
        self.store(stall)
    }

    /// Makes the next store: one to one port, then three to the other.
    fn store(&mut self, stall: Stall) -> bool {
        let Half { end, pages } = &mut self.half;
        let number = if self.stores.is_multiple_of(4) { 1 } else { 2 };
        let at = page(0, number);
        match end.resolve(pages, at, (0, &[1])) {
            Ok(store) if store.sends() && !self.link.is_empty() => {
                self.is_stalled = stall == Stall::Store;
                false
            }
            Ok(store) => {
                let sent = end.store(pages, store);
                let message = sent.map(|sent| bytes(&sent.message()));
                self.link.extend(message);
                self.is_stalled = false;
                self.stores += 1;
                true
            }
            Err(StoreError::Fault { .. }) => {
                let trapped = end.trap(pages, at).unwrap();
                let faulted = end.find_port(trapped);
                let chosen = end.choose(pages, faulted, Victims::Fifo);
                let (requested, page_out) = end.request(chosen);
                let flushed = page_out.flushed.as_ref().map(Flushed::write);
                let messages = [
                    flushed.map(Message::Write),
                    Some(Message::Paging(page_out.request)),
                ];
                self.unsent.extend(messages.iter().flatten().map(bytes));
                self.fault = Some(requested);
                true
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Lets a paging request reach the processor.
    fn raise(&mut self) -> bool {
        let is_raised = self.stopped.is_some();
        if is_raised {
            self.trap = self.stopped.take();
        }
        is_raised
    }

    /// Takes the next message of the peer, unless the controller is stopped.
    fn receive(&mut self, link: &mut VecDeque<Vec<u8>>) -> bool {
        let Half { end, pages } = &mut self.half;
        if end.is_stopped() {
            return false;
        }
        let Some(bytes) = link.pop_front() else {
            return false;
        };
        match end.receive(pages, Message::decode(&bytes).unwrap()) {
            Ok(Received::Paging(stopped)) => self.stopped = Some(stopped),
            Ok(Received::Write(_)) => {}
            other => panic!("{other:?}"),
        }
        true
    }
}

/// Lets two nodes write until both have paged so often, or nothing can happen any more. Returns whether they have.
fn completes(stall: Stall, policy: Policy, faults: u32) -> bool {
    let sizes = Sizes {
        page_bytes: 64,
        frames: 1,
        ports: 2,
    };
    let mut halves = [(); 2].map(|()| Half {
        end: Box::new(LinkEnd::new(LinkId(0), sizes).unwrap()),
        pages: Box::default(),
    });
    for _ in 0..2 {
        let [first, second] = &mut halves;
        let offers = [&mut *second, &mut *first].map(|half| vec![half.create(Direction::Send).1]);
        settle([first, second], offers);
    }
    let mut nodes = halves.map(|mut half| {
        for number in [1, 2] {
            half.map(page(0, number), Direction::Send, number);
            half.map(page(1, number), Direction::Receive, number);
            let Half { end, pages } = &mut half;
            end.set_write_policy(pages, port(number), policy).unwrap();
        }
        Node {
            half,
            link: VecDeque::new(),
            unsent: VecDeque::new(),
            fault: None,
            stopped: None,
            trap: None,
            is_stalled: false,
            stores: 0,
            faults: 0,
        }
    });
    let mut generator = Generator::named(1, &["lmmc", "standstill"]);
    while nodes.iter().any(|node| node.faults < faults) {
        let [first, second] = &mut nodes;
        let start = generator.draw() as usize;
        let moves = (0..6).any(|turn| match start.wrapping_add(turn) % 6 {
            0 => first.run(stall),
            1 => second.run(stall),
            2 => first.raise(),
            3 => second.raise(),
            4 => first.receive(&mut second.link),
            _ => second.receive(&mut first.link),
        });
        if !moves {
            return false;
        }
    }
    true
}

#[test]
fn nothing_stands_still_if_all_that_waits_takes_traps() {
    for policy in [Policy::Immediate, Policy::Late] {
        assert!(completes(Stall::Nothing, policy, 10_000), "{policy:?}");
    }
}

#[test]
fn a_stalled_store_that_takes_no_trap_stands_still() {
    assert!(!completes(Stall::Store, Policy::Immediate, 10_000));
}

#[test]
fn a_fault_that_takes_no_trap_while_its_request_waits_stands_still() {
    assert!(!completes(Stall::Fault, Policy::Immediate, 10_000));
}
