//! Links with faults, and NICs whose slots run out.

use nic_core::event::EndReason;

use crate::trace::{Pair, Trace, number, numbers, read_on, send, simulate, texts};

fn lossy(seed: u64, link: &str) -> Trace {
    let rest = send("0us", "{ count = 100 }") + "repeat = 100\nevery = '100us'";
    let scenario = format!("seed = {seed}");
    Pair::PLAIN
        .scenario(&scenario)
        .server("host = 'echo'")
        .link(link)
        .rest(&rest)
        .run()
}

#[test]
fn loss_is_the_seeds_and_nobody_elses() {
    let first = lossy(1, "loss = 0.3");
    assert_eq!(first.text, lossy(1, "loss = 0.3").text);
    assert_ne!(first.text, lossy(2, "loss = 0.3").text);
    let drops = texts(&first.of("wire-drop"), "reason");
    assert!(drops.iter().all(|&reason| reason == "loss"));
    // Each of about 170 packets is lost with probability 0.3, so 51 losses are expected; six standard deviations are
    // 36.
    assert!((15..87).contains(&drops.len()), "{}", drops.len());
    assert_eq!(lossy(1, "loss = 0.0").of("wire-drop").len(), 0);
    assert_eq!(lossy(1, "loss = 1.0").of("wire-rx").len(), 0);
}

#[test]
fn corruption_is_detected_by_the_crc() {
    let trace = lossy(1, "corrupt = 1.0");
    assert_eq!(texts(&trace.of("wire-drop"), "reason"), ["crc"; 100]);
    assert_eq!(trace.of("wire-rx").len(), 0);
}

#[test]
fn without_crc_one_bit_differs() {
    let rest = send("0us", "{ count = 100 }") + &send("1ms", "{ zeros = 0 }");
    let trace = Pair::PLAIN
        .link("corrupt = 1.0\ncrc = false")
        .rest(&rest)
        .run();
    let payload = |event| {
        let event: &serde_json::Value = event;
        let text = event["payload"].as_str().unwrap();
        let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(byte).collect::<Vec<u8>>()
    };
    let (sent, received) = (
        payload(trace.of("wire-tx")[0]),
        payload(trace.of("wire-rx")[0]),
    );
    let flipped: u32 = sent
        .iter()
        .zip(&received)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    assert_eq!((sent.len(), received.len(), flipped), (100, 100, 1));
    assert_eq!(number(trace.of("wire-rx")[1], "length"), 0);
}

