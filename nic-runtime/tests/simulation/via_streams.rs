//! Long streams of messages between VIs, compared with plain queues.
//!
//! The runs draw every built-in profile and provider, and more messages than any queue holds. Users do not look for
//! longer than each time-out, and regions come and go.

use nic_runtime::Run;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, EventKind, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::{EndpointId, PostId, PostNumber};
use nic_core::random::Generator;
use nic_core::time::SimDuration;
use nic_core::via::{Reason, RegionAction, Reliability, Status, ViState};
use nic_runtime::profile::{Events, Profile, Receive};
use nic_runtime::scenario::parse_on;

use crate::runs::runs;
use crate::spaced::{Traffic, below, index};

/// Maximum number of receive descriptors of a message (docs/via.md).
const DESCRIPTORS_MAX: u32 = 14;

/// The keys of a run that decide what its messages meet.
#[derive(Copy, Clone, Debug)]
struct Rules {
    is_clan: bool,
    level: Reliability,
    splits: bool,
    defers: bool,
    count: u32,
    room: u32,
    longest: u32,
    is_faulty: bool,
}

impl Rules {
    /// Returns how many receive descriptors a message takes, if it fits in those of its receiver.
    fn needed(&self, length: usize) -> Option<u32> {
        let length = u32::try_from(length).expect("short");
        let needed = length.div_ceil(self.room).max(1);
        let most = if self.splits {
            self.count.min(DESCRIPTORS_MAX)
        } else {
            1
        };
        (needed <= most).then_some(needed)
    }
}

struct Posted {
    post: PostId,
    number: PostNumber,
    payload: Vec<u8>,
    immediate: Option<u32>,
}

/// One end of the connection.
#[derive(Default)]
struct End {
    /// Messages that the peer has not received, oldest first.
    sent: VecDeque<Posted>,
    /// Messages that cannot have been sent, because the peer has received a later one. Their descriptors say so when the
    /// older ones have completed.
    unsent: Vec<PostId>,
    /// The lengths of the messages of descriptors that have not completed, in the order of their posts.
    posts: Vec<(PostId, usize)>,
    receives: VecDeque<u32>,
    state: Option<(ViState, Reason)>,
    was_deregistered: bool,
    is_registered: bool,
}

impl End {
    fn is_connected(&self) -> bool {
        matches!(self.state, Some((ViState::Connected, _)))
    }
}

struct Model {
    rules: Rules,
    ends: [End; 2],
    lost: u32,
    /// Send descriptors and receive descriptors by status.
    seen: BTreeMap<(&'static str, &'static str), u32>,
}

impl Sink for Model {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let here = here as usize;
        match event.kind {
            EventKind::Via(ViaEvent::TxPost {
                payload,
                post,
                immediate,
                number,
                ..
            }) => {
                let end = &mut self.ends[here];
                assert!(end.posts.iter().all(|(under_way, _)| *under_way != post));
                end.posts.push((post, payload.len()));
                end.sent.push_back(Posted {
                    post,
                    number,
                    payload: payload.to_vec(),
                    immediate,
                });
            }
            EventKind::Via(ViaEvent::TxDone { status, post, .. }) => {
                *self.seen.entry(("send", status.word())).or_default() += 1;
                self.completed(here, post, status);
            }
            EventKind::Via(ViaEvent::RxPost { offset, .. }) => {
                let receives = &mut self.ends[here].receives;
                assert!(!receives.contains(&offset), "it is posted");
                receives.push_back(offset);
            }
            EventKind::Via(ViaEvent::RxDescriptor {
                status,
                offsets,
                immediate,
                post,
                ..
            }) => {
                *self.seen.entry(("receive", status.word())).or_default() += 1;
                let receives = &mut self.ends[here].receives;
                for offset in offsets {
                    let place = receives.iter().position(|posted| posted == offset);
                    let place = place.expect("a posted descriptor completes, and once");
                    assert_eq!(place, 0, "the oldest completes");
                    receives.remove(place);
                }
                let payload: Vec<u8> = match event.kind.roles().step {
                    Step::Delivered { payload, .. } => payload.bytes().collect(),
                    _ => Vec::new(),
                };
                self.received(here, (status, post), (payload, immediate));
            }
            EventKind::Via(ViaEvent::ViState { state, reason }) => {
                let is_loss = reason == Reason::Loss;
                let may_lose = self.rules.is_faulty || self.lost > 0;
                assert!(!is_loss || may_lose, "a loss, and nothing was lost");
                self.ends[here].state = Some((state, reason));
            }
            EventKind::Via(ViaEvent::Region { action, .. }) => match action {
                RegionAction::Registered => self.ends[here].is_registered = true,
                RegionAction::Deregistered => {
                    assert!(self.ends[here].receives.is_empty(), "they use the region");
                    self.ends[here].is_registered = false;
                    self.ends[here].was_deregistered = true;
                }
                RegionAction::Refused => {}
            },
            EventKind::Nic(NicEvent::WireDrop { .. }) => self.lost += 1,
            EventKind::Nic(NicEvent::Drop { .. }) => {
                *self.seen.entry(("drop", "")).or_default() += 1;
            }
            _ => {}
        }
    }
}

