//! Random programs that connect, exchange, disconnect and connect again, compared with a plain model.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, EventKind, Names, Sink, TxStatus, ViaEvent};
use nic_core::id::{ChannelId, EndpointId, PostId, PostNumber};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{Handle, Reliability, Segment, Status, ViState};
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, HostProgram, Programs, ViNews};
use nic_runtime::profile::Events;
use nic_runtime::scenario::{parse, parse_on};

use crate::runs::runs;
use crate::via_connect::ALL_PROVIDERS;
use crate::via_over_memory::profile_with;

/// Where messages to send lie in the buffer area, and where received ones go. Each has a slot of its own.
const SEND_FROM: u32 = 10_000;
const SLOT: u32 = 200;
const SLOTS: u32 = 12;
const AREA: u32 = 16_000;

/// Bytes of a message that say which it is.
const HEAD: usize = 8;

/// The time without an acknowledgement or a write after which a NIC acts, in nanoseconds.
const SILENCE: u64 = 20_000_000;

/// When the random part of a run is over, when what its end has flushed is taken, and when the last connection begins.
const QUIET: u64 = 2_000_000_000;
const EMPTIED: u64 = 2_200_000_000;
const AGAIN: u64 = 2_500_000_000;
const END: u64 = 3_000_000_000;

/// A message that a program has asked to send.
struct Posted {
    bytes: Vec<u8>,
    immediate: Option<u32>,
    /// The slot of its bytes, if the program names it.
    slot: u32,
    /// How the descriptor completed, as the NIC shows it, and in which of the sender's connections.
    shown: Option<(Status, u32)>,
    /// How it completed, as the program learned it.
    status: Option<Status>,
    /// Whether a receive descriptor of the peer has completed with it.
    is_delivered: bool,
}

/// What one end has done and seen.
#[derive(Default)]
struct End {
    is_connected: bool,
    posted: Vec<Posted>,
    /// Receive descriptors of the program that have not completed, and how many the VI has taken.
    receives: BTreeSet<u64>,
    taken: u64,
    /// Counts of what happened: refused, timed out, ended, reconnected.
    seen: BTreeMap<&'static str, u64>,
    shown: Shown,
}

/// What the events of one end have shown.
#[derive(Default)]
struct Shown {
    connections: u32,
    is_connected: bool,
    /// The posted send descriptors: how many, their numbers, and the messages of those that have not completed.
    posts: usize,
    numbers: Vec<PostNumber>,
    under_way: VecDeque<(PostId, usize)>,
    /// The number of the next message that may be delivered, and those that the program has not taken.
    next: usize,
    delivered: VecDeque<usize>,
    /// The posted receive descriptors, by their offsets, oldest first, and how many there were.
    receives: VecDeque<u32>,
    receive_posts: u64,
    /// The memory as it must be.
    memory: Vec<u8>,
}

#[derive(Default)]
struct Model([End; 2]);

/// Returns an end and its peer.
fn both(ends: &mut [End; 2], here: usize) -> (&mut End, &mut End) {
    let [one, other] = ends;
    match here {
        0 => (one, other),
        _ => (other, one),
    }
}

impl Model {
    /// A program has got a message: the oldest that its NIC has delivered, byte for byte.
    fn receive(&mut self, here: usize, payload: &[u8], immediate: Option<u32>) {
        let (own, peer) = both(&mut self.0, here);
        let number = own.shown.delivered.pop_front();
        let sent = &peer.posted[number.expect("its NIC has shown the message")];
        assert_eq!(payload, sent.bytes, "the program gets what was delivered");
        assert_eq!(immediate, sent.immediate);
    }

    fn complete(&mut self, here: usize, number: usize, status: Status) {
        let sent = &mut self.0[here].posted[number];
        let shown = sent.shown.map(|(status, _)| status);
        assert_eq!(Some(status), shown, "the program learns what happened");
        let earlier = sent.status.replace(status);
        assert_eq!(earlier, None, "a descriptor completes once");
    }

