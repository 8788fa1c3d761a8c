//! Packets that pass transmit DMA, wire and receive DMA in cells.

use nic_core::event::EndReason;
use nic_runtime::profile::Profile;
use nic_runtime::scenario::parse_on;

use crate::trace::{Pair, Trace, number, numbers, send, simulate, texts};

/// Rates of a NIC's DMA and of its wire, in bytes per second.
#[derive(Copy, Clone)]
struct Speeds {
    dma: u32,
    wire: u32,
}

/// Returns the profile of a NIC with two DMA engines and cells of this size; 0 means no cells.
fn profile(speeds: Speeds, cell: u32) -> Profile {
    let replaced = |text: String, old: &str, new: &str| {
        assert!(text.contains(old), "the profile has no `{old}`");
        text.replacen(old, new, 1)
    };
    let text = include_str!("../../profiles/lanai-1998-parallel.toml").to_owned();
    let text = replaced(text, "max_packet = \"9216B\"", "max_packet = '64KiB'");
    let text = replaced(
        text,
        "sram = { value = \"256KiB\", from = \"paper S1-36\" }",
        "sram = '4MiB'",
    );
    let text = replaced(
        text,
        "bandwidth = \"50MB/s\"",
        &format!("bandwidth = '{}B/s'", speeds.dma),
    );
    let text = replaced(
        text,
        "bandwidth = { value = \"160MB/s\", from = \"paper S1-36\" }",
        &format!("bandwidth = '{}B/s'\ncell = '{cell}B'", speeds.wire),
    );
    Profile::parse(&text).expect("the keys fit")
}

const LARGE: &str = "buffer_area = '320KiB'\nfree_buffers = { count = 3, length = '64KiB' }";

/// Runs a pair whose client sends messages of these lengths, one every 20 ms.
fn messages(profile: &Profile, keys: &str, lengths: &[u32]) -> Trace {
    let rest: String = (0u64..)
        .zip(lengths)
        .map(|(number, length)| {
            send(
                &format!("{}us", 10 + 20_000 * number),
                &format!("{{ count = {length} }}"),
            )
        })
        .collect();
    let scenario = parse_on(
        &Pair::PLAIN.client(keys).server(keys).rest(&rest).toml(),
        profile,
    )
    .expect("a right scenario");
    simulate(&scenario).expect("it runs")
}

/// Returns the time of each message from transmit to receive descriptor, in nanoseconds.
fn latencies(trace: &Trace) -> Vec<u64> {
    let posted = numbers(&trace.at("client", "tx-post"), "t_ns");
    let received = numbers(&trace.at("server", "rx-descriptor"), "t_ns");
    assert_eq!(posted.len(), received.len());
    posted
        .into_iter()
        .zip(received)
        .map(|(a, b)| b - a)
        .collect()
}

#[test]
fn latency_grows_by_the_slowest_stage_alone() {
    let lengths = [
        64, 65, 100, 300, 1_000, 1_500, 4_096, 9_000, 20_000, 40_001, 65_536,
    ];
    for (dma, wire) in [(50, 160), (400, 100), (160, 160), (1_000, 20)] {
        let speeds = Speeds {
            dma: dma * 1_000_000,
            wire: wire * 1_000_000,
        };
        let measured = |cell| latencies(&messages(&profile(speeds, cell), LARGE, &lengths));
        let (by_cells, whole) = (measured(64), measured(0));
        // Nanoseconds for each byte on the slowest stage, and on all three stages together.
        let slowest = 1_000.0 / f64::from(dma.min(wire));
        let all = 2_000.0 / f64::from(dma) + 1_000.0 / f64::from(wire);
        for (slope, measured) in [(slowest, by_cells), (all, whole)] {
            // The conversion to a floating-point number is exact, because the times are far below 2⁵³ nanoseconds.
            let measured: Vec<f64> = measured.into_iter().map(|ns| ns as f64).collect();
            let alone = measured[0] - slope * f64::from(lengths[0]);
            for (&length, measured) in lengths.iter().zip(&measured) {
                let expected = alone + slope * f64::from(length);
                let off = (measured / expected - 1.0).abs();
                assert!(
                    off < 0.01,
                    "{dma} and {wire} MB/s: {length} bytes take {measured} ns, not {expected}"
                );
            }
        }
    }
}

