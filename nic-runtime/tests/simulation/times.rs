//! Times that docs/simulation.md states, to the nanosecond: detachment and back-off, suspended calls, the longest waits
//! on wires, upcalls, stops of a wire, and who is first of those that wait.

use nic_core::event::EndReason;
use nic_core::time::{Rate, SimDuration};
use nic_runtime::profile::{DmaEngines, Flow, Profile};
use nic_runtime::scenario::parse_on;

use crate::trace::{Pair, Trace, number, numbers, run, send, simulate, texts};
use crate::turns::{calls, command};

const SET: u8 = 0;
const TRAP: u8 = 1;

/// Returns when the last bit of each packet of an endpoint is on the wire, on a wire with this profile.
fn out(trace: &Trace, endpoint: &str, profile: &Profile) -> Vec<u64> {
    let rate = Rate::new(profile.wire.bandwidth);
    let left = trace.at(endpoint, "wire-tx").into_iter();
    left.map(|left| {
        let length = u32::try_from(number(left, "length")).expect("a length");
        let frame = profile.wire.framing().frame(length);
        number(left, "t_ns") + rate.time(frame).as_ns()
    })
    .collect()
}

/// Checks times that are sums of times with fractions of a nanosecond, which the trace cuts off.
fn assert_times(found: &[u64], expected: &[u64], about: &str) {
    let mut pairs = found.iter().zip(expected);
    let is_same = pairs.all(|(found, expected)| found.abs_diff(*expected) <= 1);
    assert!(
        found.len() == expected.len() && is_same,
        "{about}: found {found:?}, expected {expected:?}"
    );
}

fn on(profile: &Profile, toml: &str) -> Trace {
    let scenario = parse_on(toml, profile).expect("it is right");
    simulate(&scenario).expect("it fits")
}

fn builtin(name: &str) -> Profile {
    Profile::builtin(name).expect("a built-in profile")
}

#[test]
fn detached_applet_is_called_again_after_its_back_off() {
    let at = |time: u64, what: u8| {
        format!(
            "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '{time}ns'\npayload = {}\n",
            command(what, 0, 0)
        )
    };
    let run = |sends: &str| {
        Pair::PLAIN
            .server(
                "applet = 'Clock.class'\non_trap = 'detach'\ndetach_after = 1\nback_off = '1ms'",
            )
            .rest(sends)
            .run()
    };
    // The processor decides when it has taken the descriptor; the set-up of the call follows.
    let first = run(&(at(10_000, TRAP) + &at(5_000_000, SET)));
    let [_, called] = calls(&first, "server", "doTx")[..] else {
        panic!("two calls")
    };
    let decided = called - 700 - 5_000_000;
    let detached = first.at("server", "applet-detach");
    assert_eq!(numbers(&detached, "dur_ns"), [1_000_000]);
    let attached = number(detached[0], "t_ns") + 1_000_000;
    for (early, is_called) in [(1, false), (0, true)] {
        let trace = run(&(at(10_000, TRAP) + &at(attached - decided - early, SET)));
        let called = calls(&trace, "server", "doTx");
        assert_eq!(called.len(), 1 + usize::from(is_called), "{early}");
        let attaches = numbers(&trace.at("server", "applet-attach"), "t_ns");
        let expected = if is_called {
            vec![attached + 700]
        } else {
            vec![]
        };
        assert_eq!(attaches, expected, "{early}");
        // On the base path the message leaves for the client.
        let came = trace.at("client", "rx-descriptor").len();
        assert_eq!(came, usize::from(!is_called), "{early}");
    }
}

