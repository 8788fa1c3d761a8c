//! Captures as payloads: each packet is sent, whatever the length of the capture, or the command says which is not.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::process::Ended;
use crate::skipped::skip;
use crate::{jive_in, tshark, words};

/// Two endpoints, from the first of which messages go to the second.
const PAIR: &str = "[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n\
                    [[endpoint]]\nnic = \"a\"\nname = \"client\"\n\
                    [[endpoint]]\nnic = \"b\"\nname = \"server\"\n\
                    [[channel]]\nclient = 1\nserver = 7\n";

/// A packet of a capture: its time in microseconds, how long it was, and how much of it was captured.
type Packet = (u64, usize, usize);

/// Makes a pcap file of these packets, whose bytes count up.
fn pcap(packets: impl IntoIterator<Item = Packet>) -> Vec<u8> {
    let words =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let narrow = |number: usize| u32::try_from(number).expect("short");
    let mut file = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
    for (micros, length, captured) in packets {
        let seconds = u32::try_from(micros / 1_000_000).expect("soon");
        let rest = u32::try_from(micros % 1_000_000).expect("below a million");
        file.extend(words(&[seconds, rest, narrow(captured), narrow(length)]));
        file.extend((0..captured).map(|byte| byte as u8));
    }
    file
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(bytes).expect("it is in memory");
    file.finish().expect("it is in memory")
}

/// Runs a scenario with a send whose keys are `send`, and returns how the command ended and its summary.
fn run(directory: &Path, root: &str, send: &str, options: &str) -> (Ended, serde_json::Value) {
    let text = format!("{root}{PAIR}[[send]]\nendpoint = \"client\"\nchannel = 1\n{send}\n");
    fs::write(directory.join("s.toml"), text).expect("it can be written");
    let line = format!("run s.toml --trace json {options}");
    let ended = jive_in(directory, words(&line), b"");
    let last = ended.out.lines().last().unwrap_or("null");
    let summary = serde_json::from_str(last).expect("it is JSON");
    (ended, summary)
}

/// Returns how many messages the server was shown.
fn delivered(summary: &serde_json::Value) -> u64 {
    summary["totals"]["delivered"].as_u64().expect("a count")
}

#[test]
fn a_capture_of_seconds_is_sent_to_its_end() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = pcap((0..643).map(|number| (number * 8_100, 40, 40)));
    fs::write(directory.path().join("x.pcap"), file).expect("it can be written");
    let payload = "payload = { pcap = \"x.pcap\" }";
    let (ended, summary) = run(directory.path(), "", payload, "");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(
        (delivered(&summary), &summary["ended"]),
        (643, &"idle".into())
    );
    // The scenario's own `until` holds, and is no reason to complain.
    let (ended, summary) = run(directory.path(), "until = \"1s\"\n", payload, "");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(
        (delivered(&summary), &summary["ended"]),
        (124, &"until".into())
    );
    // A repetition that ends after the capture counts too.
    let repeated = format!("{payload}\nrepeat = 3\nevery = \"4s\"");
    let (_, summary) = run(directory.path(), "", &repeated, "");
    assert_eq!(delivered(&summary), 3 * 643);
}

