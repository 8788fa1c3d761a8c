//! `jive run --applet --in` on captures as other programs write them: each packet that tshark shows arrives, or the
//! command says which one did not.

use std::fs;
use std::path::Path;

use crate::captures::{self, Shape};
use crate::process::Ended;
use crate::skipped::skip;
use crate::{jive_in, tshark, words};

#[path = "../../../nic-runtime/tests/shared/runs.rs"]
mod runs;

const SECONDS: u64 = 1_700_000_000;
const MICROS: u64 = SECONDS * 1_000_000;

/// Makes a little-endian block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let ends = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &ends, &body, &ends].concat()
}

fn le(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Makes an option without an end of the options behind it.
fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let length = value.len() as u16;
    let mut bytes = [&code.to_le_bytes()[..], &length.to_le_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Makes a section header and an interface with this limit of captured bytes and these options.
fn head(link: u16, snaplen: u32, options: &[u8]) -> Vec<u8> {
    let section = block(0x0a0d_0d0a, &le(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    [section, interface(link, snaplen, options)].concat()
}

fn interface(link: u16, snaplen: u32, options: &[u8]) -> Vec<u8> {
    let fields = le(&[u32::from(link), snaplen]);
    block(1, &[&fields[..], options].concat())
}

/// Makes an enhanced packet block of the first interface.
fn packet(micros: u64, bytes: &[u8], options: &[u8]) -> Vec<u8> {
    of_interface(0, micros, bytes, options)
}

fn of_interface(interface: u32, micros: u64, bytes: &[u8], options: &[u8]) -> Vec<u8> {
    let (length, high) = (bytes.len() as u32, (micros >> 32) as u32);
    let mut body = le(&[interface, high, micros as u32, length, length]);
    body.extend(bytes);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(options);
    block(6, &body)
}

fn simple(length: u32, bytes: &[u8]) -> Vec<u8> {
    block(3, &[&length.to_le_bytes()[..], bytes].concat())
}

/// What arrived of a capture: the nanoseconds after the first packet and the bytes of each packet.
type Arrived = Vec<(u64, Vec<u8>)>;

/// Replays a capture. Returns what arrived, the link type of the result, and how the command ended.
fn replay(file: &[u8]) -> (Arrived, u16, Ended) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ended = replay_in(directory.path(), file);
    let result = fs::read(directory.path().join("out.pcapng")).unwrap_or_default();
    let mut link = 0;
    let mut arrived = Vec::new();
    let mut rest = &result[..];
    while let [_, _, _, _, length @ ..] = rest {
        let word = |at: usize| {
            let bytes = rest[at..].first_chunk().expect("a whole block");
            u32::from_le_bytes(*bytes)
        };
        let length = u32::from_le_bytes(*length.first_chunk().expect("a whole block"));
        match word(0) {
            1 => link = word(8) as u16,
            6 => {
                let time = u64::from(word(12)) << 32 | u64::from(word(16));
                let captured = word(20) as usize;
                arrived.push((time, rest[28..28 + captured].to_vec()));
            }
            _ => {}
        }
        rest = &rest[length as usize..];
    }
    (arrived, link, ended)
}

fn replay_in(directory: &Path, file: &[u8]) -> Ended {
    fs::write(directory.join("in.pcap"), file).expect("it can be written");
    let line = "run --applet builtin:Drop --in in.pcap --out out.pcapng";
    jive_in(directory, words(line), b"")
}

/// Asserts that two packets arrive, 5 microseconds apart, and that nothing is said.
fn both_arrive(file: &[u8]) {
    let (arrived, link, ended) = replay(file);
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let expected = [(0, b"first".to_vec()), (5_000, b"second!".to_vec())];
    assert_eq!(arrived, expected);
    assert_eq!(link, 1);
}

/// Returns two packets, the first of which has these options.
fn two(options: &[u8]) -> Vec<u8> {
    [
        packet(MICROS, b"first", options),
        packet(MICROS + 5, b"second!", &[]),
    ]
    .concat()
}

#[test]
fn options_need_no_end() {
    let interface = [option(2, b"eth0"), option(9, &[6])].concat();
    both_arrive(&[head(1, 0, &interface), two(&option(2, &[1, 0, 0, 0]))].concat());
}

#[test]
fn text_need_not_be_utf_8() {
    let comment = [option(1, b"na\xefve"), vec![0; 4]].concat();
    both_arrive(&[head(1, 0, &option(3, b"\xff\xfe")), two(&comment)].concat());
}

#[test]
fn a_time_zone_has_four_bytes() {
    let options = [option(10, &7_200_i32.to_le_bytes()), vec![0; 4]].concat();
    both_arrive(&[head(1, 0, &options), two(&[])].concat());
}

#[test]
fn a_block_without_packets_has_any_length() {
    let [first, second] = [
        packet(MICROS, b"first", &[]),
        packet(MICROS + 5, b"second!", &[]),
    ];
    let long = block(0x0bad, &[&le(&[32_473])[..], &[1; 9 << 20]].concat());
    both_arrive(&[head(1, 0, &[]), first, long, second].concat());
}

#[test]
fn simple_packets_arrive_with_the_packet_before() {
    let file = [
        head(1, 0, &[]),
        simple(3, b"one"),
        packet(MICROS, b"two", &[]),
        packet(MICROS + 9, b"three", &[]),
        simple(4, b"four"),
    ];
    let (arrived, _, ended) = replay(&file.concat());
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let texts = [
        (0, &b"one"[..]),
        (0, b"two"),
        (9_000, b"three"),
        (9_000, b"four"),
    ];
    assert_eq!(arrived, texts.map(|(time, text)| (time, text.to_vec())));
}

#[test]
fn a_simple_packet_ends_where_its_interface_stopped_capturing() {
    // The block has 8 bytes of data, the last two of which are padding.
    let file = [head(1, 6, &[]), simple(8, b"sixsix"), simple(3, b"two")];
    let (arrived, _, ended) = replay(&file.concat());
    assert_eq!(ended.status, 2);
    let told = "found 6 of 8 bytes of packet 1";
    assert!(ended.err.contains(told), "{}", ended.err);
    assert_eq!(arrived, []);
}

#[test]
fn packets_may_be_months_apart_and_not_years() {
    const DAY: u64 = 86_400 * 1_000_000;
    let at = |days: u64| packet(MICROS + days * DAY, &days.to_le_bytes(), &[]);
    let (arrived, _, ended) = replay(&[head(1, 0, &[]), at(0), at(205)].concat());
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(arrived[1].0, 205 * DAY * 1_000);

    let file = [head(1, 0, &[]), at(0), at(400), at(1), at(500)];
    let (arrived, _, ended) = replay(&file.concat());
    assert_eq!(ended.status, 2);
    let told = "left out packet 2 and 1 more: they come more than 212 days after the first";
    assert!(ended.err.contains(told), "{}", ended.err);
    let times = Vec::from_iter(arrived.iter().map(|(time, _)| *time));
    assert_eq!(times, [0, DAY * 1_000]);
}

#[test]
fn packets_out_of_order_are_reported() {
    let times = [5, 9, 7, 4, 11];
    let packets = times.map(|micros| packet(MICROS + micros, &[micros as u8], &[]));
    let file = [head(1, 0, &[]), packets.concat()].concat();
    let (arrived, _, ended) = replay(&file);
    assert_eq!(ended.status, 2);
    let told = "packet 3 and 1 more arrived together with the packet before, whose time is later";
    assert!(ended.err.contains(told), "{}", ended.err);
    let expected = [(0, 5), (4_000, 9), (4_000, 7), (4_000, 4), (6_000, 11)];
    assert_eq!(arrived, expected.map(|(time, byte)| (time, vec![byte])));
}

#[test]
fn check_sequence_belongs_to_the_packet() {
    for (network, link) in [(0x2400_0001, 1), (0x2400_0065, 101), (0x1000_0001, 1)] {
        let mut file = le(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, network]);
        file.extend(le(&[7, 0, 8, 8]));
        file.extend(b"dataFCS!");
        let (arrived, found, ended) = replay(&file);
        assert_eq!((ended.status, ended.err.as_str()), (0, ""));
        assert_eq!((arrived, found), (vec![(0, b"dataFCS!".to_vec())], link));
    }
}

#[test]
fn packets_of_another_link_type_are_skipped_and_reported() {
    let file = [
        head(113, 0, &[]),
        interface(1, 0, &[]),
        packet(MICROS, b"cooked", &[]),
        of_interface(1, MICROS, b"ethernet", &[]),
    ];
    let (arrived, link, ended) = replay(&file.concat());
    assert_eq!(ended.status, 2);
    let told = "left out packet 2: the first packet has link type 113";
    assert!(ended.err.contains(told), "{}", ended.err);
    assert_eq!((arrived, link), (vec![(0, b"cooked".to_vec())], 113));
}

#[test]
fn unrequested_packets_are_not_missing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = [head(1, 0, &[]), two(&[])].concat();
    fs::write(directory.path().join("in.pcap"), file).expect("it can be written");
    let line = "run --applet builtin:Drop --in in.pcap --count 1";
    let ended = jive_in(directory.path(), words(line), b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}

#[test]
fn replays_and_captures_agree_with_tshark() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for seed in 0..runs::runs(12) {
        let made = match seed % 3 {
            0 => captures::classic(seed, Shape::PLAIN),
            1 => captures::last_section(seed, Shape::PLAIN),
            _ => captures::section(seed, Shape::ANY),
        };
        let is_plain = seed % 3 != 2;
        let ended = replay_in(directory.path(), &made.file);
        let judged = ["in.pcap", "out.pcapng"].map(|name| {
            let path = directory.path().join(name);
            tshark::read(&path)
        });
        let [Some(given), Some(written)] = judged else {
            let why = "no `tshark` on the path";
            return skip("replayed captures read by tshark", why);
        };
        assert!(written.is_whole, "seed {seed}");
        let first = given.packets.iter().find_map(|packet| packet.at);
        let mut last = 0;
        let mut given = given.packets.iter().filter_map(|packet| {
            let is_cut = packet.bytes.len() < packet.length as usize;
            let after = packet.at.map(|at| at - first.unwrap_or(0));
            last = after.unwrap_or(last);
            (!is_cut).then_some((last, packet.encapsulation, &packet.bytes))
        });
        for (index, packet) in written.packets.iter().enumerate() {
            // In a capture with errors some packets are missing, or come with the packet before.
            let is_it = |(_, encapsulation, bytes): &(i128, _, &Vec<u8>)| {
                *bytes == &packet.bytes && *encapsulation == packet.encapsulation
            };
            if ended.status == 2 {
                let found = given.by_ref().find(is_it);
                let (_, _, bytes) = found.expect("what is written was given");
                assert_eq!(bytes, &packet.bytes, "seed {seed}: packet {index}");
                continue;
            }
            let (after, encapsulation, bytes) = given.next().expect("what is written was given");
            let (found, expected) = (&packet.bytes, (bytes, encapsulation));
            assert_eq!(
                (found, packet.encapsulation),
                expected,
                "seed {seed}: packet {index}"
            );
            let at = packet.at.expect("JIVE writes times");
            // Packets that follow each other at once wait for the NIC.
            let is_on_time = if is_plain { at == after } else { at >= after };
            assert!(
                is_on_time,
                "seed {seed}: packet {index} at {at}, not {after}"
            );
        }
        let is_complete = written.packets.len() == made.packets.len();
        assert!(is_complete || ended.status == 2, "seed {seed}");
        let has_error = made.is_damaged || made.cut.is_some();
        let wrong = has_error != (ended.status == 2) && is_plain;
        assert!(!wrong, "seed {seed}: {}", ended.err);
    }
}
