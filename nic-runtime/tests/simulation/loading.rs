//! Loading of applets: initializers, their natives, and failures.

use nic_core::event::EndReason;
use nic_runtime::sim::SimError;
use serde_json::json;

use crate::trace::{Pair, numbers, send, texts, try_run};

#[test]
fn natives_may_be_called_while_loading() {
    let trace = Pair {
        client: "applet = 'Early.class'",
        server: "notify = 'upcall'",
        ..Pair::PLAIN
    }
    .run();
    let loading: Vec<_> = trace
        .events
        .iter()
        .take_while(|event| event["event"] != "wire-tx")
        .collect();
    assert!(numbers(&loading, "t_ns").iter().all(|&time| time == 0));
    assert_eq!(
        texts(&loading, "event"),
        [
            "applet-call",
            "native", // newAlignedArray
            "native", // txPush
            "native", // getFreeBuffer
            "native", // doLtoHDMA
            "dma",
            "native", // dmaRxd
            "rx-descriptor",
            "dma",
            "native", // doHtoLDMA
            "native", // txPush
            "native", // txPush
            "applet-return",
            "load",
        ]
    );
    assert_eq!(
        trace.at("client", "rx-descriptor")[0]["payload"],
        json!("77000000")
    );
    // The payload of the packet that the initializers sent first is "w". After DMA to the host and back the payload is
    // "w" again.
    let sent = trace.at("server", "rx-descriptor");
    assert_eq!(texts(&sent, "payload"), ["77", "77", "77000000"]);
    // The heap has `new byte[4]` and `new int[1]`, each with a header of 8 bytes and padded to 8 bytes.
    assert_eq!(numbers(&trace.of("load"), "heap_bytes"), [32]);
}

#[test]
fn sixteen_packets_may_be_sent_while_loading() {
    let trace = Pair {
        client: "applet = 'Herald.class'",
        ..Pair::PLAIN
    }
    .run();
    assert_eq!(texts(&trace.of("drop"), "reason"), ["nic-full"; 4]);
    let received = numbers(&trace.at("server", "wire-rx"), "packet");
    assert_eq!(received, (1..=16).collect::<Vec<_>>());
}

#[test]
fn a_trap_while_loading_ends_the_run_before_any_traffic() {
    let trace = Pair {
        client: "applet = 'Early.class'",
        server: "applet = 'Stillborn.class'",
        rest: &send("0us", "{ zeros = 1 }"),
        ..Pair::PLAIN
    }
    .run();
    assert_eq!(trace.end.reason, EndReason::LoadTrap);
    assert_eq!(trace.end.time.as_ns(), 0);
    assert_eq!(
        trace.names_from("server", "applet-call"),
        ["applet-call", "trap"]
    );
    let trap = trace.of("trap")[0];
    assert_eq!(trap["kind"], "ArithmeticException");
    assert_eq!(trap["method"], "<clinit>");
    assert_eq!(trap["line"], 4);
    assert!(trace.of("wire-tx").is_empty() && trace.of("tx-post").is_empty());
}

#[test]
fn the_initializer_runs_before_the_constructor_and_both_before_load() {
    let trace = Pair {
        client: "applet = 'Burst.class'",
        ..Pair::PLAIN
    }
    .run();
    assert_eq!(
        trace.names_from("client", "applet-call"),
        [
            "applet-call",
            "native",
            "applet-return",
            "applet-call",
            "applet-return",
            "load"
        ]
    );
    let calls = trace.of("applet-call");
    assert_eq!(texts(&calls, "method"), ["<clinit>", "<init>"]);
    let load = trace.of("load")[0];
    assert_eq!(load["class"], "Burst");
}

#[test]
fn a_rejected_class_is_named_and_nothing_runs() {
    let mut scenario = crate::scenario::read(
        &Pair {
            client: "applet = 'builtin:RawUnet'",
            server: "applet = 'Burst.class'",
            ..Pair::PLAIN
        }
        .toml(),
    );
    scenario.classes[1].bytes.truncate(100);
    let error = nic_runtime::sim::run(&scenario, &mut ()).unwrap_err();
    assert!(matches!(error, SimError::Class { class: 1, .. }), "{error}");
}

#[test]
fn fuel_bounds_initializers_too() {
    let client = "applet = 'builtin:RawUnet'\nfuel = 13";
    let Ok(trace) = try_run(
        &Pair {
            client,
            ..Pair::PLAIN
        }
        .toml(),
    ) else {
        panic!("it loads")
    };
    // The constructor of RawUnet executes 14 instructions.
    assert_eq!(texts(&trace.of("trap"), "kind"), ["FuelExhausted"]);
    assert_eq!(trace.end.reason, EndReason::LoadTrap);
}
