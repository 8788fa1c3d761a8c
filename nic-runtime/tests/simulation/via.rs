//! VIA: scenarios of U-Net run on VIs, and random runs are compared with plain queues.

use std::collections::{BTreeMap, VecDeque};

use nic_core::event::roles::Step;
use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::{ChannelId, EndpointId, PostId};
use nic_core::random::Generator;
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::{Reason, Reliability, Side, Status, ViState};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::interface::InterfaceKind;
use nic_runtime::scenario::{BUILTIN, Builtin, Scenario, parse};
use nic_runtime::sim;

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::run;

/// Keeps the messages that users receive, by endpoint.
#[derive(Default)]
pub(crate) struct Received(pub(crate) BTreeMap<EndpointId, Vec<Vec<u8>>>);

impl Sink for Received {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let (Some(here), Step::Delivered { payload, .. }) =
            (event.endpoint, event.kind.roles().step)
        {
            self.0
                .entry(here)
                .or_default()
                .push(payload.bytes().collect());
        }
    }
}

pub(crate) fn received(scenario: &Scenario) -> BTreeMap<EndpointId, Vec<Vec<u8>>> {
    let mut received = Received::default();
    sim::run(scenario, &mut received).expect("the scenario fits");
    received.0
}

/// Returns why a scenario of U-Net cannot run on VIs.
fn why_left_out(scenario: &Scenario) -> Option<&'static str> {
    let mut channels = BTreeMap::<EndpointId, u32>::new();
    for channel in &scenario.channels {
        if channel.a.0 == channel.b.0 {
            return Some("an endpoint has a channel to itself");
        }
        for (endpoint, _) in [channel.a, channel.b] {
            *channels.entry(endpoint).or_default() += 1;
        }
    }
    let is_faulty = |loss: f64| loss > 0.0;
    let mut links = scenario.links.iter();
    if links.any(|link| {
        [link.loss, link.duplicate, link.corrupt, link.reorder]
            .into_iter()
            .any(is_faulty)
    }) {
        return Some("a link has faults");
    }
    let count = scenario.endpoints.len();
    if scenario
        .endpoints
        .iter()
        .any(|spec| spec.interface != InterfaceKind::Unet)
    {
        return Some("an endpoint is not of U-Net");
    }
    if channels.len() != count || channels.values().any(|channels| *channels != 1) {
        return Some("an endpoint has no channel or several");
    }
    None
}

fn on_vis(builtin: &Builtin, profile: Option<&str>) -> Scenario {
    let keys = "[[endpoint]]\ninterface = \"via\"\nsplit = true\n";
    let mut text = builtin.text.replace("[[endpoint]]\n", keys);
    if let Some(profile) = profile {
        let lines = text.lines().filter(|line| !line.starts_with("profile ="));
        text = format!(
            "profile = '{profile}'\n{}",
            lines.collect::<Vec<_>>().join("\n")
        );
    }
    parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{}: {error:?}", builtin.name))
}

#[test]
fn built_in_scenarios_of_u_net_deliver_the_same_on_vis() {
    let (mut compared, mut over_clan) = (Vec::new(), Vec::new());
    for builtin in BUILTIN {
        let scenario = parse(builtin.text.as_bytes(), None, None).expect("a built-in scenario");
        if let Some(reason) = why_left_out(&scenario) {
            println!("left out: {}: {reason}", builtin.name);
            continue;
        }
        compared.push(builtin.name);
        let (expected, found) = (received(&scenario), received(&on_vis(builtin, None)));
        assert_eq!(found, expected, "{}", builtin.name);
        if scenario.endpoints.iter().any(|spec| spec.class.is_some()) || !scenario.swaps.is_empty()
        {
            println!(
                "left out over CLAN: {}: its NIC runs no applets",
                builtin.name
            );
            continue;
        }
        let found = received(&on_vis(builtin, Some("clan-2001")));
        assert_eq!(found, expected, "{} over CLAN", builtin.name);
        over_clan.push(builtin.name);
    }
    println!("compared: {}", compared.join(", "));
    println!("compared over CLAN: {}", over_clan.join(", "));
    assert!(
        compared.len() >= 10 && !over_clan.is_empty(),
        "{compared:?} {over_clan:?}"
    );
}

