//! VIA over remote memory: times of the paper, overrun, deferred messages, and libraries that write without permission.

use nic_core::event::roles::Step;
use nic_core::event::{DropReason, Event, EventKind, Names, NicEvent, Sink, ViaEvent};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_core::via::Side;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::profile::{Events, Profile};
use nic_runtime::scenario::parse_on;

use crate::scenario::read;
use crate::trace::{number, run, simulate};
use crate::via::{Received, lines, pair, received, send};

/// Returns half the time of a round trip over CLAN, in nanoseconds.
fn half_trip(transfer: &str, length: u32) -> u64 {
    let both = format!("transfer = '{transfer}'\nfree_buffers = {{ count = 4, length = 4096 }}");
    let text = pair(
        "",
        &both,
        &send(&format!("payload = {{ zeros = {length} }}")),
    );
    let trace = run(&format!("profile = 'clan-2001'\n{text}"));
    let time = |event: &str, endpoint: &str| {
        let mut events = trace.events.iter();
        let found = events.find(|found| found["event"] == event && found["endpoint"] == endpoint);
        found
            .and_then(|found| found["t_ns"].as_u64())
            .expect("a time")
    };
    time("rx-descriptor", "right") - time("tx-post", "left")
}

#[test]
fn half_round_trips_over_clan_match_the_paper() {
    // The expected times are those of statement S5-25, within 5 %.
    let rows = [
        ("pio", 0, 3_400),
        ("pio", 4, 4_600),
        ("pio", 40, 4_700),
        ("dma", 0, 4_400),
        ("dma", 4, 6_400),
        ("dma", 40, 6_800),
    ];
    for (transfer, length, expected) in rows {
        let found = half_trip(transfer, length);
        println!("{transfer} {length} bytes: {found} ns, the paper {expected} ns");
        assert!(
            found.abs_diff(expected) * 20 <= expected,
            "{transfer} {length}: {found} {expected}"
        );
    }
}

/// Returns the half trips of two messages in nanoseconds, and how often the endpoint `left` mapped and lost a window.
/// Each NIC of the scenario has this number of mappings.
fn with_mappings(mappings: u32, transfer: &str) -> (Vec<u64>, [u64; 2]) {
    let both = format!("transfer = '{transfer}'\nfree_buffers = {{ count = 4, length = 64 }}");
    let more = send("payload = { zeros = 4 }\nrepeat = 2\nevery = '200us'");
    let scenario = parse_on(&pair("", &both, &more), &profile_with(mappings)).expect("it is right");
    let trace = simulate(&scenario).expect("the scenario fits");
    let times = |event: &str, endpoint: &str| -> Vec<u64> {
        let events = trace.at(endpoint, event);
        events.iter().map(|event| number(event, "t_ns")).collect()
    };
    let (posts, receives) = (times("tx-post", "left"), times("rx-descriptor", "right"));
    let trips = posts.iter().zip(&receives).map(|(post, got)| got - post);
    let maps = trace.at("left", "window-map");
    let evicts = maps.iter().filter(|map| !map["evicts"].is_null());
    let counts = [maps.len() as u64, evicts.count() as u64];
    (trips.collect(), counts)
}

/// Returns the profile `clan-2001` with another number of mappings.
pub(crate) fn profile_with(mappings: u32) -> Profile {
    let mut profile = Profile::builtin("clan-2001").expect("a built-in profile");
    let clan = profile.clan.as_mut().expect("a section of CLAN");
    clan.mappings = mappings.try_into().expect("more than 0");
    profile
}

#[test]
fn the_processor_writes_to_a_window_once_it_is_mapped() {
    // The set-up of a connection maps the rings and the buffer area of the peer, so two mappings are enough.
    let (before, none) = with_mappings(2, "pio");
    assert_eq!((before.len(), none), (2, [0, 0]));
    // With one mapping, the set-up leaves only the buffer area mapped, so the first message maps the rings. The second
    // message maps both the buffer area and the rings, because each evicts the other.
    let (after, maps) = with_mappings(1, "pio");
    assert_eq!(maps, [3, 3]);
    // A delayed entry does not wait for the data on the wire, which saves the time of 20 bytes at 187.5 MB/s.
    assert_eq!(after[0], before[0] + 20_000 - 107);
    assert_eq!(after[1], before[1] + 40_000 - 107);
}

