//! Chains of applets: each applet receives what the one before pushes, and has its own state, timer and traps.

use nic_core::event::EndReason;
use nic_core::id::EndpointId;
use nic_runtime::scenario::{Mistake, ScenarioError, parse};
use serde_json::Value;

use crate::trace::{Trace, number, numbers, run, texts};

/// A scenario of two NICs with an endpoint each, which both have the same chain.
fn pair(applets: &str, state: &str, rest: &str) -> String {
    let mut toml = String::new();
    for (nic, name) in [("a", "client"), ("b", "server")] {
        toml += &format!(
            "[[nic]]\nname = '{nic}'\nsram = '1MiB'\n\
             [[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = {applets}\n"
        );
        if name == "client" && !state.is_empty() {
            toml += &format!("state = {state}\n");
        }
    }
    format!("{toml}[[channel]]\nclient = 1\nserver = 1\n{rest}")
}

fn sent(payload: &str) -> String {
    format!("[[send]]\nendpoint = 'client'\nchannel = 1\nat = '10us'\npayload = {payload}\n")
}

const RELIABLE: &str = "['builtin:Policer', 'builtin:Firewall', 'builtin:Reliable']";

/// A UDP datagram to port 53 of 192.0.2.2 in a frame of 103 bytes, and the rules that permit it.
const QUERY: &str = "0200000000020200000000010800450000210000400040114e8fc6336407c00002020fa00035000db3d97175657279";
const RULES: &str = "RULES = [1, 17, 0, 0, -1073741310, 32, 53, 53]";

/// Returns the trace of ten queries of 103 bytes through these applets with their initial states.
fn queries(applet: &str, state: &str) -> Trace {
    let mut toml = pair(applet, state, "");
    if !state.is_empty() {
        let end = format!("name = 'server'\napplet = {applet}\n");
        toml = toml.replace(&end, &format!("{end}state = {state}\n"));
    }
    let query = format!("{QUERY}{}", "00".repeat(56));
    let sends = sent(&format!(
        "{{ hex = '{query}' }}\nrepeat = 10\nevery = '1ms'"
    ));
    run(&format!("{toml}{sends}"))
}

fn bytecodes(trace: &Trace) -> u64 {
    numbers(&trace.of("applet-return"), "bytecodes")
        .iter()
        .sum()
}

#[test]
fn a_chain_of_three_costs_what_the_three_cost_alone() {
    let alone = [
        queries("'builtin:Policer'", ""),
        queries("'builtin:Firewall'", &format!("{{ {RULES} }}")),
        queries("'builtin:Reliable'", ""),
    ];
    let chain = queries(RELIABLE, &format!("[{{}}, {{ {RULES} }}, {{}}]"));
    let delivered = |trace: &Trace| {
        let visible = trace.at("server", "rx-descriptor");
        texts(&visible, "payload").join(" ")
    };
    assert_eq!(chain.at("server", "rx-descriptor").len(), 10);
    for other in &alone {
        assert_eq!(delivered(&chain), delivered(other));
    }
    // The page docs/applets/chain.md shows the instruction count.
    let sum: u64 = alone.iter().map(bytecodes).sum();
    assert_eq!((sum, bytecodes(&chain)), (48_231, 48_231));
}

