//! Processes with several endpoints, hosts with few processors, and host programs that a user of the library supplies.

use nic_runtime::Run;
use std::sync::{Arc, Mutex};

use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::run::SimError;

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Trace, run};

/// A scenario in which `count` endpoints on NIC `b` echo messages of as many on NIC `a`, which send ten times at the
/// same times.
fn echoes(count: usize, server: &str, of_endpoint: &str) -> Trace {
    let mut toml = format!(
        "profile = 'modern'\nuntil = '100ms'\n[[nic]]\nname = 'a'\nsram = '64MiB'\n[[nic]]\nname = 'b'\nsram = '64MiB'\n{server}"
    );
    for number in 0..count {
        toml += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'c{number}'\n[[endpoint]]\nnic = 'b'\nname = 's{number}'\n{of_endpoint}\n\
             [[channel]]\nc{number} = 1\ns{number} = 7\n\
             [[send]]\nendpoint = 'c{number}'\nchannel = 1\nat = '1us'\nrepeat = 10\nevery = '1us'\n\
             payload = {{ zeros = 1000 }}\n"
        );
    }
    run(&toml)
}

const ONE: &str = "[[host]]\nnic = 'b'\nprocessors = 1\n";
const SERVER: &str = "[[process]]\nname = 'server'\nnic = 'b'\nprogram = 'echo'\n";

/// Returns the times in nanoseconds at which endpoints of NIC `b` posted echoes.
fn replies(trace: &Trace) -> Vec<u64> {
    let posts = trace.of("tx-post").into_iter();
    posts
        .filter(|event| event["nic"] == "b")
        .map(|event| event["t_ns"].as_u64().expect("a time"))
        .collect()
}

/// Returns how long an echo of 1,000 bytes keeps the host busy.
fn echo_takes() -> SimDuration {
    let host = &read("profile = 'modern'\n[[nic]]\nname = 'a'\n")
        .profile
        .host;
    let bytes = 1_000_000_000_000 / host.bandwidth.get() * 1_000;
    host.receive + host.post + SimDuration::from_ps(bytes)
}

#[test]
fn a_process_replies_no_faster_than_one_computes() {
    let least = echo_takes().as_ns();
    let own_processes = replies(&echoes(100, "", "host = 'echo'"));
    let one_process = replies(&echoes(100, SERVER, "process = 'server'"));
    let both = replies(&echoes(
        100,
        &format!("{ONE}{SERVER}"),
        "process = 'server'",
    ));
    let one_processor = replies(&echoes(100, ONE, "host = 'echo'"));
    for (what, replies) in [
        ("one process", &one_process),
        ("one process on one processor", &both),
        ("processes on one processor", &one_processor),
    ] {
        assert_eq!(replies.len(), 1_000, "{what}");
        for pair in replies.windows(2) {
            // The times of the trace are rounded down, so the comparison has a tolerance of 1 ns.
            assert!(pair[1] - pair[0] + 1 >= least, "{what}: {pair:?}, {least}");
        }
    }
    assert_eq!(one_process, both);
    let span = |replies: &[u64]| replies[replies.len() - 1] - replies[0];
    assert!(span(&own_processes) < span(&one_process));
}

#[test]
fn as_many_processes_run_as_there_are_processors() {
    let least = echo_takes().as_ns();
    let host = "[[host]]\nnic = 'b'\nprocessors = 3\n";
    // The host programs poll after all messages have arrived.
    let echo = "host = 'echo'\npoll_every = '1ms'\nfree_buffers = { count = 16, length = 1024 }";
    let replies = replies(&echoes(20, host, echo));
    assert_eq!(replies.len(), 200);
    for window in replies.windows(4) {
        assert!(window[3] - window[0] + 1 >= least, "{window:?}, {least}");
    }
    // With two processors, the echoes would take as long as 100 echoes in a row.
    let span = replies[199] - replies[0];
    assert!(span < 100 * least, "{span}, {least}");
}

#[test]
fn endpoints_of_a_process_take_turns() {
    let trace = echoes(10, SERVER, "process = 'server'");
    let first: Vec<&str> = trace
        .of("tx-post")
        .into_iter()
        .filter(|event| event["nic"] == "b")
        .take(10)
        .map(|event| event["endpoint"].as_str().expect("a name"))
        .collect();
    let mut distinct = first.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 10, "{first:?}");
}

/// The events that were reported to a program, with the time in nanoseconds.
type Told = Arc<Mutex<Vec<(u64, String)>>>;

