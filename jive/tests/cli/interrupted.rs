//! Ctrl-C ends a run: all output so far is complete, and the summary names the reason.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pcap_file::pcapng::{Block, PcapNgReader};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::classes;

/// A scenario whose run practically never ends.
const ENDLESS: &str = r#"
until = "1000000s"
max_events = 1000000000000
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "x"
[[channel]]
x = [1, 2]
[[send]]
endpoint = "x"
channel = 1
payload = { text = "hello" }
repeat = 1000000000000
every = "50us"
"#;

/// Starts `jive run` on a scenario, with further arguments.
fn spawned(directory: &Path, scenario: &str, words: &[&str]) -> Child {
    fs::write(directory.join("s.toml"), scenario).expect("it can be written");
    Command::new(env!("CARGO_BIN_EXE_jive"))
        .args(["run", "s.toml"])
        .args(words)
        .current_dir(directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test")
}

/// Starts the endless run with further arguments, and returns when the run has printed `lines` lines.
fn started(directory: &Path, words: &[&str], lines: usize) -> (Child, Vec<String>) {
    let mut child = spawned(directory, ENDLESS, words);
    // Read without a buffer, so that everything after the first `lines` lines stays in the pipe.
    let mut out = BufReader::with_capacity(1, child.stdout.take().expect("it was piped"));
    let first = out.by_ref().lines().take(lines);
    let first = first.map(|line| line.expect("UTF-8")).collect();
    child.stdout = Some(out.into_inner());
    (child, first)
}

fn interrupt(child: &Child) {
    let id = i32::try_from(child.id()).expect("ids are positive");
    let id = Pid::from_raw(id).expect("ids are positive");
    kill_process(id, Signal::INT).expect("it has not been waited for");
}

/// Returns the rest of standard output and the exit status.
fn ended(mut child: Child) -> (Option<i32>, String) {
    let mut rest = String::new();
    let mut out = child.stdout.take().expect("it was piped");
    out.read_to_string(&mut rest).expect("UTF-8");
    (child.wait().expect("it was started").code(), rest)
}

#[test]
fn everything_is_whole_and_the_summary_says_so() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = ["--pcap", "F", "--perfetto", "G"];
    let words = [&["--trace", "json"][..], &files].concat();
    let (child, first) = started(directory.path(), &words, 10);
    interrupt(&child);
    let (status, rest) = ended(child);
    assert_eq!(status, Some(130));

    let lines = first.iter().map(String::as_str).chain(rest.lines());
    let values = lines.map(|line| serde_json::from_str::<Value>(line).expect("a whole line"));
    let values = Vec::from_iter(values);
    let summary = values.last().expect("there are lines");
    assert_eq!(summary["event"], "summary");
    assert_eq!(summary["ended"], "interrupted");
    assert_eq!(summary["events"], values.len() - 2);

    // The capture contains every posted message of the trace, at the tap `host-tx`.
    let capture = File::open(directory.path().join("F")).expect("it was written");
    let mut reader = PcapNgReader::new(BufReader::new(capture)).expect("a capture");
    let mut posted = 0;
    while let Some(block) = reader.next_block() {
        let block = block.expect("a whole block");
        if let Block::EnhancedPacket(packet) = block {
            posted += u64::from(packet.interface_id == 0);
        }
    }
    assert_eq!(summary["totals"]["posted"], posted);
    assert!(posted > 0);

    let timeline = fs::read(directory.path().join("G")).expect("it was written");
    let timeline: Value = serde_json::from_slice(&timeline).expect("whole JSON");
    let spans = timeline["traceEvents"].as_array().expect("its events");
    assert!(spans.len() as u64 > posted, "{}", spans.len());
}

#[test]
fn every_way_to_show_a_run_can_be_interrupted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (child, _) = started(directory.path(), &[], 10);
    interrupt(&child);
    let (status, rest) = ended(child);
    assert_eq!(status, Some(130));
    assert!(rest.contains("; interrupted\n"), "{rest}");
}

/// Waits until a process catches Ctrl-C.
#[cfg(target_os = "linux")]
fn wait_until_caught(child: &Child) {
    const SIGINT_BIT: u64 = 1 << 1;
    let path = format!("/proc/{}/status", child.id());
    loop {
        let status = fs::read_to_string(&path).expect("it has not been waited for");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & SIGINT_BIT != 0) {
            return;
        }
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_profile_is_that_of_the_run_up_to_there() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let applet = "name = \"x\"\napplet = \"builtin:RawUnet\"";
    let endless = ENDLESS.replace("name = \"x\"", applet);
    fs::write(directory.path().join("s.toml"), endless).expect("it can be written");
    let profiled = |words: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
            .args(["profile", "s.toml"])
            .args(words)
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        wait_until_caught(&child);
        interrupt(&child);
        let mut errors = child.stderr.take().expect("it was piped");
        let (status, out) = ended(child);
        assert_eq!(status, Some(130));
        let mut told = String::new();
        errors.read_to_string(&mut told).expect("UTF-8");
        let start = "warning: interrupted: the profile shows the run up to ";
        assert!(told.starts_with(start), "{told}");
        out
    };
    let out = profiled(&[]);
    assert!(out.starts_with("RawUnet at x\n"), "{out}");
    let out = profiled(&["--format", "json", "--out", "p.json"]);
    assert_eq!(out, "");
    let profile = fs::read(directory.path().join("p.json")).expect("it was written");
    let profile: Value = serde_json::from_slice(&profile).expect("whole JSON");
    assert_eq!(profile["ended"], "interrupted");
    assert_eq!(profile["classes"][0]["class"], "RawUnet");
    // The run leaves no further file in the directory, such as a temporary file.
    assert_eq!(
        fs::read_dir(directory.path()).expect("it is there").count(),
        2
    );
}

/// A run that shows a message and then stays in a call for ever. The run checks for interrupts before its first event
/// and after 1,024 events, so not between message and call.
const SPINNING: &str = r#"
max_bytecodes = 1000000000000000
[[nic]]
name = "a"
[[endpoint]]
nic = "a"
name = "x"
[[endpoint]]
nic = "a"
name = "y"
applet = "Spinner.class"
fuel = 10000000000
[[channel]]
x = [1, 2]
[[channel]]
y = [1, 2]
[[send]]
endpoint = "x"
channel = 1
payload = { zeros = 6000 }
[[send]]
endpoint = "y"
channel = 1
payload = { text = "hello" }
at = "1ms"
repeat = 100
"#;

#[test]
fn a_second_one_ends_it_at_once() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("F"), "older").expect("it can be written");
    let spinner = classes().join("Spinner.class");
    fs::copy(spinner, directory.path().join("Spinner.class")).expect("it can be copied");
    let options = ["--payload", "--pcap", "F"];
    let mut child = spawned(directory.path(), SPINNING, &options);
    // The message is longer than the output buffer of `jive`, so a part of the message appears before the call.
    let out = child.stdout.as_mut().expect("it was piped");
    out.read_exact(&mut [0; 100]).expect("the run has begun");
    let status = loop {
        interrupt(&child);
        if let Some(status) = child.try_wait().expect("it was started") {
            break status;
        }
        std::thread::yield_now();
    };
    assert_eq!(status.code(), Some(130));
    let older = fs::read(directory.path().join("F")).expect("it is still there");
    assert!(older == b"older", "the first one ended the run");
}
