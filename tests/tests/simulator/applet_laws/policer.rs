//! `Policer`: in each period a channel delivers at most the burst and the rate. A packet is dropped only if its
//! delivery would break this bound.

use std::collections::BTreeMap;

use tests::seen::Seen;

use super::network::{Network, length, pause, random};

pub(crate) fn law(seed: u64) {
    let random = &mut random("policer", seed);
    let rate = [0, 1, 100, 1000, 1_000_000][random.below(5)];
    let burst = [0, 60, 500, 1_000_000][random.below(4)];
    let mut network = Network::new();
    let receiver = network.endpoint(&format!(
        "applet = \"builtin:Policer\"\nstate = {{ RATE = {rate}, BURST = {burst} }}\nrx_queue = 1000\n\
         buffer_area = 1048576\nfree_buffers = {{ count = 200, length = 4096 }}"
    ));
    for channel in 1..=3 {
        let sender = network.endpoint("");
        network.channel((sender, 1), (receiver, channel));
        let mut at = 10;
        let gap = [50, 200, 3000][random.below(3)];
        for _ in 0..40 {
            let length = length(random, 600);
            network.send(sender, 1, at, &random.bytes(length));
            // Send bursts of packets, with pauses of any length between the bursts.
            at += pause(random, 20 * gap, |random| {
                let bound = if random.one_in(4) { 20 * gap } else { gap };
                random.below(bound)
            });
        }
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    let mut delivered: BTreeMap<i32, Vec<(i64, i64)>> = BTreeMap::new();
    for call in seen.calls.iter().filter(|call| call.method == "doRx") {
        let (length, channel) = (i64::from(call.args[0]), call.args[1]);
        let delivered = delivered.entry(channel).or_default();
        // With a rate of 0 the time does not matter, so the applet does not call `currentTime`.
        let now = call.clock.unwrap_or(0);
        // Check the bound of each period from an earlier delivery until now, in thousandths of a byte.
        let mut sum = 1000 * length;
        let mut is_within = sum <= 1000 * burst;
        for (then, earlier) in delivered.iter().rev() {
            sum += 1000 * earlier;
            is_within &= sum <= 1000 * burst + rate * (now - then);
        }
        assert_eq!(call.value == 1, is_within, "{call:?} after {delivered:?}");
        if is_within {
            delivered.push((now, length));
        }
    }
    for channel in 1..=3 {
        let messages = seen.received_by(0, channel);
        assert_eq!(messages.len(), delivered[&channel].len());
    }
}
