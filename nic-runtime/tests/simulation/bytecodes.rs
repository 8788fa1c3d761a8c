//! `max_bytecodes` limits the number of instructions that all applets of a run execute, including those of loading.

use nic_core::event::EndReason;
use nic_core::id::EndpointId;
use serde_json::Value;

use crate::apart::ends;
use crate::random_runs;
use crate::scenario::read;
use crate::trace::{Trace, numbers, run, texts};

/// A scenario of endpoints on one NIC, each of which executes about 900,000 instructions while its applet is loaded.
fn brooding(limit: &str, endpoints: usize) -> String {
    let mut toml = format!("{limit}\n[[nic]]\nname = 'a'\nsram = '16MiB'\n");
    for endpoint in 0..endpoints {
        toml += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'e{endpoint}'\napplet = 'Brooder.class'\nheap = 0\n"
        );
    }
    toml
}

/// A scenario of three pairs of NICs with long, overlapping calls. In this scenario instructions take time, and some
/// natives cost extra fuel.
fn three_pairs(limit: &str, first: &str, second: &str) -> String {
    let mut toml = format!("profile = 'lanai-1998-split'\n{limit}\n");
    for pair in 0..3 {
        for end in ["a", "b"] {
            toml += &format!("[[nic]]\nname = '{end}{pair}'\nsram = '1MiB'\n");
        }
        toml += &format!(
            "[[endpoint]]\nnic = 'a{pair}'\nname = 'x{pair}'\napplet = '{first}'\n\
             [[endpoint]]\nnic = 'b{pair}'\nname = 'y{pair}'\napplet = '{second}'\nhost = 'echo'\n\
             [[channel]]\nx{pair} = 1\ny{pair} = 1\n\
             [[send]]\nendpoint = 'x{pair}'\nchannel = 1\nat = '{at}us'\npayload = {{ count = {length} }}\n\
             repeat = 3\nevery = '170us'\n",
            at = 10 + 3 * pair,
            length = 700 + 1000 * pair,
        );
    }
    toml
}

/// Returns how many instructions the calls that returned have executed.
fn executed(trace: &Trace) -> u64 {
    numbers(&trace.of("applet-return"), "bytecodes")
        .iter()
        .sum()
}

fn lines(trace: &Trace) -> Vec<&str> {
    let mut lines: Vec<&str> = trace.text.lines().collect();
    lines.pop();
    lines
}

#[test]
fn loading_ends_at_the_budget_of_the_run() {
    let trace = run(&brooding("max_bytecodes = 3000000", 64));
    assert_eq!(trace.end.reason, EndReason::MaxBytecodes);
    assert_eq!(trace.end.time.as_ns(), 0);
    assert_eq!(trace.of("load").len(), 3);
    assert!(executed(&trace) <= 3_000_000);
    assert!(trace.of("trap").is_empty());
    let summary: Value = serde_json::from_str(trace.text.lines().last().expect("a summary"))
        .expect("a line is an object");
    assert_eq!(summary["ended"], "max-bytecodes");
}

#[test]
fn an_applets_own_fuel_ends_its_call_and_not_the_run() {
    // Loading the applet `Brooder` takes just over 900,000 instructions. If the applet's fuel is not higher than the
    // run's budget, the applet traps.
    for (fuel, limit, reason) in [
        (1_000, 1_000, EndReason::LoadTrap(EndpointId(0))),
        (1_001, 1_000, EndReason::MaxBytecodes),
        (1_000_000, 1_000, EndReason::MaxBytecodes),
    ] {
        let toml = brooding(&format!("max_bytecodes = {limit}"), 1) + &format!("fuel = {fuel}\n");
        let trace = run(&toml);
        assert_eq!(trace.end.reason, reason, "fuel {fuel}");
        let traps = usize::from(matches!(reason, EndReason::LoadTrap(_)));
        assert_eq!(trace.of("trap").len(), traps, "fuel {fuel}");
    }
}

#[test]
fn a_run_executes_exactly_what_it_may() {
    let whole = run(&three_pairs("", "Brooder.class", "Brooder.class"));
    assert_eq!(whole.end.reason, EndReason::Idle);
    assert!(whole.of("native").is_empty(), "no native adds fuel");
    let total = executed(&whole);
    for (limit, reason) in [
        (total, EndReason::Idle),
        (total - 1, EndReason::MaxBytecodes),
    ] {
        let toml = three_pairs(
            &format!("max_bytecodes = {limit}"),
            "Brooder.class",
            "Brooder.class",
        );
        assert_eq!(run(&toml).end.reason, reason);
    }
}

/// The extra fuel that a native costs under the profile `lanai-1998-split`.
fn added(native: &str) -> u64 {
    match native {
        "newAlignedArray" | "getFreeBufferLength" => 43,
        "getFreeBuffer" => 45,
        "doHtoLDMA" | "doLtoHDMA" => 93,
        "txPush" => 63,
        "dmaRxdPayload" => 101,
        "dmaRxd" => 166,
        _ => panic!("{native} is no native"),
    }
}