/// Returns the messages that each end receives with their times, if messages are sent both ways and wait for receive
/// descriptors.
fn both_ways(events: Events, level: &str) -> Vec<(EndpointId, SimTime, Vec<u8>)> {
    let mut profile = profile_with(2_048);
    profile.clan.as_mut().expect("a section of CLAN").events = events;
    let both = format!(
        "reliability = '{level}'\nsplit = true\non_empty = 'defer'\npoll_every = '1ns'\n\
         free_buffers = {{ count = 3, length = 64 }}"
    );
    let left = send("payload = { count = 150 }\nrepeat = 20\nevery = '3us'");
    let right = left.replace("'left'", "'right'").replace("150", "40");
    let scenario = parse_on(&pair("", &both, &format!("{left}{right}")), &profile);
    let mut heard = Timed::default();
    Run::new(&scenario.expect("it is right"))
        .sink(&mut heard)
        .execute()
        .expect("the scenario fits");
    heard.0
}

/// A sink that keeps the messages that users receive, with their times.
#[derive(Default)]
struct Timed(Vec<(EndpointId, SimTime, Vec<u8>)>);

impl Sink for Timed {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let (Step::Delivered { payload, .. }, Some(here)) =
            (event.kind.roles().step, event.endpoint)
        {
            self.0.push((here, event.time, payload.bytes().collect()));
        }
    }
}

#[test]
fn library_learns_of_messages_by_interrupt_or_polling() {
    let first = |events| {
        let heard = both_ways(events, "delivery");
        let first = |id| heard.iter().find(|(here, ..)| *here == EndpointId(id));
        [0, 1].map(|id| first(id).expect("a message").1)
    };
    let (user, interrupt) = (first(Events::User), first(Events::Interrupt));
    // At each end one interrupt precedes the first message that the user sees: `host.upcall` of 10 us.
    for (user, interrupt) in user.into_iter().zip(interrupt) {
        assert_eq!(interrupt.since(user), SimDuration::from_ns(10_000));
    }
}

#[test]
fn interrupts_delay_but_do_not_change_messages() {
    for level in ["unreliable", "delivery", "reception"] {
        let (user, interrupt) = (
            both_ways(Events::User, level),
            both_ways(Events::Interrupt, level),
        );
        for id in [0, 1].map(EndpointId) {
            let of = |heard: &[(EndpointId, SimTime, Vec<u8>)]| -> Vec<Vec<u8>> {
                let heard = heard.iter().filter(|(here, ..)| *here == id);
                heard.map(|(.., message)| message.clone()).collect()
            };
            let length = if id == EndpointId(0) { 40 } else { 150 };
            let expected = vec![(0..length).collect::<Vec<u8>>(); 20];
            assert_eq!(of(&user), expected, "{level}");
            assert_eq!(of(&interrupt), expected, "{level}");
        }
        let last =
            |heard: &[(EndpointId, SimTime, Vec<u8>)]| heard.last().map(|(_, time, _)| *time);
        assert!(last(&interrupt) > last(&user), "{level}");
    }
}

#[test]
fn dma_needs_no_mapping() {
    let (before, none) = with_mappings(2, "dma");
    assert_eq!((before.len(), none), (2, [0, 0]));
    // The processor writes the entries to the rings, which stay mapped after the first message. The data of the
    // messages needs no mapping.
    let (after, maps) = with_mappings(1, "dma");
    assert_eq!(maps, [1, 1]);
    assert_eq!(after, [before[0] + 20_000, before[1]]);
}

#[test]
fn clan_sends_no_data_without_a_receive_descriptor() {
    let more = send("payload = { zeros = 9 }\nrepeat = 3\nevery = '50us'");
    for level in ["unreliable", "delivery", "reception"] {
        let both = format!("free_buffers = {{ count = 0, length = 64 }}\nreliability = '{level}'");
        let text = format!("profile = 'clan-2001'\n{}", pair("", &both, &more));
        let words = ["tx-done", "wire-tx", "window-write", "vi-state", "drop"];
        let mut shown = lines(&text, &words);
        shown.drain(..4);
        let done = |status: &str| format!("left tx-done channel=1 length=9 {status}");
        let expected = match level {
            "unreliable" => ["left drop no-free-buffer".to_owned(), done("dropped")]
                .iter()
                .cycle()
                .take(6)
                .cloned()
                .collect(),
            _ => vec![
                "left drop no-free-buffer".to_owned(),
                done("dropped"),
                "left wire-tx channel=1 length=0 close".to_owned(),
                "left vi-state error overrun".to_owned(),
                "right vi-state error overrun".to_owned(),
                done("flushed"),
                done("flushed"),
            ],
        };
        assert_eq!(shown, expected, "{level}");
    }
}