    /// A receive descriptor has completed with a message.
    fn deliver(
        &mut self,
        here: usize,
        payload: &[u8],
        (immediate, post): (Option<u32>, Option<PostNumber>),
    ) {
        let head = payload.first_chunk::<HEAD>();
        let number = u64::from_be_bytes(*head.expect("every message has a head")) as usize;
        let (own, peer) = both(&mut self.0, here);
        // A message whose transfer is under way when the connection ends is delivered afterwards.
        assert!(own.shown.connections > 0, "a message needs a connection");
        assert!(
            number >= own.shown.next,
            "messages arrive in order, and once"
        );
        assert!(number < peer.shown.posts, "the message was posted");
        let of_post = peer.shown.numbers[number];
        assert_eq!(
            post,
            Some(of_post),
            "a descriptor names the post of its message"
        );
        own.shown.next = number + 1;
        own.shown.delivered.push_back(number);
        let sent = &mut peer.posted[number];
        assert_eq!(payload, sent.bytes, "the contents are those that were sent");
        assert_eq!(immediate, sent.immediate);
        let status = sent.shown.map(|(status, _)| status);
        let may_arrive = matches!(status, None | Some(Status::Ok | Status::Flushed));
        assert!(may_arrive, "{status:?} was not sent");
        sent.is_delivered = true;
    }

    /// Compares the memory of an end whose program names its memory with what it must be, but for what is under way.
    fn compare(&mut self, here: usize, area: &[u8]) {
        let end = &mut self.0[here];
        end.shown.memory.resize(area.len(), 0);
        let mut may_differ: Vec<u32> = end.shown.receives.iter().copied().collect();
        let asked = end.posted.iter().skip(end.shown.posts);
        may_differ.extend(asked.map(|sent| SEND_FROM + sent.slot * SLOT));
        for start in may_differ {
            let slot = start as usize..(start + SLOT) as usize;
            end.shown.memory[slot.clone()].copy_from_slice(&area[slot]);
        }
        let changed = end.shown.memory.iter().zip(area).position(|(a, b)| a != b);
        assert_eq!(changed, None, "only what descriptors name changes");
    }

    fn event(&mut self, here: usize, event: &Event<'_>, is_own: bool) {
        let EventKind::Via(kind) = event.kind else {
            return;
        };
        let end = &mut self.0[here];
        match kind {
            ViaEvent::TxPost {
                payload,
                post,
                number: of_post,
                ..
            } => {
                let number = end.shown.posts;
                end.shown.numbers.push(of_post);
                let sent = &end.posted[number];
                assert_eq!(payload, sent.bytes, "a descriptor names its message");
                if is_own {
                    end.shown.memory.resize(AREA as usize, 0);
                    let start = (SEND_FROM + sent.slot * SLOT) as usize;
                    end.shown.memory[start..start + payload.len()].copy_from_slice(payload);
                }
                end.shown.posts += 1;
                end.shown.under_way.push_back((post, number));
            }
            ViaEvent::TxDone { status, post, .. } => {
                let oldest = end.shown.under_way.pop_front();
                let (oldest, number) = oldest.expect("a descriptor completes once");
                assert_eq!(post, oldest, "send descriptors complete in posting order");
                assert!(end.shown.is_connected || status != Status::Ok);
                end.posted[number].shown = Some((status, end.shown.connections));
            }
            ViaEvent::RxPost { offset, length } if is_own => {
                end.shown.receive_posts += 1;
                // A descriptor with a handle that is not registered names no memory, and completes at once.
                if length > 0 {
                    assert!(!end.shown.receives.contains(&offset), "it is posted once");
                    end.shown.receives.push_back(offset);
                }
            }
            ViaEvent::RxDescriptor {
                status,
                immediate,
                offsets,
                area,
                post,
                ..
            } => {
                let payload: Option<Vec<u8>> = match event.kind.step() {
                    Step::Delivered { payload, .. } => Some(payload.bytes().collect()),
                    _ => None,
                };
                if is_own && status != Status::ProtectionError {
                    // What was in the descriptors' memory before is what is behind the message.
                    let mut left = payload.as_deref().unwrap_or_default();
                    for offset in offsets {
                        let receives = &mut end.shown.receives;
                        let place = receives.iter().position(|posted| posted == offset);
                        let place = place.expect("a posted descriptor completes, and once");
                        assert_eq!(place, 0, "receive descriptors complete in posting order");
                        receives.remove(place);
                        let start = *offset as usize;
                        let slot = start..start + SLOT as usize;
                        end.shown.memory.resize(area.len(), 0);
                        if status != Status::Ok {
                            end.shown.memory[slot.clone()].copy_from_slice(&area[slot]);
                            continue;
                        }
                        let here = left.len().min(SLOT as usize);
                        end.shown.memory[start..start + here].copy_from_slice(&left[..here]);
                        left = &left[here..];
                    }
                    self.compare(here, area);
                }
                match payload {
                    Some(payload) => self.deliver(here, &payload, (immediate, post)),
                    None => assert_ne!(status, Status::Ok),
                }
            }
            ViaEvent::ViState { state, .. } => {
                end.shown.is_connected = state == ViState::Connected;
                end.shown.connections += u32::from(end.shown.is_connected);
            }
            ViaEvent::RxPost { .. }
            | ViaEvent::Region { .. }
            | ViaEvent::ControlTx { .. }
            | ViaEvent::ControlRx { .. }
            | ViaEvent::Completion { .. } => {}
        }
    }

