//! Real traffic through a filter applet: packets of a capture are sent, and those that pass are received.
//!
//! `loopback.pcap` was recorded by tcpdump on a loopback interface: UDP to two ports over IPv4 and IPv6, a TCP
//! connection and an ICMP error.

use std::io::Write;
use std::process::Command;

use pcap_file::pcap::PcapParser;

use crate::capture::{Packet, packets};
use crate::process::classes;
use crate::skipped::skip;
use crate::{read, see};

/// The packets that Wireshark's filter `ip.proto == 17 && udp.dstport == 5300` shows, counted from 1.
const PASS: [usize; 7] = [1, 3, 5, 7, 9, 11, 37];

const ALL: usize = 40;

/// The packets that tcpdump recorded, each with its time in nanoseconds.
fn captured() -> Vec<(u128, Vec<u8>)> {
    let file = std::fs::read(classes().join("loopback.pcap")).expect("it is committed");
    let (mut rest, parser) = PcapParser::new(&file).expect("a pcap file");
    let mut packets = Vec::new();
    while !rest.is_empty() {
        let (behind, packet) = parser.next_packet(rest).expect("a packet");
        packets.push((packet.timestamp.as_nanos(), packet.data.to_vec()));
        rest = behind;
    }
    assert_eq!(packets.len(), ALL);
    packets
}

fn scenario(pace: &str) -> String {
    format!(
        r#"
        link_type = "ethernet"
        [[nic]]
        name = "a"
        [[nic]]
        name = "b"
        [[endpoint]]
        nic = "a"
        name = "replay"
        [[endpoint]]
        nic = "b"
        name = "filter"
        applet = "PortFilter.class"
        free_buffers = {{ count = 64, length = 256 }}
        [[channel]]
        replay = 1
        filter = 1
        [[send]]
        endpoint = "replay"
        channel = 1
        at = "10us"
        payload = {{ pcap = "loopback.pcap"{pace} }}
    "#
    )
}

fn at_tap(packets: &[Packet], tap: &str) -> Vec<Vec<u8>> {
    let seen = packets.iter().filter(|packet| packet.tap == tap);
    seen.map(|packet| packet.bytes.clone()).collect()
}

#[test]
fn exactly_the_packets_that_the_filter_passes_come_out() {
    let captured = captured();
    let all: Vec<_> = captured.iter().map(|(_, bytes)| bytes.clone()).collect();
    let pass: Vec<_> = PASS.iter().map(|number| all[number - 1].clone()).collect();
    for pace in ["", ", pace = \"back-to-back\""] {
        let out = see(&read(&scenario(pace))).capture;
        let out = packets(&out);
        for tap in ["a host-tx", "a wire-tx", "b wire-rx"] {
            assert_eq!(at_tap(&out, tap), all, "{tap}");
        }
        assert_eq!(at_tap(&out, "b host-rx"), pass);
        let refused = out.iter().filter(|packet| {
            packet.tap == "b wire-rx" && packet.comment.ends_with(": not delivered by the applet")
        });
        assert_eq!(refused.count(), ALL - PASS.len());
    }
}

#[test]
fn packets_are_replayed_in_their_own_time() {
    let captured = captured();
    let out = packets(&see(&read(&scenario(""))).capture);
    let posted = out.iter().filter(|packet| packet.tap == "a host-tx");
    let first = captured[0].0;
    for (packet, (time, _)) in posted.zip(&captured) {
        let due = 10_000 + (time - first);
        // A packet may be sent late, because the user is still posting the previous one.
        let late = packet.time_ns.checked_sub(due).expect("nothing is early");
        assert!(late < 20_000, "{late} ns late");
    }
}

#[test]
fn wireshark_finds_the_same_packets_whole() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    let capture = see(&read(&scenario(""))).capture;
    file.write_all(&capture).expect("the disk takes it");
    let path = file.path().to_str().expect("a path in UTF-8");
    let count = |filter: &str| {
        let tshark = Command::new("tshark")
            .args(["-r", path, "-Y", filter])
            .output();
        let Ok(output) = tshark else {
            skip(
                "reading the filter's capture by Wireshark",
                "no `tshark` on the path",
            );
            return None;
        };
        assert!(output.status.success(), "{output:?}");
        Some(output.stdout.split(|byte| *byte == b'\n').count() - 1)
    };
    let out = "frame.interface_name == \"b host-rx\"";
    let passing = "ip.proto == 17 && udp.dstport == 5300";
    for (filter, expected) in [
        (out.to_owned(), PASS.len()),
        (format!("{out} && {passing}"), PASS.len()),
        ("frame.interface_name == \"b wire-rx\"".to_owned(), ALL),
        ("_ws.malformed".to_owned(), 0),
    ] {
        if let Some(count) = count(&filter) {
            assert_eq!(count, expected, "{filter}");
        }
    }
}
