//! `Stream`: the host receives frames in order at a constant delay. The previous frame replaces a frame that did not
//! arrive in time, and no other frame.

use nic_core::time::SimTime;
use tests::seen::{Message, Seen};

use super::network::{Network, random};

/// Longest time from the due time of a frame to its descriptor, in microseconds. The allowed lateness covers the calls
/// that run first, and the calls of the delivery.
const LATENESS: u64 = 400;

fn us(time: SimTime) -> u64 {
    time.as_ns() / 1000
}

/// The number that the sender's user wrote at the beginning of a frame.
fn number(message: &Message) -> u32 {
    u32::from_be_bytes(message.payload[..4].try_into().expect("four bytes"))
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("stream", seed);
    let period = 1000 + random.below(3000);
    let delay = 2000 + random.below(6000);
    let mut network = Network::new();
    let source = network.endpoint("applet = \"builtin:Stream\"");
    let player = network.endpoint(&format!(
        "applet = \"builtin:Stream\"\nrx_queue = 1000\n\
         state = {{ PERIOD = {period}, DELAY = {delay}, FRAMES = 16 }}"
    ));
    network.channel((source, 1), (player, 1));
    network.link(
        0,
        1,
        &format!(
            "loss = 0.{:02}\nduplicate = 0.{:02}\nreorder = 0.{:02}",
            random.below(25),
            random.below(30),
            random.below(30)
        ),
    );
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (player, 2));
    for frame in 0..60_u32 {
        let length = random.below(250);
        let payload = [&frame.to_be_bytes()[..], &random.bytes(length)].concat();
        let jitter = random.below(period / 2);
        let at = 10 + period * usize::try_from(frame).expect("small") + jitter;
        network.send(source, 1, at, &payload);
        network.send(stranger, 1, at, &random.bytes(30));
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    let period = u64::try_from(period).expect("small");
    let arrived = |frame: u32| {
        let mut own = seen.arrived.iter().filter(|packet| packet.endpoint == 1);
        own.find(|packet| packet.channel == 1 && number(packet) == frame)
    };
    let posted: Vec<&[u8]> = seen.posted_by(0, 1);
    let played: Vec<&Message> = seen.received.iter().filter(|it| it.endpoint == 1).collect();
    assert!(!played.is_empty());
    // A silence of more than five frames ends a stream, and the next frame begins another.
    let mut streams: Vec<Vec<&Message>> = Vec::new();
    for frame in played {
        match streams.last_mut() {
            Some(stream)
                if us(frame.time) < us(stream[stream.len() - 1].time) + period + LATENESS =>
            {
                stream.push(frame);
            }
            _ => streams.push(vec![frame]),
        }
    }
    for stream in streams {
        let first = number(stream[0]);
        let begun = us(stream[0].time);
        let mut before = first;
        for (place, frame) in (0..).zip(&stream) {
            let due = first + place;
            let found = number(frame);
            assert_eq!(
                posted[usize::try_from(found).expect("small")],
                frame.payload
            );
            let expected = begun + u64::from(place) * period;
            assert!(
                us(frame.time).abs_diff(expected) <= LATENESS,
                "{due} at {:?}",
                frame.time
            );
            if found != due {
                assert_eq!(
                    found, before,
                    "a lost frame is replaced by the one before it"
                );
                let late = arrived(due).is_none_or(|it| us(it.time) + LATENESS >= us(frame.time));
                assert!(late, "{due} had arrived");
            }
            before = found;
        }
    }
}
