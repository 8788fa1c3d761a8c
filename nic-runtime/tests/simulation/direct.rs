//! NICs that receive directly into free buffers, beside NICs that receive into `RxBuf`.

use nic_core::event::EndReason;
use nic_core::id::NicId;
use nic_core::random::Generator;
use nic_runtime::profile::Profile;
use nic_runtime::run::{SramShare, sram_holders};
use serde_json::Value;

use crate::page;
use crate::scenario::read;
use crate::trace::{Pair, Trace, number, numbers, run, send, simulate, texts};

const DIRECT: &str = "profile = 'lanai-1998-direct'";

/// Runs a pair of which the server has this applet of this kind of NIC.
fn received_by(profile: &str, server: &str, rest: &str) -> Trace {
    let scenario = format!("profile = '{profile}'");
    let client = "interface = 'unet'";
    Pair::PLAIN
        .scenario(&scenario)
        .client(client)
        .server(server)
        .rest(rest)
        .run()
}

fn hostile(kind: u32, keys: &str, rest: &str) -> Trace {
    let server = format!("applet = 'DirectHostile.class'\nstate = {{ KIND = {kind} }}\n{keys}");
    received_by("lanai-1998-direct", &server, rest)
}

/// Returns what the user of an endpoint gets: source channel and bytes of each message, in order.
fn messages(trace: &Trace, endpoint: &str) -> Vec<(u64, String)> {
    let received = trace.at(endpoint, "rx-descriptor");
    let payload = |event: &&Value| event["payload"].as_str().expect("it is shown").to_owned();
    received
        .iter()
        .map(|event| (number(event, "channel"), payload(event)))
        .collect()
}

/// Sends of random lengths at random times, so that some wait for each other and some do not.
fn drawn(generator: &mut Generator, count: u32) -> String {
    let mut at = 10;
    let mut rest = String::new();
    for _ in 0..count {
        at += match generator.draw() % 3 {
            0 => 1,
            1 => generator.draw() % 200,
            _ => generator.draw() % 20_000,
        };
        let length = match generator.draw() % 4 {
            0 => generator.draw() % 3,
            1 => 55 + (generator.draw() % 4),
            2 => generator.draw() % 2_000,
            _ => 4_094 + (generator.draw() % 3),
        };
        let payload = format!("{{ random = {length} }}");
        rest += &send(&format!("{at}us"), &payload);
    }
    rest
}

#[test]
fn direct_unet_delivers_what_raw_unet_does() {
    for seed in 0..20 {
        let mut generator = Generator::named(seed, &["direct"]);
        let rest = drawn(&mut generator, 40);
        let keys =
            "free_buffers = { count = 64, length = 4096 }\nbuffer_area = '1MiB'\nrx_queue = 64";
        let staged = received_by(
            "lanai-1998",
            &format!("applet = 'builtin:RawUnet'\n{keys}"),
            &rest,
        );
        let server = format!("applet = 'builtin:DirectUnet'\n{keys}");
        let direct = received_by("lanai-1998-direct", &server, &rest);
        let plain = received_by("lanai-1998-direct", keys, &rest);
        let expected = messages(&staged, "server");
        assert_eq!(expected.len(), 40, "seed {seed}");
        assert_eq!(messages(&direct, "server"), expected, "seed {seed}");
        assert_eq!(
            messages(&plain, "server"),
            expected,
            "seed {seed}, without applet"
        );
        assert_eq!(direct.end.reason, EndReason::Idle);
    }
}

#[test]
fn a_packet_is_moved_once_and_before_the_applet_sees_it() {
    let rest = send("10us", "{ count = 1000 }");
    let trace = received_by("lanai-1998-direct", "applet = 'builtin:DirectUnet'", &rest);
    let at = |name: &str| numbers(&trace.at("server", name), "t_ns");
    // 20 us of DMA at 50 MB/s begin when the packet is there, without a processor; then 19.6 us for the arrival and
    // 0.6 us for the call (S1-38).
    let arrives = at("wire-rx")[0];
    assert_eq!(at("dma"), [arrives]);
    assert_eq!(
        at("applet-call").last(),
        Some(&(arrives + 20_000 + 19_600 + 600))
    );
    let dma = trace.at("server", "dma");
    assert_eq!(texts(&dma, "direction"), ["nic-to-host"]);
}