#[test]
fn what_natives_add_counts() {
    let toml = |limit: &str| three_pairs(limit, "builtin:RawUnet", "builtin:RawUnet");
    let whole = run(&toml(""));
    let natives = whole.of("native");
    let fuel = executed(&whole) + texts(&natives, "name").into_iter().map(added).sum::<u64>();
    // Each of six applets makes arrays of 9,352 bytes while it is loaded, and 16 bytes count as an instruction.
    let copies = natives.iter().filter(|event| {
        let name = event["name"].as_str().unwrap_or_default();
        name.starts_with("do") || name.starts_with("dma") || name == "txPush"
    });
    let moved = copies.filter_map(|event| event["args"].as_array()?.last()?.as_u64());
    let total = fuel + (6 * 9_352 + moved.sum::<u64>()).div_ceil(16);
    for (limit, reason) in [
        (total, EndReason::Idle),
        (total - 1, EndReason::MaxBytecodes),
    ] {
        let end = run(&toml(&format!("max_bytecodes = {limit}"))).end;
        assert_eq!(end.reason, reason);
    }
}

#[test]
fn cut_off_run_is_a_prefix_of_the_whole() {
    let pair = ["builtin:RawUnet", "builtin:RawUnetSingle"];
    let whole = run(&three_pairs("", pair[0], pair[1]));
    let total = executed(&whole);
    let mut cut_at = Vec::new();
    for limit in (1..20).map(|part| total * part / 20) {
        let cut = run(&three_pairs(
            &format!("max_bytecodes = {limit}"),
            pair[0],
            pair[1],
        ));
        assert_eq!(cut.end.reason, EndReason::MaxBytecodes, "{limit}");
        assert!(executed(&cut) <= limit);
        assert!(lines(&whole).starts_with(&lines(&cut)), "{limit}");
        cut_at.push(lines(&cut).len());
    }
    assert!(cut_at.is_sorted(), "{cut_at:?}");
}

#[test]
fn groups_that_run_apart_end_as_in_the_order_of_time() {
    for (first, second) in [
        ("builtin:RawUnet", "builtin:RawUnetSingle"),
        ("Brooder.class", "builtin:RawUnet"),
        ("builtin:RawUnet", "Trapper.class"),
    ] {
        let total = executed(&run(&three_pairs("", first, second)));
        // The reported counts do not include the fuel of natives, so the run does not reach some limits of the test.
        let mut cut = 0;
        for limit in (1..30).map(|part| total * part / 20) {
            for until in ["1s", "150us"] {
                let limits = format!("max_bytecodes = {limit}\nuntil = '{until}'");
                let end = ends(&read(&three_pairs(&limits, first, second)));
                cut += usize::from(end.reason == EndReason::MaxBytecodes);
            }
        }
        assert!(cut > 20, "only {cut} runs reach the limit");
    }
}

#[test]
fn random_runs_end_alike_with_and_without_a_listener() {
    let mut cut = 0;
    for seed in 0..40 {
        let toml = random_runs::scenario(seed);
        for limit in [1, 300, 3_000, 30_000 + seed] {
            let end = ends(&read(&format!("max_bytecodes = {limit}\n{toml}")));
            cut += usize::from(end.reason == EndReason::MaxBytecodes);
        }
    }
    assert!(cut > 40, "only {cut} runs reach the limit");
}

#[test]
fn clearing_arrays_counts_by_the_byte() {
    // Each call of `Clearer` makes two arrays of 1,000,000 bytes, with a dozen instructions.
    let toml = |limit: u64, repeat: u64| {
        format!(
            "max_bytecodes = {limit}\nuntil = '100s'\n[[nic]]\nname = 'n'\nsram = '4MiB'\n\
             [[endpoint]]\nnic = 'n'\nname = 'e'\napplet = 'Clearer.class'\nheap = 2100000\n\
             [[channel]]\ne = [1, 2]\n\
             [[send]]\nendpoint = 'e'\nchannel = 1\npayload = {{ zeros = 1 }}\nrepeat = {repeat}\n"
        )
    };
    let calls = |limit: u64| {
        let trace = run(&toml(limit, 1_000_000));
        let called = trace
            .of("applet-return")
            .iter()
            .filter(|event| event["method"] == "doTx")
            .count();
        (trace.end.reason, called)
    };
    // Two million bytes count as 125,000 instructions.
    let (reason, called) = calls(1_260_000);
    assert_eq!(reason, EndReason::MaxBytecodes);
    assert!((9..=10).contains(&called), "{called}");
    let few = run(&toml(1_260_000, 10));
    assert_eq!(few.end.reason, EndReason::Idle);
}