#[test]
fn each_event_of_a_chain_names_its_applet() {
    let chain = queries(RELIABLE, &format!("[{{}}, {{ {RULES} }}, {{}}]"));
    let calls = |endpoint: &str, method: &str| -> Vec<String> {
        let calls = chain.at(endpoint, "applet-call");
        let calls = calls.iter().filter(|call| call["method"] == method);
        calls
            .map(|call| call["applet"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(
        calls("client", "doTx")[..3],
        ["Policer", "Firewall", "Reliable"]
    );
    assert_eq!(
        calls("server", "doRx")[..3],
        ["Reliable", "Firewall", "Policer"]
    );
    let loads = chain.at("client", "load");
    let expected = ["Policer", "Firewall", "Reliable"];
    assert_eq!(texts(&loads, "class"), expected);
    // The events of an endpoint with a single applet have no field `applet`.
    let alone = queries("'builtin:Reliable'", "");
    assert!(
        alone
            .events
            .iter()
            .all(|event| event.get("applet").is_none())
    );
}

#[test]
fn several_processors_deliver_what_one_delivers() {
    let rest = sent("{ random = 200 }\nrepeat = 12\nevery = '300us'");
    let chain = "['builtin:RawUnet', 'Between.class', 'builtin:Reliable']";
    let one = pair(chain, "", &rest);
    let several = one.replace(
        "sram = '1MiB'",
        "sram = '1MiB'\nprocessors = 3\nplacement = { doTx = 1, doRx = 2, doTimer = 1 }",
    );
    let payloads = |toml: &str| {
        let trace = run(toml);
        assert_eq!(trace.end.reason, EndReason::Idle);
        assert!(trace.of("trap").is_empty());
        let visible = trace.at("server", "rx-descriptor");
        let payloads = texts(&visible, "payload");
        payloads.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, several) = (payloads(&one), payloads(&several));
    assert_eq!(one.len(), 12);
    assert_eq!(one, several);
}

#[test]
fn a_trap_names_its_applet_and_drops_the_message_alone() {
    // The second applet sends a packet and then traps on its message.
    let trace = run(&pair(
        "['builtin:RawUnet', 'Trapper.class', 'builtin:RawUnet']",
        "",
        &sent("{ text = 'x' }"),
    ));
    let traps = trace.of("trap");
    assert_eq!(texts(&traps[..1], "applet"), ["Trapper"]);
    assert_eq!(texts(&traps[..1], "kind"), ["ArithmeticException"]);
    let done = trace.at("client", "tx-done");
    assert_eq!(texts(&done, "status"), ["trap"]);
    // The packet that the trapped applet had pushed passes the third applet and arrives at the server. At the server,
    // the second applet traps on this packet too.
    assert_eq!(trace.at("server", "wire-rx").len(), 1);
    let drops = trace.at("server", "drop");
    assert_eq!(texts(&drops, "reason"), ["applet-trap"]);
    assert_eq!(
        number(drops[0], "packet"),
        number(trace.at("server", "wire-rx")[0], "packet")
    );
    // The first applet received the descriptor that the second applet had pushed before its trap.
    assert_eq!(trace.at("server", "rx-descriptor").len(), 1);
    assert_eq!(trace.end.reason, EndReason::Idle);
}

/// Runs a chain whose second applet does what the field `MODE` says.
fn between(mode: u32) -> Trace {
    let state = format!("[{{}}, {{ MODE = {mode} }}, {{}}]");
    run(&pair(
        "['builtin:RawUnet', 'Between.class', 'builtin:RawUnet']",
        &state,
        &sent("{ text = 'hello' }"),
    ))
}

/// Returns the calls of the client's applets, without those of initializers.
fn calls(trace: &Trace) -> Vec<&Value> {
    let mut calls = trace.at("client", "applet-call");
    calls.retain(|call| call["method"] != "<init>" && call["method"] != "<clinit>");
    calls
}

fn payloads<'t>(trace: &'t Trace, endpoint: &str, name: &str) -> Vec<&'t str> {
    texts(&trace.at(endpoint, name), "payload")
}

#[test]
fn an_applet_reads_its_message_and_the_buffer_area_alone() {
    let plain = between(0);
    assert_eq!(payloads(&plain, "server", "rx-descriptor"), ["68656c6c6f"]);
    // The message of the second applet begins where the buffer area of 65,536 bytes ends. The copy of the message
    // between two applets is no DMA transfer.
    let calls = calls(&plain);
    assert_eq!(calls[1]["args"], serde_json::json!([5, 1, 65536]));
    assert_eq!(plain.at("client", "dma").len(), 1);

    let beyond = between(1);
    assert_eq!(texts(&beyond.of("trap"), "kind"), ["ProtectionFault"]);
    assert_eq!(texts(&beyond.of("trap"), "applet"), ["Between"]);

    let beside = between(2);
    assert_eq!(
        payloads(&beside, "server", "rx-descriptor"),
        ["68656c6c6f68656c6c"]
    );
}

#[test]
fn a_round_has_a_bound_on_its_messages() {
    let flood = between(3);
    // The second applet's own message is one of the round's 64 messages, so only 63 of its 100 messages are passed on.
    assert_eq!(flood.at("client", "rx-descriptor").len(), 63);
    let drops = flood.at("client", "drop");
    assert_eq!(drops.len(), 37);
    assert!(
        texts(&drops, "reason")
            .iter()
            .all(|reason| *reason == "chain-full")
    );
    assert_eq!(flood.at("client", "tx-done").len(), 1);
    assert_eq!(flood.end.reason, EndReason::Idle);
}

#[test]
fn a_message_for_the_user_passes_the_applets_above() {
    let upwards = between(4);
    let message = upwards.at("client", "rx-descriptor");
    assert_eq!(numbers(&message, "channel"), [11]);
    let calls = calls(&upwards);
    let order = calls.iter().map(|call| (&call["applet"], &call["method"]));
    let order: Vec<(&Value, &Value)> = order.collect();
    let expected = [
        ("RawUnet", "doTx"),
        ("Between", "doTx"),
        // The applet's message for the user is handled before its packet.
        ("RawUnet", "doRx"),
        ("RawUnet", "doTx"),
        ("Between", "doRefill"),
    ];
    let is_call = |(found, expected): (&(&Value, &Value), &(&str, &str))| {
        found.0 == expected.0 && found.1 == expected.1
    };
    assert_eq!(order.len(), expected.len(), "{order:?}");
    assert!(order.iter().zip(&expected).all(is_call), "{order:?}");
}

#[test]
fn a_timer_belongs_to_one_applet() {
    let timed = between(5);
    // The packet that `doTimer` sends passes the last applet, as the packet of `doTx` did.
    let packets = timed.at("client", "wire-tx");
    assert_eq!(numbers(&packets, "length"), [5, 3]);
    let calls = timed.at("client", "applet-call");
    let timers = calls.iter().filter(|call| call["method"] == "doTimer");
    let timers: Vec<&&Value> = timers.collect();
    assert_eq!(timers.len(), 1);
    assert_eq!(timers[0]["applet"], "Between");
}

#[test]
fn a_descriptor_between_applets_names_free_buffers() {
    let state = "[{}, { MODE = 6 }, {}]";
    let toml = pair(
        "['builtin:RawUnet', 'Between.class', 'builtin:RawUnet']",
        state,
        "",
    );
    let back =
        "[[send]]\nendpoint = 'server'\nchannel = 1\nat = '10us'\npayload = { count = 80 }\n";
    let trace = run(&format!("{toml}{back}"));
    assert_eq!(
        texts(&trace.at("client", "trap"), "kind"),
        ["ProtectionFault"]
    );

    // A buffer that a descriptor between two applets named is the first free buffer again.
    let trace = run(&format!("{}{back}", toml.replace("MODE = 6", "MODE = 0")));
    let visible = trace.at("client", "rx-descriptor");
    assert_eq!(visible[0]["buffers"], serde_json::json!([0]));
    // Only the copy of the message to the user is a DMA transfer. The applet in the middle learns by `doRefill` that
    // the user returned its buffer.
    assert_eq!(trace.at("client", "dma").len(), 1);
    let calls = trace.at("client", "applet-call");
    let refills = calls.iter().filter(|call| call["method"] == "doRefill");
    let refills: Vec<&Value> = refills.map(|call| &call["args"]).collect();
    assert_eq!(refills, [&serde_json::json!([4096, 1, 0])]);
}

#[test]
fn a_call_that_waits_for_a_slot_keeps_its_round() {
    // Each message becomes 25 packets of 1,000 bytes over a slow link: the last applet waits, and the chain's next
    // packets wait for it.
    let link = "[[link]]\nbetween = ['a', 'b']\nbandwidth = '5MB/s'\n";
    let trace = run(&pair(
        "['builtin:RawUnet', 'builtin:Burst25']",
        "",
        &format!("{link}{}", sent("{ count = 1000 }\nrepeat = 3")),
    ));
    assert!(!trace.at("client", "applet-suspend").is_empty());
    assert_eq!(trace.at("client", "wire-tx").len(), 75);
    assert_eq!(trace.at("client", "tx-done").len(), 3);
    assert_eq!(trace.end.reason, EndReason::Idle);
}

#[test]
fn loading_applet_sends_nothing_to_its_neighbour() {
    let trace = run(&pair("['EarlyChained.class', 'builtin:RawUnet']", "", ""));
    assert_eq!(texts(&trace.of("trap"), "kind"), ["ProtectionFault"]);
    assert_eq!(trace.end.reason, EndReason::LoadTrap(EndpointId(0)));
    let last = run(&pair("['builtin:RawUnet', 'EarlyChained.class']", "", ""));
    assert_eq!(last.at("client", "wire-tx").len(), 1);
}

#[test]
fn mistakes_in_a_chain_are_reported() {
    let chain = "['builtin:RawUnet', 'builtin:Drop']";
    let nine = format!("[{}]", ["'builtin:Drop'"; 9].join(", "));
    let swap = "[[swap]]\nat = '1ms'\nendpoint = 'client'\napplet = 'builtin:Drop'\n";
    let field = "[[expect]]\nendpoint = 'client'\nfield = 'RxBuf'\nvalue = []\n";
    let cases = [
        (pair("[]", "", ""), "expected at least one applet"),
        (pair(&nine, "", ""), "expected at most 8 applets of a chain"),
        (
            pair(chain, "[{}]", ""),
            "expected a list of 2 tables, one for each applet of the chain, found 1",
        ),
        (
            pair(chain, "{}", ""),
            "expected a list of tables, one for each applet of the chain, found a table",
        ),
        (
            pair(chain, "", swap),
            "expected an endpoint with a single applet: a swap replaces a single applet",
        ),
        (
            pair(chain, "", "")
                .replace("name = 'client'", "name = 'client'\non_trap = 'base-path'"),
            "expected an endpoint with a single applet: a trap in a chain drops the message, as `on_trap = \"drop\"` says",
        ),
        (
            pair(chain, "", "")
                .replace("name = 'client'", "name = 'client'\naccept_capsules = true"),
            "expected an endpoint with a single applet: a capsule replaces a single applet",
        ),
        (
            pair(chain, "", field),
            "expected `CLASS.FIELD` with the class of an applet of the chain",
        ),
    ];
    for (toml, message) in cases {
        match parse(toml.as_bytes(), None, None) {
            Err(ScenarioError::Mistakes(mistakes)) => {
                let kinds = mistakes.iter().map(|Mistake { kind, .. }| kind.to_string());
                let kinds: Vec<String> = kinds.collect();
                assert!(
                    kinds.iter().any(|kind| kind == message),
                    "{message}: {kinds:?}"
                );
            }
            other => panic!("expected {message}, found {other:?}"),
        }
    }
}
