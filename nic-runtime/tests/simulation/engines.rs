//! Profile keys of a NIC's engines: exclusion of wire and DMA, and the costs of a receive descriptor, a poll and a
//! request.

use crate::trace::{Pair, Trace, numbers, read_on, send, simulate};

/// Runs a pair in which `client` sends two messages of this length to `server`, on `lanai-1998-parallel` with these
/// keys.
fn messages(section: &str, keys: &str, length: u32) -> Trace {
    on_profile(section, keys, &messages_of(length))
}

fn messages_of(length: u32) -> String {
    let payload = format!("{{ zeros = {length} }}");
    format!("{}{}", send("10us", &payload), send("10us", &payload))
}

/// Runs a pair of endpoints with further tables, on `lanai-1998-parallel` with these keys.
fn on_profile(section: &str, keys: &str, rest: &str) -> Trace {
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let text = text.replacen(section, &format!("{section}\n{keys}"), 1);
    let pair = Pair::PLAIN.rest(rest);
    simulate(&read_on(&pair.toml(), &text)).expect("it runs")
}

fn times(trace: &Trace, endpoint: &str, event: &str) -> Vec<u64> {
    numbers(&trace.at(endpoint, event), "t_ns")
}

#[test]
fn transfers_and_outgoing_packets_share_an_engine() {
    // A message of 4,000 bytes takes 80 us by DMA and 25 us on the wire.
    let since_dma = |keys| {
        let trace = messages("[dma]", keys, 4000);
        let first = times(&trace, "client", "dma")[0];
        let sent = times(&trace, "client", "wire-tx");
        sent.into_iter().map(|time| time - first).collect()
    };
    let parallel: Vec<u64> = since_dma("");
    assert_eq!(parallel, [80_000, 160_000]);
    assert_eq!(since_dma("with_wire = 'parallel'"), parallel);
    // The second DMA transfer was queued during the first, so it precedes the sending of the first packet.
    assert_eq!(since_dma("with_wire = 'in-turn'"), [160_000, 185_000]);
}

#[test]
fn a_receive_descriptor_takes_the_engine_too() {
    // The DMA of a descriptor's 64 bytes takes 1.28 us.
    let plain = times(&messages("[dma]", "", 40), "server", "rx-descriptor");
    let moved = messages("[dma]", "descriptor = '64B'", 40);
    let moved = times(&moved, "server", "rx-descriptor");
    let later = moved.iter().zip(&plain).map(|(moved, plain)| moved - plain);
    assert_eq!(later.collect::<Vec<_>>(), [1_280, 1_280]);
}

#[test]
fn each_endpoint_is_looked_at_whenever_something_is_taken() {
    // Each NIC has one endpoint, so each poll of a processor takes 2 us. The second message waits for both polls of the
    // sender's processor.
    let plain = times(&messages("[base]", "", 40), "server", "rx-descriptor");
    let polled = messages("[base]", "poll = '2us'", 40);
    let polled = times(&polled, "server", "rx-descriptor");
    assert_eq!(polled[0] - plain[0], 4_000);
    let apart = |times: &[u64]| times[1] - times[0];
    assert_eq!(apart(&polled) - apart(&plain), 2_000);
}

#[test]
fn a_request_takes_the_engine_before_its_bytes_move() {
    // A DMA transfer of 4,000 bytes takes 80 us in either direction; each request adds 3 us.
    let took = |keys| {
        let trace = messages("[dma]", keys, 4000);
        let of = |endpoint| numbers(&trace.at(endpoint, "dma"), "dur_ns");
        (of("client"), of("server"))
    };
    assert_eq!(took(""), (vec![80_000; 2], vec![80_000; 2]));
    assert_eq!(took("request = '3us'"), (vec![83_000; 2], vec![83_000; 2]));
    // With the key `to_host`, the DMA rate to the host is twice as high.
    assert_eq!(
        took("to_host = '100MB/s'"),
        (vec![80_000; 2], vec![40_000; 2])
    );
}

#[test]
fn a_processor_waits_for_an_engine_that_takes_one_request() {
    // The message of `asks` arrives during the first of two DMA transfers; the second transfer is already queued.
    let rest = "[[endpoint]]\nname = 'answers'\nnic = 'a'\napplet = 'builtin:PingPong'\n\
                [[endpoint]]\nname = 'asks'\nnic = 'b'\n[[channel]]\nanswers = 1\nasks = 1\n\
                [[send]]\nendpoint = 'asks'\nchannel = 1\nat = '100us'\npayload = { count = 40 }\n";
    let answered = |keys: &str| {
        let rest = format!("{}{rest}", messages_of(9000));
        let trace = on_profile("[dma]", keys, &rest);
        let starts = numbers(&trace.at("client", "dma"), "t_ns");
        (starts[1], times(&trace, "answers", "applet-call").pop())
    };
    let (starts, called) = answered("");
    assert!(called < Some(starts), "{called:?} is before {starts}");
    // With `takes = "one"` the processor waits with the second transfer until the first transfer has ended.
    let (same, called) = answered("takes = 'one'");
    assert_eq!(same, starts);
    assert!(called > Some(starts), "{called:?} is after {starts}");
}

#[test]
fn a_wait_for_an_engine_is_no_work_of_the_processor() {
    // While one processor waits for the engine, the other takes a message every 40 us.
    let text = include_str!("../../profiles/lanai-1998-parallel.toml");
    let text = text.replacen("[dma]", "[dma]\ntakes = 'one'", 1).replacen(
        "[processor]",
        "[processor]\ncontention = 3.0",
        1,
    );
    let rest = format!(
        "{}[[send]]\nendpoint = 'server'\nchannel = 7\npayload = {{ zeros = 40 }}\nrepeat = 9\nevery = '40us'\n",
        messages_of(9000)
    );
    let pair = Pair::PLAIN.rest(&rest);
    let nic = "name = 'a'\nprocessors = 2\nplacement = { doTx = 0, doRx = 1 }\n";
    let toml = pair.toml().replacen("name = 'a'\n", nic, 1);
    let trace = simulate(&read_on(&toml, &text)).expect("it runs");
    // The first transfer of 9,000 bytes takes 180 us, and the second starts at its end.
    let starts = times(&trace, "client", "dma");
    assert_eq!(starts[1] - starts[0], 180_000);
}