#[test]
fn traps_on_probation_double_the_back_off() {
    // A message each millisecond. The applet traps for all of them up to 40 ms, and not afterwards.
    let sends = |from: u64, count: u64, what: u8| {
        format!(
            "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '{from}us'\nrepeat = {count}\nevery = '1ms'\npayload = {}\n",
            command(what, 0, 0)
        )
    };
    let trace = Pair::PLAIN
        .server("applet = 'Clock.class'\non_trap = 'detach'\ndetach_after = 2\nback_off = '2500us'")
        .rest(&(sends(100, 40, TRAP) + &sends(40_100, 60, SET) + &sends(100_100, 10, TRAP)))
        .run();
    let detached = trace.at("server", "applet-detach");
    let lasted = numbers(&detached, "dur_ns");
    // Two traps, then one on each probation: 2.5, 5, 10 and 20 ms. After the calls that return, it begins again.
    let doubled = [2_500_000, 5_000_000, 10_000_000, 20_000_000];
    assert_eq!(lasted[..4], doubled);
    assert_eq!(lasted[lasted.len() - 2..], [2_500_000, 5_000_000]);
    assert_eq!(lasted.len(), 6);
    // The next call of the applet is for the first message after each detachment.
    let called = calls(&trace, "server", "doTx");
    for (detached, lasted) in numbers(&detached, "t_ns").into_iter().zip(lasted) {
        let next = called.iter().find(|call| **call > detached);
        let attached = detached + lasted;
        assert!(
            next.is_none_or(|next| (attached..attached + 1_000_000).contains(next)),
            "{detached} {lasted} {next:?}"
        );
    }
}

#[test]
fn last_packet_is_held_for_the_reordering_time() {
    for profile in ["lanai-1998", "modern", "giganet-1999"] {
        let profile = builtin(profile);
        let pair = |rest: &str| {
            Pair::PLAIN
                .client("applet = 'builtin:RawUnet'")
                .link("reorder = 1.0")
                .rest(rest)
                .toml()
        };
        let longest = profile.wire.reorder_max.as_ns();
        let came = |trace: &Trace| numbers(&trace.at("server", "wire-rx"), "t_ns");
        let lands = |trace: &Trace| -> Vec<u64> {
            let out = out(trace, "client", &profile).into_iter();
            out.map(|out| out + profile.wire.latency.as_ns()).collect()
        };
        let alone = on(&profile, &pair(&send("10us", "{ zeros = 60 }")));
        let expected = [lands(&alone)[0] + longest];
        assert_times(&came(&alone), &expected, &profile.name);
        // A packet that follows ends the wait of the one before, and is not held itself.
        let two = send("10us", "{ zeros = 60 }") + &send("30us", "{ zeros = 60 }");
        let two = on(&profile, &pair(&two));
        let second = lands(&two)[1];
        if second < lands(&two)[0] + longest {
            assert_times(&came(&two), &[second, second], &profile.name);
        }
    }
}

#[test]
fn packet_waits_on_its_wire_until_the_time_out() {
    let mut profile = builtin("modern");
    profile.wire.flow = Flow::Stop;
    profile.wire.buffer = 1 << 20;
    profile.wire.timeout = SimDuration::from_ns(40_000);
    profile.memory.arrival_slots = 1.try_into().expect("more than 0");
    // The base path of the receiver is busy with the first packet for 100 us, which holds the only slot.
    profile.base.as_mut().expect("a base path").receive = SimDuration::from_ns(100_000);
    let text = Pair::PLAIN
        .rest(&(send("10us", "{ zeros = 60 }") + &send("20us", "{ zeros = 60 }")))
        .toml();
    let trace = on(&profile, &text);
    let out = out(&trace, "client", &profile).into_iter();
    let lands: Vec<u64> = out.map(|out| out + profile.wire.latency.as_ns()).collect();
    let dropped = trace.of("wire-drop");
    let expected = [lands[1] + 40_000];
    assert_times(&numbers(&dropped, "t_ns"), &expected, "dropped");
    assert_eq!(dropped[0]["reason"], "overrun");
    let came = numbers(&trace.at("server", "wire-rx"), "t_ns");
    assert_times(&came, &lands[..1], "delivered");
}

