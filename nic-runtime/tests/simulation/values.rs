//! What a trap says: the values that caused it, and the calls through which it came.

use serde_json::{Value, json};

use crate::trace::{Pair, Trace, number, send};

/// Runs the applet `Hostile` at the server, whose user posts a message of this length. Returns the first trap.
fn trap(kind: u32) -> Value {
    let post = format!(
        "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = {{ zeros = {kind} }}\n"
    );
    first_trap(
        "server",
        &Pair::PLAIN
            .server("applet = 'Hostile.class'")
            .rest(&post)
            .run(),
    )
}

fn first_trap(endpoint: &str, trace: &Trace) -> Value {
    trace.at(endpoint, "trap")[0].clone()
}

/// Returns the names of the methods whose calls were nested at a trap, innermost first.
fn calls(trap: &Value) -> Vec<&str> {
    let calls = trap["calls"].as_array().expect("calls");
    let names = calls.iter().map(|call| call["method"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

#[test]
fn division_by_zero_reports_dividend_and_calls() {
    let trap = trap(3);
    assert_eq!(trap["why"], "dividend 3, divisor 0");
    assert_eq!(trap["values"], json!({ "dividend": 3, "divisor": 0 }));
    assert_eq!(calls(&trap), ["harm", "doTx"]);
    // The innermost of the nested calls is at the place of the trap.
    for field in ["method", "pc", "line"] {
        assert_eq!(trap["calls"][0][field], trap[field], "{field}");
    }
    // The expected lines are those of `Hostile.java`.
    let lines = [&trap["calls"][0]["line"], &trap["calls"][1]["line"]];
    assert_eq!(lines, [41, 25]);
}

#[test]
fn native_trap_reports_argument_and_bound() {
    let oversized = trap(8);
    let why = "offset 0, length 1073741824, buffer has 4096 bytes";
    assert_eq!(oversized["why"], why);
    let others = trap(13);
    let why = "offsets[0] -65536, 4096 bytes there, buffer area has 65536 bytes";
    assert_eq!(others["why"], why);
    assert_eq!(others["values"]["offset"], -65536);
}

#[test]
fn every_native_boundary_reports_its_argument() {
    let posts = "[[send]]\nendpoint = 'server'\nchannel = 7\nat = '1ms'\npayload = { zeros = 12 }\n\
                 repeat = 80\nevery = '1ms'\n";
    let trace = Pair::PLAIN
        .server("applet = 'Hostile.class'")
        .rest(posts)
        .run();
    let traps = trace.at("server", "trap");
    let whys = Vec::from_iter(traps.iter().map(|trap| trap["why"].as_str().expect("why")));
    // The applet `Hostile` calls eight natives with ten values each; `newAlignedArray` is the last native.
    for expected in [
        "toOffset -2147483648, length 1, to has 4096 bytes",
        "toOffset 4096, length 1, to has 4096 bytes",
        "hostOffset -1, length 1, buffer area has 65536 bytes",
        "hostOffset 65536, length 1, buffer area has 65536 bytes",
        "fromOffset 0, length 65535, from has 4096 bytes",
        "channel 2147483647, which the endpoint does not have",
        "length 4095, a descriptor carries at most 56 bytes",
        "length -1, from has 4096 bytes",
        "length -1, expected 0 or more",
    ] {
        assert!(whys.contains(&expected), "{expected}: {whys:?}");
    }
    let allocation = whys.iter().filter(|why| why.contains("bytes asked"));
    // An array needs a header of eight bytes, and the bytes of its elements up to a multiple of eight.
    let (asked, longest) = (65_536 + 8, 0x7fff_ffff_i64 + 1 + 8);
    let allocation = Vec::from_iter(allocation);
    let starts = |bytes: i64| format!("{bytes} bytes asked, ");
    assert!(
        allocation
            .iter()
            .any(|why| why.starts_with(&starts(longest)))
    );
    assert!(
        allocation
            .iter()
            .all(|why| !why.starts_with(&starts(asked - 8)))
    );
}

#[test]
fn quota_reports_what_the_call_asked_for() {
    let dma = trap(5);
    // The quota has room for 87 transfers of 1,500 bytes.
    assert_eq!(
        dma["values"],
        json!({ "dma_bytes": 132_000, "most": 131_072 })
    );
    let post = "[[send]]\nendpoint = 'client'\nchannel = 1\nat = '1ms'\npayload = { zeros = 4 }\n";
    let trace = Pair::PLAIN
        .client("applet = 'Hostile.class'")
        .rest(post)
        .run();
    let sends = first_trap("client", &trace);
    assert_eq!(sends["why"], "65 packets sent, a call sends at most 64");
}

#[test]
fn full_heap_full_stack_and_spent_fuel_report_amounts() {
    let heap = trap(6);
    assert_eq!(heap["values"]["asked"], 520);
    assert!(number(&heap["values"], "free") < 520);
    let deep = trap(7);
    assert_eq!(deep["values"]["nested_calls"], deep["values"]["most"]);
    // The trap lists only the innermost calls, without `doTx`.
    assert_eq!(calls(&deep), ["recurse"; 32]);
    let nested = number(&deep["values"], "nested_calls");
    assert_eq!(number(&deep, "calls_omitted"), nested - 32);
    let endless = trap(1);
    assert_eq!(endless["why"], "1000000 instructions executed");
}

#[test]
fn trap_while_loading_reports_its_values() {
    let rest = send("1ms", "{ zeros = 1 }");
    let pair = Pair::PLAIN.server("applet = 'Stillborn.class'");
    let trap = first_trap("server", &pair.rest(&rest).run());
    assert_eq!(calls(&trap), ["<clinit>"]);
    assert_eq!(trap["why"], "dividend 1, divisor 0");
}
