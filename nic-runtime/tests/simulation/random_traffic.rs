//! Messages with random times, lengths and channels, and closed loops.

use std::collections::BTreeMap;

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, Names, Sink};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimTime;
use nic_runtime::Run;
use nic_runtime::run::RunEnd;
use nic_runtime::scenario::parse;

/// What the endpoint with number 0 posted, and how many of its messages had no answer at a time.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    posted: Vec<(SimTime, ChannelId, usize)>,
    missing: u64,
    most_missing: u64,
}

impl Sink for Seen {
    fn event(&mut self, _: &dyn Names, event: &Event<'_>) {
        match (event.kind.roles().step, event.endpoint) {
            (
                Step::Posted {
                    channel, payload, ..
                },
                Some(EndpointId(0)),
            ) => {
                self.posted.push((event.time, channel, payload.len()));
                self.missing += 1;
                self.most_missing = self.most_missing.max(self.missing);
            }
            (Step::Delivered { .. }, Some(EndpointId(0))) => self.missing -= 1,
            _ => {}
        }
    }
}

/// Runs a scenario in which a client sends messages with these keys over three channels to a server.
fn run(keys: &str, rest: &str, seed: u64) -> (Seen, RunEnd) {
    let text = format!(
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\nhost = 'echo'\n\
         [[channel]]\nclient = 1\nserver = 1\n[[channel]]\nclient = 2\nserver = 2\n\
         [[channel]]\nclient = 3\nserver = 3\n\
         [[send]]\nendpoint = 'client'\npayload = {{ count = 1500 }}\n{keys}\n{rest}"
    );
    let scenario = parse(text.as_bytes(), None, Some(seed));
    let scenario = scenario.unwrap_or_else(|error| panic!("{keys}: {error}"));
    let mut seen = Seen::default();
    let ran = Run::new(&scenario).sink(&mut seen).execute();
    (seen, ran.expect("it can be run").end)
}

#[test]
fn lengths_and_channels_are_drawn_for_each_message() {
    let keys = "repeat = 600\nevery = '200us'\nto = { uniform = [1, 2, 3] }\n\
                length = { choices = { 64 = 7, 570 = 4, 1500 = 1 } }";
    let (seen, end) = run(keys, "", 7);
    assert_eq!((end.reason, seen.posted.len()), (EndReason::Idle, 600));
    let (mut lengths, mut channels) = (BTreeMap::new(), BTreeMap::new());
    for (_, channel, length) in &seen.posted {
        *lengths.entry(*length).or_insert(0) += 1;
        *channels.entry(channel.0).or_insert(0) += 1;
    }
    // Three standard deviations are below 40.
    for (length, expected) in [(64, 350_i32), (570, 200), (1500, 50)] {
        let found: i32 = lengths[&length];
        assert!((found - expected).abs() < 40, "{length}: {found}");
    }
    assert_eq!(lengths.len(), 3);
    let even = channels
        .values()
        .all(|found: &i32| (found - 200).abs() < 40);
    assert!(even && channels.len() == 3, "{channels:?}");
    // The draws depend on the seed and on no neighbour.
    assert_eq!(run(keys, "", 7).0, seen);
    assert_ne!(run(keys, "", 8).0.posted, seen.posted);
    let neighbour = "[[endpoint]]\nnic = 'b'\nname = 'third'\n\
                     [[channel]]\nthird = 1\nserver = 4\n\
                     [[send]]\nendpoint = 'third'\npayload = { zeros = 9 }\n\
                     to = { uniform = [1] }\nlength = { uniform = [1, 9] }\nrepeat = 3\n";
    assert_eq!(run(keys, neighbour, 7).0.posted, seen.posted);
}

#[test]
fn a_sender_of_bursts_is_on_and_off() {
    let keys = "channel = 1\nrepeat = 400\nevery = '50us'\ngap = { on = '1ms', off = '9ms' }\n\
                length = { uniform = [1, 2] }";
    let (seen, end) = run(&format!("{keys}\nat = '1ms'"), "", 3);
    assert_eq!(
        end.reason,
        EndReason::Idle,
        "400 messages are some twenty bursts"
    );
    let gaps = seen
        .posted
        .windows(2)
        .map(|pair| pair[1].0.since(pair[0].0));
    let gaps: Vec<u64> = gaps.map(|gap| gap.as_ns()).collect();
    // A gap is the interval, but for the post before it that may have waited.
    let bursts = gaps
        .iter()
        .filter(|ns| ns.abs_diff(50_000) < 20_000)
        .count();
    let pauses = gaps.iter().filter(|ns| **ns > 200_000).count();
    assert!(bursts > gaps.len() * 8 / 10, "{bursts} of {}", gaps.len());
    assert!(pauses >= 3, "{pauses}");
}

