//! `Stream`: the host receives frames in order at a constant delay. The previous frame replaces a frame that did not
//! arrive in time, and no other frame.

use nic_core::time::SimTime;
use tests::seen::{Message, Seen};

use super::network::{Network, idle, random};

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
    let mut idled = 0;
    for frame in 0..60_u32 {
        if random.one_in(30) {
            idled += idle(random, 8000);
        }
        let length = random.below(250);
        let payload = [&frame.to_be_bytes()[..], &random.bytes(length)].concat();
        let jitter = random.below(period / 2);
        let at = 10 + idled + period * usize::try_from(frame).expect("small") + jitter;
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

/// Settings of the player in [`beginning`]: places of the ring, and frames in a row that are concealed.
const PLACES: i32 = 4;
const CONCEALED_MAX: i32 = 3;

/// Draws streams whose frames all come before the play-out begins, in any order, and predicts each frame that is played.
pub(crate) fn beginning(seed: u64) {
    let random = &mut random("stream begins", seed);
    let (period, delay) = (2000, 6000);
    let mut network = Network::new();
    let source = network.endpoint("");
    let player = network.endpoint(&format!(
        "applet = \"builtin:Stream\"\nrx_queue = 1000\nstate = {{ PERIOD = {period}, DELAY = {delay}, \
         FRAMES = {PLACES}, CONCEALED_MAX = {CONCEALED_MAX} }}"
    ));
    network.channel((source, 1), (player, 1));
    let mut at = 10;
    // For each stream: when its first frame was posted, and the numbers of the frames that the host gets.
    let mut streams = Vec::new();
    let mut refused = 0;
    for _ in 0..6 {
        let first = [0, -2, i32::MAX - 1, random.int()][random.below(4)];
        // The last of these places is one beyond those that fit with the first.
        let mut order: Vec<i32> = (0..=PLACES).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, random.below(place + 1));
        }
        order.truncate(1 + random.below(order.len()));
        let mut waiting: Vec<i32> = Vec::new();
        for (sent, place) in order.iter().enumerate() {
            let number = first.wrapping_add(*place);
            let payload = [number.to_be_bytes(), number.to_be_bytes()].concat();
            network.send(source, 1, at + 100 * sent, &payload);
            let oldest = waiting.iter().min().unwrap_or(place);
            let newest = waiting.iter().max().unwrap_or(place);
            // A frame that does not fit with those that wait is too early or late.
            if place - oldest >= PLACES || newest - place >= PLACES {
                refused += 1;
            } else {
                waiting.push(*place);
            }
        }
        let oldest = *waiting.iter().min().expect("the first fits");
        let mut played = Vec::new();
        let mut last = oldest;
        for place in oldest.. {
            if waiting.contains(&place) {
                last = place;
            } else if place - last > CONCEALED_MAX {
                break;
            }
            played.push(first.wrapping_add(last));
        }
        streams.push((at, played));
        at += if random.one_in(2) {
            idle(random, delay)
        } else {
            delay + 20 * period
        };
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
    let mut received = seen.received.iter().filter(|it| it.endpoint == 1);
    for (begun, played) in streams {
        for (place, number) in (0..).zip(played) {
            let frame = received.next().expect("another frame");
            assert_eq!(frame.payload, number.to_be_bytes());
            let due = u64::try_from(begun + delay + period * place).expect("small");
            assert!(
                (due..due + LATENESS).contains(&us(frame.time)),
                "{number} is due at {due} us, and came at {} us",
                us(frame.time)
            );
        }
    }
    assert_eq!(received.next(), None);
    let counted = seen
        .calls
        .iter()
        .filter(|call| call.method == "doRx" && call.value < 0);
    assert_eq!(counted.count(), refused);
}
