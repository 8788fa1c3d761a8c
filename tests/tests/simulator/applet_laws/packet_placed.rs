//! `PacketPlaced`: the payload of a packet is stored exactly at the place that the packet names, or nowhere. No other
//! byte changes.

use nic_runtime::Run;
use tests::seen::Seen;

use super::network::{Network, length, random};

const AREA: usize = 65536;
/// End of the free buffers.
const FREE: usize = 4 * 4096;

pub(crate) fn law(seed: u64) {
    let random = &mut random("packet placed", seed);
    let start = FREE + random.below(20_000);
    let size = random.below(AREA - start);
    let mut network = Network::new();
    let sender = network.endpoint("buffer_area = 1048576");
    let receiver = network.endpoint(&format!(
        "applet = \"builtin:PacketPlaced\"\nbuffer_area = {AREA}\nrx_queue = 1000\n\
         free_buffers = {{ count = 4, length = 4096 }}\n\
         state = {{ WINDOW = {start}, WINDOW_LENGTH = {size} }}"
    ));
    network.channel((sender, 1), (receiver, 1));
    let mut area = vec![0; AREA];
    let mut expected = Vec::new();
    for number in 0..40 {
        let length = length(random, 5000);
        let payload = random.bytes(length);
        let border = i32::try_from(size).expect("small") - i32::try_from(length).expect("small");
        let offset = match random.below(5) {
            0 => -1,
            1 => border + i32::try_from(random.below(3)).expect("small") - 1,
            2 => random.int(),
            _ => i32::try_from(random.below(size + 1)).expect("small"),
        };
        network.send(
            sender,
            1,
            10 + 1000 * number,
            &[&offset.to_be_bytes(), &payload[..]].concat(),
        );
        if offset == -1 {
            if length <= 4096 {
                expected.push(payload);
            }
            continue;
        }
        let Ok(offset) = usize::try_from(offset) else {
            continue;
        };
        if length > 0 && offset + length <= size {
            area[start + offset..][..length].copy_from_slice(&payload);
            expected.push(payload);
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
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
    assert_eq!(seen.received_by(1, 1), expected);
    assert!(
        states[1].area[FREE..] == area[FREE..],
        "a byte outside was written"
    );
}