#[test]
fn a_duplicate_is_sent_twice_and_posted_once() {
    let trace = lossy(1, "duplicate = 1.0");
    let sent = numbers(&trace.at("client", "wire-tx"), "packet");
    assert_eq!(sent.len(), 200);
    assert!(sent.chunks(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(trace.at("server", "rx-descriptor").len(), 200);
    assert_eq!(trace.at("client", "tx-done").len(), 100);
}

#[test]
fn a_link_that_loses_everything_loses_duplicates_too() {
    let trace = lossy(1, "duplicate = 1.0\nloss = 1.0");
    assert_eq!(trace.at("client", "wire-tx").len(), 200);
    assert_eq!(trace.of("wire-drop").len(), 200);
    assert_eq!(trace.of("wire-rx").len(), 0);
    assert_eq!(trace.at("client", "tx-done").len(), 100);
}

#[test]
fn reordered_packet_follows_the_next() {
    let rest: String = (0..5)
        .map(|index| send("0us", &format!("{{ zeros = {index} }}")))
        .collect();
    let trace = Pair::PLAIN.link("reorder = 1.0").rest(&rest).run();
    let received = trace.at("server", "wire-rx");
    assert_eq!(numbers(&received, "packet"), [2, 1, 4, 3, 5]);
    // No packet follows the fifth, so the link releases the fifth packet 100 us after its last bit arrived. The latency
    // is 0.5 us, and each of the packet's four bytes takes 6.25 ns.
    let sent = number(trace.of("wire-tx")[4], "t_ns");
    assert_eq!(number(received[4], "t_ns"), sent + 500 + 25 + 100_000);
}

#[test]
fn a_neighbour_changes_nobody_elses_draws() {
    let alone = lossy(3, "loss = 0.5");
    let mut toml = Pair::PLAIN
        .scenario("seed = 3")
        .server("host = 'echo'")
        .link("loss = 0.5")
        .rest(&(send("0us", "{ count = 100 }") + "repeat = 100\nevery = '100us'\n"))
        .toml();
    toml = toml.replace(
        "[[nic]]\nname = 'a'",
        "[[nic]]\nname = 'z'\n[[nic]]\nname = 'a'",
    );
    toml = toml.replace(
        "[[link]]",
        "[[link]]\nbetween = ['z', 'a']\nloss = 0.5\n[[link]]",
    );
    assert_eq!(crate::trace::run(&toml).events, alone.events);
}

#[test]
fn a_full_nic_holds_the_wire_and_loses_nothing() {
    // The client's NIC sends a message every 10 us or more; the server's NIC needs 19.6 us for each message.
    let rest = send("0us", "{ zeros = 8 }") + "repeat = 500\nevery = '1us'";
    let trace = Pair::PLAIN.server("rx_queue = 64").rest(&rest).run();
    assert_eq!(trace.end.reason, EndReason::Idle);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 500);
    assert_eq!(trace.of("drop").len(), 0);
}

#[test]
fn nics_that_wait_for_each_other_go_on() {
    // Two packets answer each packet, so both NICs fill up and wait for each other's arrival slots.
    let volley = "applet = 'Volley.class'";
    let rest = send("0us", "{ zeros = 1 }");
    let trace = Pair::PLAIN.client(volley).server(volley).rest(&rest).run();
    assert_eq!(trace.end.reason, EndReason::Until);
    let drops = trace.of("drop");
    assert!(!drops.is_empty());
    assert!(
        texts(&drops, "reason")
            .iter()
            .all(|&reason| reason == "nic-full")
    );
    let last = number(trace.of("wire-rx").last().unwrap(), "t_ns");
    assert!(
        last > 900_000_000,
        "packets move until the end, not until {last} ns"
    );
}

/// Returns when the sending of packets of these lengths starts and when they have arrived, in ns. A byte takes 8 ns on
/// the wire, and the latency is 1 us.
fn framed(framing: &str, lengths: &[u32]) -> Vec<(u64, u64)> {
    let profile = include_str!("../../profiles/lanai-1998.toml");
    let profile = profile
        .replacen("160MB/s", "125MB/s", 1)
        .replacen("latency = \"500ns\"", "latency = \"1us\"", 1)
        .replacen("[wire]\n", &format!("[wire]\n{framing}\n"), 1);
    let sends = lengths
        .iter()
        .map(|length| send("0us", &format!("{{ count = {length} }}")));
    let rest: String = sends.collect();
    let scenario = read_on(&Pair::PLAIN.rest(&rest).toml(), &profile);
    let trace = simulate(&scenario).expect("it runs");
    let out = trace
        .of("wire-tx")
        .into_iter()
        .map(|event| number(event, "t_ns"));
    let lands = trace
        .of("wire-rx")
        .into_iter()
        .map(|event| number(event, "t_ns"));
    out.zip(lands).collect()
}

#[test]
fn frame_length_is_header_and_message_or_the_minimum() {
    // Ethernet has 18 bytes of headers and trailers, and a frame has at least 64 bytes.
    let framing = "header = \"18B\"\nmin_frame = \"64B\"";
    for (message, frame) in [(0, 64), (46, 64), (47, 65), (1500, 1518)] {
        let [(out, lands)] = framed(framing, &[message])[..] else {
            panic!("one packet")
        };
        assert_eq!(lands - out, frame * 8 + 1000, "{message}");
        let [(out, lands)] = framed("", &[message])[..] else {
            panic!("one packet")
        };
        assert_eq!(lands - out, u64::from(message) * 8 + 1000, "{message}");
    }
}

#[test]
fn the_wire_is_idle_for_the_gap_behind_each_frame() {
    // With a gap of 100 us, the next packet is ready before the gap has ended.
    let times = framed("header = \"10B\"\ngap = \"12500B\"", &[40, 40, 40]);
    assert_eq!(times.len(), 3);
    for pair in times.windows(2) {
        let last_bit_out = pair[0].1 - 1000;
        assert_eq!(pair[1].0 - last_bit_out, 100_000);
    }
    // A gap that ends before the next packet is ready delays no packet.
    let without = framed("header = \"10B\"", &[40, 40, 40]);
    assert_eq!(
        framed("header = \"10B\"\ngap = \"20B\"", &[40, 40, 40]),
        without
    );
}

/// Runs a pair whose client sends 40 messages faster than the server handles them, with this flow control.
fn flood(flow: &str, keys: &str) -> Trace {
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let text = text.replacen("[wire]", &format!("[wire]\nflow = '{flow}'"), 1);
    let rest = send("10us", "{ count = 40 }") + "repeat = 40\nevery = '1us'";
    let scenario = read_on(&Pair::PLAIN.server(keys).rest(&rest).toml(), &text);
    simulate(&scenario).expect("it runs")
}

#[test]
fn full_receiver_holds_or_drops_by_profile() {
    // A call of the server's applet RawUnet takes longer than the time between two packets.
    let keys = "applet = 'builtin:RawUnet'";
    let held = flood("hold", keys);
    assert_eq!(held.at("server", "rx-descriptor").len(), 40);
    assert_eq!(held.of("wire-drop").len(), 0);
    let dropped = flood("drop", keys);
    assert_eq!(dropped.end.reason, EndReason::Idle);
    let drops = texts(&dropped.of("wire-drop"), "reason");
    assert!(drops.len() > 5, "{drops:?}");
    assert!(drops.iter().all(|&reason| reason == "overrun"));
    let received = dropped.at("server", "rx-descriptor").len();
    assert_eq!(received + drops.len(), 40);
    // With `drop` the sender is neither delayed nor informed of dropped packets.
    let sent = |trace: &Trace| {
        *numbers(&trace.at("client", "wire-tx"), "t_ns")
            .last()
            .unwrap()
    };
    assert!(sent(&dropped) < sent(&held));
    assert_eq!(
        texts(&dropped.at("client", "tx-done"), "status"),
        ["ok"; 40]
    );
}

#[test]
fn packets_that_come_unasked_meet_faults_first() {
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let text = text.replacen("[wire]", "[wire]\nflow = 'drop'", 1);
    let rest = send("10us", "{ count = 40 }") + "repeat = 200\nevery = '1us'";
    let scenario = read_on(
        &Pair::PLAIN
            .scenario("seed = 3")
            .server("applet = 'builtin:RawUnet'\nhost = 'echo'")
            .link("loss = 0.1\nduplicate = 0.1\ncorrupt = 0.1\nreorder = 0.1")
            .rest(&rest)
            .toml(),
        &text,
    );
    let trace = simulate(&scenario).expect("it runs");
    assert_eq!(trace.end.reason, EndReason::Idle);
    let drops = texts(&trace.of("wire-drop"), "reason");
    for reason in ["loss", "crc", "overrun"] {
        assert!(drops.contains(&reason), "no {reason} among {drops:?}");
    }
    let ended = trace.of("wire-rx").len() + drops.len();
    assert_eq!(trace.of("wire-tx").len(), ended);
}

/// Returns the largest number of bytes that are on a wire or in its backlog at the same time. A packet counts from the
/// time when its first bit leaves to the time of its `wire-rx`.
fn most_under_way(trace: &Trace) -> u64 {
    let mut changes: Vec<(u64, i64)> = Vec::new();
    for (name, sign) in [("wire-tx", 1), ("wire-rx", -1)] {
        let endpoint = if sign > 0 { "client" } else { "server" };
        for event in trace.at(endpoint, name) {
            let length = i64::try_from(number(event, "length")).unwrap();
            changes.push((number(event, "t_ns"), sign * length));
        }
    }
    changes.sort_unstable();
    let mut under_way = 0;
    let sums = changes.into_iter().map(|(_, change)| {
        under_way += change;
        under_way
    });
    u64::try_from(sums.max().unwrap_or(0)).unwrap()
}

#[test]
fn stop_and_go_loses_nothing() {
    // For 1,000 bytes, the applet RawUnet takes longer than the wire. In one round-trip time the wire carries 160
    // bytes.
    let keys =
        "applet = 'builtin:RawUnet'\nrx_queue = 64\nfree_buffers = { count = 40, length = 1000 }";
    let run = |wire: &str| {
        let text = include_str!("../../profiles/lanai-1998-parallel.toml");
        let text = text
            .replacen("[wire]", &format!("[wire]\n{wire}"), 1)
            .replacen("send_slots = 2", "send_slots = 30", 1)
            .replacen("50MB/s", "1GB/s", 1);
        let rest = send("10us", "{ count = 1000 }") + "repeat = 40\nevery = '1us'";
        let pair = Pair::PLAIN.scenario("").server(keys).rest(&rest);
        let toml = pair.toml().replace("[[nic]]", "[[nic]]\nsram = '1MiB'");
        simulate(&read_on(&toml, &text)).expect("it runs")
    };
    let free = run("flow = 'stop'\nbuffer = '1MiB'");
    let small = run("flow = 'stop'\nbuffer = '20000B'");
    for trace in [&free, &small] {
        assert_eq!(trace.end.reason, EndReason::Idle);
        assert_eq!(trace.of("wire-drop").len(), 0);
        assert_eq!(trace.at("server", "rx-descriptor").len(), 40);
    }
    // Whether the sender is stopped or not, packets reach the server at the same times, so its applet never waits for
    // the wire.
    let arrivals = |trace: &Trace| numbers(&trace.at("server", "wire-rx"), "t_ns");
    assert_eq!(arrivals(&small), arrivals(&free));
    let (most, without) = (most_under_way(&small), most_under_way(&free));
    assert!(
        without > 20_000,
        "{without} bytes wait where nobody is stopped"
    );
    assert!((1_000..=20_000).contains(&most), "{most}");
}

#[test]
fn packets_waiting_too_long_on_a_wire_are_dropped() {
    // Each of two applets pushes two packets for each one that it receives, so their NICs fill up and wait for each
    // other.
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let text = text.replacen(
        "[wire]",
        "[wire]\nflow = 'stop'\nbuffer = '20KiB'\ntimeout = '1ms'",
        1,
    );
    let applets = "applet = 'Burst.class'";
    let rest = send("10us", "{ count = 40 }") + "repeat = 8\nevery = '1us'";
    let pair = Pair::PLAIN.client(applets).server(applets).rest(&rest);
    let toml = pair.scenario("until = '50ms'").toml();
    let mut scenario = crate::scenario::read(&toml);
    scenario.profile = nic_runtime::profile::Profile::parse(&text).expect("the keys fit");
    for link in &mut scenario.links {
        link.wire = scenario.profile.wire;
    }
    let trace = simulate(&scenario).expect("it runs");
    let drops = trace.of("wire-drop");
    assert!(
        texts(&drops, "reason")
            .iter()
            .all(|&reason| reason == "overrun")
    );
    assert!(!drops.is_empty());
    // Nothing is left waiting.
    assert_eq!(trace.end.reason, EndReason::Idle);
}
