//! Applets on their endpoints: calls, natives, traps and their events.

use nic_core::event::EndReason;
use serde_json::json;

use crate::trace::{Pair, number, numbers, send, texts};

/// Returns the time from the user's post to the receive descriptor, in nanoseconds.
fn latency(applet: &str, length: usize) -> u64 {
    let endpoint = if applet.is_empty() {
        String::new()
    } else {
        format!("applet = '{applet}'")
    };
    let rest = send("0us", &format!("{{ count = {length} }}"));
    let trace = Pair::PLAIN
        .client(&endpoint)
        .server(&endpoint)
        .rest(&rest)
        .run();
    number(trace.of("rx-descriptor")[0], "t_ns")
}

#[test]
fn the_papers_applet_adds_41_2_us_to_small_messages() {
    // S1-42: 24.5 + 16.7.
    for length in [5, 40, 56] {
        assert_eq!(
            latency("builtin:RawUnetSingle", length) - latency("", length),
            41_200
        );
    }
}

#[test]
fn raw_unet_delivers_messages_of_all_sizes() {
    let sizes = [5, 56, 57, 1000, 9000];
    let rest: String = sizes
        .iter()
        .map(|size| send("0us", &format!("{{ count = {size} }}")))
        .collect();
    let raw = "applet = 'builtin:RawUnet'";
    let server = format!("{raw}\nhost = 'echo'");
    let trace = Pair::PLAIN.client(raw).server(&server).rest(&rest).run();
    for endpoint in ["server", "client"] {
        let received = trace.at(endpoint, "rx-descriptor");
        assert_eq!(numbers(&received, "length"), sizes);
        for (event, size) in received.iter().zip(sizes) {
            let expected: String = (0..size)
                .map(|byte| format!("{:02x}", byte % 256))
                .collect();
            assert_eq!(event["payload"], expected);
        }
    }
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["ok"; 10]);
}

#[test]
fn natives_take_effect_at_their_own_time() {
    let applet = "applet = 'builtin:RawUnetSingle'";
    let rest = send("0us", "{ count = 1000 }");
    let trace = Pair::PLAIN.client(applet).server(applet).rest(&rest).run();
    let from = |endpoint: &str, start: u64| {
        trace
            .events
            .iter()
            .filter(|event| event["endpoint"] == endpoint && number(event, "t_ns") > 0)
            .map(|event| {
                (
                    event["event"].as_str().unwrap(),
                    number(event, "t_ns") - start,
                )
            })
            .collect::<Vec<_>>()
    };
    // The client's times in us are descriptor 10 + set-up 0.7, call 3.9, DMA set-up 11.8, DMA 20, transmit 8.1 and wire
    // 6.25.
    assert_eq!(
        from("client", 0),
        [
            ("applet-call", 10_700),
            ("dma", 26_400),
            ("native", 46_400),
            ("native", 54_500),
            ("wire-tx", 54_500),
            ("applet-return", 54_500),
            ("tx-done", 60_750),
        ]
    );
    // The server's times in us are arrival 19.6 + set-up 0.6, call 3.2, free buffer 5.85, DMA set-up 11.8, descriptor
    // 21.0 during 20 of DMA. The DMA of the descriptor's 64 bytes takes another 1.28 us.
    assert_eq!(
        from("server", 61_250),
        [
            ("wire-rx", 0),
            ("applet-call", 20_200),
            ("native", 29_250),
            ("native", 41_050),
            ("dma", 41_050),
            ("native", 62_050),
            ("applet-return", 62_050),
            ("rx-descriptor", 63_330),
        ]
    );
}

#[test]
fn a_trap_in_do_tx_drops_and_completes() {
    let client = "applet = 'Trapper.class'";
    let rest = send("10us", "{ zeros = 3 }");
    let trace = Pair::PLAIN.client(client).rest(&rest).run();
    // Packets that the call sent before the trap stay sent, and the completion waits until they have left.
    assert_eq!(
        trace.names_from("client", "tx-post"),
        [
            "tx-post",
            "applet-call",
            "native",
            "wire-tx",
            "trap",
            "drop",
            "tx-done"
        ]
    );
    let trap = trace.of("trap")[0];
    assert_eq!(
        (&trap["kind"], &trap["method"], &trap["line"]),
        (&json!("ArithmeticException"), &json!("doTx"), &json!(11))
    );
    let drop = trace.of("drop")[0];
    assert_eq!(drop["reason"], "applet-trap");
    assert_eq!(drop.get("packet"), None);
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["trap"]);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 1);
}