    /// Checks everything at the end of a run.
    fn check(&self, level: Reliability, is_own: bool, is_faulty: bool, what: &str) {
        let connected = self.0.each_ref().map(|end| end.is_connected);
        let shown = self.0.each_ref().map(|end| end.shown.is_connected);
        assert_eq!(connected, shown, "{what}");
        assert_eq!(connected[0], connected[1], "{what}");
        // A link with faults may lose what the last connection carries, and so the connection.
        assert!(connected[0] || is_faulty, "not connected: {what}");
        for end in &self.0 {
            assert_eq!(end.shown.posts, end.posted.len(), "{what}");
            assert!(end.shown.under_way.is_empty(), "a send is not over: {what}");
            if is_own {
                assert_eq!(end.shown.receive_posts, end.taken, "{what}");
            }
            // What a connection delivers has no gap.
            let mut open: Option<u32> = None;
            for sent in &end.posted {
                let (status, connection) = sent.shown.expect("every send is over");
                if is_own {
                    assert_eq!(sent.status, Some(status), "{what}");
                }
                if level == Reliability::Reception && status == Status::Ok {
                    assert!(sent.is_delivered, "its peer has no message: {what}");
                }
                if level.is_reliable() && status == Status::Ok {
                    assert!(
                        !sent.is_delivered || open != Some(connection),
                        "a gap: {what}"
                    );
                    if !sent.is_delivered {
                        open = Some(connection);
                    }
                }
            }
        }
    }
}

/// A sink that tells the model what happens at each NIC.
struct Watches {
    model: Shared,
    is_own: bool,
}

impl Sink for Watches {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        if let Some(EndpointId(here)) = event.endpoint {
            let mut model = self.model.lock().expect("nobody panics");
            model.event(here as usize, event, self.is_own);
        }
    }
}

type Shared = Arc<Mutex<Model>>;

/// A program that does random things at random times.
struct Drives {
    here: usize,
    model: Shared,
    generator: Generator,
    steps: u64,
    /// Whether the program posts its own descriptors.
    is_own: bool,
    segments: u64,
    /// The handles of the memory for sending and for receiving.
    handles: Vec<Handle>,
    free_to_send: Vec<u32>,
    free_to_receive: Vec<u32>,
    slots: BTreeMap<u64, u32>,
    next: u64,
    /// The time-out that was asked for last.
    within: u64,
}

impl Drives {
    fn below(&mut self, limit: u64) -> u64 {
        self.generator.draw() % limit
    }

    fn message(&mut self, number: usize) -> Vec<u8> {
        let most = u64::from(SLOT) - HEAD as u64;
        let length = match self.below(4) {
            0 => 0,
            1 => most,
            _ => self.below(most),
        };
        let mut bytes = (number as u64).to_be_bytes().to_vec();
        bytes.extend((0..length).map(|_| self.generator.draw() as u8));
        bytes
    }

