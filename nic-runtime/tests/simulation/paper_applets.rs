//! The applets of the paper's Figure 4, and the host program `acknowledge`.

use crate::trace::{Pair, Trace, number, send};

fn run(applet: &str, server: &str, sends: &str) -> Trace {
    let applet = format!("applet = 'builtin:{applet}'");
    let server = format!("{applet}\n{server}\nfree_buffers = {{ count = 4, length = 4096 }}");
    let pair = Pair::PLAIN.client(&applet).server(&server);
    pair.rest(sends).run()
}

fn burst(payload: &str) -> String {
    send("10us", payload) + "repeat = 25\nevery = '200us'\n"
}

#[test]
fn burst_25_sends_one_transfer_25_times() {
    let trace = run("Burst25", "", &send("10us", "{ count = 100 }"));
    let sent = trace.at("client", "wire-tx");
    assert_eq!(sent.len(), 25);
    assert!(
        sent.iter()
            .all(|event| event["payload"] == sent[0]["payload"])
    );
    assert_eq!(trace.at("client", "dma").len(), 1);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 25);
    assert_eq!(trace.at("client", "tx-done").len(), 1);
}

#[test]
fn the_generator_sends_without_a_transfer() {
    let trace = run("Generator", "", &burst("{ zeros = 100 }"));
    assert_eq!(trace.at("client", "dma").len(), 0);
    let sent = trace.at("client", "wire-tx");
    let first_bytes: Vec<&str> = sent
        .iter()
        .map(|event| &event["payload"].as_str().unwrap()[..2])
        .collect();
    let expected: Vec<String> = (0..25).map(|packet| format!("{packet:02x}")).collect();
    assert_eq!(first_bytes, expected);
}

#[test]
fn every_25th_packet_is_acknowledged_between_the_nics() {
    let trace = run("AckInNic", "", &burst("{ count = 40 }"));
    assert_eq!(trace.at("server", "rx-descriptor").len(), 25);
    let answers = trace.at("server", "wire-tx");
    assert_eq!(answers.len(), 1);
    assert_eq!(number(answers[0], "length"), 0);
    assert_eq!(trace.at("client", "rx-descriptor").len(), 0);
    // The applet's `doRx` returns the number of acknowledgements that have arrived.
    let returned = trace.at("client", "applet-return");
    assert_eq!(number(returned[returned.len() - 1], "value"), 1);
}

#[test]
fn a_null_call_sends_nothing() {
    let trace = run("NullCall", "", &send("10us", "{ count = 40 }"));
    assert_eq!(trace.of("wire-tx").len(), 0);
    let natives = trace.at("client", "native");
    assert_eq!(natives.len(), 1);
    assert_eq!(number(natives[0], "result"), 4096);
}

#[test]
fn a_host_that_acknowledges_answers_with_the_first_bytes() {
    let sends = send("10us", "{ count = 5000 }") + "repeat = 7\nevery = '1ms'\n";
    let trace = run(
        "RawUnet",
        "host = 'acknowledge'\nacknowledge_every = 3",
        &sends,
    );
    let answers = trace.at("client", "rx-descriptor");
    assert_eq!(answers.len(), 2, "to the third and the sixth of seven");
    assert!(answers.iter().all(|event| event["payload"] == "00010203"));
}
