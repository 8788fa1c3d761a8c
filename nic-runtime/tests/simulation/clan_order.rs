//! VIA over CLAN: what follows what. Pointers follow data, connections end behind the messages before, and a window
//! that was closed stays closed.

use nic_core::id::EndpointId;

use crate::scenario::read;
use crate::trace::{number, run, simulate};
use crate::via::{lines, pair, received};

const LEVELS: [&str; 3] = ["unreliable", "delivery", "reception"];

/// A message of the endpoint `left`.
fn message(at: &str, payload: &str) -> String {
    format!("[[send]]\nendpoint = 'left'\nchannel = 1\nat = '{at}'\npayload = {payload}\n")
}

fn clan(both: &str, more: &str) -> String {
    format!("profile = 'clan-2001'\n{}", pair("", both, more))
}

/// Returns the lines of a run for these events, without those of the start and of flushed receive descriptors.
fn shown(text: &str, words: &[&str]) -> Vec<String> {
    let mut shown = lines(text, words);
    shown.retain(|line| {
        !line.ends_with("requested")
            && !line.ends_with("accepted")
            && !line.contains("flushed buffers")
    });
    shown
}

#[test]
fn message_without_room_waits_for_the_dma_before() {
    let more = message("0us", "{ count = 4000 }") + &message("0us", "{ zeros = 5000 }");
    let words = ["tx-done", "rx-descriptor", "vi-state"];
    for level in LEVELS {
        for keys in [
            "",
            "strict = true",
            "split = true\nfree_buffers = { count = 1, length = 4096 }",
        ] {
            let text = clan(&format!("reliability = '{level}'\n{keys}"), &more);
            let expected: Vec<u8> = (0u8..=255).cycle().take(4_000).collect();
            let found = received(&read(&text));
            assert_eq!(found[&EndpointId(1)][0], expected, "{level} {keys}");
            let lines = shown(&text, &words);
            let ok = lines.iter().filter(|line| line.contains("length=4000 ok"));
            let failed = lines.iter().filter(|line| {
                line.ends_with("=5000 length-error") || line.contains("=0 length-error")
            });
            let ends = lines.iter().filter(|line| line.contains("vi-state"));
            // At the level reception the connection ends before the peer's read pointer returns.
            let expected = match level {
                "unreliable" => [2, 2, 0],
                "delivery" => [2, 2, 2],
                _ => [1, 2, 2],
            };
            if !keys.contains("count = 1") {
                assert_eq!(
                    [ok.count(), failed.count(), ends.count()],
                    expected,
                    "{lines:#?}"
                );
            }
            assert!(
                !lines.iter().any(|line| line.contains("loss")),
                "{lines:#?}"
            );
        }
    }
}

#[test]
fn message_beyond_the_peers_descriptors_fails() {
    let keys = "split = true\non_empty = 'defer'\nfree_buffers = { count = 3, length = 64 }\npoll_every = '100us'";
    let more = message("0us", "{ count = 192 }")
        + &message("0us", "{ count = 193 }")
        + &message("0us", "{ count = 10 }");
    for level in LEVELS {
        let text = clan(&format!("reliability = '{level}'\n{keys}"), &more);
        let lines = shown(&text, &["tx-done"]);
        let last = match level {
            "unreliable" => "ok",
            _ => "flushed",
        };
        let expected = ["192 ok", "193 length-error", &format!("10 {last}")]
            .map(|line| format!("left tx-done channel=1 length={line}"));
        assert_eq!(lines, expected, "{level}");
    }
    // Fourteen descriptors are the most that a message takes.
    let keys = keys.replace("count = 3, length = 64", "count = 20, length = 64");
    let more = message("0us", "{ count = 896 }") + &message("0us", "{ count = 897 }");
    let lines = shown(&clan(&keys, &more), &["tx-done"]);
    assert!(lines[1].ends_with("length=897 length-error"), "{lines:#?}");
}