    /// Divides a slot into segments.
    fn pieces(&mut self, handle: Handle, start: u32, length: u32) -> Vec<Segment> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < length {
            let is_last = pieces.len() as u64 + 1 >= self.segments;
            let here = match is_last {
                true => length - done,
                false => (self.below(u64::from(length)) as u32).min(length - done),
            };
            pieces.push(Segment {
                handle,
                offset: start + done,
                length: here,
            });
            done += here;
        }
        pieces
    }

    fn send(&mut self, home: EndpointId, actions: &mut Actions<'_>) {
        // The first step may come before the memory is registered.
        if self.is_own && (self.handles.is_empty() || self.free_to_send.is_empty()) {
            return;
        }
        let slot = self.free_to_send.pop().filter(|_| self.is_own).unwrap_or(0);
        let model = Arc::clone(&self.model);
        let mut model = model.lock().expect("nobody panics");
        let end = &mut model.0[self.here];
        let number = end.posted.len();
        // A descriptor that names memory of nobody sends nothing.
        let is_bad = self.is_own && self.below(16) == 0;
        let bytes = match is_bad {
            true => Vec::new(),
            false => self.message(number),
        };
        let has_immediate = self.is_own && self.below(2) == 0;
        let immediate = has_immediate.then_some(number as u32);
        end.posted.push(Posted {
            bytes: bytes.clone(),
            immediate,
            slot,
            shown: None,
            status: None,
            is_delivered: false,
        });
        drop(model);
        if !self.is_own {
            return actions.post(home, ChannelId(if self.here == 0 { 1 } else { 7 }), bytes);
        }
        let Some(&handle) = self.handles.first() else {
            return;
        };
        let length = bytes.len() as u32;
        actions.fill(home, SEND_FROM + slot * SLOT, bytes);
        let mut pieces = self.pieces(handle, slot * SLOT, length);
        if is_bad {
            pieces.push(Segment {
                handle: Handle(u32::MAX),
                offset: 0,
                length: 1,
            });
        }
        self.slots.insert(number as u64, slot);
        actions.post_send(home, number as u64, pieces, immediate);
    }

    fn post_receive(&mut self, home: EndpointId, actions: &mut Actions<'_>) {
        let (Some(slot), Some(&handle)) = (self.free_to_receive.pop(), self.handles.get(1)) else {
            return;
        };
        self.next += 1;
        let ticket = 1 << 32 | self.next;
        self.slots.insert(ticket, slot);
        let pieces = self.pieces(handle, slot * SLOT, SLOT);
        let mut model = self.model.lock().expect("nobody panics");
        model.0[self.here].receives.insert(ticket);
        model.0[self.here].taken += 1;
        drop(model);
        actions.post_receive(home, ticket, pieces);
    }

    fn wait(&mut self) -> Option<SimDuration> {
        let within = match self.below(5) {
            0 => return None,
            1 => 1_000,
            2 => 40_000 + self.below(60_000),
            3 => SILENCE,
            _ => 500_000,
        };
        self.within = within;
        Some(SimDuration::from_ns(within))
    }

    fn step(&mut self, home: EndpointId, actions: &mut Actions<'_>) {
        for _ in 0..=self.below(3) {
            match self.below(16) {
                0 | 1 => {
                    let (tag, within) = (5 + self.below(8) as u32 / 7, self.wait());
                    match self.here == 0 || self.below(6) == 0 {
                        true => actions.connect(home, tag, within),
                        false => actions.accept(home, tag, within),
                    }
                }
                2 if self.below(3) == 0 => actions.refuse(home),
                3 if self.below(2) == 0 => actions.disconnect(home),
                4..=8 => self.send(home, actions),
                9..=11 if self.is_own => self.post_receive(home, actions),
                12..=14 if self.is_own => match self.below(2) {
                    0 => actions.receive(home),
                    _ => {
                        let within = self.wait();
                        actions.receive_within(home, within);
                    }
                },
                15 if self.is_own && self.below(4) == 0 => {
                    // Memory in use is not deregistered; what is not in use has another handle afterwards.
                    if let Some(&handle) = self.handles.get(1) {
                        actions.deregister(home, handle, 1);
                    }
                }
                _ => {}
            }
        }
        let wait = match self.below(8) {
            0 => SILENCE - 1_000 + self.below(2_000),
            1 => self.within - 500 + self.below(1_000),
            2 => 2 * SILENCE + self.below(1_000_000),
            3 | 4 => self.below(3_000_000),
            _ => self.below(60_000),
        };
        let now = actions.now();
        let next = now + SimDuration::from_ns(wait.max(1));
        let quiet = SimTime::ZERO + SimDuration::from_ns(QUIET);
        if self.steps > 0 && next < quiet {
            self.steps -= 1;
            actions.wake_at(next);
        } else {
            self.steps = 0;
            actions.wake_at(quiet);
        }
    }

    fn count(&self, what: &'static str) {
        let mut model = self.model.lock().expect("nobody panics");
        *model.0[self.here].seen.entry(what).or_default() += 1;
    }

    fn connection(&mut self, home: EndpointId, what: ConnectionNews, actions: &mut Actions<'_>) {
        let mut model = self.model.lock().expect("nobody panics");
        let end = &mut model.0[self.here];
        match what {
            ConnectionNews::Made => {
                assert!(!end.is_connected, "a VI has one connection");
                end.is_connected = true;
            }
            ConnectionNews::Ended { .. } => {
                assert!(end.is_connected, "a connection ends once");
                end.is_connected = false;
            }
            ConnectionNews::Requested { .. }
            | ConnectionNews::Refused
            | ConnectionNews::TimedOut
            | ConnectionNews::NotPossible => {}
        }
        drop(model);
        match what {
            ConnectionNews::Requested { .. } => self.count("requested"),
            ConnectionNews::Made => self.count("made"),
            ConnectionNews::Refused => self.count("refused"),
            ConnectionNews::TimedOut => self.count("timed out"),
            ConnectionNews::Ended { .. } => self.count("ended"),
            ConnectionNews::NotPossible => self.count("not possible"),
        }
        let is_late = actions.now().as_ns() >= AGAIN;
        if let (ConnectionNews::Made, true) = (what, is_late) {
            self.send(home, actions);
        }
    }
}

