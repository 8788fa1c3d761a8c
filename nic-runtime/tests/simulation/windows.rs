//! Windows, and the watches of applets (docs/simulation.md, "Windows and watches").
//!
//! The applet `Windows` writes each message of its user to the window whose number is the message's channel. The applet
//! also traces the writes of peers to its own windows. The tag of a traced write is 1000 times the window's number plus
//! the offset of the watched bytes. The traced value is the first of the watched bytes.

use nic_core::event::EndReason;
use nic_core::id::EndpointId;
use nic_runtime::run::SimError;
use serde_json::json;

use crate::trace::{Trace, number, run, try_run};

/// A scenario of two NICs with an endpoint each. The endpoint `writer` may write to windows 0 and 1 of `owner`, which
/// have 16 bytes each.
fn pair(interface: &str, owner: &str, rest: &str) -> String {
    format!(
        "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'writer'\napplet = 'Windows.class'\ninterface = '{interface}'\n\
         [[endpoint]]\nnic = 'b'\nname = 'owner'\ninterface = '{interface}'\n{owner}\n\
         [[channel]]\nwriter = 0\nowner = 1\n\
         [[window]]\nowner = 'owner'\nwriter = 'writer'\nnumber = 0\nlength = 16\n\
         [[window]]\nowner = 'owner'\nwriter = 'writer'\nnumber = 1\noffset = 16\nlength = 16\n{rest}"
    )
}

/// Returns the keys of an owner whose applet watches these ranges.
fn watching(ranges: &str) -> String {
    format!("applet = 'Windows.class'\nstate = {{ WATCHES = [{ranges}] }}")
}

/// A send of the endpoint `writer`, whose applet writes the message to window 0.
fn write(at: &str, hex: &str) -> String {
    format!(
        "[[send]]\nendpoint = 'writer'\nchannel = 0\nat = '{at}'\npayload = {{ hex = '{hex}' }}\n"
    )
}

/// Returns the tag and the value of each event that the owner's applet has traced.
fn noticed(trace: &Trace) -> Vec<(i64, i64)> {
    let traced = trace.at("owner", "applet-trace").into_iter();
    traced
        .map(|event| {
            let value = |field: &str| event[field].as_i64().expect("a number");
            (value("tag"), value("value"))
        })
        .collect()
}

#[test]
fn a_write_calls_the_applet_that_watches() {
    for interface in ["unet", "via"] {
        let trace = run(&pair(
            interface,
            &watching("0, 2, 2"),
            &write("10us", "0102034455"),
        ));
        assert_eq!(noticed(&trace), [(2, 3)], "{interface}");
        let call = trace.at("owner", "applet-call").into_iter();
        let call = call.last().expect("doWatch is called");
        assert_eq!(call["method"], "doWatch");
        assert_eq!(call["args"].to_string(), "[0,2,2]");
        let left = &trace.at("writer", "window-write")[0];
        assert_eq!((number(left, "window"), number(left, "length")), (0, 5));
        assert_eq!(left["how"], "nic");
        let watch = &trace.at("owner", "watch")[0];
        assert_eq!((number(watch, "window"), number(watch, "offset")), (0, 2));
        // The descriptor completes when the write has left, and the processor of the window's owner took no packet.
        assert_eq!(trace.at("writer", "tx-done")[0]["status"], "ok");
        assert!(trace.of("drop").is_empty() && trace.of("rx-descriptor").is_empty());
    }
}

#[test]
fn a_write_beside_the_watched_bytes_only_changes_memory() {
    let writes = write("10us", "7f") + &write("500us", "0000");
    let trace = run(&pair("unet", &watching("0, 1, 1"), &writes));
    assert_eq!(trace.of("watch").len(), 1);
    // The applet reads the current byte at the watched offset of the buffer area, where the second write put a zero.
    assert_eq!(noticed(&trace), [(1, 0)]);
}

#[test]
fn writes_that_come_before_the_call_lead_to_one_call() {
    let often = "applet = 'Windows.class'\nstate = { TIMES = 10 }";
    let toml = pair("unet", &watching("0, 0, 1"), &write("10us", "01"));
    let trace = run(&toml.replacen("applet = 'Windows.class'", often, 1));
    assert_eq!(trace.at("writer", "window-write").len(), 10);
    let calls = noticed(&trace).len();
    // A call of `doWatch` takes longer than the time between two writes.
    assert!((2..10).contains(&calls), "{calls}");
    assert_eq!(trace.of("watch").len(), calls);
}

