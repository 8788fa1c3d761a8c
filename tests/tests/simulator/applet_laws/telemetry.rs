//! `Telemetry`: each stamp is the time of its call, and reports agree with the trace.

use tests::seen::Seen;

use super::network::{Network, length, pause, random};

pub(crate) fn law(seed: u64) {
    let random = &mut random("telemetry", seed);
    let hops = 1 + random.below(5);
    let every = 1 + random.below(5);
    let mut network = Network::new();
    for hop in 0..=hops {
        let next = if hop == 0 || hop == hops { -1 } else { 2 };
        network.endpoint(&format!(
            "applet = \"builtin:Telemetry\"\nrx_queue = 1000\nbuffer_area = 1048576\n\
             free_buffers = {{ count = 100, length = 4096 }}\n\
             state = {{ HOP = {hop}, NEXT = {next}, EVERY = {every} }}"
        ));
    }
    for hop in 0..hops {
        network.channel((hop, if hop == 0 { 1 } else { 2 }), (hop + 1, 1));
    }
    let stranger = network.endpoint("");
    network.channel((stranger, 1), (hops, 3));
    let mut at = 10;
    for _ in 0..30 {
        let length = length(random, 400);
        network.send(0, 1, at, &random.bytes(length));
        let forged = random.below(30);
        network.send(stranger, 1, at, &random.bytes(forged));
        at += pause(random, 10_000, |random| random.below(1500));
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));

    let place = |hop: usize| u32::try_from(hop).expect("few hops");
    let posted = seen.posted_by(0, 1);
    let delivered = seen.received_by(place(hops), 1);
    assert_eq!(delivered.len(), posted.len());
    // Returns the calls that counted a packet at a hop. The stranger's packets reach only the last hop, on another
    // channel.
    let calls = |hop: usize| {
        let own = seen
            .calls
            .iter()
            .filter(move |call| call.endpoint == place(hop));
        own.filter(|call| matches!(&*call.method, "doTx" | "doRx"))
    };
    for (number, (message, payload)) in delivered.iter().zip(&posted).enumerate() {
        let (start, stamps) = message.split_at(payload.len());
        assert_eq!(start, *payload);
        let (count, stamps) = stamps.split_last().expect("the number of stamps");
        assert_eq!(usize::from(*count), hops + 1);
        for (hop, stamp) in stamps.chunks(5).enumerate() {
            assert_eq!(usize::from(stamp[0]), hop);
            let time = i32::from_be_bytes(stamp[1..].try_into().expect("four bytes"));
            let own = calls(hop).filter(|call| call.args[1] != 3);
            let call = own.clone().nth(number).expect("a call for each message");
            #[expect(clippy::cast_possible_truncation, reason = "a stamp has 32 bits")]
            let clock = call.clock.map(|clock| clock as i32);
            assert_eq!(clock, Some(time));
        }
    }
    for hop in 0..=hops {
        let counted = calls(hop).filter(|call| call.value > 0);
        let refused = calls(hop).filter(|call| call.value < 0).count();
        // `doTx` adds a stamp of five bytes and the number of stamps, and then counts the bytes.
        let size =
            |call: &tests::seen::Call| call.args[0] + if call.method == "doTx" { 6 } else { 0 };
        let packets = counted.clone().count();
        let bytes: i32 = counted.map(size).sum();
        let number = |count: usize| i32::try_from(count).expect("small");
        let expected = [number(packets), bytes, number(refused), 0];
        let reports = seen.received_by(place(hop), -1);
        let last = reports.last().expect("a report");
        let ints = last.chunks(4);
        let ints = ints.map(|int| i32::from_be_bytes(int.try_into().expect("four bytes")));
        assert_eq!(ints.collect::<Vec<i32>>(), expected);
    }
}