/// Two VIs on NICs of their own, with the same keys.
pub(crate) fn pair(link: &str, both: &str, more: &str) -> String {
    format!(
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[link]]\nbetween = ['a', 'b']\n{link}\n\
         [[endpoint]]\nnic = 'a'\nname = 'left'\ninterface = 'via'\n{both}\n\
         [[endpoint]]\nnic = 'b'\nname = 'right'\ninterface = 'via'\n{both}\n\
         [[channel]]\nleft = 1\nright = 1\n{more}"
    )
}

/// The lines of a trace with these words, without time, NIC and packet numbers.
pub(crate) fn lines(toml: &str, words: &[&str]) -> Vec<String> {
    let trace = run(toml);
    let events = trace.events.iter().filter(|event| {
        let name = event["event"].as_str().unwrap_or("");
        words.contains(&name)
    });
    let shown = events.map(|event| {
        let field = |key: &str| match &event[key] {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => format!(" {text}"),
            other => format!(" {key}={other}"),
        };
        let keys = [
            "endpoint",
            "event",
            "channel",
            "length",
            "state",
            "reason",
            "status",
            "immediate",
            "queue",
            "side",
            "kind",
            "buffers",
        ];
        keys.map(field).concat().trim().to_owned()
    });
    shown.collect()
}

pub(crate) fn send(more: &str) -> String {
    format!("[[send]]\nendpoint = 'left'\nchannel = 1\nat = '10us'\n{more}\n")
}

#[test]
fn a_message_takes_a_descriptor_and_brings_its_immediate_data() {
    let more = send("payload = { text = 'hello' }\nimmediate = 4294967295");
    let both =
        "completion = { send = 's', receive = 'r' }\nfree_buffers = { count = 1, length = 64 }";
    let words = [
        "tx-post",
        "tx-done",
        "rx-post",
        "rx-descriptor",
        "completion",
        "vi-state",
    ];
    assert_eq!(
        lines(&pair("", both, &more), &words),
        [
            "left rx-post length=64",
            "left vi-state connecting requested",
            "left vi-state connected accepted",
            "right rx-post length=64",
            "right vi-state connecting requested",
            "right vi-state connected accepted",
            "left tx-post channel=1 length=5 immediate=4294967295",
            "left tx-done channel=1 length=5 ok",
            "left completion s send",
            "right rx-descriptor channel=1 length=5 ok immediate=4294967295 buffers=[0]",
            "right completion r receive",
            "right rx-post length=64",
        ]
    );
}

#[test]
fn overrun_breaks_a_reliable_connection_at_both_ends_and_drops_on_an_unreliable_one() {
    let more = send("payload = { zeros = 9 }\nrepeat = 3");
    let keys = "free_buffers = { count = 1, length = 64 }\nnotify = 'poll'\npoll_every = '1ms'";
    let words = ["tx-done", "rx-descriptor", "drop", "vi-state", "wire-tx"];
    let after = |level: &str| {
        let both = format!("{keys}\nreliability = '{level}'");
        let mut shown = lines(&pair("", &both, &more), &words);
        // The states at the start.
        shown.drain(..4);
        shown
    };
    assert_eq!(
        after("delivery"),
        [
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "left wire-tx channel=1 length=9",
            "left tx-done channel=1 length=9 ok",
            "right wire-tx channel=1 length=0 ack",
            "right rx-descriptor channel=1 length=9 ok buffers=[0]",
            "right drop no-free-buffer",
            "right wire-tx channel=1 length=0 close",
            "right vi-state error overrun",
            "left vi-state error overrun",
            "left rx-descriptor channel=1 length=0 flushed buffers=[0]",
            "right drop not-connected",
            "right rx-descriptor channel=1 length=0 flushed buffers=[0]",
        ]
    );
    let unreliable = after("unreliable");
    let count = |text: &str| unreliable.iter().filter(|line| line.contains(text)).count();
    assert_eq!(
        [count("no-free-buffer"), count("vi-state"), count(" ok")],
        [2, 0, 4],
        "{unreliable:#?}"
    );
}