#[test]
fn deferred_messages_arrive_when_the_user_has_posted_again() {
    let more = send("payload = { count = 100 }\nrepeat = 5");
    let both = "free_buffers = { count = 2, length = 64 }\nsplit = true\non_empty = 'defer'";
    let text = format!("profile = 'clan-2001'\n{}", pair("", both, &more));
    let received = received(&read(&text));
    let message: Vec<u8> = (0..100).collect();
    assert_eq!(received[&EndpointId(1)], vec![message; 5]);
}

/// Returns states, completions and drops of three messages over a link with these faults, and whether the messages that
/// arrived are right.
fn with_faults(level: &str, faults: &str) -> Vec<String> {
    let both = format!("reliability = '{level}'\nfree_buffers = {{ count = 3, length = 64 }}");
    let more = send("payload = { count = 20 }\nrepeat = 3\nevery = '1ms'");
    let text = format!("profile = 'clan-2001'\n{}", pair(faults, &both, &more));
    let words = ["vi-state", "tx-done", "rx-descriptor"];
    let mut shown = lines(&text, &words);
    let set_up: Vec<String> = shown.drain(..4).collect();
    assert_eq!(set_up[3], "right vi-state connected accepted");
    let message: Vec<u8> = (0..20).collect();
    let received = received(&read(&text));
    for found in received.into_values().flatten() {
        assert_eq!(found, message);
    }
    shown
}

#[test]
fn a_lost_write_ends_the_connection_at_every_level() {
    for level in ["unreliable", "delivery", "reception"] {
        let status = match level {
            "reception" => "flushed",
            _ => "ok",
        };
        for faults in ["loss = 1.0", "corrupt = 1.0", "corrupt = 1.0\ncrc = false"] {
            let mut expected = vec![format!("left tx-done channel=1 length=20 {status}"); 3];
            // No write follows the lost writes, so the peer notices the loss only when the sender's NIC sends the
            // number of writes.
            let flushed = "rx-descriptor channel=1 length=0 flushed buffers";
            let flushed = |end: &str| {
                let offsets = [0, 64, 128];
                offsets.map(|offset| format!("{end} {flushed}=[{offset}]"))
            };
            expected.push("right vi-state error loss".to_owned());
            expected.extend(flushed("right"));
            expected.push("left vi-state error loss".to_owned());
            // Sends that wait for the peer complete only after the sender has ended its connection.
            if level == "reception" {
                let ends = expected.drain(..3).collect::<Vec<_>>();
                expected.extend(ends);
            }
            expected.extend(flushed("left"));
            assert_eq!(with_faults(level, faults), expected, "{level} {faults}");
        }
    }
}

#[test]
fn the_loss_of_the_last_write_alone_ends_the_connection() {
    let both = "reliability = 'unreliable'\nfree_buffers = { count = 3, length = 64 }";
    let more = send("payload = { count = 20 }");
    let mut found = 0;
    for seed in 0..100 {
        let scenario = pair("loss = 0.2", both, &more);
        let trace = run(&format!("profile = 'clan-2001'\nseed = {seed}\n{scenario}"));
        let lost = trace.of("wire-drop");
        // The message consists of three writes: its bytes, its entry in the transfer queue and the pointer after it.
        if lost.len() != 1 || number(lost[0], "packet") != 3 {
            continue;
        }
        found += 1;
        let states = trace.of("vi-state").into_iter();
        let broken = states.filter(|event| event["state"] == "error");
        let broken: Vec<_> = broken.map(|event| &event["endpoint"]).collect();
        assert_eq!(broken, ["right", "left"], "seed {seed}");
    }
    assert!(found > 0, "no run lost the last write alone");
}

#[test]
fn a_write_that_comes_twice_changes_nothing() {
    for level in ["unreliable", "delivery", "reception"] {
        let shown = with_faults(level, "duplicate = 1.0");
        assert_eq!(shown, with_faults(level, ""), "{level}");
        let received = shown.iter().filter(|line| line.contains("rx-descriptor"));
        assert_eq!(received.count(), 3, "{shown:?}");
    }
}

#[test]
fn a_write_that_another_overtakes_ends_the_connection() {
    let shown = with_faults("delivery", "reorder = 1.0");
    let mut states = shown.iter().filter(|line| line.contains("vi-state"));
    assert_eq!(states.next().expect("a state"), "right vi-state error loss");
    assert_eq!(states.next().expect("a state"), "left vi-state error loss");
    let received = shown.iter().filter(|line| line.ends_with(" ok buffers"));
    assert_eq!(received.count(), 0, "{shown:?}");
}

/// A program that sends a message, and overwrites the message after the peer has received it.
struct Hostile;