#[test]
fn a_range_of_no_bytes_removes_the_watches_of_its_window() {
    let packets = "[[endpoint]]\nnic = 'a'\nname = 'other'\n[[channel]]\nother = 1\nowner = 9\n";
    let set = |at: &str, hex: &str| {
        format!(
            "[[send]]\nendpoint = 'other'\nchannel = 1\nat = '{at}'\npayload = {{ hex = '{hex}' }}\n"
        )
    };
    let rest = [
        packets,
        &write("10us", "01"),
        &set("300us", "000000"),
        &write("600us", "02"),
        &set("900us", "000001"),
        &write("1200us", "03"),
    ];
    let trace = run(&pair(
        "unet",
        &watching("0, 0, 1, 0, 0, 2, 1, 0, 1"),
        &rest.concat(),
    ));
    assert_eq!(noticed(&trace), [(0, 1), (0, 1), (0, 3)]);
}

#[test]
fn forbidden_memory_is_a_protection_fault() {
    let trapped = |rest: &str| {
        let trace = run(&pair("unet", &watching(""), rest));
        let traps = trace.of("trap");
        let trap = traps.first().expect("a call traps");
        assert_eq!(trap["kind"], "ProtectionFault");
        trap["values"].clone()
    };
    let long = trapped(&write("10us", &"00".repeat(17)));
    assert_eq!(
        long,
        json!({ "offset": 0, "length": 17, "window_length": 16 })
    );
    let other = write("10us", "00").replace("channel = 0", "channel = 2");
    let channel = "[[endpoint]]\nnic = 'b'\nname = 'third'\n[[channel]]\nwriter = 2\nthird = 1\n";
    let other = trapped(&format!("{channel}{other}"));
    assert_eq!(other, json!({ "window": 2 }));
}

#[test]
fn a_watch_outside_of_a_window_ends_the_run_while_loading() {
    let refused = try_run(&pair("unet", &watching("0, 10, 7"), ""));
    let reason = refused.map(|trace| trace.end.reason);
    assert_eq!(
        reason.expect("a trap while loading is an end"),
        EndReason::LoadTrap(EndpointId(1))
    );
}

#[test]
fn endpoints_share_the_watches_of_their_nic() {
    // Two owners of windows are on one NIC, so each may set 2,048 of the NIC's 4,096 watches.
    let ranges = |count: usize| -> String {
        let ranges = (0..count).map(|place| format!("0, {place}, 1"));
        ranges.collect::<Vec<_>>().join(", ")
    };
    let toml = |ranges: &str| {
        format!(
            "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\nsram = '16MiB'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'b'\nname = 'writer'\n\
             [[endpoint]]\nnic = 'a'\nname = 'one'\nheap = '64KiB'\n{}\n\
             [[endpoint]]\nnic = 'a'\nname = 'other'\n\
             [[window]]\nowner = 'one'\nwriter = 'writer'\nnumber = 0\nlength = '4KiB'\n\
             [[window]]\nowner = 'other'\nwriter = 'writer'\nnumber = 1\nlength = '4KiB'\n",
            watching(ranges)
        )
    };
    let end = |ranges: &str| {
        let trace = try_run(&toml(ranges));
        let trace = trace.unwrap_or_else(|error: SimError| panic!("{error}"));
        trace.end.reason
    };
    assert_eq!(end(&ranges(2_048)), EndReason::Idle);
    assert_eq!(end(&ranges(2_049)), EndReason::LoadTrap(EndpointId(1)));
    // A range of no bytes removes all watches of the window, so the applet can set as many again.
    let removed = format!("{}, 0, 0, 0, 0, 5, 1", ranges(2_048));
    assert_eq!(end(&removed), EndReason::Idle);
}

#[test]
fn watches_survive_a_swap_to_a_class_with_the_entry() {
    let swap =
        |class: &str| format!("[[swap]]\nendpoint = 'owner'\nat = '100us'\napplet = '{class}'\n");
    let later = write("300us", "05");
    let stays = run(&pair(
        "unet",
        &watching("0, 0, 1"),
        &format!("{}{later}", swap("Windows.class")),
    ));
    assert_eq!(noticed(&stays), [(0, 5)]);
    let goes = run(&pair(
        "unet",
        &watching("0, 0, 1"),
        &format!("{}{later}", swap("Refiller.class")),
    ));
    assert_eq!(goes.of("watch").len(), 0);
}

#[test]
fn a_window_of_memory_that_is_not_registered_refuses_writes() {
    let rest = format!(
        "[[region]]\nat = '5us'\nendpoint = 'owner'\naction = 'deregister'\n{}",
        write("300us", "05")
    );
    let idle = "applet = 'Windows.class'\nstate = { WATCHES = [0, 0, 1] }\nfree_buffers = { count = 0, length = 64 }";
    let trace = run(&pair("via", idle, &rest));
    assert_eq!(trace.at("owner", "drop")[0]["reason"], "window-refused");
    assert!(noticed(&trace).is_empty());
}
