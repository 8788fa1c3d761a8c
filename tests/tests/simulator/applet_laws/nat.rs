//! `Nat`: each translated frame is the one that `etherparse` makes from the original, replies find their way back, and
//! entries live as long as promised.

use std::collections::BTreeMap;

use etherparse::Ipv4Header;
use jive_lab::Random;
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use tests::seen::Seen;

use super::frames::{Flow, any, datagram, flow, is_same, valid};
use super::network::{Network, pause, random};

const OUTSIDE: [u8; 4] = [192, 0, 2, 1];
const PORT: u16 = 40000;
const ENTRIES: usize = 4;
/// Timeout of an entry, in microseconds.
const TIMEOUT: usize = 3000;

/// An address and a port.
type End = ([u8; 4], u16);

/// Reads the protocol, the source and the destination of a frame that a NAT can translate.
fn ends(frame: &[u8]) -> Option<(u8, [End; 2])> {
    let datagram = datagram(frame)?;
    if datagram.ip.is_fragmenting_payload() {
        return None;
    }
    let protocol = datagram.ip.protocol.0;
    // The applet does not read the data offset of TCP, which only the receiver needs.
    let header = match protocol {
        6 => 20,
        17 => 8,
        _ => return None,
    };
    let ports = datagram.payload.get(..header)?;
    let port = |at: usize| u16::from_be_bytes([ports[at], ports[at + 1]]);
    let ip = datagram.ip;
    Some((protocol, [(ip.source, port(0)), (ip.destination, port(2))]))
}

/// Asserts that two frames differ only in an address, a port and the checksums, and that right checksums stay right.
fn assert_translated(from: &[u8], to: &[u8], which: usize, end: End) {
    let (protocol, mut expected) = ends(from).expect("it was translated");
    expected[which] = end;
    assert_eq!(ends(to), Some((protocol, expected)));
    let [before, after] = [from, to].map(|frame| datagram(frame).expect("it was parsed"));
    let start = 14 + before.ip.header_len();
    let checksum = start + if protocol == 6 { 16 } else { 6 };
    let blank = |frame: &[u8]| {
        let mut frame = frame.to_vec();
        let fields = [24..26, 26 + 4 * which..30 + 4 * which];
        let of_ports = [
            start + 2 * which..start + 2 * which + 2,
            checksum..checksum + 2,
        ];
        for field in fields.into_iter().chain(of_ports) {
            frame[field].fill(0);
        }
        frame
    };
    assert_eq!(blank(from), blank(to));
    if before.has_right_header() {
        assert!(after.has_right_header(), "{from:02x?} to {to:02x?}");
    }
    let is_right = |frame: &[u8], ip: &Ipv4Header| {
        let datagram = datagram(frame).expect("it was parsed");
        if protocol == 6 {
            let Some((tcp, data)) = datagram.tcp() else {
                return false;
            };
            is_same(
                tcp.checksum,
                tcp.calc_checksum_ipv4(ip, data).expect("short"),
            )
        } else {
            let Some((udp, data)) = datagram.udp() else {
                return false;
            };
            let computed = udp.calc_checksum_ipv4(ip, data).expect("short");
            udp.checksum == 0 || is_same(udp.checksum, computed)
        }
    };
    if is_right(from, &before.ip) {
        assert!(is_right(to, &after.ip), "{from:02x?} to {to:02x?}");
    }
    if protocol == 17 {
        // A translated UDP frame has a checksum if and only if the original frame has one.
        let is_absent = |frame: &[u8]| frame[checksum..checksum + 2] == [0, 0];
        assert_eq!(is_absent(from), is_absent(to));
    }
}

/// A host program that answers each frame after a pause, with source and destination exchanged. A checksum does not
/// depend on the order of the words, so the checksums stay right.
struct Answering {
    pauses: Vec<u64>,
}

