//! A chain of applets delivers the same frames as its applets alone, run one after the other.

use tests::seen::Seen;

use super::frames::{Flow, any, valid};
use super::network::{Network, random};

const RULES: &str = "RULES = [1, 17, 0, 0, 0, 0, 1, 30000, 1, 6, 0, 0, 0, 0, 0, 65535]";

/// Runs the server's applets on frames that a client sends over a link with faults.
fn run(applet: &str, state: &str, faults: &str, frames: &[Vec<u8>], seed: u64) -> Seen {
    let mut network = Network::new();
    let keys = format!(
        "applet = {applet}\nstate = {state}\nheap = 200000\nrx_queue = 1000\nbuffer_area = 1048576\n"
    );
    network.endpoint(&format!(
        "{keys}free_buffers = {{ count = 8, length = 2048 }}"
    ));
    network.endpoint(&format!(
        "{keys}free_buffers = {{ count = 40, length = 2048 }}"
    ));
    network.channel((0, 1), (1, 1));
    network.link(0, 1, faults);
    for (number, frame) in frames.iter().enumerate() {
        network.send(0, 1, 10 + 3000 * number, frame);
    }
    Seen::of(&network.scenario(seed))
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("chain", seed);
    let frames: Vec<Vec<u8>> = (0..25)
        .map(|_| {
            if random.one_in(3) {
                return any(random);
            }
            let mut end = || {
                let [a, b, c, d, e, f, ..] = random.draw().to_be_bytes();
                ([a, b, c, d], u16::from_be_bytes([e, f]))
            };
            let (source, destination) = (end(), end());
            let protocol = [6, 17][random.below(2)];
            let flow = Flow {
                protocol,
                source,
                destination,
            };
            valid(flow, random)
        })
        .filter(|frame| frame.len() <= 1500)
        .collect();
    let faults = format!(
        "loss = 0.{:02}\nduplicate = 0.{:02}\nreorder = 0.{:02}\ncorrupt = 0.{:02}\ncrc = false",
        random.below(40),
        random.below(30),
        random.below(30),
        random.below(30)
    );
    // Without faults, the firewall alone delivers the frames that its rules permit.
    let firewall = format!("{{ {RULES} }}");
    let alone = run(
        "\"builtin:Firewall\"",
        &firewall,
        "loss = 0.0",
        &frames,
        seed,
    );
    let chain = run(
        "[\"builtin:Firewall\", \"builtin:Reliable\"]",
        &format!("[{firewall}, {{ SLOT = 1500, QUEUE_BITS = 5 }}]"),
        &faults,
        &frames,
        seed,
    );
    assert_eq!((chain.traps.len(), &chain.drops[..]), (0, &[][..]));
    let delivered = chain.received_by(1, 1);
    assert_eq!(delivered, alone.received_by(1, 1));
    assert!(!delivered.is_empty());
}
