//! Endpoints without an applet, whose packets take the base path, and the users at these endpoints.

use nic_core::event::EndReason;
use nic_runtime::run::SimError;

use crate::trace::{Pair, number, numbers, run, send, texts, try_run};

fn hex(length: usize) -> String {
    (0..length)
        .map(|byte| format!("{:02x}", byte % 256))
        .collect()
}

#[test]
fn messages_of_all_sizes_arrive_and_come_back() {
    let sizes = [0, 5, 56, 57, 1000, 9000];
    let rest: String = sizes
        .iter()
        .map(|size| send("10us", &format!("{{ count = {size} }}")))
        .collect();
    let trace = Pair::PLAIN.server("host = 'echo'").rest(&rest).run();
    assert_eq!(trace.end.reason, EndReason::Idle);
    for (endpoint, channel) in [("server", 7), ("client", 1)] {
        let received = trace.at(endpoint, "rx-descriptor");
        assert_eq!(received.len(), sizes.len());
        for (event, size) in received.iter().zip(sizes) {
            assert_eq!(number(event, "length"), size as u64);
            assert_eq!(number(event, "channel"), channel);
            assert_eq!(event["inline"], size <= 56, "{event}");
            assert_eq!(event["payload"], hex(size));
            let buffers = event["buffers"].as_array().map_or(0, Vec::len);
            assert_eq!(
                buffers,
                if size <= 56 {
                    0
                } else {
                    usize::div_ceil(size, 4096)
                }
            );
        }
    }
    assert_eq!(texts(&trace.of("tx-done"), "status"), ["ok"; 12]);
}

#[test]
fn a_message_of_one_packet_takes_what_the_profile_says() {
    let rest = send("10us", "{ count = 1000 }");
    let trace = Pair::PLAIN.server("notify = 'upcall'").rest(&rest).run();
    // Sending takes the post's time, 10 us for the descriptor, 20 us of DMA at 50 MB/s, and 6.25 us of wire at 160
    // MB/s. Latency: 0.5 us. Receiving takes 19.6 us for the arrival, 20 us of DMA, and 1.28 us for the 64 bytes of the
    // descriptor.
    let times: Vec<_> = trace
        .events
        .iter()
        .map(|event| (event["event"].as_str().unwrap(), number(event, "t_ns")))
        .collect();
    assert_eq!(
        times,
        [
            ("tx-post", 10_000),
            ("dma", 20_000),
            ("wire-tx", 40_000),
            ("tx-done", 46_250),
            ("wire-rx", 46_750),
            ("dma", 66_350),
            ("rx-descriptor", 87_630),
        ]
    );
    // The upcall takes 10 us, fetching the message 1 us, and reading the message 10 us.
    assert_eq!(trace.end.time.as_ns(), 87_630 + 21_000);
}

#[test]
fn polling_finds_a_message_at_the_next_look() {
    let rest = send("10us", "{ count = 1 }");
    let server = "notify = 'poll'\npoll_every = '1ms'\nhost = 'echo'";
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    // The user polls at 1 ms, and then needs 1 us to fetch the message, 10 ns to copy it and 1 us to post.
    assert_eq!(numbers(&trace.at("server", "tx-post"), "t_ns"), [1_002_010]);
}

#[test]
fn a_message_uses_14_buffers_and_no_more() {
    let server = "free_buffers = { count = 20, length = 100 }";
    let rest = send("0us", "{ count = 1400 }") + &send("1ms", "{ count = 1401 }");
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    assert_eq!(
        numbers(&trace.at("server", "rx-descriptor"), "length"),
        [1400]
    );
    let drops = trace.of("drop");
    assert_eq!(texts(&drops, "reason"), ["too-long"]);
    assert_eq!(numbers(&drops, "packet"), [2]);
}

#[test]
fn message_without_enough_buffers_takes_none() {
    // The server's user polls so rarely that it does not return its buffers in time.
    let server = "free_buffers = { count = 3, length = 100 }\npoll_every = '1s'";
    let sizes = [200, 101, 100];
    let rest: String = sizes
        .iter()
        .map(|size| send("0us", &format!("{{ count = {size} }}")))
        .collect();
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    assert_eq!(texts(&trace.of("drop"), "reason"), ["no-free-buffer"]);
    let received = trace.at("server", "rx-descriptor");
    assert_eq!(numbers(&received, "length"), [200, 100]);
    assert_eq!(received[1]["buffers"], serde_json::json!([200]));
}

#[test]
fn a_full_receive_queue_drops_messages() {
    let server = "rx_queue = 2\npoll_every = '1s'";
    let rest: String = (0..3).map(|_| send("0us", "{ count = 8 }")).collect();
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    assert_eq!(trace.at("server", "rx-descriptor").len(), 2);
    assert_eq!(texts(&trace.of("drop"), "reason"), ["rx-queue-full"]);
}

#[test]
fn what_may_not_be_sent_is_refused() {
    let unknown =
        "[[send]]\nendpoint = 'client'\nchannel = 2\nat = '0us'\npayload = { zeros = 1 }\n";
    let rest = send("0us", "{ zeros = 9216 }") + &send("1ms", "{ zeros = 9217 }") + unknown;
    let trace = Pair::PLAIN.rest(&rest).run();
    let done = trace.of("tx-done");
    assert_eq!(numbers(&done, "length"), [1, 9216, 9217]);
    assert_eq!(texts(&done, "status"), ["refused", "ok", "refused"]);
    assert_eq!(trace.of("wire-tx").len(), 1);
}

