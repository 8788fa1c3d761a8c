//! Timers of applets: setting them, and the calls of `doTimer` (docs/natives.md).
//!
//! On `lanai-1998` the set-up of `doTimer` takes 0.6 us and its call 3.2 us, like those of `doRx`. Each native that a
//! call of `doTimer` uses takes 5.5 us. The applet `Ticker` therefore sets the next timer 9.3 us after the previous one
//! expired, for 20 us later.

use nic_core::event::EndReason;
use serde_json::Value;

use crate::trace::{Pair, Trace, numbers, send};

const TICKER: &str = "applet = 'Ticker.class'";

fn ticks(rest: &str, until: &str) -> Trace {
    Pair::PLAIN
        .scenario(&format!("until = '{until}'"))
        .client(TICKER)
        .rest(rest)
        .run()
}

/// Returns the times of the calls of `doTimer`, in nanoseconds.
fn calls(trace: &Trace) -> Vec<u64> {
    let calls = trace.at("client", "applet-call");
    let of_timer = calls.into_iter().filter(|call| call["method"] == "doTimer");
    numbers(&of_timer.collect::<Vec<_>>(), "t_ns")
}

#[test]
fn timer_of_the_initializer_runs_until_replaced() {
    let trace = ticks("", "200us");
    assert_eq!(
        calls(&trace),
        [20_600, 49_900, 79_200, 108_500, 137_800, 167_100, 196_400]
    );
    assert_eq!(trace.end.reason, EndReason::Until, "it ticks for ever");
}

#[test]
fn what_an_applet_traces_is_in_the_trace() {
    let trace = ticks("", "200us");
    let traced: Vec<(u64, i64, i64)> = trace
        .at("client", "applet-trace")
        .iter()
        .map(|event| {
            let number = |field: &str| event[field].as_i64().unwrap();
            (
                event["t_ns"].as_u64().unwrap(),
                number("tag"),
                number("value"),
            )
        })
        .collect();
    assert_eq!(
        traced,
        [
            (40_300, 1, 34),
            (69_600, 2, 64),
            (98_900, 3, 93),
            (128_200, 4, 122),
            (157_500, 5, 152),
            (186_800, 6, 181)
        ]
    );
}

#[test]
fn a_trap_ends_that_call_alone() {
    let trace = ticks("", "200us");
    let traps = trace.at("client", "trap");
    assert_eq!(traps.len(), 1);
    assert_eq!(traps[0]["kind"], "ArithmeticException");
    assert!(trace.of("drop").is_empty(), "there was no message to drop");
}

#[test]
fn a_time_of_zero_cancels_and_another_replaces() {
    // The second call of `doTimer` sets the timer at 58.6 us. The processor takes the message at 66 us, and the call
    // for the message sets the timer again.
    let cancelled = ticks(&send("66us", "{ hex = '00' }"), "1s");
    assert_eq!(calls(&cancelled), [20_600, 49_900]);
    assert_eq!(cancelled.end.reason, EndReason::Idle);
    let later = ticks(&send("66us", "{ hex = '64' }"), "2ms");
    let set = later
        .at("client", "native")
        .into_iter()
        .find(|native| native["args"] == serde_json::json!([1000]))
        .and_then(|native| native["t_ns"].as_u64())
        .expect("the message sets the timer");
    assert_eq!(calls(&later)[2], set + 1_000_600);
}

#[test]
fn the_processor_is_free_before_the_timer_is_called() {
    // The second timer expires at 78.6 us, before the processor takes the message at 79.2 us. The processor therefore
    // calls `doTimer` first, and the message waits.
    let trace = ticks(&send("76us", "{ hex = '64' }"), "150us");
    let events: Vec<&Value> = trace.at("client", "applet-call");
    let methods: Vec<_> = events.iter().map(|call| &call["method"]).collect();
    assert_eq!(methods[methods.len() - 2..], ["doTimer", "doTx"]);
}

#[test]
fn a_negative_time_is_a_protection_fault() {
    let trace = Pair::PLAIN
        .client("applet = 'Negative.class'")
        .rest(&send("1us", "{ hex = '01' }"))
        .run();
    assert_eq!(trace.at("client", "trap")[0]["kind"], "ProtectionFault");
    assert_eq!(trace.end.reason, EndReason::Idle);
}

#[test]
fn a_processor_of_its_own_runs_the_timer() {
    let trace = crate::trace::run(
        "until = '200us'\n[[nic]]\nname = 'a'\nprocessors = 2\nplacement = { doTimer = 1 }\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'Ticker.class'\n",
    );
    assert_eq!(calls(&trace).len(), 7);
}
