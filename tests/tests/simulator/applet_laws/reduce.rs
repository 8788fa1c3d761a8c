//! `Reduce` and `Barrier`, over trees of up to eight NICs and links with faults. Each user receives the exact sum, and
//! no user leaves a barrier before the last user has entered.

use jive_lab::Random;
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use tests::seen::Seen;

use super::network::{Network, idle, random};

const ROUNDS: usize = 6;

/// A host program that posts the next vector of a list after a pause, whenever a result arrives.
struct Member {
    channel: i32,
    vectors: Vec<Vec<u8>>,
    pauses: Vec<u64>,
}

impl Member {
    fn post(&mut self, actions: &mut Actions<'_>) {
        if let Some(vector) = self.vectors.pop() {
            actions.compute(SimDuration::from_ns(1000 * self.pauses.pop().unwrap_or(0)));
            let endpoint = actions.endpoints()[0];
            actions.post(endpoint, ChannelId(self.channel), vector);
        }
    }
}

impl HostProgram for Member {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started | Happened::Message { .. } => self.post(actions),
            Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }
}

/// Runs rounds over a random tree. Each member posts its vectors, the last one first.
fn rounds(applet: &str, seed: u64, random: &mut Random, vectors: &[Vec<Vec<u8>>]) -> Seen {
    let members = vectors.len();
    // Choose the parent of each member but the root, which is member 0.
    let parents: Vec<usize> = (1..members).map(|member| random.below(member)).collect();
    let mut network = Network::new();
    for member in 0..members {
        // A member reaches each child on the channel of the child's number, and its parent on channel 100.
        let children = parents
            .iter()
            .enumerate()
            .filter(|(_, parent)| **parent == member);
        let children: Vec<String> = children.map(|(child, _)| (child + 1).to_string()).collect();
        let parent = if member == 0 { -1 } else { 100 };
        let size = if applet == "Reduce" { ", SIZE = 3" } else { "" };
        network.endpoint(&format!(
            "applet = \"builtin:{applet}\"\n\
             state = {{ PARENT = {parent}, CHILDREN = [{}], RETRY = 900{size} }}",
            children.join(", ")
        ));
    }
    for (child, parent) in parents.iter().enumerate() {
        let channel = i32::try_from(child + 1).expect("small");
        network.channel((*parent, channel), (child + 1, 100));
        let faults = format!(
            "loss = 0.{:02}\nduplicate = 0.{:02}\nreorder = 0.{:02}\ncorrupt = 0.{:02}",
            random.below(50),
            random.below(30),
            random.below(30),
            random.below(30)
        );
        network.link(*parent, child + 1, &faults);
    }
    // A stranger sends packets of the kinds UP and DOWN, and of other kinds, to the last member.
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (members - 1, 200));
    for number in 0..20 {
        let round = [0, 0, 0, u8::try_from(number % ROUNDS).expect("small")];
        let length = 12 * usize::from(applet == "Reduce");
        let kind = u8::try_from(random.below(4)).expect("small");
        let forged = [&[kind][..], &round, &random.bytes(length)].concat();
        network.send(stranger, 1, 100 + 700 * number, &forged);
    }
    // All members rest between two rounds, some as long as the clock takes to wrap, or else the first repeats its packet.
    let rests: Vec<usize> = (0..ROUNDS)
        .map(|_| {
            if random.one_in(4) {
                idle(random, 2000)
            } else {
                0
            }
        })
        .collect();
    let mut programs = Programs::new();
    for (member, vectors) in vectors.iter().enumerate() {
        let pauses = rests.iter().map(|rest| {
            let rest = u64::try_from(*rest).expect("hours");
            rest + random.draw() % 2000
        });
        let pauses = pauses.collect();
        let program = Member {
            // The root has a child on channel 1, because the parent of member 1 is the root.
            channel: if member == 0 { 1 } else { 100 },
            vectors: vectors.clone(),
            pauses,
        };
        programs = programs.with(&format!("e{member}"), program);
    }
    let seen = Seen::with(&network.scenario(seed), programs);
    assert_eq!((seen.traps.len(), &seen.drops[..]), (0, &[][..]));
    seen
}

fn place(member: usize) -> u32 {
    u32::try_from(member).expect("few members")
}

pub(crate) fn sums(seed: u64) {
    let random = &mut random("reduce", seed);
    let members = 2 + random.below(7);
    let numbers: Vec<Vec<[i32; 3]>> = (0..members)
        .map(|_| {
            (0..ROUNDS)
                .map(|_| [random.int(), random.int(), random.int()])
                .collect()
        })
        .collect();
    let bytes = |vector: &[i32; 3]| vector.iter().flat_map(|int| int.to_be_bytes()).collect();
    let vectors: Vec<Vec<Vec<u8>>> = numbers
        .iter()
        .map(|own| own.iter().rev().map(bytes).collect())
        .collect();
    let seen = rounds("Reduce", seed, random, &vectors);
    let results: Vec<Vec<u8>> = (0..ROUNDS)
        .map(|round| {
            let sum = |place: usize| {
                let ints = numbers.iter().map(|own| own[round][place]);
                ints.fold(0_i32, i32::wrapping_add)
            };
            bytes(&[sum(0), sum(1), sum(2)])
        })
        .collect();
    for member in 0..members {
        let channel = if member == 0 { -1 } else { 100 };
        assert_eq!(seen.received_by(place(member), channel), results);
    }
}

pub(crate) fn barriers(seed: u64) {
    let random = &mut random("barrier", seed);
    let members = 2 + random.below(7);
    let vectors = vec![vec![b"enter".to_vec(); ROUNDS]; members];
    let seen = rounds("Barrier", seed, random, &vectors);
    for round in 0..ROUNDS {
        let entered = (0..members).map(|member| {
            let own = seen
                .posted
                .iter()
                .filter(|message| message.endpoint == place(member));
            own.clone()
                .nth(round)
                .expect("each member enters each round")
                .time
        });
        let last = entered.max().expect("there are members");
        for member in 0..members {
            let own = seen
                .received
                .iter()
                .filter(|message| message.endpoint == place(member));
            let left = own
                .clone()
                .nth(round)
                .expect("each member leaves each round");
            assert!(
                left.time > last,
                "member {member} leaves round {round} too early"
            );
            let number = u32::from_be_bytes(left.payload[1..].try_into().expect("four bytes"));
            assert_eq!(usize::try_from(number).expect("small"), round);
        }
    }
    assert_eq!(seen.received.len(), members * ROUNDS);
}
