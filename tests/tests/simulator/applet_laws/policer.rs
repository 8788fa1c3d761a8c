//! `Policer`: in each period a channel delivers at most the burst and the rate. A packet is dropped only if its
//! delivery would break this bound. The bound of the last bucket holds for all channels that share it.

use std::collections::BTreeMap;

use tests::seen::Seen;

use super::network::{Network, length, pause, random};

/// How many channels have a bucket of their own. All further channels share the last one.
const BUCKETS: usize = 16;

pub(crate) fn law(seed: u64) {
    let random = &mut random("policer", seed);
    let rate = [0, 1, 100, 1000, 1_000_000][random.below(5)];
    let burst = [0, 60, 500, 1_000_000][random.below(4)];
    let mut network = Network::new();
    let receiver = network.endpoint(&format!(
        "applet = \"builtin:Policer\"\nstate = {{ RATE = {rate}, BURST = {burst} }}\nrx_queue = 1000\n\
         buffer_area = 1048576\nfree_buffers = {{ count = 200, length = 4096 }}"
    ));
    let channels = match random.below(6) {
        0 => BUCKETS,
        1 => BUCKETS + 1,
        2 => BUCKETS + 3,
        _ => 3,
    };
    let channels = 1..=i32::try_from(channels).expect("few channels");
    for channel in channels.clone() {
        let sender = network.endpoint("");
        network.channel((sender, 1), (receiver, channel));
        let mut at = 10;
        let gap = [50, 200, 3000][random.below(3)];
        for _ in 0..if channels.contains(&4) { 12 } else { 40 } {
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

    // In the order in which the channels got their buckets.
    let mut known: Vec<i32> = Vec::new();
    let mut delivered: BTreeMap<usize, Vec<(i64, i64)>> = BTreeMap::new();
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for call in seen.calls.iter().filter(|call| call.method == "doRx") {
        let (length, channel) = (i64::from(call.args[0]), call.args[1]);
        let place = known.iter().position(|known| *known == channel);
        let place = place.unwrap_or_else(|| {
            known.push(channel);
            known.len() - 1
        });
        let delivered = delivered.entry(place.min(BUCKETS - 1)).or_default();
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
            *counts.entry(channel).or_default() += 1;
        }
    }
    for channel in channels {
        let messages = seen.received_by(0, channel);
        let count = counts.get(&channel).copied().unwrap_or_default();
        assert_eq!(messages.len(), count, "channel {channel}");
    }
}