impl HostProgram for Drives {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                if self.is_own {
                    actions.register(home, home, (SEND_FROM, SLOT * SLOTS), 0);
                    actions.register(home, home, (0, SLOT * SLOTS), 1);
                }
                actions.wake_at(actions.now() + SimDuration::from_ns(1));
            }
            Happened::Time if actions.now().as_ns() < QUIET => self.step(home, actions),
            Happened::Time if actions.now().as_ns() < EMPTIED => {
                actions.disconnect(home);
                actions.wake_at(SimTime::ZERO + SimDuration::from_ns(EMPTIED));
            }
            Happened::Time if actions.now().as_ns() < AGAIN => {
                // What the end of the connection has flushed frees its slots before the last connection.
                for _ in 0..=SLOTS {
                    actions.receive(home);
                }
                actions.wake_at(SimTime::ZERO + SimDuration::from_ns(AGAIN));
            }
            Happened::Time => {
                // What is posted before the connection is there for its first message.
                if self.is_own {
                    self.post_receive(home, actions);
                    actions.receive_within(home, None);
                }
                // The peer may be some microseconds late, so its request may come first.
                match self.here {
                    0 => actions.connect(home, 77, None),
                    _ => actions.accept(home, 77, None),
                }
            }
            Happened::Message { payload, .. } => {
                self.model
                    .lock()
                    .expect("nobody panics")
                    .receive(self.here, payload, None);
            }
            Happened::Completed { status, .. } => {
                assert_ne!(status, TxStatus::Refused);
            }
            Happened::Connection { what, .. } => self.connection(home, what, actions),
            Happened::Window { .. } | Happened::Port { .. } => {}
            Happened::Vi { what, .. } => match what {
                ViNews::Registered { ticket, registered } => {
                    let handle = registered.expect("the range is in the area");
                    self.handles.truncate(ticket as usize);
                    self.handles.push(handle);
                }
                ViNews::Deregistered { deregistered, .. } => {
                    if deregistered.is_ok() {
                        actions.register(home, home, (0, SLOT * SLOTS), 1);
                        self.count("deregistered");
                    }
                }
                ViNews::Sent { ticket, status, .. } => {
                    self.free_to_send.extend(self.slots.remove(&ticket));
                    let mut model = self.model.lock().expect("nobody panics");
                    model.complete(self.here, ticket as usize, status);
                }
                ViNews::Received(done) => {
                    for ticket in done.tickets {
                        self.free_to_receive.extend(self.slots.remove(ticket));
                        let mut model = self.model.lock().expect("nobody panics");
                        let is_posted = model.0[self.here].receives.remove(ticket);
                        assert!(is_posted, "a descriptor completes once");
                    }
                    if done.status == Status::Ok {
                        let mut model = self.model.lock().expect("nobody panics");
                        model.receive(self.here, done.payload, done.immediate);
                    }
                }
                ViNews::NotPossible { ticket } => {
                    self.free_to_receive.extend(self.slots.remove(&ticket));
                    let mut model = self.model.lock().expect("nobody panics");
                    model.0[self.here].receives.remove(&ticket);
                    model.0[self.here].taken -= 1;
                }
                ViNews::NoMessage => {}
            },
        }
    }
}