#[test]
fn without_a_free_buffer_no_call_is_made() {
    let rest = send("10us", "{ count = 300 }") + "repeat = 5\nevery = '1ms'\n";
    let server = "applet = 'builtin:DirectUnet'\nnotify = 'upcall'\nfree_buffers = { count = 0 }";
    let trace = received_by("lanai-1998-direct", server, &rest);
    assert_eq!(
        texts(&trace.at("server", "drop"), "reason"),
        ["no-free-buffer"; 5]
    );
    let calls = trace.at("server", "applet-call");
    assert!(calls.iter().all(|call| call["method"] != "doRx"));
    let server = "applet = 'builtin:DirectUnet'\nfree_buffers = { count = 4, length = 299 }";
    let trace = received_by("lanai-1998-direct", server, &rest);
    assert_eq!(
        texts(&trace.at("server", "drop"), "reason"),
        ["too-long"; 5]
    );
    assert_eq!(messages(&trace, "server"), []);
}

#[test]
fn a_buffer_that_nobody_names_serves_the_next_packet() {
    let rest = send("10us", "{ count = 500 }") + "repeat = 50\nevery = '37us'\n";
    // The counter never delivers the packet itself, and traps return buffers too.
    for server in [
        "applet = 'builtin:DirectCounter'",
        "applet = 'DirectHostile.class'\nstate = { KIND = 7 }",
        "applet = 'DirectHostile.class'\nstate = { KIND = 3 }",
        "applet = 'DirectHostile.class'",
    ] {
        let server = format!("{server}\nfree_buffers = {{ count = 1, length = 2048 }}");
        let trace = received_by("lanai-1998-direct", &server, &rest);
        let calls = trace.at("server", "applet-call");
        let received = calls.iter().filter(|call| call["method"] == "doRx").count();
        let dropped = texts(&trace.at("server", "drop"), "reason");
        let unbuffered = dropped.iter().filter(|reason| **reason == "no-free-buffer");
        assert_eq!(received + unbuffered.count(), 50, "{server}");
        assert!(received > 10, "{server}: {received}");
    }
}

#[test]
fn a_firewall_denies_frames_without_losing_buffers() {
    let rules = "RULES = [1, 17, 0, 0, 0, 0, 53, 53]";
    // IPv4, UDP, from 10.0.0.1 to 10.0.0.2, port 1000 to `port`.
    let frame = |port: u32| {
        let ports = format!("03e8{port:04x}0008000000");
        format!(
            "{{ hex = \"ffffffffffff0200000000010800450000{:02x}000000004011000{}0a0000010a000002{ports}\" }}",
            29, 0
        )
    };
    let mut rest = String::new();
    for index in 0..60 {
        let port = if index % 10 == 9 { 53 } else { 54 };
        rest += &send(&format!("{}us", 10 + 100 * index), &frame(port));
    }
    let keys = format!("state = {{ {rules} }}\nfree_buffers = {{ count = 2, length = 2048 }}");
    let staged = received_by(
        "lanai-1998",
        &format!("applet = 'builtin:Firewall'\n{keys}"),
        &rest,
    );
    let server = format!("applet = 'builtin:DirectFirewall'\n{keys}");
    let direct = received_by("lanai-1998-direct", &server, &rest);
    assert_eq!(messages(&staged, "server").len(), 6);
    assert_eq!(messages(&direct, "server"), messages(&staged, "server"));
}

#[test]
fn what_a_call_may_name_ends_with_its_packet() {
    let packet = send("10us", "{ count = 100 }");
    let post = "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = { count = 9 }\n";
    for (kind, cause, rest) in [
        (1, "the call handles no packet in a free buffer", post),
        (2, "the call handles no packet in a free buffer", post),
        (
            3,
            "offset 0, length 101, the NIC keeps 100 bytes",
            packet.as_str(),
        ),
        (
            4,
            "offset -1, length 1, the NIC keeps 100 bytes",
            packet.as_str(),
        ),
    ] {
        let trace = hostile(kind, "", rest);
        let traps = trace.at("server", "trap");
        assert_eq!(texts(&traps, "kind"), ["ProtectionFault"], "{kind}");
        assert!(trace.text.contains(cause), "{kind}: {:?}", traps);
    }
    let trace = hostile(9, "", &packet);
    let returned = trace.at("server", "applet-return");
    assert_eq!(
        returned.last().map(|event| &event["value"]),
        Some(&Value::from(3))
    );
}