#[test]
fn packets_of_which_the_beginning_was_captured_are_padded_or_left_out() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let packets = [(0, 60, 60), (10, 80, 60), (20, 60, 60), (30, 1_000, 60)];
    let plain = pcap(packets);
    for (name, file) in [("x.pcap", plain.clone()), ("x.pcap.gz", gzip(&plain))] {
        fs::write(directory.path().join(name), file).expect("it can be written");
        let lengths = |cut: &str| {
            let payload = format!("payload = {{ pcap = \"{name}\"{cut} }}");
            let (ended, summary) = run(
                directory.path(),
                "",
                &payload,
                "--pcap out.pcapng --tap host-rx",
            );
            assert_eq!(ended.status, 0, "{}", ended.err);
            let written = tshark::read(&directory.path().join("out.pcapng"));
            let lengths = written.map(|written| {
                let lengths = written.packets.iter().map(|packet| packet.length);
                lengths.collect::<Vec<_>>()
            });
            (lengths, summary["captures"][0].clone())
        };
        let row = |packets, padded, left_out| serde_json::json!({ "send": 1, "packets": packets, "padded": padded, "left_out": left_out });
        let (padded, counts) = lengths(", cut = \"pad\"");
        assert_eq!(counts, row(4, 2, 0));
        let (rest, counts) = lengths(", cut = \"drop\"");
        assert_eq!(counts, row(2, 0, 2));
        let (Some(padded), Some(rest)) = (padded, rest) else {
            return skip("padded captures read by tshark", "no `tshark` on the path");
        };
        assert_eq!((padded, rest), (vec![60, 80, 60, 1_000], vec![60, 60]));
        let refused = format!("payload = {{ pcap = \"{name}\" }}");
        let (ended, _) = run(directory.path(), "", &refused, "");
        assert_eq!(ended.status, 2);
        let part = "found 60 of 80 bytes of packet 2; `cut` can be `pad` or `drop`";
        assert!(ended.err.contains(part), "{}", ended.err);
    }
}

#[test]
fn an_applet_reads_compressed_captures_and_those_of_beginnings() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = gzip(&pcap([(0, 60, 60), (10, 80, 60), (20, 60, 60)]));
    fs::write(directory.path().join("x.pcap.gz"), file).expect("it can be written");
    for (cut, status, arrived, said) in [
        (
            "pad",
            0,
            3,
            "1 packets, of which the capture has only the beginning, are padded",
        ),
        (
            "drop",
            0,
            2,
            "1 packets, of which the capture has only the beginning, are left out",
        ),
        ("refuse", 2, 1, "found 60 of 80 bytes of packet 2"),
    ] {
        let line = format!("run --applet builtin:Drop --in x.pcap.gz --trace json --cut {cut}");
        let ended = jive_in(directory.path(), words(&line), b"");
        assert_eq!(ended.status, status, "{cut}: {}", ended.err);
        assert!(ended.err.contains(said), "{cut}: {}", ended.err);
        let summary: serde_json::Value =
            serde_json::from_str(ended.out.lines().last().unwrap_or_default()).expect("it is JSON");
        assert_eq!(summary["totals"]["packets_received"], arrived, "{cut}");
    }
    let line = "run --applet builtin:Drop --in x.pcap.gz --cut off";
    let ended = jive_in(directory.path(), words(line), b"");
    assert_eq!(ended.status, 2);
    assert!(
        ended.err.contains("expected one of refuse, pad, drop"),
        "{}",
        ended.err
    );
}

#[test]
fn a_capture_too_long_to_be_held_is_sent_as_one_that_is_held() {
    // A held capture has 65,536 packets at most.
    const COUNT: u64 = 65_600;
    const HELD: u64 = 65_000;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let packets = |numbers: std::ops::Range<u64>| pcap(numbers.map(|number| (number * 40, 60, 60)));
    for (name, numbers) in [("all", 0..COUNT), ("one", 0..HELD), ("two", HELD..COUNT)] {
        let path = directory.path().join(format!("{name}.pcap"));
        fs::write(path, packets(numbers)).expect("it can be written");
    }
    // The lines of the summary with times and sums, and how the command ended.
    let run = |send: &str| {
        let text = format!("{PAIR}[[send]]\nendpoint = \"client\"\nchannel = 1\n{send}\n");
        fs::write(directory.path().join("s.toml"), text).expect("it can be written");
        let ended = jive_in(directory.path(), words("run s.toml --trace none"), b"");
        let line = |name: &str| {
            let mut lines = ended.out.lines();
            lines
                .find(|line| line.starts_with(name))
                .unwrap_or_default()
                .to_owned()
        };
        let lines = ["virtual time", "delivered", "sent"].map(line);
        (ended.status, lines, ended.err)
    };
    let (status, [time, delivered, sent], err) = run("payload = { pcap = \"all.pcap\" }");
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(delivered, format!("delivered     {COUNT} messages"));
    let bytes = COUNT * 60;
    assert!(
        sent.contains(&format!("{COUNT} packets, {bytes} bytes")),
        "{sent}"
    );
    // The last packets of the capture take the same time in a capture of their own.
    let at = HELD * 40;
    let held = format!("at = \"{at}us\"\npayload = {{ pcap = \"two.pcap\" }}\n");
    let (_, [time_of_held, ..], _) = run(&held);
    assert_eq!(time_of_held, time);
    let both = format!(
        "{held}[[send]]\nendpoint = \"client\"\nchannel = 1\npayload = {{ pcap = \"one.pcap\" }}"
    );
    let (status, _, err) = run(&both);
    assert_eq!(status, 2);
    assert!(
        err.contains("at most 65536 messages of sends and captures"),
        "{err}"
    );
    let (status, _, _) = run("repeat = 2\npayload = { pcap = \"all.pcap\" }");
    assert_eq!(status, 2, "repetitions need held packets");
}