#[test]
fn upcalls_and_reads_take_their_time() {
    for name in ["lanai-1998", "modern", "giganet-1999"] {
        let mut profile = builtin(name);
        profile.host.upcall = SimDuration::from_ns(7_000);
        profile.host.receive = SimDuration::from_ns(900);
        profile.host.post = SimDuration::from_ns(300);
        let text = Pair::PLAIN
            .server("notify = 'upcall'\nhost = 'echo'")
            .rest(&send("10us", "{ zeros = 0 }"))
            .toml();
        let trace = on(&profile, &text);
        let came = number(trace.at("server", "rx-descriptor")[0], "t_ns");
        // An echo spends the time of the post before its `tx-post`. A message without bytes takes no copy.
        let answered = number(trace.at("server", "tx-post")[0], "t_ns");
        assert_eq!(answered, came + 7_000 + 900 + 300, "{name}");
    }
}

/// The client and its neighbours send to endpoints of a NIC with one arrival slot, while the slot is taken.
fn waiting(order: [&str; 3]) -> Vec<String> {
    let mut profile = builtin("modern");
    profile.memory.arrival_slots = 1.try_into().expect("more than 0");
    profile.base.as_mut().expect("a base path").receive = SimDuration::from_ns(200_000);
    let mut text = String::from("[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n");
    for name in ["first", "x", "y", "z"] {
        text += &format!("[[endpoint]]\nnic = 'a'\nname = '{name}'\n");
    }
    text += "[[endpoint]]\nnic = 'b'\nname = 'server'\n";
    for (number, name) in ["first", "x", "y", "z"].iter().enumerate() {
        text += &format!("[[channel]]\n{name} = 1\nserver = {number}\n");
    }
    let mut send = |endpoint: &str, at: u64| {
        text += &format!(
            "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}us'\npayload = {{ zeros = 60 }}\n"
        );
    };
    send("first", 10);
    for (number, name) in (0u64..).zip(order) {
        send(name, 40 + 30 * number);
    }
    let trace = on(&profile, &text);
    assert_eq!(trace.end.reason, EndReason::Idle);
    let left = trace.of("wire-tx").into_iter().skip(1);
    left.map(|left| left["endpoint"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn the_sender_that_has_waited_longest_gets_the_slot() {
    for order in [["x", "y", "z"], ["z", "y", "x"], ["y", "z", "x"]] {
        assert_eq!(waiting(order), order);
    }
}

#[test]
fn suspended_call_resumes_once_its_packet_has_slots() {
    // The relay passes packets on to a NIC whose arrival slots fill up, because its processor is slow.
    let text = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n[[nic]]\nname = 'c'\n\
        [[endpoint]]\nnic = 'a'\nname = 'sender'\n\
        [[endpoint]]\nnic = 'b'\nname = 'relay'\napplet = 'Relay.class'\n\
        [[endpoint]]\nnic = 'c'\nname = 'end'\n\
        [[link]]\nbetween = ['b', 'c']\nbandwidth = '1MB/s'\n\
        [[channel]]\nsender = 1\nrelay = 1\n[[channel]]\nrelay = 2\nend = 1\n\
        [[send]]\nendpoint = 'sender'\nchannel = 1\npayload = { random = 1000 }\nrepeat = 12\nevery = '5us'\n";
    let trace = run(text);
    let suspended = numbers(&trace.at("relay", "applet-suspend"), "t_ns");
    let resumed = numbers(&trace.at("relay", "applet-resume"), "t_ns");
    assert!(suspended.len() > 3);
    assert_eq!(suspended.len(), resumed.len());
    // A send slot is free when the last bit of a packet has left.
    let mut profile = builtin("lanai-1998");
    profile.wire.bandwidth = 1_000_000.try_into().expect("more than 0");
    let left = out(&trace, "relay", &profile);
    for (suspended, resumed) in suspended.iter().zip(resumed) {
        let freed = left.iter().find(|left| **left > *suspended);
        let freed = *freed.expect("a packet leaves");
        // The processor may have taken an arrival for the suspended applet, which it puts aside at once.
        assert_eq!(resumed, freed, "suspended at {suspended}");
    }
}

#[test]
fn a_wire_stops_above_its_mark_and_goes_on_at_half_of_it() {
    const FRAME: u64 = 1_000;
    const FRAME_NS: u64 = 10 * FRAME;
    const LATENCY_NS: u64 = 2_000;
    const BUFFER: u32 = 30_000;
    // Above the mark there is room for two of the longest frames, and for what the wire carries there and back.
    let reserved = 2 * 9_216 + 2 * LATENCY_NS / 10;
    let mark = u64::from(BUFFER) - reserved;
    let mut profile = builtin("modern");
    profile.wire.flow = Flow::Stop;
    profile.wire.buffer = BUFFER;
    profile.wire.timeout = SimDuration::from_ns(1_000_000_000);
    profile.wire.bandwidth = 100_000_000.try_into().expect("more than 0");
    profile.wire.latency = SimDuration::from_ns(LATENCY_NS);
    profile.memory.arrival_slots = 1.try_into().expect("more than 0");
    // The receiver is ten times as slow as the wire.
    profile.base.as_mut().expect("a base path").receive = SimDuration::from_ns(100_000);
    let rest = send("10us", "{ zeros = 1000 }") + "repeat = 60\nevery = '1us'\n";
    let text = Pair::PLAIN
        .client("buffer_area = '256KiB'")
        .server(
            "buffer_area = '256KiB'\nfree_buffers = { count = 100, length = 1000 }\nrx_queue = 100",
        )
        .rest(&rest);
    let trace = on(&profile, &text.toml());
    let left = numbers(&trace.at("client", "wire-tx"), "t_ns");
    let came = numbers(&trace.at("server", "wire-rx"), "t_ns");
    assert_eq!((left.len(), came.len()), (60, 60));
    // The buffer holds a packet from the time when it lands to the time when it has a slot.
    let lands = left.iter().map(|left| left + FRAME_NS + LATENCY_NS);
    let waits = lands.zip(&came).filter(|(lands, came)| lands < *came);
    let mut changes: Vec<(u64, bool)> = waits
        .flat_map(|(lands, came)| [(lands, true), (*came, false)])
        .collect();
    changes.sort_unstable();
    let (mut held, mut signals) = (0, Vec::new());
    for (time, comes) in changes {
        held = if comes { held + FRAME } else { held - FRAME };
        let is_stopped = signals.len() % 2 == 1;
        if !is_stopped && held > mark || is_stopped && held <= mark / 2 {
            signals.push(time + LATENCY_NS);
        }
    }
    assert!(signals.len() >= 4, "{signals:?}");
    for pair in left.windows(2) {
        let free = pair[0] + FRAME_NS;
        // Stops and goes alternate, and the sender follows the latest that it has heard.
        let heard = signals.iter().filter(|heard| **heard <= free).count();
        let expected = if heard % 2 == 1 { signals[heard] } else { free };
        assert_eq!(pair[1], expected, "{left:?} {signals:?}");
    }
}

#[test]
fn the_packet_that_has_waited_longest_gets_the_send_slot() {
    let mut profile = builtin("modern");
    profile.wire.bandwidth = 1_000_000.try_into().expect("more than 0");
    profile.memory.send_slots = 1.try_into().expect("more than 0");
    for order in [
        ["x", "y", "z"],
        ["y", "x", "z"],
        ["z", "y", "x"],
        ["y", "z", "x"],
    ] {
        let mut text = String::from("[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n");
        for name in ["first", "x", "y", "z"] {
            text += &format!(
                "[[endpoint]]\nnic = 'a'\nname = '{name}'\n\
                 [[endpoint]]\nnic = 'b'\nname = 'to-{name}'\n\
                 [[channel]]\n{name} = 1\nto-{name} = 1\n"
            );
        }
        // The first packet is on the wire for 100 us.
        for (name, at) in [
            ("first", 10),
            (order[0], 30),
            (order[1], 50),
            (order[2], 70),
        ] {
            text += &format!(
                "[[send]]\nendpoint = '{name}'\nchannel = 1\nat = '{at}us'\npayload = {{ zeros = 100 }}\n"
            );
        }
        let trace = on(&profile, &text);
        let left = trace.of("wire-tx");
        let names: Vec<&str> = texts(&left, "endpoint");
        assert_eq!(names, [&["first"], &order[..]].concat());
        // The slot is free when the last bit is on the wire. The processor then takes the descriptor (200 cycles of
        // half a nanosecond), and DMA moves 100 bytes at 25 GB/s.
        for pair in numbers(&left, "t_ns").windows(2) {
            assert_eq!(pair[1], pair[0] + 100_000 + 100 + 4, "{order:?}");
        }
    }
}

#[test]
fn transfers_run_in_the_order_in_which_they_were_queued() {
    for (engines, order) in [
        (DmaEngines::Shared, ["x", "u", "y", "v"]),
        (DmaEngines::Shared, ["v", "y", "u", "x"]),
        (DmaEngines::PerDirection, ["x", "u", "y", "v"]),
        (DmaEngines::PerDirection, ["v", "u", "y", "x"]),
    ] {
        let mut profile = builtin("modern");
        profile.dma.engines = engines;
        profile.dma.bandwidth = 1_000_000.try_into().expect("more than 0");
        profile.dma.to_host = 1_000_000.try_into().expect("more than 0");
        // NIC `b` receives for `x` and `y`, sends for `u` and `v`, and both for `first`. Their peers have NICs of their
        // own.
        let mut text = String::from("[[nic]]\nname = 'b'\n");
        for name in ["first", "x", "y", "u", "v"] {
            text += &format!(
                "[[nic]]\nname = 'n{name}'\n[[endpoint]]\nnic = 'b'\nname = '{name}'\n\
                 [[endpoint]]\nnic = 'n{name}'\nname = 'p{name}'\n[[channel]]\n{name} = 1\np{name} = 1\n"
            );
        }
        let mut send = |endpoint: &str, at_us: u64, bytes: u64| {
            text += &format!(
                "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at_us}us'\npayload = {{ zeros = {bytes} }}\n"
            );
        };
        // A message takes 1 us for each byte in the engine of its sender, before it arrives at `b`.
        send("pfirst", 90, 900);
        send("first", 1_000, 900);
        for (at, name) in (1_020..).step_by(20).zip(order) {
            match name {
                "u" | "v" => send(name, at, 100),
                _ => send(&format!("p{name}"), at - 100, 100),
            }
        }
        let trace = on(&profile, &text);
        // The processor queues a transfer when it has taken the descriptor (200 cycles) or the packet (300 cycles).
        let mut queued = Vec::new();
        for (event, takes, way) in [("tx-post", 100, 0), ("wire-rx", 150, 1)] {
            let mut found = trace.of(event);
            found.retain(|event| event["nic"] == "b");
            queued.extend(found.into_iter().map(|event| {
                let name = event["endpoint"].as_str().expect("a name");
                (
                    number(event, "t_ns") + takes,
                    way,
                    number(event, "length"),
                    name,
                )
            }));
        }
        queued.sort_unstable();
        assert_eq!(queued.len(), 6);
        let mut free = [0; 2];
        let mut expected: Vec<(u64, &str)> = Vec::new();
        for (queued, way, length, name) in queued {
            let engine = &mut free[if engines == DmaEngines::Shared {
                0
            } else {
                way
            }];
            let start = queued.max(*engine);
            *engine = start + 1_000 * length;
            expected.push((start, name));
        }
        expected.sort_unstable();
        let mut moved = trace.of("dma");
        moved.retain(|dma| dma["nic"] == "b");
        let moved = moved.into_iter();
        let moved = moved.map(|dma| {
            (
                number(dma, "t_ns"),
                dma["endpoint"].as_str().expect("a name"),
            )
        });
        assert_eq!(moved.collect::<Vec<_>>(), expected, "{engines:?}");
    }
}