impl HostProgram for Hostile {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        match what {
            Happened::Started => {
                actions.post(home, ChannelId(1), b"right".to_vec());
                actions.wake_at(SimTime::ZERO + SimDuration::from_ns(100_000));
            }
            Happened::Time => {
                // Windows 1 and 2 may be the rings of the peer; if they were overwritten, the peer would read no
                // message.
                for window in (0..16).filter(|window| ![1, 2].contains(window)) {
                    actions.write_window(home, (window, 0), b"wrong".to_vec());
                }
            }
            Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Connection { .. }
            | Happened::Vi { .. } => {}
        }
    }
}

/// A sink that counts refused writes to windows.
#[derive(Default)]
struct Refused(u32);

impl Sink for Refused {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Nic(NicEvent::Drop { reason, .. }) = event.kind
            && reason == DropReason::WindowRefused
        {
            self.0 += 1;
        }
    }
}

#[test]
fn strict_access_protects_completed_messages() {
    let mut outcomes = Vec::new();
    for strict in [false, true] {
        // The receiver reads late, so the message is complete and unread when the hostile write arrives.
        let both = format!(
            "strict = {strict}\nfree_buffers = {{ count = 2, length = 64 }}\nbuffer_area = 4096\n\
             poll_every = '1ms'\nhost = 'echo'"
        );
        let text = format!("profile = 'clan-2001'\n{}", pair("", &both, ""));
        let programs = Programs::new().with("left", Hostile);
        let mut heard = (Received::default(), Refused::default());
        Run::new(&read(&text))
            .programs(programs)
            .sink(&mut Both(&mut heard.0, &mut heard.1))
            .execute()
            .expect("the scenario fits");
        let echoed = heard.0.0[&EndpointId(0)][0].clone();
        outcomes.push((String::from_utf8(echoed).expect("text"), heard.1.0 > 0));
    }
    println!("strict false, true: {outcomes:?}");
    // The echo contains the bytes that the receiver read.
    assert_eq!(outcomes[0].0, "wrong");
    assert_eq!(outcomes[1], ("right".to_owned(), true));
}

/// A sink that passes events to two sinks.
struct Both<'s, A, B>(&'s mut A, &'s mut B);

impl<A: Sink, B: Sink> Sink for Both<'_, A, B> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.0.event(names, event);
        self.1.event(names, event);
    }
}

#[test]
fn a_server_has_512_vis_on_one_completion_queue() {
    const CLIENTS: u32 = 512;
    for (profile, nics) in [("giganet-1999", 8), ("clan-2001", 8)] {
        let mut text =
            format!("profile = '{profile}'\n[[nic]]\nname = 'server'\nsram = '256MiB'\n");
        for nic in 0..nics {
            text += &format!("[[nic]]\nname = 'n{nic}'\nsram = '256MiB'\n");
        }
        text += "[[process]]\nname = 'server-process'\nnic = 'server'\nprogram = 'echo'\n";
        let common = "interface = 'via'\nbuffer_area = 512\nfree_buffers = { count = 2, length = 64 }\n\
                      rx_queue = 4\ntx_queue = 4\n";
        for client in 0..CLIENTS {
            text += &format!(
                "[[endpoint]]\nnic = 'n{}'\nname = 'c{client}'\n{common}\
                 [[endpoint]]\nnic = 'server'\nname = 's{client}'\nprocess = 'server-process'\n{common}\
                 completion = {{ send = 'q', receive = 'q' }}\n\
                 [[channel]]\nc{client} = 1\ns{client} = 1\n\
                 [[send]]\nendpoint = 'c{client}'\nchannel = 1\nat = '{}us'\npayload = {{ zeros = 40 }}\n",
                client % nics,
                10 + 40 * client
            );
        }
        let scenario = read(&text);
        // Each VI may have 4 sends, 4 completed receives and 2 posted receives in the queue.
        let queues = &scenario.completion_queues;
        assert_eq!((queues.len(), queues[0].entries), (1, CLIENTS * 10));
        let mut completions = Completions::default();
        Run::new(&scenario)
            .sink(&mut completions)
            .execute()
            .expect("the scenario fits");
        assert_eq!(completions.0, [CLIENTS; 2], "{profile}");
    }
}

/// A sink that counts entries of completion queues for sends and receives.
#[derive(Default)]
struct Completions([u32; 2]);

impl Sink for Completions {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Via(ViaEvent::Completion { queue, side }) = event.kind {
            assert_eq!(queue, "q");
            self.0[usize::from(side == Side::Receive)] += 1;
        }
    }
}