#[test]
fn a_returned_buffer_opens_no_window_to_a_deregistered_region() {
    let region = |at: &str, action: &str| {
        format!("[[region]]\nendpoint = 'right'\nat = '{at}'\naction = '{action}'\n")
    };
    let ends = "free_buffers = { count = 1, length = 256 }\npoll_every = '100us'";
    let secret = message("0us", "{ text = 'AAAABBBBCCCCDDDD' }");
    let later = message("300us", "{ text = 'EVILEVILEVIL' }");
    for strict in [false, true] {
        for level in LEVELS {
            let keys = format!("{ends}\nstrict = {strict}\nreliability = '{level}'");
            let text = clan(
                &keys,
                &(secret.clone() + &region("60us", "deregister") + &later),
            );
            let mut lines = shown(&text, &["tx-done", "rx-descriptor", "drop"]);
            lines.sort_by_key(|line| line.starts_with("right"));
            assert_eq!(
                lines,
                [
                    "left tx-done channel=1 length=16 ok",
                    "left drop no-free-buffer",
                    "left tx-done channel=1 length=12 dropped",
                    "right rx-descriptor channel=1 length=16 ok buffers=[0]",
                    "right rx-descriptor channel=1 length=0 protection-error buffers=[0]",
                ],
                "{strict} {level}"
            );
            let trace = run(&text);
            let writes = trace.at("left", "window-write");
            assert!(writes.iter().all(|write| number(write, "t_ns") < 300_000));
            // A region that is registered again has a window again.
            let both = region("60us", "deregister") + &region("70us", "register");
            let text = clan(&keys, &(secret.clone() + &both + &later));
            let received = &received(&read(&text))[&EndpointId(1)];
            assert_eq!(received[1], b"EVILEVILEVIL", "{strict} {level}");
        }
    }
}

#[test]
fn transfer_queue_holds_messages_for_a_slow_user() {
    // The receive queue has room for one message, and the user takes one each 70 us.
    let keys = "rx_queue = 1\npoll_every = '70us'\nfree_buffers = { count = 4, length = 64 }";
    let payloads = [
        "{ text = 'first' }",
        "{ text = 'second' }",
        "{ text = 'third' }",
        "{ text = 'fourth' }",
    ];
    let more = payloads.map(|payload| message("0us", payload)).concat()
        + &message("400us", "{ text = 'fifth' }");
    for level in LEVELS {
        for strict in [false, true] {
            let text = clan(
                &format!("{keys}\nstrict = {strict}\nreliability = '{level}'"),
                &more,
            );
            let found = received(&read(&text))[&EndpointId(1)].concat();
            let found = String::from_utf8(found).expect("text");
            assert_eq!(found, "firstsecondthirdfourthfifth", "{level} {strict}");
        }
    }
}

#[test]
fn a_connection_ends_behind_writes_that_wait_for_a_mapping() {
    // With one mapping, the writes of the first message wait for a window.
    let profile = crate::via_over_memory::profile_with(1);
    let more = message("0us", "{ text = 'first' }") + &message("0us", "{ zeros = 5000 }");
    for level in ["delivery", "reception"] {
        let text = pair(
            "",
            &format!("reliability = '{level}'\ntransfer = 'pio'"),
            &more,
        );
        let scenario = nic_runtime::scenario::parse_on(&text, &profile).expect("it is right");
        assert_eq!(
            received(&scenario)[&EndpointId(1)],
            [b"first".to_vec()],
            "{level}"
        );
        let trace = simulate(&scenario).expect("it fits");
        let ends = trace.at("right", "vi-state");
        let last = trace.at("right", "rx-descriptor");
        let time = |event| number(event, "t_ns");
        assert!(time(ends[2]) >= time(last[0]), "{level}");
    }
}

#[test]
fn a_copy_that_a_link_makes_is_no_second_write() {
    let text = clan("", &message("0us", "{ count = 40 }"));
    let trace = run(&text.replacen(
        "between = ['a', 'b']",
        "between = ['a', 'b']\nduplicate = 1.0",
        1,
    ));
    let writes = trace.of("window-write").len();
    // At the end the NIC tells its peer how many writes there were.
    let sent = trace.of("wire-tx").into_iter();
    let sent = sent.filter(|event| event["kind"] != "count");
    assert!(writes > 3, "{writes}");
    assert_eq!(sent.count(), 2 * writes, "each write has one copy");
}

#[test]
fn a_message_that_does_not_fit_names_its_post_and_its_packet() {
    let more = message("0us", "{ count = 40 }") + &message("0us", "{ zeros = 5000 }");
    for level in LEVELS {
        for keys in ["", "transfer = 'dma'", "strict = true"] {
            let trace = run(&clan(&format!("reliability = '{level}'\n{keys}"), &more));
            let posts = trace.at("left", "tx-post");
            let descriptors = trace.at("right", "rx-descriptor");
            let failed = descriptors
                .iter()
                .find(|event| event["status"] == "length-error");
            let failed = failed.expect("a descriptor of the second message");
            assert_eq!(failed["post"], posts[1]["post"], "{level} {keys}");
            let packet = number(failed, "packet");
            for event in ["wire-tx", "wire-rx"] {
                let all = trace.of(event).into_iter();
                let mut of_packet = all.filter(|event| number(event, "packet") == packet);
                let first = of_packet.next().expect("its entry crosses the wire");
                assert_eq!(first["post"], failed["post"], "{event} {level} {keys}");
            }
        }
    }
}