#[test]
fn a_file_of_times_is_followed_line_by_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("gaps.csv");
    std::fs::write(&file, "# from tshark\n0.000300000\r\n1ms\n\n200us").expect("written");
    let text = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
                [[endpoint]]\nnic = 'a'\nname = 'client'\n[[endpoint]]\nnic = 'b'\nname = 'server'\n\
                [[channel]]\nclient = 1\nserver = 1\n\
                [[send]]\nendpoint = 'client'\nchannel = 1\npayload = { zeros = 4 }\nrepeat = 5\n\
                gap = { trace = 'gaps.csv' }\n";
    let read = || parse(text.as_bytes(), Some(directory.path()), None);
    let mut seen = Seen::default();
    let scenario = read().expect("it is valid");
    let ran = Run::new(&scenario).sink(&mut seen).execute();
    ran.expect("it can be run");
    let times = seen.posted.iter().map(|(at, _, _)| at.as_ns());
    assert_eq!(
        times.collect::<Vec<_>>(),
        [0, 300_000, 1_300_000, 1_500_000, 1_800_000]
    );
    for (wrong, said) in [
        ("1ms\n-2ms\n", "in line 2"),
        ("# nothing\n", "in line 1"),
        ("1ms, 2ms\n", "in line 1"),
    ] {
        std::fs::write(&file, wrong).expect("written");
        let error = read().expect_err(wrong).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_closed_loop_has_as_many_messages_without_an_answer_as_it_may() {
    for outstanding in [1, 8] {
        let keys = format!("channel = 2\nrepeat = 300\noutstanding = {outstanding}");
        let (seen, end) = run(&keys, "", 1);
        assert_eq!((end.reason, end.cut.len()), (EndReason::Idle, 0));
        assert_eq!((seen.posted.len(), seen.missing), (300, 0));
        assert_eq!(seen.most_missing, outstanding);
    }
    // A message that the NIC refuses gets no answer, and the next one does not wait for it.
    let (seen, end) = run("channel = 9\nrepeat = 30\noutstanding = 2", "", 1);
    assert_eq!((seen.posted.len(), end.cut.len()), (30, 0));
}

#[test]
fn a_closed_loop_without_answers_is_reported() {
    let lossy = "[[link]]\nbetween = ['a', 'b']\nloss = 1.0\n";
    let (seen, end) = run("channel = 1\nrepeat = 30\noutstanding = 4", lossy, 1);
    assert_eq!((end.reason, seen.posted.len()), (EndReason::Idle, 4));
    let cut: Vec<_> = end
        .cut
        .iter()
        .map(|cut| (cut.messages, cut.unposted))
        .collect();
    assert_eq!(cut, [(30, 26)]);
}

#[test]
fn distributions_that_there_are_not_are_mistakes() {
    for (keys, said) in [
        ("channel = 1\nlength = { uniform = [9, 3] }", "uniform"),
        (
            "channel = 1\nlength = { uniform = [1, 1501] }",
            "at least 1501 bytes",
        ),
        ("channel = 1\nlength = { choices = {} }", "choices"),
        ("channel = 1\nlength = { choices = { 64 = 0 } }", "above 0"),
        (
            "channel = 1\nlength = { choices = { 64 = -1.5 } }",
            "above 0",
        ),
        ("channel = 1\nlength = { choices = { x = 1 } }", "choices"),
        (
            "channel = 1\nlength = { choices = { 64 = inf } }",
            "above 0",
        ),
        ("channel = 1\nlength = {}", "expected one of"),
        ("channel = 1\nlength = { zipf = { to = 9 } }", "exponent"),
        (
            "channel = 1\nlength = { zipf = { from = 10, to = 9, exponent = 1 } }",
            "zipf",
        ),
        (
            "channel = 1\nlength = { zipf = { to = 4000000000, exponent = 1 } }",
            "65536",
        ),
        ("channel = 1\nlength = { uniform = [1, 2] }\ntag = 3", "tag"),
        (
            "channel = 1\nto = { uniform = [1] }",
            "no `channel` beside `to`",
        ),
        ("to = { uniform = [] }", "a channel at least"),
        ("to = {}", "uniform"),
        ("repeat = 2", "channel"),
        ("channel = 1\noutstanding = 0", "outstanding"),
        (
            "channel = 1\noutstanding = 8\nevery = '1us'",
            "no `every` beside `outstanding`",
        ),
        ("channel = 1\ngap = { on = '1ms' }", "off"),
        ("channel = 1\ngap = { off = '1ms' }", "expected one of"),
        (
            "channel = 1\ngap = { on = '1ms', off = '1ms' }",
            "at least `every`",
        ),
        (
            "channel = 1\nevery = '2ms'\ngap = { on = '1ms', off = '1ms' }",
            "at least `every`",
        ),
        ("channel = 1\ngap = { trace = 'nowhere.csv' }", "no files"),
    ] {
        let text = format!(
            "[[nic]]\nname = 'a'\n[[endpoint]]\nnic = 'a'\nname = 'x'\n[[channel]]\nx = [1, 2]\n\
             [[send]]\nendpoint = 'x'\npayload = {{ zeros = 1500 }}\n{keys}\n"
        );
        let error = parse(text.as_bytes(), None, None);
        let error = error.expect_err(keys).to_string();
        assert!(error.contains(said), "{keys}: {error}");
    }
}
