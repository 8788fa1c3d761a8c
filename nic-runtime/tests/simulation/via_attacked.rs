//! Connections that begin and end at the times of other events, and control packets that are forged at every field.
//!
//! `JIVE_RUNS=10000 cargo test --release -p nic-runtime --test simulation via_attacked` makes more of both.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nic_core::event::{EndReason, Event, EventKind, Names, Sink, ViaEvent};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{ConnectionId, Reason, ViaHeader};
use nic_runtime::Run;
use nic_runtime::host::{Actions, ConnectionNews, Happened, HostProgram, Programs};
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

use crate::runs::runs;
use crate::via_connect::ALL_PROVIDERS;

/// Draws a profile, its provider, and keys of both ends: the level, and what every provider takes.
fn any_vis(draw: &mut impl FnMut(u64) -> u64) -> (&'static str, &'static str, String) {
    let (profile, provider) = ALL_PROVIDERS[draw(3) as usize];
    let level = ["unreliable", "delivery", "reception"][draw(3) as usize];
    let keys = format!(
        "interface = 'via'\nprovider = '{provider}'\nreliability = '{level}'\n\
         free_buffers = {{ count = 8, length = 4096 }}\n"
    );
    (profile, provider, keys)
}

fn after(ns: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_ns(ns)
}

/// When the odd part of a run is over, and when the last connection begins.
const QUIET: u64 = 200_000_000;
const AGAIN: u64 = 300_000_000;

/// The tag of the last connection, and those of the connections before.
const LAST: u32 = 77;
const TAG: u32 = 5;

/// What a program does at a time of its own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Odd {
    Connect(u32, Option<u64>),
    Accept(u32, Option<u64>),
    Refuse,
    Disconnect,
    Post(u32),
    /// Ends the connection and asks for the next at once.
    Again,
}

impl Odd {
    fn of(draw: &mut impl FnMut(u64) -> u64) -> Odd {
        let tag = TAG + draw(8) as u32 / 7;
        let within = match draw(3) {
            0 => None,
            1 => Some(1 + draw(40_000)),
            _ => Some(1_000_000),
        };
        match draw(8) {
            0 | 1 => Odd::Connect(tag, within),
            2 => Odd::Accept(tag, within),
            3 => Odd::Refuse,
            4 | 5 => Odd::Disconnect,
            6 => Odd::Post(draw(3_000) as u32),
            _ => Odd::Again,
        }
    }
}

/// What both ends have seen.
#[derive(Default)]
struct Seen {
    is_connected: [bool; 2],
    counts: [BTreeMap<&'static str, u32>; 2],
    /// The messages of the last connection.
    last: [Vec<Vec<u8>>; 2],
}

/// A program that exchanges messages over connections that it makes again and again, and does odd things at odd times.
struct Exchanges {
    here: usize,
    seen: Arc<Mutex<Seen>>,
    odd: Vec<(SimTime, Odd)>,
    rounds: u32,
}

impl Exchanges {
    fn channel(&self) -> ChannelId {
        ChannelId([1, 7][self.here])
    }

    fn ask(&self, home: EndpointId, tag: u32, actions: &mut Actions<'_>) {
        match self.here {
            0 => actions.connect(home, tag, Some(SimDuration::from_ns(5_000_000))),
            _ => actions.accept(home, tag, None),
        }
    }

    fn odd(&mut self, what: Odd, home: EndpointId, actions: &mut Actions<'_>) {
        let within = |ns: Option<u64>| ns.map(SimDuration::from_ns);
        match what {
            Odd::Connect(tag, ns) => actions.connect(home, tag, within(ns)),
            Odd::Accept(tag, ns) => actions.accept(home, tag, within(ns)),
            Odd::Refuse => actions.refuse(home),
            Odd::Disconnect => actions.disconnect(home),
            Odd::Post(length) => actions.post(home, self.channel(), vec![9; length as usize]),
            Odd::Again => {
                actions.disconnect(home);
                self.ask(home, TAG, actions);
            }
        }
    }

