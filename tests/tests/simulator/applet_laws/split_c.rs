//! `SplitC`: operations of eight peers on the same words are carried out one after the other. Each peer's operations keep
//! their order, and sums are exact.

use nic_runtime::Run;
use tests::seen::Seen;

use super::network::{Network, random};

const PEERS: usize = 8;
const WINDOW: usize = 60_000;
const WORDS: usize = 4;

pub(crate) fn law(seed: u64) {
    let random = &mut random("split c", seed);
    let mut network = Network::new();
    let memory = network.endpoint(&format!(
        "applet = \"builtin:SplitC\"\nstate = {{ WINDOW = {WINDOW}, WINDOW_LENGTH = {} }}",
        4 * WORDS
    ));
    for peer in 1..=PEERS {
        network.endpoint("applet = \"builtin:SplitC\"\nrx_queue = 1000");
        network.channel((peer, 1), (memory, i32::try_from(peer).expect("small")));
        let mut at = 10;
        for tag in 0..15_u32 {
            // Send only additions for the last word.
            let word = random.below(WORDS + 1);
            let operation = if word == WORDS - 1 {
                3
            } else {
                [1, 2, 3, 3][random.below(4)]
            };
            let mut address = i32::try_from(4 * word).expect("small");
            if random.one_in(12) {
                address = random.int();
            }
            let mut message = vec![operation];
            message.extend(tag.to_be_bytes());
            message.extend(address.to_be_bytes());
            message.extend(random.int().to_be_bytes());
            network.send(peer, 1, at, &message);
            at += random.below(600);
        }
    }
    let scenario = network.scenario(seed);
    let mut seen = Seen::default();
    let (_, states) = Run::new(&scenario)
        .sink(&mut seen)
        .keep_states()
        .execute()
        .expect("it can be simulated")
        .end_and_states();
    assert_eq!((seen.traps.len(), &seen.drops[..]), (0, &[][..]));

    // Take the operations in the order in which they arrived at the memory's NIC, and the answers in the order in which
    // they left it.
    let operations = seen.arrived.iter().filter(|packet| packet.endpoint == 0);
    let answers = seen.sent.iter().filter(|packet| packet.endpoint == 0);
    let mut words = [0_i32; WORDS];
    let int = |bytes: &[u8]| i32::from_be_bytes(bytes.try_into().expect("four bytes"));
    for (operation, answer) in operations.zip(answers) {
        let mut expected = operation.payload.clone();
        let (address, value) = (int(&operation.payload[5..9]), int(&operation.payload[9..]));
        let word = usize::try_from(address)
            .ok()
            .filter(|at| at % 4 == 0)
            .map(|at| at / 4);
        match word.filter(|word| *word < WORDS) {
            None => expected[0] = 0,
            Some(word) => {
                let old = words[word];
                match operation.payload[0] {
                    1 => {}
                    2 => words[word] = value,
                    _ => words[word] = old.wrapping_add(value),
                }
                expected[0] = operation.payload[0].wrapping_neg();
                let answered = if operation.payload[0] == 2 {
                    value
                } else {
                    old
                };
                expected[9..].copy_from_slice(&answered.to_be_bytes());
            }
        }
        assert_eq!(
            (answer.channel, &answer.payload),
            (operation.channel, &expected)
        );
    }
    let area = states[0].area[WINDOW..][..4 * WORDS].chunks(4).map(int);
    assert_eq!(area.collect::<Vec<i32>>(), words);
    for peer in 1..=u32::try_from(PEERS).expect("small") {
        let tag = |message: &&[u8]| int(&message[1..5]);
        let tags: Vec<i32> = seen.received_by(peer, 1).iter().map(tag).collect();
        assert_eq!(
            tags,
            (0..15).collect::<Vec<i32>>(),
            "each answer once, in order"
        );
    }
}