/// Runs a pair on NICs whose instructions take time.
fn slowly(server: &str, rest: &str) -> Trace {
    let profile = include_str!("../../profiles/lanai-1998-direct.toml");
    let slow = profile.replace("bytecode = \"0us\"", "bytecode = \"10ns\"");
    assert_ne!(slow, profile);
    let text = Pair::PLAIN.scenario(DIRECT).server(server).rest(rest);
    let mut scenario = read(&text.toml());
    scenario.profile = Profile::parse(&slow).expect("it fits");
    let trace = simulate(&scenario).expect("it fits");
    trace.check_laws();
    trace
}

/// Checks that each message of at least `least` bytes has the bytes that were sent. Returns how many there are.
fn check_bytes(trace: &Trace, least: u64) -> usize {
    let sent = trace.at("client", "wire-tx");
    let received = trace.at("server", "rx-descriptor");
    let long = received
        .iter()
        .filter(|event| number(event, "length") >= least);
    let checked = long.map(|event| {
        let packet = number(event, "packet");
        let mut of = sent.iter().filter(|sent| number(sent, "packet") == packet);
        assert_eq!(
            of.next().map(|sent| &sent["payload"]),
            Some(&event["payload"])
        );
    });
    checked.count()
}

#[test]
fn a_message_that_the_applet_has_passed_on_is_not_delivered_again() {
    let sends = (0..100).map(|index| send(&format!("{}us", 10 + 37 * index), "{ random = 400 }"));
    let rest: String = sends.collect();
    for policy in ["base-path", "drop", "detach"] {
        let server = format!(
            "applet = 'DirectHostile.class'\nstate = {{ KIND = 11 }}\nfuel = 10000000\nnotify = 'upcall'\n\
             on_trap = '{policy}'\nfree_buffers = {{ count = 2, length = 2048 }}"
        );
        let trace = slowly(&server, &rest);
        assert!(check_bytes(&trace, 0) > 3, "{policy}");
        let received = trace.at("server", "rx-descriptor");
        let mut packets = numbers(&received, "packet");
        packets.sort_unstable();
        assert!(packets.is_sorted_by(|a, b| a < b), "{policy}: each once");
    }
}

#[test]
fn a_descriptor_takes_no_buffer_in_which_another_packet_lies() {
    let sends = (0..300).map(|index| {
        let length = if index % 3 == 0 { 100 } else { 200 };
        send(
            &format!("{}us", 10 + 61 * index),
            &format!("{{ random = {length} }}"),
        )
    });
    let rest: String = sends.collect();
    for count in [2, 3, 5] {
        let server = format!(
            "applet = 'DirectHostile.class'\nstate = {{ KIND = 12 }}\nfuel = 10000000\nnotify = 'upcall'\n\
             free_buffers = {{ count = {count}, length = 2048 }}"
        );
        let trace = slowly(&server, &rest);
        assert!(check_bytes(&trace, 200) > 20, "{count}");
    }
}

#[test]
fn a_swap_of_one_kind_of_nic_says_nothing_of_another() {
    let toml = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\nprofile = 'lanai-1998-direct'\n\
         [[link]]\nbetween = ['a', 'b']\nprofile = 'lanai-1998'\n\
         [[endpoint]]\nnic = 'a'\nname = 'A'\napplet = 'builtin:RawUnet'\n\
         [[endpoint]]\nnic = 'b'\nname = 'B'\napplet = 'builtin:DirectUnet'\n\
         [[channel]]\nA = 1\nB = 1\n";
    let swap = |endpoint: &str, applet: &str| {
        format!("[[swap]]\nendpoint = '{endpoint}'\nat = '1ms'\napplet = 'builtin:{applet}'\n")
    };
    for (applet, refused, code) in [
        ("Counter", "B", "applet/unset-rx-buf"),
        ("DirectCounter", "A", "applet/missing-member"),
        ("RawUnet", "B", "applet/unset-rx-buf"),
    ] {
        let trace = run(&(toml.to_owned() + &swap("A", applet) + &swap("B", applet)));
        let events = trace.of("swap-refused");
        let [event] = events[..] else {
            panic!("{applet}: {events:?}");
        };
        assert_eq!(event["endpoint"], refused, "{applet}");
        assert!(event.to_string().contains(code), "{event}");
    }
}