    fn connection(&mut self, what: ConnectionNews, home: EndpointId, actions: &mut Actions<'_>) {
        let is_late = actions.now() >= after(AGAIN);
        let word = {
            let mut seen = self.seen.lock().expect("nobody panics");
            let is_connected = &mut seen.is_connected[self.here];
            let word = match what {
                ConnectionNews::Made => {
                    assert!(!*is_connected, "a VI has one connection");
                    *is_connected = true;
                    "made"
                }
                ConnectionNews::Ended { .. } => {
                    assert!(*is_connected, "a connection ends once");
                    *is_connected = false;
                    "ended"
                }
                ConnectionNews::Requested { .. } => "requested",
                ConnectionNews::Refused => "refused",
                ConnectionNews::TimedOut => "timed out",
                ConnectionNews::NotPossible => "not possible",
            };
            *seen.counts[self.here].entry(word).or_default() += 1;
            word
        };
        match word {
            "made" if is_late => {
                actions.post(home, self.channel(), vec![self.here as u8; 300]);
            }
            "made" if self.here == 0 => {
                for length in [0, 40, 700, 3_000] {
                    actions.post(home, self.channel(), vec![3; length]);
                }
            }
            "ended" if self.rounds > 0 && actions.now() < after(QUIET) => {
                self.rounds -= 1;
                self.ask(home, TAG, actions);
            }
            _ => {}
        }
    }
}

impl HostProgram for Exchanges {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                self.ask(home, TAG, actions);
                for (time, _) in &self.odd {
                    actions.wake_at(*time);
                }
                actions.wake_at(after(QUIET));
                actions.wake_at(after(AGAIN));
            }
            Happened::Time if actions.now() >= after(AGAIN) => self.ask(home, LAST, actions),
            Happened::Time if actions.now() >= after(QUIET) => actions.disconnect(home),
            Happened::Time => {
                let (_, what) = self.odd.remove(0);
                self.odd(what, home, actions);
            }
            Happened::Message { payload, .. } if actions.now() >= after(AGAIN) => {
                let mut seen = self.seen.lock().expect("nobody panics");
                seen.last[self.here].push(payload.to_vec());
            }
            // The server answers the longest message of a round, and the client ends the round.
            Happened::Message { payload, .. } if self.here == 1 && payload.len() == 3_000 => {
                actions.post(home, self.channel(), payload.to_vec());
            }
            Happened::Message { .. } if self.here == 0 => actions.disconnect(home),
            Happened::Connection { what, .. } => self.connection(what, home, actions),
            Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// The times of all events of a run.
#[derive(Default)]
struct Times(Vec<SimTime>);

impl Sink for Times {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        if self.0.last() != Some(&event.time) {
            self.0.push(event.time);
        }
    }
}

fn exchange(
    scenario: &Scenario,
    odd: [Vec<(SimTime, Odd)>; 2],
    sink: &mut dyn Sink,
) -> (EndReason, Arc<Mutex<Seen>>) {
    let seen = Arc::<Mutex<Seen>>::default();
    let mut odd = odd.into_iter();
    let mut program = |here| Exchanges {
        here,
        seen: Arc::clone(&seen),
        odd: odd.next().expect("one for each end"),
        rounds: 4,
    };
    let programs = Programs::new()
        .with("client", program(0))
        .with("server", program(1));
    let ran = Run::new(scenario).programs(programs).sink(sink).execute();
    let end = ran.expect("the scenario fits").end;
    crate::trace::check_moves(&end);
    (end.reason, seen)
}