/// A program that posts a request, waits for the answer, computes, and repeats this. The program also sets one timer.
struct Client {
    left: u32,
    told: Told,
}

impl HostProgram for Client {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let word = match what {
            Happened::Started => {
                actions.wake_at(SimTime::ZERO + SimDuration::from_ns(50_000));
                "started".to_owned()
            }
            Happened::Time => "time".to_owned(),
            Happened::Message { payload, .. } => {
                actions.compute(SimDuration::from_ns(7_000));
                String::from_utf8_lossy(payload).into_owned()
            }
            Happened::Completed { status, .. } => format!("{status:?}"),
            Happened::Connection { what, .. } => format!("{what:?}"),
            Happened::Vi { what, .. } => format!("{what:?}"),
            Happened::Port { what, .. } => format!("{what:?}"),
            Happened::Window { what, .. } => format!("{what:?}"),
        };
        let is_turn = matches!(what, Happened::Time | Happened::Message { .. });
        if is_turn && self.left > 0 {
            self.left -= 1;
            let home = actions.endpoints()[0];
            let payload = format!("request {}", self.left).into_bytes();
            actions.post(home, ChannelId(1), payload);
            // A post to an endpoint of another process has no effect.
            actions.post(EndpointId(1), ChannelId(7), vec![0]);
        }
        let now = actions.now();
        self.told
            .lock()
            .expect("nobody panics")
            .push((now.as_ns(), word));
    }
}

const PAIR: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
    [[endpoint]]\nnic = 'a'\nname = 'client'\n\
    [[endpoint]]\nnic = 'b'\nname = 'server'\nhost = 'echo'\n\
    [[channel]]\nclient = 1\nserver = 7\n";

#[test]
fn own_program_asks_and_waits_for_answers() {
    let told = Told::default();
    let client = Client {
        left: 3,
        told: Arc::clone(&told),
    };
    let programs = Programs::new().with("client", client);
    let end = Run::new(&read(PAIR))
        .programs(programs)
        .execute()
        .expect("it can be run")
        .end;
    crate::trace::check_moves(&end);
    let told = std::mem::take(&mut *told.lock().expect("nobody panics"));
    let words: Vec<&str> = told.iter().map(|(_, word)| word.as_str()).collect();
    assert_eq!(
        words,
        [
            "started",
            "time",
            "Ok",
            "request 2",
            "Ok",
            "request 1",
            "Ok",
            "request 0"
        ]
    );
    assert_eq!((told[0].0, told[1].0), (0, 50_000));
    assert!(
        end.time.as_ns() >= told[7].0 + 7_000,
        "it computes at the end"
    );
}

#[test]
fn a_program_for_nobody_is_an_error() {
    let client = Client {
        left: 0,
        told: Told::default(),
    };
    let programs = Programs::new().with("clint", client);
    let error = Run::new(&read(PAIR))
        .programs(programs)
        .execute()
        .expect_err("nobody has the name");
    assert_eq!(error, SimError::NoProcess { program: 0 });
}

#[test]
fn sharing_processors_changes_no_result() {
    for seed in 0..runs(30) {
        let toml = |host: &str| {
            format!(
                "seed = {seed}\nuntil = '1s'\n{PAIR}[[endpoint]]\nnic = 'b'\nname = 'other'\nhost = 'echo'\n\
                 [[endpoint]]\nnic = 'a'\nname = 'far'\nrx_queue = 1000\nfree_buffers = {{ count = 100, length = 64 }}\n\
                 [[channel]]\nfar = 1\nother = 7\n\
                 [[send]]\nendpoint = 'far'\nchannel = 1\nrepeat = 50\nevery = '{}us'\npayload = {{ random = 30 }}\n\
                 [[send]]\nendpoint = 'client'\nchannel = 1\nrepeat = 50\nevery = '{}us'\npayload = {{ random = 20 }}\n{host}",
                300 + seed % 7,
                290 + seed % 11,
            )
        };
        let deliveries = |trace: &Trace, endpoint: &str| -> Vec<String> {
            let events = trace.at(endpoint, "rx-descriptor").into_iter();
            events.map(|event| event["payload"].to_string()).collect()
        };
        let (alone, shared) = (run(&toml("")), run(&toml(ONE)));
        for endpoint in ["client", "far", "server", "other"] {
            let expected = deliveries(&alone, endpoint);
            assert_eq!(expected.len(), 50, "{endpoint}");
            assert_eq!(
                deliveries(&shared, endpoint),
                expected,
                "{seed}: {endpoint}"
            );
        }
    }
}
