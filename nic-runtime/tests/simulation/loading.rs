//! Loading of applets: initializers, their natives, and failures.

use nic_core::event::EndReason;
use nic_core::id::EndpointId;
use nic_runtime::run::SimError;
use nic_runtime::scenario::{BUILTIN, parse};
use serde_json::{Value, json};

use crate::scenario::read;
use crate::trace::{Pair, Trace, numbers, run, send, simulate, texts, try_run};

#[test]
fn natives_may_be_called_while_loading() {
    let trace = Pair::PLAIN
        .client("applet = 'Early.class'")
        .server("notify = 'upcall'")
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
    let trace = Pair::PLAIN.client("applet = 'Herald.class'").run();
    assert_eq!(texts(&trace.of("drop"), "reason"), ["nic-full"; 4]);
    let received = numbers(&trace.at("server", "wire-rx"), "packet");
    assert_eq!(received, (1..=16).collect::<Vec<_>>());
}

#[test]
fn a_trap_while_loading_ends_the_run_before_any_traffic() {
    let trace = Pair::PLAIN
        .client("applet = 'Early.class'")
        .server("applet = 'Stillborn.class'")
        .rest(&send("0us", "{ zeros = 1 }"))
        .run();
    assert_eq!(trace.end.reason, EndReason::LoadTrap(EndpointId(1)));
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
fn initializer_runs_before_constructor_before_load() {
    let trace = Pair::PLAIN.client("applet = 'Burst.class'").run();
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
    let mut scenario = read(
        &Pair::PLAIN
            .client("applet = 'builtin:RawUnet'")
            .server("applet = 'Burst.class'")
            .toml(),
    );
    scenario.classes[1].bytes.truncate(100);
    let error = nic_runtime::Run::new(&scenario).execute().unwrap_err();
    assert!(matches!(error, SimError::Class { class: 1, .. }), "{error}");
}

#[test]
fn fuel_bounds_initializers_too() {
    let client = "applet = 'builtin:RawUnet'\nfuel = 13";
    let Ok(trace) = try_run(&Pair::PLAIN.client(client).toml()) else {
        panic!("it loads")
    };
    // The constructor of RawUnet executes 14 instructions.
    assert_eq!(texts(&trace.of("trap"), "kind"), ["FuelExhausted"]);
    assert_eq!(trace.end.reason, EndReason::LoadTrap(EndpointId(0)));
}

/// Runs a scenario in which an endpoint starts without its applets if one of them traps while it is loaded.
fn run_leniently(toml: &str) -> Trace {
    let mut scenario = read(toml);
    scenario.lenient_load = true;
    simulate(&scenario).unwrap_or_else(|error| panic!("{error}"))
}

/// An initializer with no fuel traps at its first instruction, before it has done anything.
#[test]
fn endpoint_without_its_applet_is_one_without_any() {
    let mut compared = 0;
    for builtin in BUILTIN {
        let scenario = parse(builtin.text.as_bytes(), None, None).expect("it is right");
        // A swap or a capsule finds more SRAM where the scenario names one class less.
        if scenario.replaces_applets() {
            continue;
        }
        for index in 0..scenario.endpoints.len() {
            if scenario.endpoints[index].class.is_none() {
                continue;
            }
            let mut lenient = scenario.clone();
            lenient.lenient_load = true;
            lenient.endpoints[index].fuel = 0;
            let mut plain = scenario.clone();
            plain.endpoints[index].class = None;
            plain.endpoints[index].followers.clear();
            // The NIC shares its slots as for an endpoint that may have an applet.
            plain.endpoints[index].accepts_capsules = true;
            let trace = simulate(&lenient).expect("it can be run");
            let expected = simulate(&plain).expect("it can be run");
            let name = &scenario.endpoints[index].name;
            let place = format!("{} at {name}", builtin.name);
            let traps = trace.at(name, "trap");
            assert_eq!(texts(&traps, "kind"), ["FuelExhausted"], "{place}");
            let of_load = |event: &&Value| {
                event["endpoint"] == **name
                    && ["applet-call", "trap"].contains(&event["event"].as_str().unwrap_or(""))
            };
            let left = trace.events.iter().filter(|event| !of_load(event));
            assert!(left.eq(&expected.events), "{place}");
            assert_eq!(trace.end.time, expected.end.time, "{place}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} endpoints were compared");
}

#[test]
fn trapped_initializer_keeps_effects_but_gets_no_calls() {
    // `Early` sends packets, pops a buffer and pushes a descriptor with its first 40 instructions or so.
    let whole = Pair::PLAIN.client("applet = 'Early.class'");
    let whole = run(&whole.toml());
    let executed = |trace: &Trace, at: &str| {
        let returns = trace.at("client", at);
        numbers(&returns, "bytecodes").first().copied()
    };
    let last = executed(&whole, "applet-return").expect("its initializer returns");
    let mut sent = Vec::new();
    for fuel in 1..=last {
        let fuel_key = format!("applet = 'Early.class'\nfuel = {fuel}");
        let toml = Pair::PLAIN
            .client(&fuel_key)
            .rest(&send("100us", "{ count = 9 }"))
            .toml();
        let trace = run_leniently(&toml);
        let is_loaded = !trace.of("load").is_empty();
        assert_eq!(trace.of("trap").is_empty(), is_loaded, "fuel {fuel}");
        if is_loaded {
            continue;
        }
        assert_eq!(trace.end.reason, EndReason::Idle, "fuel {fuel}");
        // The post of 100 us takes the base path.
        let received = trace.at("server", "rx-descriptor");
        let payloads = texts(&received, "payload");
        assert_eq!(payloads.last(), Some(&"000102030405060708"), "fuel {fuel}");
        sent.push(payloads.len());
        let calls = numbers(&trace.at("client", "applet-call"), "t_ns");
        assert!(calls.iter().all(|&time| time == 0), "fuel {fuel}");
    }
    sent.dedup();
    assert!(sent.len() > 2 && sent.is_sorted(), "{sent:?}");
}

#[test]
fn a_swap_can_bring_the_first_applet() {
    for (other, expected) in [("", 1), ("['builtin:RawUnet', 'Stillborn.class']", 1)] {
        let client = match other {
            "" => String::new(),
            chain => format!("applet = {chain}"),
        };
        let toml = Pair::PLAIN
            .client(&client)
            .server("applet = 'Stillborn.class'")
            .rest(&format!(
                "{}[[swap]]\nendpoint = 'server'\napplet = 'builtin:Drop'\nat = '50us'\n\
                 [[swap]]\nendpoint = 'server'\napplet = 'Stillborn.class'\nat = '60us'\n",
                send("100us", "{ count = 9 }")
            ))
            .toml();
        let trace = run_leniently(&toml);
        assert_eq!(trace.of("applet-swap").len(), expected, "{other}");
        assert_eq!(texts(&trace.of("applet-swap"), "class"), ["Drop"]);
        assert_eq!(trace.of("swap-refused").len(), 1, "{other}");
        let calls = trace.at("server", "applet-call");
        assert!(texts(&calls, "method").contains(&"doRx"), "{calls:?}");
    }
}
