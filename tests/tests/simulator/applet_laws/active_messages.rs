//! `ActiveMessages`: each request ends with exactly one reply or one error under all faults of the link, and a reply
//! has the right data.

use std::collections::BTreeMap;

use nic_core::id::ChannelId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use tests::seen::Seen;

use super::network::{Network, pause, random};

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;

/// A host program that replies to the handlers 64 to 66 after a pause, with the data reversed, and ignores handler 67.
struct Handlers {
    pauses: Vec<u64>,
}

impl HostProgram for Handlers {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let Happened::Message {
            endpoint,
            channel: ChannelId(channel),
            payload,
        } = what
        else {
            return;
        };
        if payload[0] != REQUEST || payload[1] > 66 {
            return;
        }
        let mut reply = payload.to_vec();
        reply[0] = REPLY;
        reply[6..].reverse();
        actions.compute(SimDuration::from_ns(1000 * self.pauses.pop().unwrap_or(0)));
        actions.post(endpoint, ChannelId(channel), reply);
    }
}

/// Returns the data that a handler's reply must have, or `None` if any data is right.
fn result(handler: u8, data: &[u8]) -> Option<Vec<u8>> {
    match handler {
        0 => Some(data.to_vec()),
        1 => {
            let ints = data.chunks_exact(4);
            let ints = ints.map(|int| i32::from_be_bytes(int.try_into().expect("four bytes")));
            let sum = ints.fold(0_i32, i32::wrapping_add);
            Some(sum.to_be_bytes().to_vec())
        }
        2 => None,
        _ => Some(data.iter().rev().copied().collect()),
    }
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("active messages", seed);
    let mut network = Network::new();
    for _ in 0..2 {
        let timeout = [300, 2000, 20_000][random.below(3)];
        network.endpoint(&format!(
            "applet = \"builtin:ActiveMessages\"\nrx_queue = 1000\nstate = {{ TIMEOUT = {timeout} }}"
        ));
    }
    network.channel((0, 1), (1, 1));
    let percent = |random: &mut jive_lab::Random| random.below(40);
    network.link(
        0,
        1,
        &format!(
            "loss = 0.{:02}\nduplicate = 0.{:02}\nreorder = 0.{:02}",
            percent(random),
            percent(random),
            percent(random)
        ),
    );
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (0, 2));
    let mut at = 10;
    for number in 0..60_u8 {
        let handler = [0, 1, 2, 3, 63, 64, 65, 66, 67, 255][random.below(10)];
        let length = random.below(52);
        let data = random.bytes(length);
        // One request in 50 is too long, and ends with an error at once.
        let request = [&[REQUEST, handler, 9, 9, 9, 9], &data[..]].concat();
        network.send(usize::from(number % 2), 1, at, &request);
        let forged = [&[1 + number % 3, handler, 0, 0, 0, number], &data[..]].concat();
        network.send(stranger, 1, at, &forged);
        at += pause(random, 20_000, |random| {
            let bound = if random.one_in(3) { 4000 } else { 60 };
            random.below(bound)
        });
    }
    let mut programs = Programs::new();
    for name in ["e0", "e1"] {
        let pauses = (0..100).map(|_| random.draw() % 400).collect();
        programs = programs.with(name, Handlers { pauses });
    }
    let seen = Seen::with(&network.scenario(seed), programs);
    assert!(seen.traps.is_empty());
    // Two NICs that answer each other may have to drop a packet, which counts as a lost packet (docs/simulation.md).
    assert!(
        seen.drops.iter().all(|reason| *reason == "nic-full"),
        "{:?}",
        seen.drops
    );
    for endpoint in [0, 1] {
        let posted = seen.posted_by(endpoint, 1).into_iter();
        let requests: Vec<&[u8]> = posted.filter(|message| message[0] == REQUEST).collect();
        let mut answers = BTreeMap::new();
        let received = seen.received_by(endpoint, 1).into_iter();
        for answer in received.filter(|message| message[0] != REQUEST) {
            let number = u32::from_be_bytes(answer[2..6].try_into().expect("four bytes"));
            assert_eq!(
                answers.insert(number, answer),
                None,
                "two answers to {number}"
            );
        }
        for (number, request) in requests.iter().enumerate() {
            let number = u32::try_from(number).expect("small");
            let answer = answers.remove(&number).expect("an answer to each request");
            let (handler, data) = (request[1], &request[6..]);
            match answer[0] {
                REPLY => {
                    assert!(matches!(handler, 0..=2 | 64..=66));
                    let expected = result(handler, data);
                    assert!(expected.is_none_or(|expected| expected == answer[6..]));
                }
                ERROR => {
                    // An error may report an unknown handler only for the handlers below 64 that the NIC does not have.
                    assert!(answer[6] != 1 || matches!(handler, 3..=63));
                    assert!((1..=3).contains(&answer[6]), "{answer:?}");
                }
                kind => panic!("an answer of kind {kind}"),
            }
        }
        assert!(answers.is_empty(), "answers to nothing: {answers:?}");
    }
    assert_eq!(
        seen.received_by(0, 2)
            .iter()
            .filter(|message| message[0] != REQUEST)
            .count(),
        0
    );
}

/// As many requests wait for replies as there are places. The next one is refused at once, and a place is free again
/// from the deadline of its request on.
pub(crate) fn places(seed: u64) {
    const PLACES: usize = 16;
    let random = &mut random("places", seed);
    let timeout = [1000, 7000, 20_000][random.below(3)];
    let start = [10, (1 << 31) - timeout, (1 << 32) - timeout / 2][random.below(3)];
    let excess = random.below(3);
    let mut network = Network::new();
    for _ in 0..2 {
        network.endpoint(&format!(
            "applet = \"builtin:ActiveMessages\"\nrx_queue = 1000\nstate = {{ TIMEOUT = {timeout} }}"
        ));
    }
    network.channel((0, 1), (1, 1));
    // The host of the other end replies to no request.
    let request = [REQUEST, 67, 0, 0, 0, 0];
    for _ in 0..PLACES + excess {
        network.send(0, 1, start, &request);
    }
    for _ in 0..PLACES {
        network.send(0, 1, start + 2 * timeout, &request);
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
    let of_user = |time: SimTime| time.as_ns() / 1000;
    let posted = seen.posted.iter().filter(|post| post.endpoint == 0);
    let posted: Vec<u64> = posted.map(|post| of_user(post.time)).collect();
    let mut errors = [0; 4];
    for error in seen.received.iter().filter(|message| message.endpoint == 0) {
        assert_eq!(error.payload[0], ERROR);
        let number = u32::from_be_bytes(error.payload[2..6].try_into().expect("four bytes"));
        let number = usize::try_from(number).expect("small");
        let waited = of_user(error.time) - posted[number];
        let reason = error.payload[6];
        errors[usize::from(reason)] += 1;
        let is_excess = (PLACES..PLACES + excess).contains(&number);
        assert_eq!(is_excess, reason == 2, "{error:?}");
        // The applet counts from its own call, and tells the user in a call that all errors share.
        let latest = timeout + 1000;
        match is_excess {
            true => assert!(waited < 1000, "{error:?}"),
            false => assert!(
                (timeout as u64..latest as u64).contains(&waited),
                "{error:?}"
            ),
        }
    }
    assert_eq!(errors, [0, 0, excess, 2 * PLACES]);
}
