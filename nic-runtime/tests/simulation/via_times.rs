//! The times that docs/via.md states, to the nanosecond: when a silence ends, when an interrupt is over, and what waits
//! for what.

use nic_runtime::profile::{Events, Profile};
use nic_runtime::scenario::parse_on;
use serde_json::Value;

use crate::trace::{Trace, number, numbers, run, simulate};
use crate::via::pair;
use crate::via_over_memory::profile_with;

/// How long a NIC waits for an acknowledgement or for a write (docs/via.md), in nanoseconds.
const SILENCE_NS: u64 = 20_000_000;

fn message(at: &str, keys: &str) -> String {
    format!("[[send]]\nendpoint = 'left'\nchannel = 1\nat = '{at}'\n{keys}\n")
}

/// Returns the events of an endpoint with this name whose field has this value.
fn with<'t>(
    trace: &'t Trace,
    (endpoint, name): (&str, &str),
    (field, value): (&str, &str),
) -> Vec<&'t Value> {
    let mut found = trace.at(endpoint, name);
    found.retain(|event| event[field] == value);
    found
}

#[test]
fn connection_ends_20_ms_after_the_oldest_packet() {
    let more = message("0us", "payload = { zeros = 9 }\nrepeat = 3\nevery = '7ms'");
    for profile in ["lanai-1998", "giganet-1999", "modern"] {
        for level in ["delivery", "reception"] {
            let text = pair("loss = 1.0", &format!("reliability = '{level}'"), &more);
            let trace = run(&format!("profile = '{profile}'\n{text}"));
            let sent = numbers(&trace.at("left", "wire-tx"), "t_ns")[0];
            let ended = with(&trace, ("left", "vi-state"), ("state", "error"));
            assert_eq!(
                numbers(&ended, "t_ns"),
                [sent + SILENCE_NS],
                "{profile} {level}"
            );
            let closed = with(&trace, ("left", "wire-tx"), ("kind", "close"));
            assert_eq!(
                numbers(&closed, "t_ns"),
                [sent + SILENCE_NS],
                "{profile} {level}"
            );
        }
    }
}

#[test]
fn count_follows_the_last_write_by_20_ms() {
    let sends = |gap: &str| {
        message(
            "0us",
            &format!("payload = {{ zeros = 9 }}\nrepeat = 4\nevery = '{gap}'"),
        )
    };
    for (gap, counts) in [("12ms", 1), ("19ms", 1), ("21ms", 4), ("50ms", 4)] {
        // The link has faults, and none of them strikes.
        let text = pair("loss = 0.000000001", "", &sends(gap));
        let trace = run(&format!("profile = 'clan-2001'\n{text}"));
        let writes = numbers(&trace.at("left", "window-write"), "t_ns");
        let counted = numbers(
            &with(&trace, ("left", "wire-tx"), ("kind", "count")),
            "t_ns",
        );
        let last = |before: u64| writes.iter().copied().filter(|time| *time < before).max();
        assert_eq!(counted.len(), counts, "{gap}");
        for time in counted {
            assert_eq!(Some(time - SILENCE_NS), last(time), "{gap}");
        }
        let clean = run(&format!(
            "profile = 'clan-2001'\n{}",
            pair("", "", &sends(gap))
        ));
        assert!(with(&clean, ("left", "wire-tx"), ("kind", "count")).is_empty());
    }
}

fn by_interrupts() -> (Profile, u64) {
    let mut profile = profile_with(2_048);
    profile.clan.as_mut().expect("a section of CLAN").events = Events::Interrupt;
    let upcall = profile.host.upcall.as_ns();
    assert!(upcall > 0);
    (profile, upcall)
}

#[test]
fn one_interrupt_serves_all_writes_meanwhile() {
    let (mut profile, _) = by_interrupts();
    // One interrupt takes longer than the time between the two messages.
    profile.host.upcall = nic_core::time::SimDuration::from_ns(9_000);
    let more = message("0us", "payload = { zeros = 9 }\nrepeat = 2");
    let scenario = parse_on(
        &pair(
            "",
            "poll_every = '1ns'\ncompletion = { receive = 'q' }",
            &more,
        ),
        &profile,
    )
    .expect("it is right");
    let trace = simulate(&scenario).expect("it fits");
    // The pointer of a message is its last write.
    let came = numbers(
        &with(&trace, ("right", "wire-rx"), ("kind", "write")),
        "t_ns",
    );
    let first = came[1];
    let seen = numbers(&trace.at("right", "rx-descriptor"), "t_ns");
    assert!(came[3] < first + 9_000, "{came:?}");
    assert_eq!(seen, [first + 9_000; 2]);
}

#[test]
fn the_host_takes_one_interrupt_of_its_nic_after_another() {
    let (mut profile, _) = by_interrupts();
    profile.host.upcall = nic_core::time::SimDuration::from_ns(9_000);
    let mut text = String::from("[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n");
    for (nic, name) in [("a", "one"), ("a", "two"), ("b", "x"), ("b", "y")] {
        text += &format!(
            "[[endpoint]]\nnic = '{nic}'\nname = '{name}'\ninterface = 'via'\n\
             completion = {{ receive = 'q' }}\n"
        );
    }
    text += "[[channel]]\none = 1\nx = 1\n[[channel]]\ntwo = 1\ny = 1\n";
    for name in ["one", "two"] {
        text += &format!("[[send]]\nendpoint = '{name}'\nchannel = 1\npayload = {{ zeros = 9 }}\n");
    }
    let scenario = parse_on(&text, &profile).expect("it is right");
    let trace = simulate(&scenario).expect("it fits");
    let came = number(with(&trace, ("x", "wire-rx"), ("kind", "write"))[1], "t_ns");
    let seen = ["x", "y"].map(|name| number(trace.at(name, "rx-descriptor")[0], "t_ns"));
    assert_eq!(seen, [came + 9_000, came + 18_000]);
}

#[test]
fn deferred_messages_leave_in_the_order_of_their_posts() {
    let keys = "on_empty = 'defer'\nfree_buffers = { count = 1, length = 64 }\npoll_every = '50us'";
    let more: String = (1..=8)
        .map(|length| message("0us", &format!("payload = {{ zeros = {length} }}")))
        .collect();
    for level in ["unreliable", "delivery", "reception"] {
        let text = pair("", &format!("{keys}\nreliability = '{level}'"), &more);
        let trace = run(&format!("profile = 'clan-2001'\n{text}"));
        let received = trace.at("right", "rx-descriptor");
        assert_eq!(numbers(&received, "length"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            numbers(&trace.at("left", "tx-done"), "length"),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
        // The user looks each 50 us, posts the descriptor again, and takes one message each time.
        let times = numbers(&received, "t_ns");
        let looks = numbers(&trace.at("right", "rx-post"), "t_ns");
        let looks = &looks[1..];
        assert!(
            looks
                .iter()
                .zip(&times)
                .all(|(look, came)| look > came && look - came <= 51_000)
        );
    }
}