#[test]
fn a_long_call_gives_no_buffer_back_that_another_packet_is_in() {
    // The user gives the one buffer back while the call goes on, and the next packet arrives in it.
    let sends = (0..400).map(|index| send(&format!("{}us", 10 + 37 * index), "{ random = 400 }"));
    let rest: String = sends.collect();
    let server = "applet = 'DirectHostile.class'\nstate = { KIND = 5 }\nfuel = 10000000\nnotify = 'upcall'\n\
                  free_buffers = { count = 1, length = 2048 }";
    let profile = include_str!("../../profiles/lanai-1998-direct.toml");
    let slow = profile.replace("bytecode = \"0us\"", "bytecode = \"10ns\"");
    assert_ne!(slow, profile);
    let mut scenario = read(
        &Pair::PLAIN
            .scenario(DIRECT)
            .server(server)
            .rest(&rest)
            .toml(),
    );
    scenario.profile = Profile::parse(&slow).expect("it fits");
    let trace = simulate(&scenario).expect("it fits");
    trace.check_laws();
    let sent = trace.at("client", "wire-tx");
    let of = |packet: u64| {
        let mut sent = sent.iter();
        sent.find(|event| number(event, "packet") == packet)
            .map(|event| event["payload"].clone())
    };
    let received = trace.at("server", "rx-descriptor");
    assert!(received.len() > 3);
    for event in received {
        let packet = number(event, "packet");
        assert_eq!(Some(event["payload"].clone()), of(packet));
    }
    let begins = trace.at("server", "applet-call");
    let begins = numbers(&begins, "t_ns");
    let ends = trace.at("server", "applet-return");
    let moved = trace.at("server", "dma");
    let is_within = |time: u64| {
        let mut calls = begins.iter().zip(&ends);
        calls.any(|(begin, end)| *begin < time && time < number(end, "t_ns"))
    };
    let within = numbers(&moved, "t_ns")
        .into_iter()
        .filter(|time| is_within(*time));
    assert!(
        within.count() > 2,
        "packets arrive while the call before goes on"
    );
}

#[test]
fn naming_a_buffer_twice_hands_it_out_once() {
    let rest = send("10us", "{ random = 400 }") + "repeat = 30\nevery = '500us'\n";
    for kind in [6, 8, 10] {
        let keys = "free_buffers = { count = 3, length = 2048 }";
        let trace = hostile(kind, keys, &rest);
        assert_eq!(trace.end.reason, EndReason::Idle, "{kind}");
        let offsets = trace.at("server", "dma");
        let offsets = numbers(&offsets, "offset");
        assert!(
            offsets
                .iter()
                .all(|offset| offset % 2048 == 0 && *offset < 3 * 2048)
        );
    }
}

#[test]
fn a_trap_can_leave_the_message_in_its_buffer() {
    let sends = (0..20).map(|index| send(&format!("{}us", 10 + 300 * index), "{ random = 1000 }"));
    let rest: String = sends.collect();
    let keys = "on_trap = 'base-path'\nfree_buffers = { count = 2, length = 1024 }";
    let trace = hostile(7, keys, &rest);
    let sent = trace.at("client", "wire-tx");
    let received = messages(&trace, "server");
    assert_eq!(received.len(), 20);
    for (sent, (_, bytes)) in sent.iter().zip(&received) {
        assert_eq!(sent["payload"], **bytes);
    }
    // One transfer for each packet: the base path moves nothing again.
    assert_eq!(trace.at("server", "dma").len(), 20);
}

#[test]
fn what_needs_whole_packets_is_refused() {
    for (keys, what) in [
        ("interface = 'emp'", "endpoint of an interface but `unet`"),
        ("interface = 'via'", "endpoint of an interface but `unet`"),
        ("accept_capsules = true", "`accept_capsules`"),
        (
            "applet = ['builtin:DirectUnet', 'builtin:DirectUnet']",
            "chain of applets",
        ),
    ] {
        let text = Pair::PLAIN.scenario(DIRECT).server(keys).toml();
        let error = nic_runtime::scenario::parse(text.as_bytes(), None, None);
        let text = format!("{:?}", error.expect_err(keys));
        assert!(
            text.contains("ReceivesDirectly") && text.contains(what),
            "{text}"
        );
    }
}