#[test]
fn a_message_longer_than_its_descriptor_is_an_error_or_split() {
    let more = send("payload = { count = 150 }");
    let free = "free_buffers = { count = 4, length = 64 }";
    let words = ["rx-descriptor", "vi-state", "drop"];
    let after = |keys: &str| {
        let mut shown = lines(&pair("", &format!("{free}\n{keys}"), &more), &words);
        shown.drain(..4);
        shown.retain(|line| !line.contains("flushed"));
        shown
    };
    assert_eq!(
        after("split = true"),
        ["right rx-descriptor channel=1 length=150 ok buffers=[0,64,128]"]
    );
    assert_eq!(
        after("reliability = 'unreliable'"),
        ["right rx-descriptor channel=1 length=0 length-error buffers=[0]"]
    );
    assert_eq!(
        after(""),
        [
            "right vi-state error length-error",
            "left vi-state error length-error",
            "right rx-descriptor channel=1 length=0 length-error buffers=[0]",
        ]
    );
}

#[test]
fn a_lost_message_that_no_other_follows_is_noticed() {
    let more = send("payload = { zeros = 9 }");
    for level in ["delivery", "reception"] {
        let both = format!("reliability = '{level}'\nfree_buffers = {{ count = 1, length = 64 }}");
        let mut shown = lines(&pair("loss = 1.0", &both, &more), &["tx-done", "vi-state"]);
        shown.drain(..4);
        let done = "left tx-done channel=1 length=9";
        let expected = match level {
            "delivery" => [&format!("{done} ok"), "left vi-state error loss"],
            _ => ["left vi-state error loss", &format!("{done} flushed")],
        };
        assert_eq!(shown[..2], expected);
        assert_eq!(shown[2..], ["right vi-state error loss"]);
    }
}

#[test]
fn descriptors_that_a_vi_may_not_send_complete_as_errors() {
    let sends = send("payload = { zeros = 9217 }")
        + "[[send]]\nendpoint = 'left'\nchannel = 2\npayload = { zeros = 1 }\n";
    let both = "free_buffers = { count = 1, length = 64 }";
    assert_eq!(
        lines(&pair("", both, &sends), &["tx-done"]),
        [
            "left tx-done channel=2 length=1 protection-error",
            "left tx-done channel=1 length=9217 length-error",
        ]
    );
}

/// A plain model of two connected VIs, which reads the events of a run: queues of messages and of descriptors.
struct Queues {
    level: Reliability,
    ends: [Queue; 2],
}

#[derive(Default)]
struct Queue {
    /// Messages that were posted and that the peer has not received, oldest first.
    sent: VecDeque<Vec<u8>>,
    /// Send descriptors that have not completed.
    posts: BTreeMap<PostId, Vec<u8>>,
    /// Receive descriptors that have not completed, oldest first.
    receives: VecDeque<u32>,
    received: u64,
    /// Completed sends by whether the status is `ok`.
    completed: [u64; 2],
    lost: u64,
    dropped: u64,
    state: Option<(ViState, Reason)>,
    completions: [u64; 2],
}