#[test]
fn what_a_default_cuts_off_is_said() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let late = "at = \"900ms\"\nrepeat = 5\nevery = \"40ms\"\npayload = { text = \"hello\" }";
    let (ended, summary) = run(directory.path(), "", late, "");
    assert_eq!(ended.status, 4);
    let said =
        "2 of 5 messages of `[[send]]` 1 (client, channel 1) are not posted, and 0 are under way";
    assert!(
        ended.err.contains("the default of `until` cut the run"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains(said), "{}", ended.err);
    let row = serde_json::json!([{
        "send": 1, "endpoint": "client", "channel": 1, "messages": 5, "unposted": 2, "under_way": 0
    }]);
    assert_eq!(summary["cut"], row);
    let (ended, summary) = run(directory.path(), "", late, "--allow-cut");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(summary["cut"], row);
    let (ended, summary) = run(directory.path(), "until = \"1s\"\n", late, "");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert_eq!(summary["cut"], serde_json::json!([]));

    // The message is posted just before the default ends the run, and arrives after it.
    let under_way = "at = \"999999us\"\npayload = { zeros = 4000 }";
    let (ended, summary) = run(directory.path(), "", under_way, "");
    assert_eq!(ended.status, 4, "{}", ended.err);
    assert_eq!(summary["cut"][0]["under_way"], 1);

    // Each of the other limits is a default too, until the scenario sets it.
    let many = "repeat = 12000000\npayload = { zeros = 0 }";
    let (ended, summary) = run(
        directory.path(),
        "until = \"1s\"\nmax_events = 100\n",
        many,
        "",
    );
    assert_eq!((ended.status, &summary["ended"]), (0, &"max-events".into()));
}

#[test]
fn a_test_that_is_cut_fails() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let late = "at = \"2s\"\npayload = { text = \"hello\" }\n[[expect]]\ndrops = 0";
    run(directory.path(), "", late, "");
    let line = || words("test s.toml");
    let ended = jive_in(directory.path(), line(), b"");
    assert_eq!(ended.status, 1);
    assert!(ended.out.contains("1 of 1 messages"), "{}", ended.out);
    run(directory.path(), "until = \"1s\"\n", late, "");
    let ended = jive_in(directory.path(), line(), b"");
    assert_eq!(ended.status, 0, "{}", ended.out);
}

#[test]
fn programs_that_answer_each_other_for_ever_cut_nothing_off() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let both = PAIR.replace("name = \"client\"", "name = \"client\"\nhost = \"echo\"");
    let both = both.replace("name = \"server\"", "name = \"server\"\nhost = \"echo\"");
    let text = format!(
        "{both}[[send]]\nendpoint = \"client\"\nchannel = 1\npayload = {{ text = \"hello\" }}\n"
    );
    fs::write(directory.path().join("s.toml"), text).expect("it can be written");
    let ended = jive_in(directory.path(), words("run s.toml --trace none"), b"");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert!(
        ended.out.contains("the limit `until` was reached"),
        "{}",
        ended.out
    );
}
