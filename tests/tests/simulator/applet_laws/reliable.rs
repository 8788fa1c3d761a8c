//! `Reliable`: each message that the NIC does not refuse arrives exactly once, intact and in order, over links with
//! every fault. Over a link that is cut, the user receives a report of each message that may not have arrived.

use tests::seen::Seen;

use super::network::{Network, length, pause, random};
use super::token_flow::accepted;

/// Runs two endpoints that send to each other over a link with faults, and a stranger that sends to one of them.
fn traffic(seed: u64, faults: &str, silent_max: u32) -> Seen {
    let random = &mut random("reliable", seed);
    let mut network = Network::new();
    for _ in 0..2 {
        let window = 1 + random.below(6);
        let bits = random.below(5);
        let poll = [1, 30, 2000][random.below(3)];
        network.endpoint(&format!(
            "applet = \"builtin:Reliable\"\nrx_queue = 100\npoll_every = \"{poll}us\"\n\
             state = {{ WINDOW = {window}, QUEUE_BITS = {bits}, SLOT = 600, SILENT_MAX = {silent_max} }}"
        ));
    }
    network.channel((0, 1), (1, 1));
    network.link(0, 1, faults);
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (1, 2));
    let mut at = 10;
    for number in 0..40 {
        let length = length(random, 650);
        network.send(number % 2, 1, at, &random.bytes(length));
        let forged = random.below(40);
        network.send(stranger, 1, at, &random.bytes(forged));
        at += pause(random, 20_000, |random| {
            let bound = if random.one_in(3) { 9000 } else { 100 };
            random.below(bound)
        });
    }
    Seen::of(&network.scenario(seed))
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("faults", seed);
    let mut percent = |most: usize| random.below(most + 1);
    let faults = format!(
        "loss = 0.{:02}\nduplicate = 0.{:02}\ncorrupt = 0.{:02}\nreorder = 0.{:02}\ncrc = {}",
        percent(50),
        percent(40),
        percent(20),
        percent(40),
        percent(1) == 0
    );
    let seen = traffic(seed, &faults, 150);
    assert!(seen.traps.is_empty(), "{:?}", seen.traps);
    for (from, to) in [(0, 1), (1, 0)] {
        assert_eq!(
            seen.received_by(to, 1),
            accepted(&seen, from, 1),
            "{faults}"
        );
    }
}

pub(crate) fn cut(seed: u64) {
    let loss = ["0.9", "0.97", "1.0"][usize::try_from(seed % 3).expect("small")];
    let seen = traffic(seed, &format!("loss = {loss}\nduplicate = 0.1"), 3);
    assert!(seen.traps.is_empty(), "{:?}", seen.traps);
    for (from, to) in [(0, 1), (1, 0)] {
        let certain = accepted(&seen, from, 1);
        let posted = seen.posted_by(from, 1);
        let received = seen.received_by(to, 1);
        // Each received message is the next message that was posted, or a later one.
        let mut left = posted.iter();
        assert!(
            received
                .iter()
                .all(|message| left.any(|posted| posted == message))
        );
        // Each message that was not refused was received.
        let mut left = received.iter();
        assert!(
            certain
                .iter()
                .all(|message| left.any(|received| received == message))
        );
        if loss == "1.0" {
            assert_eq!((certain.len(), received.len()), (0, 0));
            let refused = seen.received_by(from, !1).len();
            assert_eq!(refused, posted.len(), "one notice for each message");
        }
    }
}