impl Model {
    /// A send descriptor has completed.
    fn completed(&mut self, here: usize, post: PostId, status: Status) {
        let rules = self.rules;
        let end = &mut self.ends[here];
        let place = end
            .posts
            .iter()
            .position(|(under_way, _)| *under_way == post);
        assert_eq!(place, Some(0), "the oldest completes, and once");
        let (_, length) = end.posts.remove(0);
        let waiting = end.sent.iter().position(|sent| sent.post == post);
        if let Some(place) = end.unsent.iter().position(|unsent| *unsent == post) {
            end.unsent.remove(place);
            let is_known = match status {
                Status::LengthError => length > rules.longest as usize,
                Status::ProtectionError => end.was_deregistered,
                Status::Dropped => rules.is_clan && !rules.defers,
                Status::Ok | Status::Flushed | Status::Trap => false,
            };
            return assert!(
                is_known,
                "messages arrive in order, and this did not: {status:?}"
            );
        }
        match status {
            Status::Ok => {
                assert!(end.is_connected());
                // With the hardware provider, messages are in the peer's memory before their descriptors are visible, which
                // wait for the transfers that were queued before them.
                let is_there = waiting.is_none() || !rules.is_clan;
                assert!(
                    rules.level != Reliability::Reception || is_there,
                    "it is not there"
                );
            }
            Status::LengthError if length > rules.longest as usize => {
                end.sent.remove(waiting.expect("it was not sent"));
            }
            // The peer's receive descriptor completes as well.
            Status::LengthError => assert!(rules.is_clan && rules.needed(length).is_none()),
            Status::ProtectionError => {
                assert!(end.was_deregistered);
                end.sent.remove(waiting.expect("it was not sent"));
            }
            Status::Dropped => {
                assert!(rules.is_clan && !rules.defers);
                end.sent.remove(waiting.expect("it was not sent"));
            }
            Status::Flushed => assert!(!end.is_connected()),
            Status::Trap => panic!("there is no applet"),
        }
    }

    /// A receive descriptor has completed.
    fn received(
        &mut self,
        here: usize,
        (status, post): (Status, Option<PostNumber>),
        found: (Vec<u8>, Option<u32>),
    ) {
        let rules = self.rules;
        let may_skip = rules.level == Reliability::Unreliable && !rules.is_clan;
        match status {
            Status::Ok => loop {
                let next = self.ends[1 - here].sent.pop_front();
                let next = next.expect("a message that was sent arrives, and once");
                if Some(next.number) == post {
                    assert_eq!((next.payload, next.immediate), found);
                    break;
                }
                if !may_skip {
                    self.ends[1 - here].unsent.push(next.post);
                }
            },
            Status::LengthError => loop {
                assert_eq!(found, (Vec::new(), None));
                let next = self.ends[1 - here].sent.pop_front();
                let next = next.expect("a message did not fit");
                if rules.needed(next.payload.len()).is_none() {
                    break;
                }
                if !may_skip {
                    self.ends[1 - here].unsent.push(next.post);
                }
            },
            Status::ProtectionError => {
                assert!(self.ends[here].was_deregistered && !self.ends[here].is_registered);
            }
            Status::Flushed => assert!(!self.ends[here].is_connected()),
            Status::Dropped | Status::Trap => panic!("{status:?}"),
        }
    }

