//! Quotas of a call, and what becomes of what an applet traps on.

use crate::trace::{Pair, Trace, number, send};

fn run(server: &str, sends: &str) -> Trace {
    Pair {
        server: &format!("applet = 'Hostile.class'\n{server}"),
        rest: sends,
        ..Pair::PLAIN
    }
    .run()
}

fn messages() -> String {
    send("1ms", "{ count = 3 }") + "repeat = 8\nevery = '1ms'\n"
}

fn times_ms(trace: &Trace, event: &str) -> Vec<u64> {
    let events = trace.at("server", event);
    let times = events.iter().map(|event| number(event, "t_ns") / 1_000_000);
    times.collect()
}

#[test]
fn a_packet_that_traps_is_dropped_unless_said_otherwise() {
    let trace = run("", &messages());
    assert_eq!(trace.at("server", "trap").len(), 8);
    assert_eq!(trace.at("server", "drop").len(), 8);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 0);
}

#[test]
fn a_packet_that_traps_can_take_the_base_path() {
    let trace = run("on_trap = 'base-path'", &messages());
    assert_eq!(trace.at("server", "trap").len(), 8);
    assert_eq!(trace.at("server", "drop").len(), 0);
    let received = trace.at("server", "rx-descriptor");
    let sent = trace.at("client", "wire-tx");
    assert_eq!(received.len(), 8);
    assert!(
        received
            .iter()
            .all(|event| event["payload"] == sent[0]["payload"])
    );
}

#[test]
fn an_applet_that_keeps_trapping_is_detached_for_longer_each_time() {
    let detach = "on_trap = 'detach'\ndetach_after = 2\nback_off = '1500us'";
    let trace = run(detach, &messages());
    // Detached from 2 ms to 3.5, tried again at 4 and detached for 3 ms, tried again at 8.
    assert_eq!(times_ms(&trace, "trap"), [1, 2, 4, 8]);
    assert_eq!(times_ms(&trace, "drop"), [1, 2, 4, 8]);
    assert_eq!(times_ms(&trace, "rx-descriptor"), [3, 5, 6, 7]);
}

#[test]
fn a_descriptor_that_traps_can_take_the_base_path() {
    let sends = "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = { zeros = 3 }\n";
    let hostile = |policy: &str| {
        Pair {
            server: &format!("applet = 'Hostile.class'\n{policy}"),
            rest: sends,
            ..Pair::PLAIN
        }
        .run()
    };
    let dropped = hostile("");
    assert_eq!(dropped.at("server", "tx-done")[0]["status"], "trap");
    assert_eq!(dropped.at("client", "rx-descriptor").len(), 0);
    let passed = hostile("on_trap = 'base-path'");
    assert_eq!(passed.at("server", "trap").len(), 1);
    assert_eq!(passed.at("server", "tx-done")[0]["status"], "ok");
    assert_eq!(passed.at("client", "rx-descriptor")[0]["payload"], "000000");
}
