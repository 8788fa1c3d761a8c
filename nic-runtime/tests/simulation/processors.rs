//! NICs with several processors: where stages run, how work is handed over, and that only one processor at a time calls
//! an applet.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::EndReason;
use nic_runtime::run::CallWaits;
use serde_json::Value;

use crate::runs::runs;
use crate::trace::{Trace, run};

/// Runs two NICs with the endpoints `client` and `server`, both with the applet `RawUnet`. Each endpoint in `senders`
/// sends 40-byte messages without a pause.
fn busy(nic: &str, senders: &[(&str, i32)]) -> Trace {
    run(&busy_toml(nic, senders))
}

fn busy_toml(nic: &str, senders: &[(&str, i32)]) -> String {
    let mut toml = format!(
        "profile = 'lanai-1998-parallel'\n[[nic]]\nname = 'a'\n{nic}\n[[nic]]\nname = 'b'\n{nic}\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'builtin:RawUnet'\nrx_queue = 4096\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'builtin:RawUnet'\nrx_queue = 4096\n\
         [[channel]]\nclient = 1\nserver = 7\n"
    );
    for (endpoint, channel) in senders {
        toml += &format!(
            "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\nat = '10us'\nrepeat = 600\nevery = '1us'\n\
             payload = {{ zeros = 40 }}\n"
        );
    }
    toml
}

/// Returns the mean time in microseconds between two messages that `endpoint` receives, in the steady state.
fn us_per_message(trace: &Trace, endpoint: &str) -> f64 {
    let times: Vec<f64> = trace
        .at(endpoint, "rx-descriptor")
        .iter()
        .map(|event| event["t_ns"].as_f64().expect("a time"))
        .collect();
    let (first, last) = (100, 500);
    (times[last] - times[first]) / 1e3 / (last - first) as f64
}

#[track_caller]
fn assert_close(us: f64, expected: f64) {
    let off = us / expected - 1.0;
    assert!(off.abs() < 0.03, "{us:.2} us, expected {expected}");
}

#[test]
fn waits_for_an_applet_are_counted() {
    let waits = |nic: &str| {
        let toml = busy_toml(nic, BOTH_WAYS);
        let (_, states) = Run::new(&crate::scenario::read(&toml))
            .keep_states()
            .execute()
            .expect("it fits")
            .end_and_states();
        states[0].applet.as_ref().expect("it has one").waits
    };
    assert_eq!(waits(""), CallWaits::default());
    let waits = waits(TWO);
    // About half of the calls find another call running, and wait for a part of that call's 16 or 25 us.
    assert!(waits.count > 200, "{waits:?}");
    let mean = waits.time.as_ns() / waits.count;
    assert!((500..25_000).contains(&mean), "{waits:?}");
}

const BOTH_WAYS: &[(&str, i32)] = &[("client", 1), ("server", 7)];
const TWO: &str = "processors = 2\nplacement = { doTx = 0, doRx = 1 }";

// The expected values of the three tests below are independent of the simulator's code. The first expected value was
// measured before the simulator had several processors. The other expected values come from a separate model of the
// same costs.

#[test]
fn one_processor_sends_and_receives_in_turn() {
    assert_close(us_per_message(&busy("", BOTH_WAYS), "client"), 71.6);
}

#[test]
fn two_processors_never_run_one_applet_at_once() {
    assert_close(us_per_message(&busy(TWO, BOTH_WAYS), "client"), 40.7);
}

