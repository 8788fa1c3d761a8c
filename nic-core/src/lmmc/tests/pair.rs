//! Two ends of one link without an allocator, whose messages a test carries itself.

use super::super::*;
use crate::storage::Fixed;

pub(super) const SIZES: Sizes = Sizes {
    page_bytes: 4096,
    frames: 2,
    ports: 4,
};

/// An end of a link with the pages of its node, boxed, since the tests also run on firmware's small stacks.
pub(super) struct Half {
    pub(super) end: Box<LinkEnd<Fixed>>,
    pub(super) pages: Box<PageTables<Fixed>>,
}

pub(super) fn port(number: u32) -> PortId {
    PortId::new(number).unwrap()
}

pub(super) fn page(process: u32, number: u32) -> VirtualPage {
    VirtualPage {
        process: ProcessId(process),
        number: PageNumber(number),
    }
}

pub(super) fn set_up(by: Direction, number: u32, step: SetUpStep) -> SetUp {
    SetUp {
        by,
        port: port(number),
        step,
    }
}

impl Half {
    pub(super) fn new() -> Half {
        Half {
            end: Box::new(LinkEnd::new(LinkId(0), SIZES).unwrap()),
            pages: Box::default(),
        }
    }

    pub(super) fn create(&mut self, direction: Direction) -> (CreationId, SetUp) {
        self.end.create(direction).unwrap()
    }

    /// Takes a set-up message that an honest peer sends.
    pub(super) fn take(&mut self, message: SetUp) -> (Progress, Option<SetUp>) {
        match self.end.receive(&mut self.pages, Message::SetUp(message)) {
            Ok(Received::SetUp { progress, answer }) => (progress, answer),
            other => panic!("{other:?}"),
        }
    }

    /// Returns why a message is refused, and checks that it changes nothing.
    pub(super) fn refuse(&mut self, message: Message<'_>) -> Refused {
        let before = format!("{:?} {:?}", self.end, self.pages);
        let received = self.end.receive(&mut self.pages, message);
        let refused = match received {
            Ok(Received::Paging(stopped)) => self.end.read_request(stopped).unwrap_err(),
            other => other.map(|_| ()).unwrap_err(),
        };
        assert_eq!(before, format!("{:?} {:?}", self.end, self.pages));
        refused
    }

    pub(super) fn map(&mut self, at: VirtualPage, direction: Direction, number: u32) {
        let mapped = self.end.map(&mut self.pages, at, (direction, port(number)));
        mapped.unwrap();
    }

    pub(super) fn place(&self, at: VirtualPage) -> Place {
        self.pages.entry(at).unwrap().place
    }

    /// Stores bytes, and returns the message that leaves as its offset and bytes.
    pub(super) fn store(
        &mut self,
        at: VirtualPage,
        store: (u32, &[u8]),
    ) -> Result<Option<(u32, Vec<u8>)>, StoreError> {
        let store = self.end.resolve(&self.pages, at, store)?;
        let sends = store.sends();
        let sent = self.end.store(&mut self.pages, store);
        assert_eq!(sent.is_some(), sends);
        Ok(sent.map(|sent| match sent.message() {
            Message::Write(write) => (write.offset, write.bytes.to_vec()),
            other => panic!("{other:?}"),
        }))
    }

    /// Takes all steps of a fault, and returns what leaves.
    pub(super) fn fault(&mut self, at: VirtualPage, victims: Victims) -> PageOut {
        let trapped = self.end.trap(&self.pages, at).unwrap();
        let faulted = self.end.find_port(trapped);
        let chosen = self.end.choose(&mut self.pages, faulted, victims);
        let (requested, page_out) = self.end.request(chosen);
        let invalidated = self.end.invalidate(&mut self.pages, requested);
        let validated = self.end.validate(&mut self.pages, invalidated);
        assert_eq!(self.end.resume(validated), at);
        page_out
    }

    /// Takes all steps of an honest paging request, and returns what to copy out and in.
    pub(super) fn serve(&mut self, request: PageRequest) -> (Option<PageCopy>, PageCopy) {
        let received = self.end.receive(&mut self.pages, Message::Paging(request));
        let Ok(Received::Paging(stopped)) = received else {
            panic!("{received:?}");
        };
        let outgoing = self.end.read_request(stopped).unwrap();
        assert_eq!(outgoing.incoming(), request.port);
        let (paged_out, out) = self.end.page_out(outgoing);
        let saved = self.end.save(&mut self.pages, paged_out);
        let (paged_in, back) = self.end.page_in(saved);
        let restored = self.end.restore(&mut self.pages, paged_in);
        assert_eq!(self.end.go(restored), request.port);
        (out, back)
    }
}

/// Carries set-up messages between two ends until there are none, and returns what each has done at the end that took
/// it. `queues` has the messages to the first and to the second end.
pub(super) fn settle(ends: [&mut Half; 2], mut queues: [Vec<SetUp>; 2]) -> [Vec<Progress>; 2] {
    let mut done = [Vec::new(), Vec::new()];
    let [first, second] = ends;
    while queues.iter().any(|queue| !queue.is_empty()) {
        for (at, end) in [&mut *first, &mut *second].into_iter().enumerate() {
            if queues[at].is_empty() {
                continue;
            }
            let (progress, answer) = end.take(queues[at].remove(0));
            done[at].push(progress);
            queues[1 - at].extend(answer);
            if let Some((_, deletion)) = end.end.delete_asked(&mut end.pages) {
                queues[1 - at].push(deletion.message);
            }
        }
    }
    done
}

/// Returns a sender and a receiver with so many ports between them. The first two have frames.
pub(super) fn with_ports(count: usize) -> (Half, Half) {
    let (mut sender, mut receiver) = (Half::new(), Half::new());
    for _ in 0..count {
        let (_, offer) = sender.create(Direction::Send);
        settle([&mut sender, &mut receiver], [vec![], vec![offer]]);
    }
    (sender, receiver)
}
