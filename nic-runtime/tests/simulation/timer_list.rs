//! Timers, compared with a plain list: set for earlier and for later, cancelled, due while their applet is detached, and
//! far apart, so that clocks of 32 bits wrap.

use std::fmt::Write;

use nic_core::event::EndReason;
use nic_core::random::Generator;
use serde_json::Value;

use crate::runs::runs;
use crate::spaced::{below, index};
use crate::trace::{Trace, number, run};
use crate::turns::command;

/// How many endpoints have a timer each, on one NIC.
const ENDPOINTS: usize = 4;

/// Long times, after which clocks of 32 bits that count microseconds wrap or turn negative, in microseconds.
const LONG_US: [u64; 3] = [(1 << 31) - 1, 1 << 31, 1 << 32];

/// The set-up of a call of `doTimer` on `lanai-1998`.
const SETUP_NS: u64 = 600;

/// A scenario in which the users of `Clock` send commands at random times.
fn scenario(seed: u64) -> String {
    let mut generator = Generator::named(seed, &["timers"]);
    let g = &mut generator;
    let mut toml = String::from(
        "until = '18000000s'\n[[nic]]\nname = 'a'\nsram = '1MiB'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'b'\nname = 'peer'\n",
    );
    for number in 0..ENDPOINTS {
        let back_off = ["300us", "7ms", "3000s"][index(g, 3)];
        write!(
            toml,
            "[[endpoint]]\nnic = 'a'\nname = 'e{number}'\napplet = 'Clock.class'\n\
             on_trap = 'detach'\ndetach_after = 1\nback_off = '{back_off}'\n\
             [[channel]]\ne{number} = 1\npeer = {number}\n"
        )
        .expect("a string takes it");
    }
    let mut now_us = 0;
    for _ in 0..60 {
        now_us += match below(g, 12) {
            0 => LONG_US[index(g, 3)],
            1..4 => below(g, 10_000),
            _ => below(g, 900),
        };
        let after = match below(g, 8) {
            0 => 0,
            1 => 1,
            // The longest time that an applet can set.
            2 => (1 << 31) - 1,
            3 => below(g, 1 << 31) as u32,
            _ => below(g, 3_000) as u32,
        };
        // One command in six sets the timer and traps, so that the applet is detached.
        let what = u8::from(below(g, 6) == 0);
        write!(
            toml,
            "[[send]]\nendpoint = 'e{}'\nchannel = 1\nat = '{}ns'\npayload = {}\n",
            index(g, ENDPOINTS),
            now_us * 1_000 + below(g, 1_000),
            command(what, 0, after)
        )
        .expect("a string takes it");
    }
    toml
}

/// What happened to the timers of a run.
#[derive(Default)]
struct Counts {
    exact: u64,
    behind_others: u64,
    put_off: u64,
    replaced: u64,
}

/// Compares the calls of `doTimer` with a list of the timers that are set.
fn compare(trace: &Trace, counts: &mut Counts) {
    // By endpoint: when the timer is due, and from when the applet is attached.
    let mut list: Vec<(Option<u64>, u64)> = vec![(None, 0); ENDPOINTS];
    let mut busy_until = 0;
    for event in &trace.events {
        let now = number(event, "t_ns");
        let name = event["endpoint"].as_str().unwrap_or_default();
        let Some(endpoint) = name.strip_prefix('e').and_then(|e| e.parse::<usize>().ok()) else {
            continue;
        };
        let begins = event["event"] == "applet-call" && event["method"] == "doTimer";
        // A timer that expired before this event must have been called, unless the processor was busy.
        for (other, (due, _)) in list.iter().enumerate() {
            let is_called = begins && other == endpoint;
            let late = due.is_some_and(|due| due + SETUP_NS < now && busy_until + 200_000 < now);
            assert!(is_called || !late, "e{other} was due at {due:?}: {event}");
        }
        let (due, attached) = &mut list[endpoint];
        match event["event"].as_str().expect("events have names") {
            "native" if event["name"] == "setTimer" => {
                let after = event["args"][0].as_u64().expect("a number");
                counts.replaced += u64::from(due.is_some());
                *due = (after > 0).then_some(now + 1_000 * after);
            }
            "applet-detach" => *attached = now + number(event, "dur_ns"),
            "applet-call" if begins => {
                let set = due
                    .take()
                    .unwrap_or_else(|| panic!("no timer is set: {event}"));
                let expected = set + SETUP_NS;
                assert!(now >= expected, "{expected}: {event}");
                if now == expected {
                    counts.exact += 1;
                } else {
                    // The processor was busy with another call or a descriptor.
                    counts.behind_others += 1;
                    assert!(
                        now < busy_until.max(expected) + 200_000,
                        "{expected}: {event}"
                    );
                }
            }
            _ => {}
        }
        // A timer that is due while its applet is detached moves to the end of that.
        for (due, attached) in &mut list {
            if let Some(due) = due
                && *due < *attached
            {
                *due = *attached;
                counts.put_off += 1;
            }
        }
        if is_work(event) {
            busy_until = now;
        }
    }
    assert!(list.iter().all(|(due, _)| due.is_none()), "{list:?}");
}

/// Returns whether a processor of NIC `a` is busy at this event.
fn is_work(event: &Value) -> bool {
    let name = event["event"].as_str().expect("events have names");
    name.starts_with("applet-") || matches!(name, "native" | "dma" | "tx-post" | "tx-done" | "trap")
}

#[test]
fn timers_expire_as_a_plain_list_says() {
    let mut counts = Counts::default();
    let seeds = runs(12);
    for seed in 0..seeds {
        let trace = run(&scenario(seed));
        assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}");
        compare(&trace, &mut counts);
    }
    let Counts {
        exact,
        behind_others,
        put_off,
        replaced,
    } = counts;
    println!(
        "{seeds} seeds: {exact} calls to the nanosecond, {behind_others} behind others, \
         {put_off} put off by a detachment, {replaced} timers set again"
    );
    assert!(exact > 4 * behind_others, "{exact} {behind_others}");
    assert!(put_off > 0 && replaced > 0);
}