#[test]
fn random_programs_are_those_of_a_plain_model() {
    let mut seen = BTreeMap::<(&str, &str), u64>::new();
    for seed in 0..runs(60) {
        let mut generator = Generator::named(seed, &["via programs"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let (name, level) = Reliability::ALL[below(3) as usize];
        let (profile, provider) = ALL_PROVIDERS[below(3) as usize];
        let is_clan = provider == "clan";
        let faults = [
            "",
            "",
            "loss = 0.02",
            "corrupt = 0.02\nduplicate = 0.1",
            "reorder = 0.03\nduplicate = 0.05",
            "loss = 0.01\nreorder = 0.05",
        ];
        let link = faults[below(6) as usize];
        let is_own = below(3) > 0;
        let mut keys = format!(
            "reliability = '{name}'\nbuffer_area = {AREA}\nrx_queue = {SLOTS}\n\
             completion = {{ send = 'q', receive = 'q' }}\nsplit = {}\n",
            below(2) == 0,
        );
        keys += match is_own {
            true => "free_buffers = { count = 0 }\n",
            false => "free_buffers = { count = 6, length = 256 }\n",
        };
        if is_clan {
            let transfer = ["auto", "pio", "dma"][below(3) as usize];
            let on_empty = ["drop", "defer"][below(2) as usize];
            if on_empty == "defer" {
                // With a full queue, a program would wait for its peer and never disconnect.
                keys += "tx_queue = 4000\n";
            }
            keys += &format!(
                "transfer = '{transfer}'\non_empty = '{on_empty}'\nstrict = {}\n",
                below(2) == 0
            );
        }
        let vi = |nic: &str, name: &str| {
            format!(
                "[[nic]]\nname = '{nic}'\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'via'\n{keys}"
            )
        };
        let text = format!(
            "profile = '{profile}'\nseed = {seed}\nuntil = '10s'\n{}{}[[link]]\nbetween = ['a', 'b']\n{link}\n\
             [[channel]]\nclient = 1\nserver = 7\nconnect = 'program'\n",
            vi("a", "client"),
            vi("b", "server"),
        );
        let scenario = match is_clan {
            true => {
                let mut profile = profile_with(1 + below(3) as u32);
                let clan = profile.clan.as_mut().expect("a section of CLAN");
                clan.events = [Events::User, Events::Interrupt][below(2) as usize];
                parse_on(&text, &profile).expect("it is right")
            }
            false => parse(text.as_bytes(), None, None).expect("it is right"),
        };
        let model = Shared::default();
        let (steps, segments) = (5 + below(40), 1 + below(4));
        let program = |here: usize| Drives {
            here,
            model: Arc::clone(&model),
            generator: Generator::named(seed, &["client", "server"][here..=here]),
            steps,
            is_own,
            segments,
            handles: Vec::new(),
            free_to_send: (0..SLOTS).collect(),
            free_to_receive: (0..SLOTS).collect(),
            slots: BTreeMap::new(),
            next: 0,
            within: 1_000,
        };
        let programs = Programs::new()
            .with("client", program(0))
            .with("server", program(1));
        println!("{seed} {provider} {name} own {is_own} {link:?} {keys:?}");
        let mut watches = Watches {
            model: Arc::clone(&model),
            is_own,
        };
        let end = Run::new(&scenario)
            .programs(programs)
            .sink(&mut watches)
            .execute()
            .expect("the scenario fits")
            .end;
        let what = format!(
            "{seed} {provider} {name} own {is_own} {link:?}: {:?}",
            end.waiting
        );
        assert_eq!(end.reason, EndReason::Idle, "{what}");
        crate::trace::check_moves(&end);
        assert!(
            end.time >= SimTime::ZERO + SimDuration::from_ns(AGAIN),
            "{what} {:?}",
            end.time
        );
        assert!(
            end.time < SimTime::ZERO + SimDuration::from_ns(END),
            "{what}"
        );
        let model = model.lock();
        let model = model.unwrap_or_else(|_| panic!("{what}"));
        model.check(level, is_own, !link.is_empty(), &what);
        for end in &model.0 {
            for (what, count) in &end.seen {
                *seen.entry((provider, *what)).or_default() += count;
            }
        }
    }
    println!("{seen:?}");
    for provider in ["hardware", "clan", "emulated"] {
        for what in [
            "requested",
            "made",
            "refused",
            "timed out",
            "ended",
            "not possible",
        ] {
            assert!(
                seen.contains_key(&(provider, what)),
                "{provider} {what} {seen:?}"
            );
        }
    }
}