#[test]
fn a_trap_in_do_rx_returns_what_it_took_and_did_not_name() {
    // Each call pops two of three free buffers, names the first one in a descriptor and traps.
    let server = "applet = 'Trapper.class'\nfree_buffers = { count = 3, length = 100 }";
    let rest = send("0us", "{ zeros = 1 }") + &send("1ms", "{ zeros = 1 }");
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    let popped: Vec<_> = trace
        .of("native")
        .into_iter()
        .filter(|event| event["name"] == "getFreeBuffer")
        .map(|event| event["result"].as_i64().unwrap())
        .collect();
    // The trap returned buffer 100 to the front of the free queue. The user returned buffer 0 to the end of the free
    // queue after reading the message.
    assert_eq!(popped, [0, 100, 100, 200]);
    let drops = trace.at("server", "drop");
    assert_eq!(texts(&drops, "reason"), ["applet-trap"; 2]);
    assert_eq!(numbers(&drops, "packet"), [1, 2]);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 2);
}

#[test]
fn buffers_that_are_not_named_stay_with_the_applet() {
    let server = "applet = 'Hoarder.class'\nfree_buffers = { count = 2, length = 100 }";
    let rest = send("0us", "{ zeros = 1 }") + "repeat = 3\nevery = '1ms'";
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    let returned: Vec<_> = trace
        .of("applet-return")
        .into_iter()
        .filter(|event| event["method"] == "doRx")
        .map(|event| event["value"].as_i64().unwrap())
        .collect();
    assert_eq!(returned, [0, 100, -1]);
}

#[test]
fn descriptor_without_room_frees_its_buffer() {
    let server = "applet = 'builtin:RawUnetSingle'\nrx_queue = 1\npoll_every = '1s'\n\
                  free_buffers = { count = 2, length = 4096 }";
    let rest = send("0us", "{ zeros = 100 }") + "repeat = 4\nevery = '1ms'";
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    let popped: Vec<_> = trace
        .of("native")
        .into_iter()
        .filter(|event| event["name"] == "getFreeBuffer")
        .map(|event| event["result"].as_i64().unwrap())
        .collect();
    assert_eq!(popped, [0, 4096, 4096, 4096]);
    let drops = trace.of("drop");
    assert_eq!(texts(&drops, "reason"), ["rx-queue-full"; 3]);
    assert_eq!(numbers(&drops, "packet"), [2, 3, 4]);
}

#[test]
fn a_descriptor_completes_when_all_its_packets_have_left() {
    let client = "applet = 'Burst.class'";
    let rest = send("0us", "{ zeros = 20 }");
    let trace = Pair::PLAIN
        .client(client)
        .server("rx_queue = 64")
        .rest(&rest)
        .run();
    let done = trace.of("tx-done");
    assert_eq!(texts(&done, "status"), ["ok"]);
    let last_packet = number(trace.of("wire-tx").last().unwrap(), "t_ns");
    assert_eq!(
        number(done[0], "t_ns"),
        last_packet + 6,
        "6.25 ns for one byte"
    );
    let payloads = trace.at("server", "rx-descriptor");
    let expected: Vec<String> = (0..20).map(|index| format!("{index:02x}")).collect();
    assert_eq!(texts(&payloads, "payload"), expected);
}

#[test]
fn do_tx_may_send_nothing() {
    let client = "applet = 'Hoarder.class'";
    let trace = Pair::PLAIN
        .client(client)
        .rest(&send("0us", "{ zeros = 2 }"))
        .run();
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["ok"]);
    assert!(trace.of("wire-tx").is_empty());
}

#[test]
fn an_applet_is_not_called_for_what_may_not_be_sent() {
    let client = "applet = 'builtin:RawUnet'";
    let rest = "[[send]]\nendpoint = 'client'\nchannel = 9\nat = '1us'\npayload = { zeros = 1 }\n";
    let trace = Pair::PLAIN.client(client).rest(rest).run();
    assert_eq!(
        trace.names_from("client", "tx-post"),
        ["tx-post", "tx-done"]
    );
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["refused"]);
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let client = "applet = 'Spinner.class'\nfuel = 1000";
    let trace = Pair::PLAIN
        .client(client)
        .rest(&send("0us", "{ zeros = 1 }"))
        .run();
    let trap = trace.of("trap")[0];
    assert_eq!(
        (&trap["kind"], &trap["method"]),
        (&json!("FuelExhausted"), &json!("doTx"))
    );
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["trap"]);
}

#[test]
fn packets_to_itself_without_end_are_bounded_by_the_run() {
    let toml = "
        until = '10ms'
        [[nic]]
        name = 'a'
        [[endpoint]]
        nic = 'a'
        name = 'client'
        applet = 'Volley.class'
        [[channel]]
        client = [1, 2]
    ";
    let trace = crate::trace::run(&(toml.to_owned() + &send("0us", "{ zeros = 1 }")));
    assert_eq!(trace.end.reason, EndReason::Until);
    assert_eq!(trace.end.time.as_ns(), 10_000_000);
    // Handling an arrival takes 19.6 + 3.8 us and sending two packets 16.2 us, so some packets are dropped at once.
    assert!(trace.of("wire-rx").len() > 100);
    assert!(
        texts(&trace.of("drop"), "reason")
            .iter()
            .all(|&reason| reason == "nic-full")
    );
}
