//! Fuzz target that attacks the shipped applets. A peer sends random and changed packets. A user sends messages that do
//! not have the applet's format. A host sets the fields of `state` to any value.

use std::sync::LazyLock;

use jive_lab::Random;
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::scenario::{BUILTIN, parse};
use nic_runtime::spec::{FieldValue, Scenario};

use crate::seen::Seen;
use traffic::library::library;

/// Longest virtual time of a run.
const UNTIL: SimDuration = SimDuration::from_ns(50_000_000);
/// Maximum number of events of a run.
const EVENTS_MAX: u64 = 20_000;
/// Maximum number of packets of the attacker, and of messages of an honest endpoint's user.
const PACKETS_MAX: usize = 24;
/// Longest packet.
const LENGTH_MAX: usize = 9216;

/// The scenario of an applet, and the packets that its endpoints send.
struct Exchange {
    scenario: Scenario,
    packets: Vec<Vec<u8>>,
}

/// The exchanges of the library, in the order of the table of applets.
static EXCHANGES: LazyLock<Vec<Exchange>> = LazyLock::new(|| {
    let scenarios = library().map(|(_, name)| {
        let builtin = BUILTIN.iter().find(|builtin| builtin.name == name);
        let text = builtin.expect("each applet has a scenario").text;
        let mut scenario = parse(text.as_bytes(), None, None).expect("a shipped scenario is right");
        let packets = Seen::of(&scenario).sent.into_iter();
        scenario.expectations.clear();
        scenario.until = SimTime::ZERO + UNTIL;
        scenario.events_max = EVENTS_MAX;
        Exchange {
            packets: packets.map(|packet| packet.payload).collect(),
            scenario,
        }
    });
    scenarios.collect()
});

/// Returns seeds, by name: choices for each applet.
#[must_use]
pub fn applet_seeds() -> Vec<(String, Vec<u8>)> {
    let applets = library().enumerate();
    let seeds = applets.flat_map(|(place, (applet, _))| {
        (0..8_u8).map(move |number| {
            let place = u8::try_from(place).expect("few applets");
            let mut choices = vec![0, place];
            choices.extend(Random::new(&[place, number]).bytes(400));
            (format!("{}-{number}", applet.name), choices)
        })
    });
    seeds.collect()
}

/// The input is a list of choices: the applet, the endpoint that becomes the attacker, and the packets that it sends.
/// No call may trap.
pub fn applet(choices: &[u8]) {
    let random = &mut Random::of_choices(choices);
    let exchange = &EXCHANGES[random.below(EXCHANGES.len())];
    let mut scenario = exchange.scenario.clone();
    let attacker = random.below(scenario.endpoints.len());
    scenario.endpoints[attacker].class = None;
    scenario.endpoints[attacker].state.clear();
    let id = EndpointId(u32::try_from(attacker).expect("few endpoints"));
    if random.one_in(2) {
        scenario.sends.retain(|send| send.endpoint != id);
    }
    if random.one_in(4) {
        for endpoint in &mut scenario.endpoints {
            endpoint.free_buffer_count = endpoint.free_buffer_count.min(1);
            endpoint.rx_queue = 2;
        }
    }
    let is_changed = random.one_in(4);
    if is_changed {
        change_state(&mut scenario, random);
    }
    for sender in 0..scenario.endpoints.len() {
        // The user of an honest endpoint sends random messages in half of the cases.
        if sender != attacker && random.one_in(2) {
            continue;
        }
        send(&mut scenario, exchange, sender, random);
    }
    let seen = Seen::of(&scenario);
    // If the host sets a channel or a window that does not exist, the class cannot notice this, but the NIC traps.
    let is_documented = |kind| is_changed && matches!(kind, "ProtectionFault" | "OutOfMemoryError");
    let traps = seen.traps.iter().filter(|(_, kind)| !is_documented(kind));
    assert_eq!(traps.count(), 0, "{:?}", seen.traps);
}

/// Sets numbers of the endpoints' state to other values.
fn change_state(scenario: &mut Scenario, random: &mut Random) {
    let fields = scenario.endpoints.iter_mut();
    for field in fields.flat_map(|endpoint| &mut endpoint.state) {
        match &mut field.value {
            FieldValue::One(value) if random.one_in(2) => *value = random.int(),
            FieldValue::Array(values) if random.one_in(2) && !values.is_empty() => {
                let place = random.below(values.len());
                values[place] = random.int();
                if random.one_in(4) {
                    values.truncate(place);
                }
            }
            FieldValue::One(_) | FieldValue::Array(_) => {}
        }
    }
}

/// Adds packets of an endpoint, each on one of its channels.
fn send(scenario: &mut Scenario, exchange: &Exchange, sender: usize, random: &mut Random) {
    let id = EndpointId(u32::try_from(sender).expect("few endpoints"));
    let ends = scenario.channels.iter().flat_map(|it| [it.a, it.b]);
    let channels: Vec<_> = ends.filter(|end| end.0 == id).map(|end| end.1).collect();
    if channels.is_empty() {
        return;
    }
    let mut at = 0;
    for _ in 0..random.below(PACKETS_MAX) {
        at += random.draw() % 400;
        let is_flood = random.one_in(6);
        let mut send = exchange.scenario.sends[0].clone();
        send.endpoint = id;
        send.channel = channels[random.below(channels.len())];
        send.at = SimTime::ZERO + SimDuration::from_ns(1000 * at);
        send.payload = payload(exchange, random);
        send.repeat = if is_flood { 1 + random.draw() % 40 } else { 1 };
        send.every = SimDuration::from_ns(1000 * (random.draw() % 50));
        scenario.sends.push(send);
    }
}

/// Returns a packet of the exchange, a changed one, or random bytes.
fn payload(exchange: &Exchange, random: &mut Random) -> Vec<u8> {
    let Some(packet) = exchange
        .packets
        .get(random.below(exchange.packets.len() + 1))
    else {
        let length = random.below(LENGTH_MAX);
        let length = if random.one_in(8) {
            length
        } else {
            length % 80
        };
        return random.bytes(length);
    };
    let mut packet = packet.clone();
    for _ in 0..random.below(4) {
        match random.below(4) {
            0 if !packet.is_empty() => {
                let at = random.below(packet.len());
                packet[at] ^= 1 << random.below(8);
            }
            1 if packet.len() >= 4 => {
                // Overwrite a field of 32 bits with an edge case.
                let at = random.below(packet.len() - 3);
                packet[at..at + 4].copy_from_slice(&random.int().to_be_bytes());
            }
            2 => packet.truncate(random.below(packet.len() + 1)),
            _ => {
                let more = random.below(60);
                packet.extend(random.bytes(more));
            }
        }
    }
    packet
}