    /// Checks what is left at the end of a run.
    fn check(&self) {
        let is_connected = [0, 1].map(|end: usize| self.ends[end].is_connected());
        assert_eq!(is_connected[0], is_connected[1]);
        for (end, peer) in [(0, 1), (1, 0)] {
            let (end, peer) = (&self.ends[end], &self.ends[peer]);
            assert!(
                end.unsent.is_empty(),
                "they were posted, and did not arrive"
            );
            if !is_connected[0] {
                assert!(
                    end.posts.is_empty() && end.receives.is_empty(),
                    "all are flushed"
                );
                continue;
            }
            // A message waits for the peer's user alone, who posts nothing while its region is not registered.
            if let Some((_, length)) = end.posts.first() {
                let posted = peer.receives.len() as u32;
                let needed = self.rules.needed(*length).unwrap_or(1);
                let waits = self.rules.defers && posted < needed;
                assert!(
                    waits,
                    "{} descriptors stay: {length} bytes, {posted} posted",
                    end.posts.len()
                );
            } else if self.rules.level.is_reliable() || self.rules.is_clan {
                assert!(end.sent.is_empty(), "what was sent arrives");
            }
        }
    }
}

/// A random run: its scenario, its profile, and what its messages may meet.
fn draw(seed: u64) -> (String, Profile, Rules) {
    let mut generator = Generator::named(seed, &["via streams"]);
    let draw = &mut generator;
    let has = |profile: &Profile, sections: &[&'static str]| profile.lacks(sections).is_none();
    let profiles = Profile::builtin_names().filter_map(Profile::builtin);
    let of_vis = |profile: &Profile| {
        let is_staged = profile.receive == Receive::Staged;
        is_staged && (has(profile, &["base"]) || has(profile, &["via", "clan"]))
    };
    let profiles: Vec<Profile> = profiles.filter(of_vis).collect();
    let mut profile = profiles[index(draw, profiles.len())].clone();
    let is_clan =
        has(&profile, &["via", "clan"]) && (!has(&profile, &["base"]) || below(draw, 2) == 0);
    let (word, level) = Reliability::ALL[index(draw, 3)];
    let (splits, defers) = (below(draw, 2) == 0, is_clan && below(draw, 2) == 0);
    let room = [64, 100, 1_000, 4_096, 9_300][index(draw, 5)];
    let count = [1, 2, 3, 8, 20][index(draw, 5)];
    // The built-in wires have no faults; one run of four has some.
    let fault = [
        "loss = 0.002",
        "corrupt = 0.002\nduplicate = 0.05",
        "reorder = 0.002",
    ];
    let is_faulty = below(draw, 4) == 0;
    let link = if is_faulty { fault[index(draw, 3)] } else { "" };
    let mut keys = format!(
        "interface = 'via'\nreliability = '{word}'\nsplit = {splits}\nbuffer_area = '1MiB'\n\
         free_buffers = {{ count = {count}, length = {room} }}\ntx_queue = {}\nrx_queue = {}\n\
         completion = {{ send = 'q', receive = 'q' }}\n",
        1 + below(draw, 12),
        1 + below(draw, 12)
    );
    if is_clan {
        let transfer = ["auto", "pio", "dma"][index(draw, 3)];
        let on_empty = if defers { "defer" } else { "drop" };
        let strict = below(draw, 2) == 0;
        keys += &format!(
            "provider = 'clan'\ntransfer = '{transfer}'\non_empty = '{on_empty}'\nstrict = {strict}\n"
        );
        let clan = profile.clan.as_mut().expect("a section of CLAN");
        clan.events = [Events::User, Events::Interrupt][index(draw, 2)];
        if below(draw, 2) == 0 {
            clan.mappings = (1 + below(draw, 3) as u32).try_into().expect("above 0");
        }
    } else {
        keys += match profile.is_on_host() {
            true => "provider = 'emulated'\n",
            false => "provider = 'hardware'\n",
        };
    }
    let mut text = format!("seed = {seed}\nuntil = '17000000s'\nmax_events = 2000000\n");
    for nic in ["a", "b"] {
        writeln!(text, "[[nic]]\nname = '{nic}'\nsram = '8MiB'").expect("a string");
    }
    writeln!(text, "[[link]]\nbetween = ['a', 'b']\n{link}").expect("a string");
    for (nic, name) in [("a", "left"), ("b", "right")] {
        // Longer than each time-out is a user who looks each 30 ms.
        let notify = [
            "",
            "poll_every = '7us'",
            "poll_every = '1ms'",
            "poll_every = '30ms'",
        ];
        let notify = notify[index(draw, 4)];
        writeln!(
            text,
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\n{notify}\n{keys}"
        )
        .expect("a string");
    }
    text += "[[channel]]\nleft = 1\nright = 1\n";
    let together = if splits {
        room * count.min(DESCRIPTORS_MAX)
    } else {
        room
    };
    // Half of the runs have no message that must fail.
    let longest = match below(draw, 2) {
        0 => together.min(9_300).min(profile.memory.max_packet.get()),
        _ => 9_300,
    };
    let traffic = Traffic::of(&profile, longest)
        .with_limit(room)
        .with_limit(together)
        .with_time_out(SimDuration::from_ns(30_000_000));
    let mut last = 0;
    for name in ["left", "right"] {
        let messages = [0, 20, 130][index(draw, 3)];
        for due in traffic.draw(draw, messages) {
            last = last.max(due.at_ns);
            write!(
                text,
                "[[send]]\nendpoint = '{name}'\nchannel = 1\nat = '{}ns'\npayload = {{ random = {} }}\n",
                due.at_ns, due.length
            )
            .expect("a string");
            if below(draw, 3) == 0 {
                writeln!(text, "immediate = {}", below(draw, 1 << 32)).expect("a string");
            }
        }
    }
    for _ in 0..[0, 0, 6][index(draw, 3)] {
        let endpoint = ["left", "right"][index(draw, 2)];
        let action = ["deregister", "register"][index(draw, 2)];
        let at = match below(draw, 2) {
            0 => below(draw, last + 1),
            _ => below(draw, 3_000_000),
        };
        writeln!(
            text,
            "[[region]]\nendpoint = '{endpoint}'\nat = '{at}ns'\naction = '{action}'"
        )
        .expect("a string");
    }
    let rules = Rules {
        is_clan,
        level,
        splits,
        defers,
        count,
        room,
        longest: profile.memory.max_packet.get(),
        is_faulty,
    };
    (text, profile, rules)
}

#[test]
fn streams_between_vis_are_those_of_plain_queues() {
    let mut seen = BTreeMap::new();
    let mut ends = [0; 2];
    let first = std::env::var("JIVE_SEED").ok();
    let first: Option<u64> = first.map(|seed| seed.parse().expect("a number"));
    let seeds = first.map_or(0..runs(200), |seed| seed..seed + 1);
    for seed in seeds {
        let (text, profile, rules) = draw(seed);
        let scenario = parse_on(&text, &profile);
        let scenario =
            scenario.unwrap_or_else(|error| panic!("{seed} {}: {error:?}\n{text}", profile.name));
        let mut model = Model {
            rules,
            ends: Default::default(),
            lost: 0,
            seen: BTreeMap::new(),
        };
        println!("seed {seed}: {} {rules:?}", profile.name);
        let end = Run::new(&scenario)
            .sink(&mut model)
            .execute()
            .expect("the scenario fits")
            .end;
        assert_eq!(end.reason, EndReason::Idle);
        model.check();
        ends[usize::from(!model.ends[0].is_connected())] += 1;
        for ((side, status), count) in model.seen {
            *seen.entry((rules.is_clan, side, status)).or_insert(0) += count;
        }
    }
    println!("runs whose connection lasted and ended: {ends:?}, completions: {seen:#?}");
    if first.is_none() {
        for (is_clan, side, status) in [
            (true, "send", "dropped"),
            (true, "send", "length-error"),
            (true, "send", "flushed"),
            (true, "receive", "length-error"),
            (false, "send", "length-error"),
            (false, "send", "flushed"),
            (false, "receive", "length-error"),
        ] {
            assert!(
                seen.contains_key(&(is_clan, side, status)),
                "{side} {status}"
            );
        }
        assert!(ends.iter().all(|count| *count > 5), "{ends:?}");
    }
}