impl Sink for Queues {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        let (here, there) = (here as usize, 1 - here as usize);
        let level = self.level;
        match event.kind {
            EventKind::Via(ViaEvent::TxPost { payload, post, .. }) => {
                let is_new = self.ends[here]
                    .posts
                    .insert(post, payload.to_vec())
                    .is_none();
                assert!(is_new, "a descriptor is posted while it is under way");
                self.ends[here].sent.push_back(payload.to_vec());
            }
            EventKind::Via(ViaEvent::TxDone { status, post, .. }) => {
                let posted = self.ends[here].posts.remove(&post);
                assert!(posted.is_some(), "a descriptor completes once");
                if status == Status::Dropped {
                    // It was not sent: the peer never receives it.
                    let message = posted.as_ref().expect("it was posted");
                    let sent = &mut self.ends[here].sent;
                    let place = sent.iter().position(|sent| sent == message);
                    sent.remove(place.expect("it was not received"));
                    self.ends[here].completed[0] += 1;
                    self.ends[here].dropped += 1;
                    return;
                }
                assert!(matches!(status, Status::Ok | Status::Flushed), "{status:?}");
                if status == Status::Ok && level == Reliability::Reception {
                    // The peer's memory has the message, so the peer's NIC has taken a descriptor for it.
                    assert!(self.ends[there].received + 1 > self.ends[here].completed[1]);
                }
                if status == Status::Flushed {
                    assert_ne!(
                        self.ends[here].state.map(|(state, _)| state),
                        Some(ViState::Connected)
                    );
                }
                self.ends[here].completed[usize::from(status == Status::Ok)] += 1;
            }
            EventKind::Via(ViaEvent::RxPost { offset, .. }) => {
                assert!(!self.ends[here].receives.contains(&offset), "it is posted");
                self.ends[here].receives.push_back(offset);
            }
            EventKind::Via(ViaEvent::RxDescriptor {
                status, offsets, ..
            }) => {
                let receives = &mut self.ends[here].receives;
                for offset in offsets {
                    let place = receives.iter().position(|posted| posted == offset);
                    let place = place.expect("a posted descriptor completes, and once");
                    // A message whose transfer is under way when the connection ends completes its descriptors later.
                    assert!(
                        place == 0 || status == Status::Flushed,
                        "the oldest completes"
                    );
                    receives.remove(place);
                }
                match (status, event.kind.roles().step) {
                    (Status::Ok, Step::Delivered { payload, .. }) => {
                        let message: Vec<u8> = payload.bytes().collect();
                        self.receive(here, &message);
                    }
                    (Status::Flushed, _) => {
                        let state = self.ends[here].state.map(|(state, _)| state);
                        assert_ne!(state, Some(ViState::Connected));
                    }
                    other => panic!("{other:?}"),
                }
            }
            EventKind::Via(ViaEvent::ViState { state, reason }) => {
                self.ends[here].state = Some((state, reason));
            }
            EventKind::Via(ViaEvent::Completion { side, .. }) => {
                self.ends[here].completions[usize::from(side == Side::Receive)] += 1;
            }
            EventKind::Nic(NicEvent::WireDrop { .. } | NicEvent::Drop { .. }) => {
                self.ends[there].lost += 1;
            }
            _ => {}
        }
    }
}

impl Queues {
    /// The next message of the peer is received. An unreliable VI may have lost those before it.
    fn receive(&mut self, here: usize, message: &[u8]) {
        let there = &mut self.ends[1 - here];
        loop {
            let next = there.sent.pop_front();
            let next = next.expect("a message that was sent arrives, and once");
            if next == message {
                break;
            }
            assert_eq!(
                self.level,
                Reliability::Unreliable,
                "messages arrive in order"
            );
        }
        self.ends[here].received += 1;
    }

    /// Checks what holds when nothing is under way any more.
    fn check(&self) {
        let states = [0, 1].map(|end| self.ends[end].state.expect("it connects"));
        let is_connected = states.map(|(state, _)| state == ViState::Connected);
        assert_eq!(is_connected[0], is_connected[1], "{states:?}");
        for (end, peer) in [(0, 1), (1, 0)] {
            let (end, peer) = (&self.ends[end], &self.ends[peer]);
            assert_eq!(end.posts.len(), 0, "every send descriptor completes");
            let [sends, receives] = end.completions;
            assert_eq!(sends, end.completed[0] + end.completed[1]);
            assert!(receives >= end.received);
            if is_connected[0] {
                let flushed = end.completed[0] - end.dropped;
                assert_eq!(flushed, 0, "nothing is flushed while it is connected");
                if self.level.is_reliable() {
                    assert!(end.sent.is_empty(), "a reliable connection delivers all");
                }
            } else {
                assert!(
                    end.receives.is_empty(),
                    "every receive descriptor completes"
                );
            }
            if self.level == Reliability::Reception {
                assert!(peer.received >= end.completed[1]);
            }
        }
        if self.level == Reliability::Unreliable {
            for (state, reason) in states {
                let reasons = [
                    (ViState::Connected, Reason::Accepted),
                    (ViState::Disconnected, Reason::Disconnect),
                ];
                assert!(reasons.contains(&(state, reason)), "{state:?} {reason:?}");
            }
        }
    }
}

/// Posts messages at random times, and may disconnect.
struct Random {
    generator: Generator,
    left: u32,
    number: u32,
    disconnects: bool,
}

impl HostProgram for Random {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if !matches!(what, Happened::Started | Happened::Time) {
            return;
        }
        let home = actions.endpoints()[0];
        for _ in 0..self.generator.draw() % 4 {
            if self.left == 0 {
                if self.disconnects {
                    actions.disconnect(home);
                }
                return;
            }
            self.left -= 1;
            self.number += 1;
            let length = (self.generator.draw() % 150) as usize;
            let mut payload = self.number.to_be_bytes().to_vec();
            payload.resize(4 + length, self.number as u8);
            actions.post(home, ChannelId(1), payload);
        }
        let wait = SimDuration::from_ns(self.generator.draw() % 80_000);
        actions.wake_at(actions.now() + wait);
    }
}