/// The times at which a program does something odd are those of the events of a run without odd things, and just before
/// and just after them.
#[test]
fn connections_begin_and_end_at_the_times_of_events() {
    let mut counts = BTreeMap::<&str, u32>::new();
    for seed in 0..runs(60) {
        let mut generator = Generator::named(seed, &["odd times"]);
        let mut draw = |limit: u64| generator.draw() % limit;
        let (profile, provider, mut keys) = any_vis(&mut draw);
        if provider == "clan" {
            let transfer = ["auto", "pio", "dma"][draw(3) as usize];
            let on_empty = ["drop", "defer"][draw(2) as usize];
            keys += &format!(
                "transfer = '{transfer}'\non_empty = '{on_empty}'\nstrict = {}\n",
                draw(2) == 0
            );
        }
        let text = format!(
            "profile = '{profile}'\nseed = {seed}\nuntil = '1s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\n{keys}[[endpoint]]\nnic = 'b'\nname = 'server'\n{keys}\
             [[channel]]\nclient = 1\nserver = 7\nconnect = 'program'\n"
        );
        let scenario = parse(text.as_bytes(), None, None).expect("it is right");
        let mut times = Times::default();
        exchange(&scenario, [vec![], vec![]], &mut times);
        let early = times.0.iter().filter(|time| **time < after(QUIET));
        let early = Vec::from_iter(early.copied());
        let mut odd = || {
            let mut all: Vec<(SimTime, Odd)> = (0..=draw(4))
                .map(|_| {
                    let time = early[draw(early.len() as u64) as usize];
                    let ps = SimDuration::from_ps(1);
                    let time = match draw(3) {
                        0 => time,
                        1 => time + ps,
                        _ => {
                            SimTime::ZERO
                                + SimDuration::from_ps(time.since(SimTime::ZERO).as_ps().max(1) - 1)
                        }
                    };
                    (time, Odd::of(&mut draw))
                })
                .collect();
            all.sort_by_key(|(time, _)| *time);
            all
        };
        let odd = [odd(), odd()];
        let what = format!("{seed}: {odd:?}\n{text}");
        println!("{what}");
        let (reason, seen) = exchange(&scenario, odd, &mut Times::default());
        assert_eq!(reason, EndReason::Idle, "{what}");
        let seen = seen.lock().unwrap_or_else(|_| panic!("{what}"));
        assert_eq!(seen.is_connected, [true, true], "{what}");
        // Each end has the message of the other's last connection, and nothing else.
        let expected = [vec![vec![1; 300]], vec![vec![0; 300]]];
        assert_eq!(seen.last, expected, "{what}");
        for end in &seen.counts {
            for (word, count) in end {
                *counts.entry(word).or_default() += count;
            }
        }
    }
    for word in ["made", "ended", "refused", "timed out", "not possible"] {
        assert!(counts.contains_key(word), "{word}: {counts:?}");
    }
    println!("{counts:?}");
}

/// The end of a connection that forges: it connects, posts and disconnects as others do, and sends any control packet.
struct Forges {
    generator: Generator,
    steps: u32,
    is_clan: bool,
    /// The number of its newest request, as far as it knows.
    newest: u32,
}

impl Forges {
    fn below(&mut self, limit: u64) -> u64 {
        self.generator.draw() % limit
    }

    fn number(&mut self) -> u32 {
        let newest = self.newest;
        match self.below(8) {
            0 => 0,
            1 => self.below(8) as u32,
            2 => newest.saturating_sub(self.below(4) as u32),
            3 => newest + 1 + self.below(5) as u32,
            _ => newest,
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        match self.below(5) {
            0 => Vec::new(),
            1 => vec![0; 16],
            2 => {
                let length = self.below(64);
                (0..length).map(|_| self.generator.draw() as u8).collect()
            }
            3 => vec![0xff; self.below(2_000) as usize],
            // A set-up over remote memory: a window, and writes to the rings of the peer.
            _ => {
                let mut bytes = (self.below(40) as u32).to_be_bytes().to_vec();
                for _ in 0..self.below(6) {
                    let offset = self.below(400) as u32 * 4;
                    let length = self.below(40) as u32;
                    bytes.extend(offset.to_be_bytes());
                    bytes.extend(length.to_be_bytes());
                    bytes.extend((0..length).map(|_| (self.generator.draw() % 4) as u8));
                }
                bytes
            }
        }
    }

    fn header(&mut self) -> ViaHeader {
        let connection = ConnectionId(self.number());
        let before = match self.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(63),
            _ => self.below(20),
        };
        match self.below(6) {
            0 => {
                let tag = [TAG, TAG, 0, u32::MAX][self.below(4) as usize];
                ViaHeader::Connect { connection, tag }
            }
            1 => ViaHeader::Accept { connection },
            2 => ViaHeader::Refuse { connection },
            3 => ViaHeader::Acknowledgement { connection, before },
            4 => ViaHeader::Count { connection, before },
            _ => {
                let reasons = [
                    Reason::Requested,
                    Reason::Accepted,
                    Reason::NotAccepted,
                    Reason::Disconnect,
                    Reason::Loss,
                    Reason::Overrun,
                    Reason::LengthError,
                ];
                let reason = reasons[self.below(7) as usize];
                ViaHeader::Close { connection, reason }
            }
        }
    }

