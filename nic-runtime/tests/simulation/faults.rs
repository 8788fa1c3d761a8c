//! Quotas of a call, and the policies for messages on which an applet traps.

use crate::trace::{Pair, Trace, number, send};

fn run(server: &str, sends: &str) -> Trace {
    Pair::PLAIN
        .server(&format!("applet = 'Hostile.class'\n{server}"))
        .rest(sends)
        .run()
}

/// Runs a pair whose server's user posts a message of this length, which selects the behaviour of the applet `Hostile`.
fn harm(kind: u32, rest: &str) -> Trace {
    let post = format!(
        "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = {{ zeros = {kind} }}\n"
    );
    run(rest, &post)
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
fn repeated_traps_detach_the_applet_for_longer() {
    let detach = "on_trap = 'detach'\ndetach_after = 2\nback_off = '1500us'";
    let trace = run(detach, &messages());
    // The applet is detached from 2 to 3.5 ms, called again at 4 ms and detached for 3 ms, and called again at 8 ms.
    assert_eq!(times_ms(&trace, "trap"), [1, 2, 4, 8]);
    assert_eq!(times_ms(&trace, "drop"), [1, 2, 4, 8]);
    assert_eq!(times_ms(&trace, "rx-descriptor"), [3, 5, 6, 7]);
}

#[test]
fn a_descriptor_that_traps_can_take_the_base_path() {
    let sends = "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = { zeros = 3 }\n";
    let hostile = |policy: &str| {
        Pair::PLAIN
            .server(&format!("applet = 'Hostile.class'\n{policy}"))
            .rest(sends)
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

#[test]
fn call_traps_beyond_its_quota_of_packets() {
    // Profile `lanai-1998` allows 64 packets in a call. The applet `Hostile` sends without end on channel 1, which only
    // the client has, so the client runs the applet.
    let sends = "[[send]]\nendpoint = 'client'\nchannel = 1\nat = '1ms'\npayload = { zeros = 4 }\n";
    let trace = Pair::PLAIN
        .client("applet = 'Hostile.class'")
        .rest(sends)
        .run();
    assert_eq!(trace.at("client", "wire-tx").len(), 64);
    assert_eq!(trace.at("client", "trap")[0]["kind"], "QuotaExceeded");
}

#[test]
fn call_traps_beyond_its_quota_of_bytes() {
    // Profile `lanai-1998` allows DMA of 128 KiB in a call; 87 transfers of 1,500 bytes leave 572 bytes.
    let trace = harm(5, "");
    assert_eq!(trace.at("server", "dma").len(), 131_072 / 1500);
    assert_eq!(trace.at("server", "trap")[0]["kind"], "QuotaExceeded");
}

#[test]
fn natives_use_the_fuel_that_the_profile_says() {
    // The method `doTx` of `RawUnet` has 12 instructions. Its natives `doHtoLDMA` and `txPush` add fuel of 93 and 63
    // under `lanai-1998-split`.
    const NEEDED: u32 = 12 + 93 + 63;
    let run = |fuel: u32| {
        let client = format!("applet = 'builtin:RawUnet'\nfuel = {fuel}");
        Pair::PLAIN
            .scenario("profile = 'lanai-1998-split'")
            .client(&client)
            .rest(&send("1ms", "{ zeros = 40 }"))
            .run()
    };
    let enough = run(NEEDED);
    assert_eq!(enough.at("client", "tx-done")[0]["status"], "ok");
    let calls = enough.at("client", "applet-return");
    assert_eq!(number(calls[calls.len() - 1], "bytecodes"), 12);
    let short = run(NEEDED - 1);
    assert_eq!(short.at("client", "trap")[0]["kind"], "FuelExhausted");
}
