//! Answers to capsules: packets that tell the sender whether its class is installed.

use crate::ids::at;
use nic_core::event::Trigger;
use nic_core::id::EndpointId;
use nic_core::sle::capsule::{CODE_CHANNEL, answer_header};

use crate::engine::Simulation;

/// Answers a complete capsule, and keeps the answer in case the sender repeats the capsule's last fragment.
pub(crate) fn answered(
    sim: &mut Simulation<'_>,
    endpoint: EndpointId,
    number: u32,
    text: &'static str,
) {
    sim.swaps.answered(endpoint, number, text);
    answer(sim, endpoint, number, text);
}

/// Sends an answer on the code channel. Like packets that applets send while loading, the answer needs no send slot: it
/// is sent from the memory of the capsule.
pub(super) fn answer(
    sim: &mut Simulation<'_>,
    endpoint: EndpointId,
    number: u32,
    text: &'static str,
) {
    let answering = &sim.endpoints[endpoint];
    let Some(&channel) = answering.channels.get(CODE_CHANNEL) else {
        return;
    };
    let mut bytes = [&answer_header(number)[..], text.as_bytes()].concat();
    bytes.truncate(at(answering.max_packet));
    let packet = sim.make_packet(endpoint, &channel, Trigger::Load);
    sim.packets[packet].bytes = bytes;
    sim.enqueue(packet);
}
