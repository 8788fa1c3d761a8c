//! The capture, compared with the trace, and read by Wireshark's own reader if it is installed.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgParser};
use serde_json::Value;

use crate::skipped::skip;
use crate::{Seen, scenario_named, scenarios, see};

/// A packet in a capture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// The name of the packet's interface.
    pub(crate) tap: String,
    pub(crate) time_ns: u128,
    pub(crate) bytes: Vec<u8>,
    pub(crate) comment: String,
    /// The packet's direction: 1 for inbound, 2 for outbound.
    direction: u32,
}

/// Reads a capture that `jive` wrote.
pub(crate) fn packets(file: &[u8]) -> Vec<Packet> {
    let (mut rest, mut parser) = PcapNgParser::new(file).expect("a section header");
    let mut packets = Vec::new();
    while !rest.is_empty() {
        let (behind, block) = parser.next_block(rest).expect("a block");
        rest = behind;
        let Block::EnhancedPacket(packet) = block else {
            continue;
        };
        let interface = parser.packet_interface(&packet).expect("it was described");
        let name = interface.options.iter().find_map(|option| match option {
            InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
            _ => None,
        });
        let (mut comment, mut direction) = (String::new(), 0);
        for option in &packet.options {
            match option {
                EnhancedPacketOption::Comment(text) => comment = text.to_string(),
                EnhancedPacketOption::Flags(flags) => direction = *flags,
                _ => {}
            }
        }
        packets.push(Packet {
            tap: name.expect("interfaces have names"),
            time_ns: packet.timestamp.as_nanos(),
            bytes: packet.data.to_vec(),
            comment,
            direction,
        });
    }
    packets
}

/// The event that each kind of tap shows, and its direction.
const TAPS: [(&str, &str, u32); 5] = [
    ("host-tx", "tx-post", 2),
    ("wire-tx", "wire-tx", 2),
    ("port-tx", "forward", 2),
    ("wire-rx", "wire-rx", 1),
    ("host-rx", "rx-descriptor", 1),
];