impl HostProgram for Answering {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let Happened::Message {
            endpoint,
            channel: ChannelId(channel),
            payload,
        } = what
        else {
            return;
        };
        let mut frame = payload.to_vec();
        let start = 14 + 4 * usize::from(frame[14] & 15);
        for place in 0..4 {
            frame.swap(26 + place, 30 + place);
        }
        frame.swap(start, start + 2);
        frame.swap(start + 1, start + 3);
        actions.compute(SimDuration::from_ns(1000 * self.pauses.pop().unwrap_or(0)));
        actions.post(endpoint, ChannelId(channel), frame);
    }
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("nat", seed);
    let mut network = Network::new();
    let inside = network.endpoint("rx_queue = 1000");
    let nat = network.endpoint(&format!(
        "applet = \"builtin:Nat\"\n\
         state = {{ ENTRIES = {ENTRIES}, PORT = {PORT}, TIMEOUT = {} }}",
        TIMEOUT / 1000
    ));
    let outside = network.endpoint("rx_queue = 1000");
    network.channel((inside, 1), (nat, 1));
    network.channel((outside, 1), (nat, 2));
    let mut at = 10;
    for _ in 0..60 {
        network.send(inside, 1, at, &any(random));
        if random.one_in(5) {
            network.send(outside, 1, at, &any(random));
        }
        // Frames from outside ask for entries of any age, also for those that nobody has answered for hours.
        if random.one_in(3) {
            let entry = u16::try_from(random.below(ENTRIES + 1)).expect("few entries");
            let flow = Flow {
                destination: (OUTSIDE, PORT + entry),
                ..flow(random)
            };
            let later = random.below(20);
            network.send(outside, 1, at + later, &valid(flow, random));
        }
        at += pause(random, 2 * TIMEOUT, |random| match random.below(8) {
            0 => random.below(2 * TIMEOUT),
            // The last microsecond of an entry, and its neighbours.
            1 => TIMEOUT - 60 + random.below(120),
            _ => random.below(500),
        });
    }
    let pauses = (0..100).map(|_| random.draw() % 1500).collect();
    let programs = Programs::new().with("e2", Answering { pauses });
    let seen = Seen::with(&network.scenario(seed), programs);
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    // Packets reach `doRx` in the order of arrival, and each call sends one packet or none.
    let arrived = seen.arrived.iter().filter(|packet| packet.endpoint == 1);
    let calls = seen.calls.iter().filter(|call| call.method == "doRx");
    let mut sent = seen.sent.iter().filter(|packet| packet.endpoint == 1);
    // For each entry: the connection inside, and when it was last used.
    let mut entries: BTreeMap<i32, ((u8, End), i64)> = BTreeMap::new();
    let timeout = i64::try_from(TIMEOUT).expect("short");
    for (packet, call) in arrived.zip(calls) {
        assert_eq!(
            packet.payload.len(),
            usize::try_from(call.args[0]).expect("a length")
        );
        let Some((protocol, [source, destination])) = ends(&packet.payload) else {
            assert_eq!(call.value, -1);
            continue;
        };
        let now = call.clock.expect("it asks for the time");
        entries.retain(|_, (_, used)| now - *used < timeout);
        if packet.channel == 1 {
            let own = (protocol, source);
            let known = entries.iter().find(|(_, (end, _))| *end == own);
            match known.map(|(entry, _)| *entry) {
                Some(entry) => assert_eq!(call.value, entry),
                None if entries.len() == ENTRIES => {
                    assert_eq!(call.value, -1);
                    continue;
                }
                None => assert!(call.value >= 0 && !entries.contains_key(&call.value)),
            }
            entries.insert(call.value, (own, now));
            let port = PORT + u16::try_from(call.value).expect("an entry");
            let translated = sent.next().expect("a translated frame");
            assert_eq!(translated.channel, 2);
            assert_translated(&packet.payload, &translated.payload, 0, (OUTSIDE, port));
        } else {
            let entry = i32::from(destination.1) - i32::from(PORT);
            let live = entries.get(&entry).filter(|((of, _), _)| *of == protocol);
            let Some(((_, end), _)) = live.filter(|_| destination.0 == OUTSIDE) else {
                assert_eq!(call.value, -1);
                continue;
            };
            assert_eq!(call.value, entry);
            let translated = sent.next().expect("a translated frame");
            assert_eq!(translated.channel, 1);
            assert_translated(&packet.payload, &translated.payload, 1, *end);
        }
    }
    assert_eq!(sent.next(), None);
}

/// Makes a frame of UDP between these ends that a NAT can translate.
fn between(source: End, destination: End, random: &mut Random) -> Vec<u8> {
    let flow = Flow {
        protocol: 17,
        source,
        destination,
    };
    loop {
        let frame = valid(flow, random);
        if ends(&frame).is_some() {
            return frame;
        }
    }
}

/// In its last microsecond an entry translates and is taken, and one microsecond later it is gone and free.
pub(crate) fn last_microsecond(seed: u64) {
    let random = &mut random("last microsecond", seed);
    // Entries of the first microseconds of a run, and entries that live while a clock of 32 bits turns negative or wraps.
    let start = [10, (1 << 31) - TIMEOUT / 2, (1 << 32) - TIMEOUT + 1][random.below(3)];
    let start = start + random.below(3);
    let first = between(([10, 0, 0, 5], 1000), ([203, 0, 113, 9], 53), random);
    let answer = between(([203, 0, 113, 9], 53), (OUTSIDE, PORT), random);
    let another = between(([10, 0, 0, 6], 2000), ([203, 0, 113, 9], 53), random);
    // Runs a later frame after the first, and returns both times by the clock of the applet, and the later entry.
    let run = |later: &[u8], is_inside: bool, at: usize| {
        let mut network = Network::new();
        let inside = network.endpoint("");
        let nat = network.endpoint(&format!(
            "applet = \"builtin:Nat\"\nstate = {{ ENTRIES = 1, PORT = {PORT}, TIMEOUT = {} }}",
            TIMEOUT / 1000
        ));
        let outside = network.endpoint("");
        network.channel((inside, 1), (nat, 1));
        network.channel((outside, 1), (nat, 2));
        network.send(inside, 1, start, &first);
        network.send(if is_inside { inside } else { outside }, 1, at, later);
        let seen = Seen::of(&network.scenario(seed));
        let calls = seen.calls.iter().filter(|call| call.method == "doRx");
        let calls: Vec<_> = calls.collect();
        assert_eq!((calls.len(), calls[0].value), (2, 0));
        let clock = |call: usize| {
            let clock: i64 = calls[call].clock.expect("it asks for the time");
            usize::try_from(clock).expect("a run has no negative times")
        };
        (clock(0), clock(1), calls[1].value)
    };
    for (frame, is_inside, [live, over]) in [
        (&answer, false, [0, -1]),
        // Another connection finds the only entry taken, and then free.
        (&another, true, [-1, 0]),
    ] {
        let middle = start + TIMEOUT / 2;
        let (used, seen, value) = run(frame, is_inside, middle);
        assert_eq!(value, live);
        let takes = seen - middle;
        for (age, expected) in [(TIMEOUT - 1, live), (TIMEOUT, over)] {
            let (again, now, value) = run(frame, is_inside, used + age - takes);
            assert_eq!((again, now), (used, used + age));
            assert_eq!(value, expected, "{age} us after {used}");
        }
    }
}