#[test]
fn the_transmit_region_wraps_and_waits() {
    // The transmit region has 32,768 bytes: three messages of 9,000 bytes fit, and the fourth must wait for the first.
    let rest: String = (0..4).map(|_| send("0us", "{ zeros = 9000 }")).collect();
    let trace = Pair::PLAIN.link("bandwidth = '1MB/s'").rest(&rest).run();
    let posts = trace.of("tx-post");
    assert_eq!(numbers(&posts, "offset"), [32_768, 41_768, 50_768, 32_768]);
    let first_done = number(trace.of("tx-done")[0], "t_ns");
    assert_eq!(number(posts[3], "t_ns"), first_done);
}

#[test]
fn a_full_transmit_queue_delays_the_post() {
    let rest: String = (0..3).map(|_| send("0us", "{ zeros = 10 }")).collect();
    let trace = Pair::PLAIN.client("tx_queue = 1").rest(&rest).run();
    let (posts, done) = (trace.of("tx-post"), trace.of("tx-done"));
    assert_eq!(numbers(&posts, "t_ns")[1..], numbers(&done, "t_ns")[..2]);
}

#[test]
fn sends_repeat() {
    let rest = send("10us", "{ zeros = 1 }") + "repeat = 3\nevery = '200us'";
    let trace = Pair::PLAIN.rest(&rest).run();
    assert_eq!(
        numbers(&trace.of("tx-post"), "t_ns"),
        [10_000, 210_000, 410_000]
    );
}

#[test]
fn limits_end_a_run() {
    let rest = send("10us", "{ zeros = 1 }") + "repeat = 1000\nevery = '10us'";
    let until = Pair::PLAIN.scenario("until = '95us'").rest(&rest).run();
    assert_eq!(until.end.reason, EndReason::Until);
    assert_eq!(until.end.time.as_ns(), 95_000);
    assert_eq!(until.of("tx-post").len(), 9);
    let most = Pair::PLAIN.scenario("max_events = 50").rest(&rest).run();
    assert_eq!(most.end.reason, EndReason::MaxEvents);
    assert_eq!(most.end.events, 50);
}

#[test]
fn a_payload_that_never_fits_the_region_is_refused() {
    let mut scenario =
        crate::scenario::read(&Pair::PLAIN.rest(&send("0us", "{ zeros = 9 }")).toml());
    scenario.sends[0].payload = vec![0; 32_769];
    assert_eq!(
        nic_runtime::Run::new(&scenario)
            .execute()
            .map(|outcome| outcome.end),
        Err(SimError::PayloadTooLong {
            send: 0,
            length: 32_769,
            room: 32_768
        })
    );
}

#[test]
fn an_echo_that_has_no_room_drops_the_message_and_goes_on() {
    let server = "host = 'echo'\nbuffer_area = 1024\nfree_buffers = { count = 4, length = 200 }";
    let rest = send("0us", "{ count = 300 }") + &send("1ms", "{ count = 200 }");
    let trace = Pair::PLAIN.server(server).rest(&rest).run();
    assert_eq!(
        texts(&trace.at("server", "drop"), "reason"),
        ["no-transmit-room"]
    );
    assert_eq!(
        numbers(&trace.at("client", "rx-descriptor"), "length"),
        [200]
    );
}

#[test]
fn an_endpoint_talks_to_itself_and_to_its_neighbour() {
    let trace = run("
        [[nic]]
        name = 'a'
        [[endpoint]]
        nic = 'a'
        name = 'me'
        [[endpoint]]
        nic = 'a'
        name = 'you'
        host = 'echo'
        [[channel]]
        me = [1, 2]
        [[channel]]
        me = 3
        you = 0
        [[send]]
        endpoint = 'me'
        channel = 1
        at = '0us'
        payload = { text = 'self' }
        [[send]]
        endpoint = 'me'
        channel = 3
        at = '0us'
        payload = { count = 3000 }
    ");
    let received = trace.at("me", "rx-descriptor");
    assert_eq!(numbers(&received, "channel"), [2, 3]);
    assert_eq!(numbers(&received, "length"), [4, 3000]);
    assert_eq!(numbers(&trace.at("you", "rx-descriptor"), "channel"), [0]);
}

#[test]
fn a_hundred_endpoints_share_a_nic() {
    let mut toml = String::from("until = '5s'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n");
    for index in 0..100 {
        toml += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'c{index}'\n[[endpoint]]\nnic = 'b'\nname = 's{index}'\n\
             host = 'echo'\n[[channel]]\nc{index} = 1\ns{index} = 2\n[[send]]\nendpoint = 'c{index}'\n\
             channel = 1\nat = '1us'\npayload = {{ count = {} }}\nrepeat = 10\nevery = '1us'\n",
            index * 9
        );
    }
    let trace = run(&toml);
    assert_eq!(trace.end.reason, EndReason::Idle);
    assert_eq!(trace.of("drop").len(), 0);
    for index in 0..100 {
        let lengths = numbers(&trace.at(&format!("c{index}"), "rx-descriptor"), "length");
        assert_eq!(lengths, [index * 9; 10], "c{index}");
    }
}

#[test]
fn too_much_sram_is_refused_with_the_sum() {
    let toml = Pair::PLAIN
        .client("applet = 'builtin:RawUnet'")
        .toml()
        .replace("name = 'a'\n", "name = 'a'\nsram = '100KiB'\n");
    let Err(error) = try_run(&toml) else {
        panic!("it fits")
    };
    let SimError::SramTooSmall(demand) = error else {
        panic!("{error}")
    };
    assert_eq!(demand.sram, 102_400);
    // The SRAM must hold eight slots of 9,216 bytes, 24 KiB of heap, and `RxBuf` with its header.
    assert_eq!(demand.shares.staging, 73_728);
    assert!(demand.shares.applets >= 24 * 1024 + 9216, "{demand}");
    assert!(
        demand
            .to_string()
            .starts_with(&format!("{} bytes do not fit", demand.shares.total()))
    );
}