#[test]
fn two_processors_run_two_applets_at_once() {
    let endpoint = |nic: &str, name: &str| {
        format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = 'builtin:RawUnet'\nrx_queue = 4096\n"
        )
    };
    let send = |endpoint: &str| {
        format!(
            "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '10us'\nrepeat = 600\nevery = '1us'\n\
             payload = {{ zeros = 40 }}\n"
        )
    };
    let toml = [
        format!(
            "[[nic]]\nname = 'a'\nsram = '1MiB'\n{TWO}\n[[nic]]\nname = 'b'\nsram = '1MiB'\n{TWO}\n"
        ),
        endpoint("a", "source"),
        endpoint("a", "sink"),
        endpoint("b", "far-source"),
        endpoint("b", "far-sink"),
        "[[channel]]\nsource = 1\nfar-sink = 7\n[[channel]]\nfar-source = 1\nsink = 7\n".into(),
        send("source"),
        send("far-source"),
    ];
    assert_close(us_per_message(&run(&toml.concat()), "sink"), 36.3);
}

/// Returns the starts and ends of an endpoint's calls, in the order of the trace.
fn calls<'t>(trace: &'t Trace, endpoint: &str) -> Vec<&'t str> {
    trace
        .events
        .iter()
        .filter(|event| event["endpoint"] == endpoint)
        .filter_map(|event| event["event"].as_str())
        .filter(|name| ["applet-call", "applet-return", "trap"].contains(name))
        .collect()
}

/// Returns the payloads that each endpoint received on each channel, in order.
fn deliveries(trace: &Trace) -> BTreeMap<(String, i64), Vec<&Value>> {
    let mut deliveries: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in trace.of("rx-descriptor") {
        let endpoint = event["endpoint"].as_str().expect("a name").to_owned();
        let channel = event["channel"].as_i64().expect("a number");
        deliveries
            .entry((endpoint, channel))
            .or_default()
            .push(&event["payload"]);
    }
    deliveries
}

/// A scenario of four endpoints on two NICs. Each endpoint sends to both endpoints on the other NIC, over a link that
/// loses and reorders packets. The applets' calls commute, and one of the applets traps now and then.
fn crossing(seed: u64, nic: &str) -> String {
    let mut toml = format!(
        "seed = {seed}\nuntil = '10s'\n[[nic]]\nname = 'a'\nsram = '4MiB'\n{nic}\n[[nic]]\nname = 'b'\nsram = '4MiB'\n{nic}\n\
         [[link]]\nbetween = ['a', 'b']\nloss = 0.1\nduplicate = 0.05\ncorrupt = 0.05\n"
    );
    let applets = ["RawUnet", "AckInNic", "RawUnet", ""];
    for (number, applet) in applets.iter().enumerate() {
        for nic in ["a", "b"] {
            let applet = match *applet {
                "" => String::new(),
                name => format!("applet = 'builtin:{name}'\non_trap = 'base-path'\n"),
            };
            // One endpoint has too little fuel for some of its calls.
            let fuel = if number == 2 { "fuel = 60\n" } else { "" };
            toml += &format!(
                "[[endpoint]]\nnic = '{nic}'\nname = '{nic}{number}'\n{applet}{fuel}rx_queue = 4096\n\
                 free_buffers = {{ count = 64, length = 512 }}\n"
            );
        }
    }
    for from in 0..applets.len() {
        for to in 0..applets.len() {
            toml += &format!("[[channel]]\na{from} = {}\nb{to} = {}\n", to + 1, from + 1);
        }
    }
    for from in 0..applets.len() {
        for (nic, to) in [("a", 1), ("b", 2)] {
            let length = 30 + 40 * from;
            toml += &format!(
                "[[send]]\nendpoint = '{nic}{from}'\nchannel = {}\nat = '{}us'\nrepeat = 6\nevery = '37us'\n\
                 payload = {{ zeros = {length} }}\n",
                (from + to) % applets.len() + 1,
                10 + 3 * from
            );
        }
    }
    toml
}

