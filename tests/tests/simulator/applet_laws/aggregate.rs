//! `Aggregate`: each message arrives once and in order, and leaves its NIC within the delay.

use tests::seen::Seen;

use super::network::{Network, length, pause, random};

/// Longest time from the end of the delay to the first bit of the packet, in nanoseconds. The allowed lateness covers
/// the calls that run before the call of the timer, and the timer's own call.
const LATENESS: u64 = 400_000;

pub(crate) fn law(seed: u64) {
    let random = &mut random("aggregate", seed);
    let full = [40, 300, 2000][random.below(3)];
    let delay = [1, 200, 3000][random.below(3)];
    let mut network = Network::new();
    network.endpoint(&format!(
        "applet = \"builtin:Aggregate\"\nstate = {{ FULL = {full}, DELAY = {delay} }}"
    ));
    network.endpoint(
        "applet = \"builtin:Aggregate\"\nrx_queue = 1000\nbuffer_area = 1048576\n\
         free_buffers = { count = 100, length = 4096 }",
    );
    network.channel((0, 1), (1, 1));
    network.channel((0, 2), (1, 2));
    let mut at = 10;
    let mut accepted = [Vec::new(), Vec::new()];
    for _ in 0..60 {
        let length = length(random, 300);
        let payload = random.bytes(length);
        let channel = usize::from(random.one_in(5));
        network.send(0, [1, 2][channel], at, &payload);
        // A record in the packet has two bytes more than its message.
        if length + 2 <= full {
            accepted[channel].push(payload);
        }
        at += pause(random, 4000, |random| {
            let bound = if random.one_in(4) { 4000 } else { 100 };
            random.below(bound)
        });
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
    assert_eq!(seen.received_by(1, 1), accepted[0]);
    assert_eq!(seen.received_by(1, 2), accepted[1]);

    // The messages leave the NIC in the order of the calls that accepted them.
    let taken = |value: i32| value >= 0;
    let calls = seen
        .calls
        .iter()
        .filter(|call| call.method == "doTx" && taken(call.value));
    let mut calls = calls.map(|call| call.time);
    for packet in &seen.sent {
        assert!(packet.payload.len() <= full);
        let mut rest = &packet.payload[..];
        while let [high, low, after @ ..] = rest {
            rest = &after[usize::from(u16::from_be_bytes([*high, *low]))..];
            let taken = calls.next().expect("a call for each message").as_ns();
            let latest = taken + 1000 * delay + LATENESS;
            assert!(
                packet.time.as_ns() <= latest,
                "taken at {taken} ns, sent at {:?}",
                packet.time
            );
        }
    }
    assert_eq!(calls.next(), None, "no message is left behind");
}
