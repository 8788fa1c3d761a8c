//! `Multicast`: each member of a tree receives each message once, and the root's host sends once. Over links that lose
//! or reorder packets, no message arrives twice or out of order.

use tests::seen::Seen;

use super::network::{Network, length, random};

pub(crate) fn law(seed: u64) {
    let random = &mut random("multicast", seed);
    let members = 1 + random.below(7);
    // Choose the parent of each member; the root is member 0.
    let parents: Vec<usize> = (0..members)
        .map(|member| random.below(member + 1))
        .collect();
    let mut network = Network::new();
    for member in 0..=members {
        // A member reaches each child on the channel of the child's number, and its parent on channel 100.
        let children = parents
            .iter()
            .enumerate()
            .filter(|(_, parent)| **parent == member);
        let children: Vec<String> = children.map(|(child, _)| (child + 1).to_string()).collect();
        let parent = if member == 0 { -1 } else { 100 };
        network.endpoint(&format!(
            "applet = \"builtin:Multicast\"\nrx_queue = 1000\nbuffer_area = 1048576\n\
             free_buffers = {{ count = 100, length = 4096 }}\n\
             state = {{ PARENT = {parent}, CHILDREN = [{}] }}",
            children.join(", ")
        ));
    }
    let is_certain = random.one_in(2);
    for (child, parent) in parents.iter().enumerate() {
        let channel = i32::try_from(child + 1).expect("small");
        network.channel((*parent, channel), (child + 1, 100));
        let faults = if is_certain {
            "duplicate = 0.3"
        } else {
            "duplicate = 0.2\nloss = 0.2\nreorder = 0.3"
        };
        network.link(*parent, child + 1, faults);
    }
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (members, 200));
    let mut at = 10;
    for _ in 0..30 {
        let length = length(random, 1500);
        network.send(0, 1, at, &random.bytes(length));
        // Messages of a member's user, and those of a stranger to a member, reach nobody.
        network.send(members, 100, at, &random.bytes(20));
        network.send(stranger, 1, at, &random.bytes(20));
        at += random.below(1000);
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), &seen.drops[..]), (0, &[][..]));
    // The root has a child on channel 1, so the NIC refuses no message of the root's user.
    let posted = seen.posted_by(0, 1);
    for member in 1..=members {
        let received = seen.received_by(u32::try_from(member).expect("small"), 100);
        if is_certain {
            assert_eq!(received, posted);
        } else {
            let mut left = posted.iter();
            assert!(
                received
                    .iter()
                    .all(|message| left.any(|posted| posted == message))
            );
        }
    }
    let elsewhere = seen
        .received
        .iter()
        .filter(|message| message.channel != 100);
    assert_eq!(elsewhere.count(), 0);
}