#[test]
fn an_applet_of_the_other_kind_of_nic_is_refused() {
    for (profile, applet, code) in [
        ("lanai-1998-direct", "RawUnet", "applet/unset-rx-buf"),
        ("lanai-1998", "DirectUnet", "applet/missing-member"),
        ("lanai-1998", "WindowBarrier", "offer"),
    ] {
        let scenario = format!("profile = '{profile}'");
        let server = format!("applet = 'builtin:{applet}'");
        let toml = Pair::PLAIN.scenario(&scenario).server(&server).toml();
        let error = simulate(&read(&toml)).err().expect("it is refused");
        let text = match error {
            nic_runtime::SimError::Class { error, .. } => error.code().to_owned(),
            other => other.to_string(),
        };
        assert!(text.contains(code), "{applet}: {text}");
    }
}

#[test]
fn one_class_is_judged_for_each_kind_of_its_nics() {
    let toml = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\nprofile = 'lanai-1998-direct'\n\
         [[link]]\nbetween = ['a', 'b']\nprofile = 'lanai-1998'\n\
         [[endpoint]]\nnic = 'a'\nname = 'A'\napplet = 'builtin:Counter'\n\
         [[endpoint]]\nnic = 'b'\nname = 'B'\napplet = 'builtin:Counter'\n\
         [[channel]]\nA = 1\nB = 1\n";
    let error = simulate(&read(toml)).err().expect("it is refused");
    assert!(error.to_string().contains("does not set it"), "{error}");
    let mixed = toml.replacen(
        "builtin:Counter'\n[[channel]]",
        "builtin:DirectCounter'\n[[channel]]",
        1,
    );
    let trace =
        run(&(mixed
            + "[[send]]\nendpoint = 'A'\nchannel = 1\nat = '1us'\npayload = { count = 70 }\n"));
    assert_eq!(messages(&trace, "B"), [(1, "00000001".to_owned())]);
}

/// The two kinds of NIC, each with the applet that does the semantics of standard U-Net there.
const KINDS: [(&str, &str); 2] = [
    ("lanai-1998", "RawUnet"),
    ("lanai-1998-direct", "DirectUnet"),
];

/// Receives one message of this length. Returns the microseconds from its last bit to its descriptor, and how many bytes
/// were written to NIC memory and moved by DMA.
fn received_once(profile: &str, applet: &str, length: u32) -> (f64, u64) {
    let server = format!("applet = 'builtin:{applet}'");
    let rest = send("10us", &format!("{{ count = {length} }}"));
    let trace = received_by(profile, &server, &rest);
    let at = |name: &str| numbers(&trace.at("server", name), "t_ns")[0];
    let moved: u64 = numbers(&trace.at("server", "dma"), "length").iter().sum();
    let kept = Profile::builtin(profile).expect("built in").header();
    let entered = kept.map_or(length, |header| header.min(length));
    let ns = at("rx-descriptor") - at("wire-rx");
    (ns as f64 / 1e3, u64::from(entered) + moved)
}

/// Returns the NIC memory of the server, without programs.
fn sram(profile: &str, applet: &str) -> u64 {
    let server = format!("applet = 'builtin:{applet}'");
    let scenario = format!("profile = '{profile}'");
    let scenario = read(&Pair::PLAIN.scenario(&scenario).server(&server).toml());
    let holders = sram_holders(&scenario).expect("it fits");
    let of_server = holders.iter().filter(|holder| holder.nic == NicId(1));
    let counted = of_server.filter(|holder| !matches!(holder.share, SramShare::Program(_)));
    counted.map(|holder| holder.bytes).sum()
}

fn table() -> String {
    let mut table =
        "| | `lanai-1998`, `RawUnet` | `lanai-1998-direct`, `DirectUnet` |\n|---|---:|---:|\n"
            .to_owned();
    for length in [40, 1_000, 4_096] {
        let [staged, direct] =
            KINDS.map(|(profile, applet)| received_once(profile, applet, length));
        table += &format!(
            "| {length} bytes: us from the last bit to the descriptor | {:.1} | {:.1} |\n\
             | {length} bytes: written to NIC memory and moved by DMA | {} | {} |\n",
            staged.0, direct.0, staged.1, direct.1
        );
    }
    let [staged, direct] = KINDS.map(|(profile, applet)| sram(profile, applet));
    table + &format!("| bytes of NIC memory, without programs | {staged} | {direct} |\n")
}

#[test]
fn the_table_of_direct_reception_is_fresh() {
    page::has_table("simulation.md", "direct", &table());
}