#[test]
fn every_placement_delivers_the_same() {
    let placements = [
        "doTx = 0, doRx = 1",
        "doTx = 1, doRx = 0",
        "transmit = 1, receive = 0, doTx = 0, doRx = 1",
        "transmit = 0, receive = 1, doTx = 1, doRx = 1",
        "receive = 1",
    ];
    let (mut traps, mut lost) = (0, 0);
    let seeds = runs(20);
    for seed in 1..=seeds {
        let alone = run(&crossing(seed, ""));
        assert_eq!(alone.end.reason, EndReason::Idle);
        traps += alone.of("trap").len();
        lost += alone.of("wire-drop").len();
        for placement in placements {
            let nic = format!("processors = 2\nplacement = {{ {placement} }}");
            let beside = run(&crossing(seed, &nic));
            assert_eq!(beside.end.reason, EndReason::Idle);
            assert_eq!(
                deliveries(&beside),
                deliveries(&alone),
                "seed {seed}, {placement}"
            );
            for number in 0..4 {
                for nic in ["a", "b"] {
                    let calls = calls(&beside, &format!("{nic}{number}"));
                    let is_call = |name: &&str| *name == "applet-call";
                    assert!(
                        calls
                            .chunks(2)
                            .all(|pair| is_call(&pair[0]) && !is_call(&pair[1])),
                        "seed {seed}, {placement}: {calls:?}"
                    );
                }
            }
        }
    }
    let per_seed = |count: usize| count as u64 / seeds;
    assert!(
        per_seed(traps) > 0 && per_seed(lost) > 0,
        "{traps} traps, {lost} lost"
    );
}

#[test]
fn handover_and_busy_neighbour_cost_time() {
    use nic_core::time::SimDuration;

    let nic = "processors = 2\nplacement = { transmit = 0, receive = 0, doTx = 0, doRx = 1 }";
    let toml = |nic: &str| {
        format!(
            "[[nic]]\nname = 'a'\n{nic}\n[[nic]]\nname = 'b'\n{nic}\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'builtin:RawUnet'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'builtin:RawUnet'\n\
             [[channel]]\nclient = 1\nserver = 7\n\
             [[send]]\nendpoint = 'client'\nchannel = 1\nat = '10us'\npayload = {{ zeros = 40 }}\n"
        )
    };
    let received = |handover: u64, contention: u32, nic: &str| {
        let mut scenario = crate::scenario::read(&toml(nic));
        scenario.profile.processor.handover = SimDuration::from_ns(handover);
        scenario.profile.processor.contention = contention;
        let trace = crate::trace::simulate(&scenario).expect("it fits");
        trace.at("server", "rx-descriptor")[0]["t_ns"]
            .as_u64()
            .expect("a time")
    };
    let alone = received(0, 1000, "");
    assert_eq!(received(0, 1000, nic), alone);
    assert_eq!(
        received(700, 1000, nic),
        alone + 700,
        "the arrival moves once"
    );
    assert_eq!(
        received(0, 1400, nic),
        alone,
        "one message keeps one processor busy at a time"
    );
}

#[test]
fn dma_slots_are_granted_in_order_of_waiting() {
    // The timers of the endpoint `busy` fill the DMA slots from the first processor and wait for more slots. Each
    // message of the endpoint `quiet` needs a DMA slot on the second processor.
    let trace = run("until = '20ms'\n\
         [[nic]]\nname = 'a'\nprocessors = 2\nplacement = { transmit = 1, doTx = 1 }\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'busy'\napplet = 'Copier.class'\n\
         [[endpoint]]\nnic = 'a'\nname = 'quiet'\napplet = 'Copier.class'\n\
         [[endpoint]]\nnic = 'b'\nname = 'peer'\n[[endpoint]]\nnic = 'b'\nname = 'other'\n\
         [[channel]]\nbusy = 1\npeer = 1\n[[channel]]\nquiet = 1\nother = 1\n\
         [[send]]\nendpoint = 'busy'\nchannel = 1\nat = '1us'\npayload = { hex = '01' }\n\
         [[send]]\nendpoint = 'quiet'\nchannel = 1\nat = '2ms'\npayload = { zeros = 1 }\nrepeat = 8\nevery = '1us'\n");
    assert_eq!(trace.at("quiet", "tx-done").len(), 8);
}
