//! `LoadBalance`: a flow always goes to one member, and only the flows of a member that leaves move to another. Each
//! member's share is within five percent of an equal share.

use std::collections::BTreeMap;

use tests::seen::Seen;

use super::frames::{Flow, any, datagram, valid};
use super::network::{Network, random};

const FLOWS: usize = 1500;

pub(crate) fn law(seed: u64) {
    let random = &mut random("load balance", seed);
    let members = 2 + random.below(4);
    let mut network = Network::new();
    let clients = network.endpoint("");
    let channels: Vec<String> = (0..members)
        .map(|member| (member + 2).to_string())
        .collect();
    let balance = network.endpoint(&format!(
        "applet = \"builtin:LoadBalance\"\nstate = {{ CLIENTS = 1, MEMBERS = [{}] }}",
        channels.join(", ")
    ));
    network.channel((clients, 1), (balance, 1));
    for member in 0..members {
        let server = network.endpoint("poll_every = \"20us\"\nrx_queue = 1000");
        network.channel(
            (server, 1),
            (balance, i32::try_from(member + 2).expect("small")),
        );
    }
    let flows: Vec<Vec<u8>> = (0..FLOWS)
        .map(|_| {
            let mut end = || {
                let [a, b, c, d, e, f, ..] = random.draw().to_be_bytes();
                ([a, b, c, d], u16::from_be_bytes([e, f]))
            };
            let (source, destination) = (end(), end());
            let protocol = if random.one_in(2) { 6 } else { 17 };
            let flow = Flow {
                protocol,
                source,
                destination,
            };
            loop {
                let frame = valid(flow, random);
                let parsed = datagram(&frame).expect("a valid frame");
                // A fragment belongs to no flow.
                if !parsed.ip.is_fragmenting_payload() {
                    return frame;
                }
            }
        })
        .collect();
    let gone = random.below(members);
    let mut at = 10;
    let mut send = |network: &mut Network, from: usize, frame: &[u8]| {
        network.send(from, 1, at, frame);
        at += 100;
    };
    for frame in &flows {
        send(&mut network, clients, frame);
    }
    let order = |up: u8| [u8::try_from(gone).expect("small"), up];
    for up in [0, 1] {
        send(&mut network, balance, &order(up));
        send(&mut network, balance, &any(random));
        for frame in &flows[..200] {
            send(&mut network, clients, frame);
        }
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    // The calls of `doRx` have the order of the frames.
    let calls = seen.calls.iter().filter(|call| call.method == "doRx");
    let chosen: Vec<i32> = calls.map(|call| call.value).collect();
    assert_eq!(chosen.len(), FLOWS + 400);
    let (first, later) = chosen.split_at(FLOWS);
    let gone = i32::try_from(gone).expect("small");
    let mut shares: BTreeMap<i32, usize> = BTreeMap::new();
    for member in first {
        *shares.entry(*member).or_default() += 1;
    }
    assert_eq!(shares.len(), members);
    for (member, share) in shares {
        let difference = (share * members).abs_diff(FLOWS);
        assert!(
            20 * difference <= FLOWS * members,
            "{share} flows at {member}"
        );
    }
    for (place, before) in first[..200].iter().enumerate() {
        let (without, again) = (later[place], later[200 + place]);
        assert_ne!(without, gone);
        assert!(
            *before == gone || without == *before,
            "a flow has moved for nothing"
        );
        assert_eq!(again, *before, "a flow returns with its member");
    }
}