#[test]
fn what_arrives_is_what_was_sent() {
    let speeds = Speeds {
        dma: 100_000_000,
        wire: 160_000_000,
    };
    let lengths = [0, 56, 57, 64, 65, 128, 4_096, 4_097, 30_000];
    let keys = "buffer_area = '128KiB'\nfree_buffers = { count = 14, length = 4096 }";
    let delivered = |cell| {
        let trace = messages(&profile(speeds, cell), keys, &lengths);
        assert_eq!(trace.end.reason, EndReason::Idle);
        texts(&trace.at("server", "rx-descriptor"), "payload")
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let whole = delivered(0);
    assert_eq!(whole.len(), lengths.len());
    for cell in [1, 48, 64, 9_000] {
        assert_eq!(delivered(cell), whole, "cells of {cell} bytes");
    }
}

#[test]
fn packet_dropped_at_its_first_cell_goes_on_arriving() {
    let speeds = Speeds {
        dma: 400_000_000,
        wire: 20_000_000,
    };
    // The second message finds no free buffer. The second message occupies the wire for 1 ms, and the third message
    // follows it.
    let burst: String = [20_000, 20_000, 20_000]
        .iter()
        .map(|length| send("10us", &format!("{{ count = {length} }}")))
        .collect();
    let keys = "buffer_area = '128KiB'\nfree_buffers = { count = 1, length = '20000B' }";
    let scenario = parse_on(
        &Pair::PLAIN.client(keys).server(keys).rest(&burst).toml(),
        &profile(speeds, 64),
    )
    .expect("a right scenario");
    let trace = simulate(&scenario).expect("it runs");
    let dropped = trace.at("server", "drop");
    assert_eq!(texts(&dropped, "reason"), ["no-free-buffer"; 1]);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 2);
    assert_eq!(texts(&trace.at("client", "tx-done"), "status"), ["ok"; 3]);
}

#[test]
fn applets_and_links_with_faults_wait_for_the_last_byte() {
    let speeds = Speeds {
        dma: 100_000_000,
        wire: 50_000_000,
    };
    let lengths = [200, 3_000, 9_000u64];
    let arrivals = |cell, keys, link| {
        let rest: String = lengths
            .iter()
            .map(|length| send("10us", &format!("{{ count = {length} }}")))
            .collect();
        let scenario = parse_on(
            &Pair::PLAIN
                .client("buffer_area = '128KiB'")
                .server(keys)
                .link(link)
                .rest(&rest)
                .toml(),
            &profile(speeds, cell),
        )
        .expect("a right scenario");
        let trace = simulate(&scenario).expect("it runs");
        // A byte takes 20 ns on the wire, and the link's latency is 500 ns.
        let sent = numbers(&trace.at("client", "wire-tx"), "t_ns");
        let sent = sent.into_iter().zip(lengths);
        let last_bits: Vec<u64> = sent
            .map(|(time, length)| time + 20 * length + 500)
            .collect();
        (numbers(&trace.at("server", "wire-rx"), "t_ns"), last_bits)
    };
    for (keys, link) in [("applet = 'builtin:RawUnet'", ""), ("", "corrupt = 1e-9")] {
        let (received, last_bits) = arrivals(64, keys, link);
        assert_eq!(received, last_bits, "{keys}{link}");
    }
    let (received, last_bits) = arrivals(64, "", "");
    assert!(
        received
            .iter()
            .zip(&last_bits)
            .all(|(first, last)| first < last)
    );
}

#[test]
fn transfer_time_depends_on_its_own_bytes() {
    let speeds = Speeds {
        dma: 100_000_000,
        wire: 20_000_000,
    };
    // Messages to both ends, so that each NIC moves bytes at the rate of the wire, and then at that of its own DMA. A
    // byte takes 10 ns by DMA and 50 ns on the wire.
    let lengths = [3_000_u64, 200, 2_000, 57, 9_000, 100, 64, 65, 1_000, 4_000];
    let keys = "buffer_area = '128KiB'\nfree_buffers = { count = 4, length = 9000 }";
    for both_at_once in [false, true] {
        let mut rest = String::new();
        for (number, length) in (0u64..).zip(lengths) {
            let (endpoint, channel) = [("client", 1), ("server", 7)][(number % 2) as usize];
            let at = if both_at_once { number / 2 } else { number };
            rest += &format!(
                "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\nat = '{}us'\n\
                 payload = {{ count = {length} }}\n",
                10 + 2_000 * at
            );
        }
        let pair = Pair::PLAIN.client(keys).server(keys).rest(&rest);
        let scenario = parse_on(&pair.toml(), &profile(speeds, 64)).expect("a right scenario");
        let trace = simulate(&scenario).expect("it runs");
        let mut paced = 0;
        for moved in trace.of("dma") {
            let (length, took) = (number(moved, "length"), number(moved, "dur_ns"));
            match moved["direction"].as_str() {
                // A NIC fills its memory as fast as its engine moves bytes.
                Some("host-to-nic") => assert_eq!(took, 10 * length, "{moved}"),
                // Bytes leave no faster than they arrive, but for the first cell, which is in the NIC already.
                Some("nic-to-host") => {
                    let least = 10 * length;
                    let most = 50 * length;
                    assert!((least..=most).contains(&took), "{moved}");
                    paced += u64::from(took > least);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(paced >= 5, "{paced}");
    }
}
