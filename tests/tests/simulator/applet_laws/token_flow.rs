//! `TokenFlow`: no receiver drops a message, however slowly its user reads, and every message arrives in order that the
//! sender's NIC did not refuse. A channel beyond the table is refused as a whole.

use jive_lab::Random;
use nic_runtime::profile::Profile;
use tests::seen::Seen;

use super::network::{Network, length, random};

/// How many channels the applet has room for.
const CHANNELS: usize = 8;

/// Returns the payloads that an endpoint posted on a channel and that its NIC did not refuse.
pub(crate) fn accepted(seen: &Seen, endpoint: u32, channel: i32) -> Vec<&[u8]> {
    let refused: Vec<usize> = seen
        .received_by(endpoint, !channel)
        .into_iter()
        .map(|notice| {
            let number = u32::from_be_bytes(notice.try_into().expect("a notice has four bytes"));
            usize::try_from(number).expect("32 bits fit")
        })
        .collect();
    let posted = seen.posted_by(endpoint, channel).into_iter().enumerate();
    let taken = posted.filter(|(number, _)| !refused.contains(number));
    taken.map(|(_, payload)| payload).collect()
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("token flow", seed);
    let window = 1 + random.below(6);
    let clients = match random.below(6) {
        0 => CHANNELS,
        1 => CHANNELS + 1,
        _ => 1 + random.below(3),
    };
    // A NIC with few arrival slots, and one with many.
    let profile = ["lanai-1998", "modern"][random.below(2)];
    let slots = Profile::builtin(profile)
        .expect("it is built in")
        .memory
        .arrival_slots
        .get() as usize;
    let mut network = Network::new();
    network.profile(profile);
    let keys = |peers: usize, queue: usize, poll: usize| {
        let buffers = window * peers;
        format!(
            "applet = \"builtin:TokenFlow\"\nstate = {{ WINDOW = {window}, QUEUE = {queue}, SLOT = 700 }}\n\
             poll_every = \"{poll}us\"\nbuffer_area = 1048576\nrx_queue = {}\n\
             free_buffers = {{ count = {buffers}, length = 4096 }}",
            // The report of a refusal needs a descriptor too.
            buffers + 100
        )
    };
    let poll = |random: &mut Random| [1, 30, 300, 2000][random.below(4)];
    let server = network.endpoint(&keys(clients, 8, poll(random)));
    for client in 1..=clients {
        let queue = [0, 1, 8][(client + window) % 3];
        network.endpoint(&keys(1, queue, poll(random)));
        let channel = i32::try_from(client).expect("small");
        network.channel((client, 1), (server, channel));
        for (from, channel) in [(client, 1), (server, channel)] {
            let mut at = 10;
            for _ in 0..random.below(25) {
                let length = length(random, 800);
                network.send(from, channel, at, &random.bytes(length));
                at += if random.one_in(3) {
                    random.below(2000)
                } else {
                    random.below(60)
                };
            }
        }
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!(seen.traps.len(), 0);
    // With fewer slots, the applets of both ends can wait for each other, and a NIC drops a packet to end that.
    if slots >= window + 3 {
        assert!(seen.drops.is_empty(), "{:?}", seen.drops);
    } else if !seen.drops.is_empty() {
        assert!(seen.drops.iter().all(|reason| *reason == "nic-full"));
        return;
    }
    // The channels of the server in the order of their first call.
    let mut known: Vec<i32> = Vec::new();
    for call in seen.calls.iter().filter(|call| call.endpoint == 0) {
        let is_known = call
            .args
            .get(1)
            .is_none_or(|channel| known.contains(channel));
        if matches!(call.method.as_str(), "doTx" | "doRx") && !is_known {
            known.push(call.args[1]);
        }
    }
    let refused = known.get(CHANNELS..).unwrap_or_default();
    for client in 1..=u32::try_from(clients).expect("small") {
        let channel = client.cast_signed();
        if refused.contains(&channel) {
            let notices = seen.received_by(0, !channel);
            assert_eq!(notices, vec![[0xff; 4]; seen.posted_by(0, channel).len()]);
            assert_eq!(seen.received_by(0, channel), [[0_u8; 0]; 0]);
            assert_eq!(seen.received_by(client, 1), [[0_u8; 0]; 0]);
            continue;
        }
        assert_eq!(seen.received_by(0, channel), accepted(&seen, client, 1));
        assert_eq!(seen.received_by(client, 1), accepted(&seen, 0, channel));
    }
}