#[test]
fn each_tap_sees_what_the_trace_says() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        let packets = packets(&seen.capture);
        let times: Vec<_> = packets.iter().map(|packet| packet.time_ns).collect();
        assert!(times.is_sorted(), "{name}");
        for (tap, event, direction) in TAPS {
            let shown = packets.iter().filter(|packet| packet.tap.ends_with(tap));
            let shown: Vec<_> = shown.collect();
            let events: Vec<_> = seen.of_messages(event).collect();
            assert_eq!(shown.len(), events.len(), "{name}: {tap}");
            for (packet, event) in shown.iter().zip(events) {
                let nic = event["nic"].as_str().expect("events have a NIC");
                let place = match event["to"].as_str() {
                    Some(to) => format!("{nic} to {to}"),
                    None => nic.to_owned(),
                };
                assert_eq!(packet.tap, format!("{place} {tap}"), "{name}");
                assert_eq!(
                    packet.time_ns,
                    u128::from(event["t_ns"].as_u64().unwrap_or(0))
                );
                assert_eq!(packet.direction, direction);
                if let Some(payload) = event["payload"].as_str() {
                    assert_eq!(hex(&packet.bytes), payload, "{name}: {event}");
                }
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Counts the verdicts on the packets that the taps of this kind captured.
fn verdicts(seen: &Seen, tap: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for packet in packets(&seen.capture) {
        if packet.tap.ends_with(tap) {
            let (_, verdict) = packet.comment.split_once(": ").expect("a verdict");
            *counts.entry(verdict.to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn comments_say_what_became_of_each_packet() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        let with = |event: &str, key: &str, value: &Value| {
            let events = seen.of_messages(event);
            events.filter(|event| event[key] == *value).count()
        };
        let on_wire = verdicts(&seen, "wire-tx");
        let count = |counts: &BTreeMap<String, usize>, verdict: &str| {
            counts.get(verdict).copied().unwrap_or(0)
        };
        // A copy that the link of a switch has made has a fate of its own, and left no NIC.
        let copies = with("forward", "copy", &Value::Bool(true));
        let is_told = |verdict: &str, events: usize| {
            let told = count(&on_wire, verdict);
            assert!(
                told <= events && events - told <= copies,
                "{name}: {verdict}"
            );
        };
        for reason in ["loss", "crc"] {
            let drops = with("wire-drop", "reason", &Value::from(reason));
            is_told(&format!("dropped: {reason}"), drops);
        }
        is_told("arrived", seen.of_messages("wire-rx").count());
        // Each packet that left a switch came to the next node or was lost on its way there, unless the run ended first.
        let at_ports = verdicts(&seen, "port-tx");
        assert_eq!(
            at_ports.values().sum::<usize>(),
            seen.of_messages("forward").count(),
            "{name}"
        );
        let is_known = |verdict: &String| {
            verdict == "arrived" || verdict == "forwarded" || verdict.starts_with("dropped: ")
        };
        assert!(at_ports.keys().all(is_known), "{name}: {at_ports:?}");
        let posted = verdicts(&seen, "host-tx");
        for (verdict, status) in [("done", "ok"), ("refused", "refused")] {
            let events = with("tx-done", "status", &Value::from(status));
            assert_eq!(count(&posted, verdict), events, "{name}: {verdict}");
        }
        let received = verdicts(&seen, "wire-rx");
        assert_eq!(count(&received, "undecided"), 0, "{name}: {received:?}");
        let dropped = with("drop", "reason", &Value::from("no-free-buffer"));
        assert_eq!(
            count(&received, "dropped: no-free-buffer"),
            dropped,
            "{name}"
        );
    }
}

#[test]
fn a_port_of_a_switch_says_what_became_of_each_packet_behind_it() {
    let seen = see(&scenario_named("network"));
    let at_port = |port: &str| {
        let packets = packets(&seen.capture);
        let mut counts = BTreeMap::<String, usize>::new();
        for packet in packets.into_iter().filter(|packet| packet.tap == port) {
            let (_, verdict) = packet.comment.split_once(": ").expect("a verdict");
            *counts.entry(verdict.to_owned()).or_default() += 1;
        }
        counts
    };
    let between = at_port("s1 to s2 port-tx");
    let drops = |reason: &str| {
        let drops = seen.events("wire-drop").filter(|drop| drop["nic"] == "s2");
        drops.filter(|drop| drop["reason"] == reason).count()
    };
    let forwards = |from: &str, to: &str| {
        let forwards = seen.events("forward").filter(|event| event["nic"] == from);
        forwards.filter(|event| event["to"] == to).count()
    };
    for reason in ["loss", "crc", "switch-full"] {
        let count = between.get(&format!("dropped: {reason}")).copied();
        assert!(drops(reason) > 0, "{reason} happens");
        assert_eq!(count, Some(drops(reason)), "{between:?}");
    }
    assert_eq!(between["forwarded"], forwards("s2", "c"), "{between:?}");
    let arrived = BTreeMap::from([("arrived".to_owned(), forwards("s2", "c"))]);
    assert_eq!(at_port("s2 to c port-tx"), arrived);
}

#[test]
fn traps_are_told_with_their_place() {
    let scenario = scenario_named("busy");
    let seen = see(&scenario);
    // `Trapper` divides by zero in lines 11 and 18 of its source.
    let told = |tap: &str, line: &str| {
        let verdicts = verdicts(&seen, tap);
        verdicts
            .iter()
            .filter(|(verdict, _)| {
                verdict.starts_with("trap: ArithmeticException at pc ") && verdict.contains(line)
            })
            .map(|(_, count)| count)
            .sum::<usize>()
    };
    let traps = |method: &str| {
        let traps = seen.events("trap");
        traps.filter(|trap| trap["method"] == method).count()
    };
    assert!(traps("doTx") > 0 && traps("doRx") > 0);
    assert_eq!(told("host-tx", "(line 11)"), traps("doTx"));
    assert_eq!(told("wire-rx", "(line 18)"), traps("doRx"));
}

#[test]
fn wireshark_reads_every_capture_without_complaint() {
    for (name, scenario) in scenarios() {
        let seen = see(&scenario);
        let packets = packets(&seen.capture);
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&seen.capture).expect("the disk takes it");
        let path = file.path().to_str().expect("a path in UTF-8");
        let fields = ["frame.time_epoch", "frame.interface_name", "frame.comment"];
        let fields = fields.into_iter().flat_map(|field| ["-e", field]);
        let tshark = Command::new("tshark")
            .args(["-r", path, "-T", "fields"])
            .args(fields)
            .output();
        let Ok(output) = tshark else {
            skip(
                "reading every capture by Wireshark",
                "no `tshark` on the path",
            );
            return;
        };
        let complaints = String::from_utf8_lossy(&output.stderr);
        let complaints = complaints
            .lines()
            .filter(|line| !line.contains("as user \"root\""));
        assert_eq!(complaints.collect::<Vec<_>>(), [""; 0], "{name}");
        assert!(output.status.success(), "{name}");
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        let expected = packets.iter().map(|packet| {
            let (seconds, rest) = (
                packet.time_ns / 1_000_000_000,
                packet.time_ns % 1_000_000_000,
            );
            format!("{seconds}.{rest:09}\t{}\t{}", packet.tap, packet.comment)
        });
        let read: Vec<_> = lines.lines().collect();
        assert_eq!(read, expected.collect::<Vec<_>>(), "{name}");
    }
}
