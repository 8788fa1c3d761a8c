//! The order in which packets leave that wait for a port (`port.order`).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use nic_core::event::EndReason;
use nic_core::random::Generator;
use nic_runtime::profile::{PortOrder, PortProfile, Profile};
use nic_runtime::scenario::{BUILTIN, parse};
use nic_runtime::spec::Scenario;

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Trace, number, read_on, simulate, texts};

/// Lets the packets of all NICs leave in this order, and gives each NIC memory for many that wait.
fn with_order(mut scenario: Scenario, order: Option<PortOrder>) -> Scenario {
    let change = |profile: &mut Profile| {
        profile.port = order.map(|order| PortProfile { order });
        let slots = NonZeroU32::new(64).expect("64 is not 0");
        (profile.memory.send_slots, profile.memory.arrival_slots) = (slots, slots);
    };
    change(&mut scenario.profile);
    for nic in &mut scenario.nics {
        nic.sram = 64 << 20;
    }
    let own = scenario
        .nics
        .iter_mut()
        .filter_map(|nic| nic.profile.as_mut());
    own.for_each(|profile| change(Arc::make_mut(profile)));
    scenario
}

/// A NIC floods its port, which takes 1 ms for a packet, by one channel. At 5 ms it sends a packet by another.
fn flood(calm: &str) -> String {
    format!(
        "profile = 'lanai-1998-switched'\n[[nic]]\nname = 'a'\nsram = '2MiB'\n[[nic]]\nname = 'b'\nsram = '2MiB'\n\
         [[link]]\nbetween = ['a', 'b']\nbandwidth = '1MB/s'\n\
         [[endpoint]]\nnic = 'a'\nname = 'flood'\nbuffer_area = '1MiB'\n\
         [[endpoint]]\nnic = 'a'\nname = 'calm'\n\
         [[endpoint]]\nnic = 'b'\nname = 'sink'\nbuffer_area = '1MiB'\nrx_queue = 128\n\
         free_buffers = {{ count = 64, length = 4096 }}\n\
         [[channel]]\nflood = 1\nsink = 1\n[[channel]]\n{calm} = 2\nsink = 2\n\
         [[send]]\nendpoint = 'flood'\nchannel = 1\npayload = {{ count = 1000 }}\nrepeat = 40\n\
         [[send]]\nendpoint = '{calm}'\nchannel = 2\nat = '5ms'\npayload = {{ count = 500 }}\n"
    )
}

/// Returns how many packets of the flood begin to leave while the packet of the other channel waits.
fn before_calm(trace: &Trace) -> usize {
    let has_length =
        |length: u64| move |event: &&&serde_json::Value| number(event, "length") == length;
    let posts = trace.of("tx-post");
    let posted = posts.iter().find(has_length(500)).expect("it is posted");
    let sent = trace.of("wire-tx");
    let calm = sent.iter().find(has_length(500)).expect("it is sent");
    let (from, to) = (number(posted, "t_ns"), number(calm, "t_ns"));
    let flood = sent.iter().filter(has_length(1000));
    flood
        .filter(|packet| (from..to).contains(&number(packet, "t_ns")))
        .count()
}

#[test]
fn a_flood_takes_one_packets_time_from_another_channel_that_has_its_turn() {
    // With the other channel at the same endpoint, it is behind the flood in the transmit queue.
    let found = |order| {
        let trace = simulate(&with_order(read(&flood("calm")), order)).expect("it runs");
        trace.check_laws();
        assert_eq!(trace.of("rx-descriptor").len(), 41);
        before_calm(&trace)
    };
    assert_eq!(found(None), found(Some(PortOrder::HandedOver)));
    assert!(found(None) > 30, "{} are before it", found(None));
    assert!(found(Some(PortOrder::RoundRobin)) <= 1);
}

