//! `doRefill`: a call tells an applet of a buffer that its user returns (docs/natives.md).

use crate::trace::{Pair, Trace, send};

const REFILLER: &str = "applet = 'Refiller.class'\nfree_buffers = { count = 4, length = 512 }";

fn refills(server: &str, rest: &str) -> Trace {
    Pair::PLAIN
        .client("applet = 'Refiller.class'")
        .server(&format!("{REFILLER}\n{server}"))
        .rest(rest)
        .run()
}

/// Returns the arguments length and offset of each call of the server's `doRefill`, and the returned value, which is
/// the channel.
fn told(trace: &Trace) -> Vec<(i64, i64, i64)> {
    let calls = trace.at("server", "applet-call").into_iter();
    let calls = calls.filter(|call| call["method"] == "doRefill");
    calls
        .map(|call| {
            let argument = |number: usize| call["args"][number].as_i64().unwrap();
            (argument(0), argument(1), argument(2))
        })
        .collect()
}

#[test]
fn returned_buffers_are_reported_in_order() {
    let trace = refills("", &send("1us", "{ zeros = 1000 }"));
    assert_eq!(told(&trace), [(512, 7, 0), (512, 7, 512)]);
    // Each call of `doRefill` returned the channel, and traced its other arguments.
    let traced = trace.at("server", "applet-trace");
    let traced: Vec<_> = traced
        .iter()
        .map(|event| (&event["tag"], &event["value"]))
        .collect();
    assert_eq!(format!("{traced:?}").matches("Number(512)").count(), 3);
}

#[test]
fn a_message_in_its_descriptor_is_told_of_once() {
    let trace = refills("", &send("1us", "{ zeros = 40 }"));
    assert_eq!(told(&trace), [(56, 7, -1)]);
}

#[test]
fn initially_free_buffers_are_not_reported() {
    let trace = refills("", "");
    assert!(told(&trace).is_empty());
}

#[test]
fn a_refill_waits_until_the_user_has_read() {
    let trace = refills("poll_every = '500us'", &send("1us", "{ zeros = 40 }"));
    let call = trace
        .at("server", "applet-call")
        .into_iter()
        .find(|call| call["method"] == "doRefill")
        .expect("it is told of");
    assert!(call["t_ns"].as_u64().unwrap() > 500_000);
}