#[test]
fn random_runs_are_those_of_plain_queues() {
    let mut seen = [[0; 2]; 3];
    for seed in 0..runs(600) {
        let mut generator = Generator::named(seed, &["via"]);
        let mut below = |limit: u64| generator.draw() % limit;
        let (name, level) = Reliability::ALL[below(3) as usize];
        let is_clan = below(2) == 0;
        let loss = match is_clan {
            true => [""; 4],
            false => [
                "",
                "loss = 0.03",
                "corrupt = 0.05\nduplicate = 0.1",
                "reorder = 0.05",
            ],
        };
        let link = loss[below(4) as usize];
        let count = 3 + below(12);
        let mut both = format!(
            "reliability = '{name}'\nsplit = true\nfree_buffers = {{ count = {count}, length = 64 }}\n\
             completion = {{ send = 'q', receive = 'q' }}\ntx_queue = {}\n",
            1 + below(6)
        );
        if is_clan {
            let transfer = ["auto", "pio", "dma"][below(3) as usize];
            let on_empty = ["drop", "defer"][below(2) as usize];
            both += &format!(
                "transfer = '{transfer}'\non_empty = '{on_empty}'\nstrict = {}\n",
                below(2) == 0
            );
        }
        let profile = match is_clan {
            true => "profile = 'clan-2001'",
            false => "",
        };
        let text = format!("{profile}\nseed = {seed}\n{}", pair(link, &both, ""));
        let scenario = read(&text);
        let (left, right) = (1 + below(20) as u32, below(20) as u32);
        let disconnects = below(3) == 0;
        let program = |side: &str, left| Random {
            generator: Generator::named(seed, &[side]),
            left,
            number: 0,
            disconnects: disconnects && side == "left",
        };
        let programs = Programs::new()
            .with("left", program("left", left))
            .with("right", program("right", right));
        let mut queues = Queues {
            level,
            ends: Default::default(),
        };
        let end = sim::run_with(&scenario, programs, &mut queues).expect("the scenario fits");
        assert!(
            end.time < SimTime::ZERO + SimDuration::from_ns(900_000_000),
            "{seed}"
        );
        queues.check();
        let broken = queues.ends[0]
            .state
            .is_some_and(|(state, _)| state != ViState::Connected);
        let row = Reliability::ALL.iter().position(|(_, row)| *row == level);
        seen[row.expect("a level")][usize::from(broken)] += 1;
    }
    println!("runs by level, connected and ended: {seen:?}");
    assert!(seen.iter().flatten().all(|count| *count > 10), "{seen:?}");
}

/// Returns the time from the post of a message to its echo, in nanoseconds.
fn round_trip(length: u32) -> u64 {
    let both = "reliability = 'delivery'\nfree_buffers = { count = 2, length = 65536 }\nbuffer_area = 262144";
    let text = pair(
        "",
        both,
        &send(&format!("payload = {{ zeros = {length} }}")),
    )
    .replacen("name = 'right'", "name = 'right'\nhost = 'echo'", 1);
    let trace = run(&format!("profile = 'giganet-1999'\n{text}"));
    let time = |event: &str| {
        let mut events = trace.events.iter();
        let found = events.find(|found| found["event"] == event && found["endpoint"] == "left");
        found
            .and_then(|found| found["t_ns"].as_u64())
            .expect("a time")
    };
    // The program at the left learns of the message and takes it.
    time("rx-descriptor") + 300 - time("tx-post")
}

#[test]
fn raw_round_trips_take_what_the_javia_paper_says() {
    // S2-22: 16.5 us for 4 bytes and 25 ns for each further byte, within 1 %.
    for (length, expected) in [
        (4, 16_500),
        (1_000, 41_400),
        (8_192, 221_200),
        (32_768, 835_600),
    ] {
        let found = round_trip(length);
        println!("{length} bytes: {found} ns, the paper {expected} ns");
        assert!(
            found.abs_diff(expected) * 100 <= expected,
            "{length}: {found} {expected}"
        );
    }
}