#[test]
fn packets_leave_as_they_were_handed_over_unless_the_profile_says_otherwise() {
    let text = include_str!("../../profiles/lanai-1998.toml");
    let with = |order: &str| {
        let text = text
            .replace("send_slots = 2", "send_slots = 64")
            .replace("arrival_slots = 4", "arrival_slots = 64");
        let scenario = read_on(
            &flood("calm").replacen("profile = 'lanai-1998-switched'\n", "", 1),
            &(text + order),
        );
        simulate(&scenario).expect("it runs")
    };
    let absent = with("");
    assert_eq!(absent.text, with("\n[port]\norder = 'handed-over'\n").text);
    assert!(before_calm(&absent) > 30);
    assert!(before_calm(&with("\n[port]\norder = 'round-robin'\n")) <= 1);
    for (section, expected) in [
        ("[port]\n", "missing field `order`"),
        (
            "[port]\norder = 'fifo'\n",
            "expected \"handed-over\" or \"round-robin\"",
        ),
    ] {
        let error = Profile::parse(&format!("{text}\n{section}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Returns random traffic of NICs that each have several endpoints and channels, over a switch with slow ports.
fn traffic(seed: u64) -> String {
    let mut generator = Generator::named(seed, &["order"]);
    let mut below = |limit: u64| generator.draw() % limit;
    let (nics, endpoints) = (2 + below(2), 1 + below(3));
    let mut text = format!(
        "profile = 'lanai-1998-switched'\nseed = {seed}\nuntil = '100s'\n[[switch]]\nname = 's'\nports = 9\n"
    );
    let has_faults = below(2) == 0;
    for nic in 0..nics {
        let rate = [1, 20, 160][below(3) as usize];
        text += &format!(
            "[[nic]]\nname = 'n{nic}'\nsram = '4MiB'\n[[link]]\nbetween = ['n{nic}', 's']\nbandwidth = '{rate}MB/s'\n"
        );
        if has_faults {
            text += "loss = 0.05\nduplicate = 0.1\ncorrupt = 0.05\n";
        }
        for endpoint in 0..endpoints {
            text += &format!(
                "[[endpoint]]\nnic = 'n{nic}'\nname = 'e{nic}_{endpoint}'\nbuffer_area = '1MiB'\nrx_queue = 512\n\
                 free_buffers = {{ count = 64, length = 4096 }}\n"
            );
        }
    }
    for channel in 0..12 {
        let (from, to) = (below(nics), below(nics));
        let (one, other) = (below(endpoints), below(endpoints));
        if from == to {
            continue;
        }
        text += &format!(
            "[[channel]]\ne{from}_{one} = {channel}\ne{to}_{other} = {}\n\
             [[send]]\nendpoint = 'e{from}_{one}'\nchannel = {channel}\nat = '{}us'\n\
             payload = {{ count = {} }}\nrepeat = {}\n",
            100 + channel,
            below(3_000),
            below(5_000),
            1 + below(12)
        );
    }
    text
}

#[test]
fn each_channel_keeps_its_order_and_its_contents_when_channels_take_turns() {
    let mut differ = 0;
    for seed in 0..runs(30) {
        let text = traffic(seed);
        let run = |order| {
            let trace = simulate(&with_order(read(&text), Some(order))).expect("it runs");
            trace.check_laws();
            assert_eq!(trace.end.reason, EndReason::Idle, "seed {seed}");
            trace
        };
        let (in_turn, handed_over) = (run(PortOrder::RoundRobin), run(PortOrder::HandedOver));
        // Messages of a channel, with what became of each, are the same in both orders. Faults do not depend on it.
        let received = |trace: &Trace| {
            let mut of_channel: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for event in trace.of("rx-descriptor") {
                let channel = format!("{} {}", event["endpoint"], event["channel"]);
                let posts = of_channel.entry(channel).or_default();
                posts.push(event["payload"].to_string());
            }
            of_channel
        };
        assert_eq!(received(&in_turn), received(&handed_over), "seed {seed}");
        let mut last: BTreeMap<(String, u64), u64> = BTreeMap::new();
        for event in in_turn.of("wire-tx") {
            let channel = (event["endpoint"].to_string(), number(event, "channel"));
            let packet = number(event, "packet");
            let before = last.insert(channel, packet);
            assert!(
                before.is_none_or(|before| before <= packet),
                "seed {seed}: {event}"
            );
        }
        let order = |trace: &Trace| texts(&trace.of("wire-tx"), "endpoint").join(" ");
        differ += u64::from(order(&in_turn) != order(&handed_over));
    }
    assert!(differ * 3 > runs(30), "packets waited in {differ} runs");
}

/// What is written to remote memory relies on the order of writes, and VIs on the order of their packets.
#[test]
fn remote_memory_and_vis_work_when_channels_take_turns() {
    for name in [
        "clan-ping",
        "clan-server",
        "via",
        "via-segments",
        "packet-placed",
        "window-barrier",
    ] {
        let builtin = BUILTIN
            .iter()
            .find(|builtin| builtin.name == name)
            .expect("it is built in");
        let scenario = parse(builtin.text.as_bytes(), None, None).expect("it is right");
        let received = |order| {
            let trace = simulate(&with_order(scenario.clone(), order)).expect("it runs");
            trace.check_laws();
            let mut of_endpoint: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for event in trace.of("rx-descriptor") {
                let messages = of_endpoint
                    .entry(event["endpoint"].to_string())
                    .or_default();
                messages.push(event["payload"].to_string());
            }
            (trace.end.reason, trace.end.gave_up.len(), of_endpoint)
        };
        assert_eq!(
            received(None),
            received(Some(PortOrder::RoundRobin)),
            "{name}"
        );
    }
}