    fn step(&mut self, home: EndpointId, actions: &mut Actions<'_>) {
        for _ in 0..=self.below(4) {
            match self.below(12) {
                0 => {
                    self.newest += 2;
                    actions.connect(home, TAG, Some(SimDuration::from_ns(300_000)));
                }
                1 => actions.accept(home, TAG, Some(SimDuration::from_ns(300_000))),
                2 => actions.disconnect(home),
                3 | 4 => {
                    let length = self.below(4_000) as usize;
                    actions.post(home, ChannelId(1), vec![6; length]);
                }
                5 | 6 if self.is_clan => {
                    let place = (self.below(40) as u32, 4 * self.below(500) as u32);
                    let bytes = self.bytes();
                    actions.write_window(home, place, bytes);
                }
                _ => {
                    let (header, bytes) = (self.header(), self.bytes());
                    actions.send_control(home, header, bytes);
                }
            }
        }
        let wait = match self.below(4) {
            0 => 1 + self.below(100),
            1 => self.below(2_000_000),
            2 => 20_000_000,
            _ => self.below(60_000),
        };
        let next = actions.now() + SimDuration::from_ns(wait.max(1));
        if self.steps > 0 && next < after(QUIET) {
            self.steps -= 1;
            actions.wake_at(next);
        } else {
            self.steps = 0;
            actions.wake_at(after(QUIET));
        }
    }
}

impl HostProgram for Forges {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => actions.wake_at(after(1)),
            Happened::Time if actions.now() >= after(AGAIN) => actions.connect(home, LAST, None),
            Happened::Time if actions.now() >= after(QUIET) => {
                actions.disconnect(home);
                actions.wake_at(after(AGAIN));
            }
            Happened::Time => self.step(home, actions),
            // A forged request has taken the number, so the next one may be right.
            Happened::Connection {
                what: ConnectionNews::Refused,
                ..
            } if actions.now() >= after(AGAIN) => actions.connect(home, LAST, None),
            Happened::Connection {
                what: ConnectionNews::Made,
                ..
            } if actions.now() >= after(AGAIN) => {
                actions.post(home, ChannelId(1), b"still here".to_vec());
            }
            _ => {}
        }
    }
}

/// What the honest process has seen: at the end that is attacked, and at its other VI.
#[derive(Default)]
struct Witness {
    is_connected: bool,
    made: u32,
    ended: u32,
    last: Vec<Vec<u8>>,
    others: Vec<Vec<u8>>,
}

/// The honest process. It serves the forging end, and takes messages at another VI.
struct Serves {
    seen: Arc<Mutex<Witness>>,
    generator: Generator,
}

impl Serves {
    /// Waits for a connection, or requests one.
    fn ask(&mut self, home: EndpointId, actions: &mut Actions<'_>) {
        match self.generator.draw() % 3 {
            0 => actions.connect(home, TAG, Some(SimDuration::from_ns(1_000_000))),
            _ => actions.accept(home, TAG, None),
        }
    }
}

impl HostProgram for Serves {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let (home, other) = (actions.endpoints()[0], actions.endpoints()[1]);
        let seen = Arc::clone(&self.seen);
        let mut seen = seen.lock().expect("nobody panics");
        let is_early = actions.now() < after(QUIET);
        match what {
            Happened::Started => {
                self.ask(home, actions);
                actions.wake_at(after(QUIET));
                actions.wake_at(after(AGAIN - 1_000));
            }
            Happened::Time if actions.now() < after(QUIET + 1_000_000) => actions.disconnect(home),
            Happened::Time => {
                for _ in 0..12 {
                    actions.accept(home, LAST, None);
                }
            }
            Happened::Message {
                endpoint, payload, ..
            } if endpoint == other => seen.others.push(payload.to_vec()),
            Happened::Message { payload, .. } => {
                if actions.now() >= after(AGAIN) {
                    seen.last.push(payload.to_vec());
                }
                actions.post(home, ChannelId(7), payload.to_vec());
            }
            Happened::Connection { endpoint, what } => {
                assert_eq!(endpoint, home, "only this VI is connected by programs");
                match what {
                    ConnectionNews::Made => {
                        assert!(!seen.is_connected, "a VI has one connection");
                        (seen.is_connected, seen.made) = (true, seen.made + 1);
                    }
                    ConnectionNews::Ended { .. } => {
                        assert!(seen.is_connected, "a connection ends once");
                        (seen.is_connected, seen.ended) = (false, seen.ended + 1);
                        if is_early {
                            self.ask(home, actions);
                        }
                    }
                    ConnectionNews::Refused | ConnectionNews::TimedOut if is_early => {
                        self.ask(home, actions);
                    }
                    ConnectionNews::Requested { .. }
                    | ConnectionNews::NotPossible
                    | ConnectionNews::Refused
                    | ConnectionNews::TimedOut => {}
                }
            }
            _ => {}
        }
    }
}

/// Says how often the VI of a bystander changed its state.
#[derive(Default)]
struct States(u32);

impl Sink for States {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        let is_other = event.endpoint.is_some_and(|EndpointId(id)| id > 1);
        if is_other && matches!(event.kind, EventKind::Via(ViaEvent::ViState { .. })) {
            self.0 += 1;
        }
    }
}

/// Messages of the bystander.
const OTHERS: u64 = 100;

#[test]
fn control_packets_forged_at_every_field_touch_no_other_connection() {
    let mut all = Witness::default();
    for seed in 0..runs(60) {
        let mut generator = Generator::named(seed, &["forged"]);
        let mut draw = |limit: u64| generator.draw() % limit;
        let (profile, provider, mut keys) = any_vis(&mut draw);
        let is_clan = provider == "clan";
        if is_clan {
            let transfer = ["auto", "pio", "dma"][draw(3) as usize];
            keys += &format!("transfer = '{transfer}'\nstrict = {}\n", draw(2) == 0);
        }
        let endpoint = |nic: &str, name: &str, more: &str| {
            format!("[[endpoint]]\nnic = '{nic}'\nname = '{name}'\n{keys}{more}\n")
        };
        let text = format!(
            "profile = '{profile}'\nseed = {seed}\nuntil = '1s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[process]]\nname = 'honest'\nnic = 'b'\n{}{}{}{}\
             [[channel]]\nforger = 1\nserver = 7\nconnect = 'program'\n[[channel]]\nmate = 1\nother = 1\n\
             [[send]]\nendpoint = 'mate'\nchannel = 1\nat = '50us'\npayload = {{ count = 500 }}\n\
             repeat = {OTHERS}\nevery = '900us'\n",
            endpoint("a", "forger", ""),
            endpoint("b", "server", "process = 'honest'"),
            endpoint("b", "other", "process = 'honest'"),
            endpoint("a", "mate", ""),
        );
        let scenario =
            parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}"));
        println!("{seed} {provider}\n{text}");
        let witness = Arc::<Mutex<Witness>>::default();
        let forger = Forges {
            generator: Generator::named(seed, &["forger"]),
            steps: 10 + draw(60) as u32,
            is_clan,
            newest: 0,
        };
        let programs = Programs::new().with("forger", forger).with(
            "honest",
            Serves {
                seen: Arc::clone(&witness),
                generator: Generator::named(seed, &["honest"]),
            },
        );
        let mut states = States::default();
        let ran = Run::new(&scenario)
            .programs(programs)
            .sink(&mut states)
            .execute();
        let end = ran.expect("the scenario fits").end;
        let what = format!("{seed} {provider}\n{text}");
        crate::trace::check_moves(&end);
        assert_eq!(end.reason, EndReason::Idle, "{what}");
        let seen = witness.lock().unwrap_or_else(|_| panic!("{what}"));
        let expected: Vec<u8> = (0..500_u32).map(|byte| byte as u8).collect();
        let others = seen.others.iter().filter(|&payload| *payload == expected);
        assert_eq!(
            (others.count() as u64, seen.others.len() as u64),
            (OTHERS, OTHERS),
            "{what}"
        );
        // Both ends of the bystander connect at the start, and never change their state again.
        assert_eq!(states.0, 4, "{what}");
        assert!(seen.is_connected, "the next connection is made: {what}");
        assert_eq!(seen.last, [b"still here".to_vec()], "{what}");
        all.made += seen.made;
        all.ended += seen.ended;
    }
    assert!(
        all.made > all.ended && all.ended > 0,
        "{} {}",
        all.made,
        all.ended
    );
    println!("{} made, {} ended", all.made, all.ended);
}
