//! `Firewall` decides about each frame as this test does, which parses the frame with `etherparse` and applies the
//! rules.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

use jive_lab::Random;
use tests::seen::Seen;

use super::frames::{ADDRESSES, PORTS, any, datagram};
use super::network::{Network, random};

/// A rule, as the host writes it.
struct Rule {
    permits: bool,
    protocol: Option<u8>,
    source: (Ipv4Addr, u32),
    destination: (Ipv4Addr, u32),
    ports: (u16, u16),
}

fn rule(random: &mut Random) -> Rule {
    let mut net = || {
        let address = Ipv4Addr::from(ADDRESSES[random.below(ADDRESSES.len())]);
        (address, [0, 1, 16, 24, 31, 32][random.below(6)])
    };
    let (source, destination) = (net(), net());
    let (a, b) = (
        PORTS[random.below(PORTS.len())],
        PORTS[random.below(PORTS.len())],
    );
    Rule {
        permits: !random.one_in(3),
        protocol: [None, Some(6), Some(17), Some(1)][random.below(4)],
        source,
        destination,
        ports: if random.one_in(3) {
            (0, 65535)
        } else {
            (a.min(b), a.max(b))
        },
    }
}

fn table(rules: &[Rule]) -> String {
    let mut text = "applet = \"builtin:Firewall\"\nstate = { RULES = [".to_owned();
    for rule in rules {
        let number = |address: Ipv4Addr| u32::from(address).cast_signed();
        write!(
            text,
            "{}, {}, {}, {}, {}, {}, {}, {},",
            i32::from(rule.permits),
            rule.protocol.map_or(-1, i32::from),
            number(rule.source.0),
            rule.source.1,
            number(rule.destination.0),
            rule.destination.1,
            rule.ports.0,
            rule.ports.1
        )
        .expect("a string takes all that is written");
    }
    text + "] }"
}

/// Returns whether an address is in a network.
fn contains((network, bits): (Ipv4Addr, u32), address: [u8; 4]) -> bool {
    let size = 1_u64 << (32 - bits);
    u64::from(u32::from(network)) / size == u64::from(u32::from(Ipv4Addr::from(address))) / size
}

fn is_permitted(rules: &[Rule], frame: &[u8]) -> bool {
    let Some(datagram) = datagram(frame) else {
        return false;
    };
    let offset = datagram.ip.fragment_offset.value();
    let port = match (datagram.ip.protocol.0, offset) {
        // Drop a tiny fragment (RFC 1858 §3).
        (6, 1) => return false,
        (6, 0) => match datagram.tcp() {
            Some((tcp, _)) => Some(tcp.destination_port),
            None => return false,
        },
        (17, 0) => match etherparse::UdpHeaderSlice::from_slice(datagram.payload) {
            Ok(udp) => Some(udp.destination_port()),
            Err(_) => return false,
        },
        _ => None,
    };
    let matching = rules.iter().find(|rule| {
        let (first, last) = rule.ports;
        rule.protocol
            .is_none_or(|protocol| protocol == datagram.ip.protocol.0)
            && contains(rule.source, datagram.ip.source)
            && contains(rule.destination, datagram.ip.destination)
            && port.map_or((first, last) == (0, 65535), |port| {
                (first..=last).contains(&port)
            })
    });
    matching.is_some_and(|rule| rule.permits)
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("firewall", seed);
    let count = random.below(8);
    let rules: Vec<Rule> = (0..count).map(|_| rule(random)).collect();
    let mut network = Network::new();
    if random.one_in(3) {
        network.profile("unet-host-1998");
    }
    let sender = network.endpoint("");
    let receiver = network.endpoint(&table(&rules));
    network.channel((sender, 1), (receiver, 1));
    let mut permitted = Vec::new();
    for number in 0..60 {
        let frame = any(random);
        network.send(sender, 1, 10 + 200 * number, &frame);
        if is_permitted(&rules, &frame) {
            permitted.push(frame);
        }
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!(seen.received_by(1, 1), permitted);
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
}

pub(crate) fn malformed_table(seed: u64) {
    let random = &mut random("malformed table", seed);
    let everything = "1, -1, 0, 0, 0, 0, 0, 65535";
    let mistake = [
        "1",
        "2, -1, 0, 0, 0, 0, 0, 65535",
        "1, -2, 0, 0, 0, 0, 0, 65535",
        "1, 256, 0, 0, 0, 0, 0, 65535",
        "1, -1, 0, 33, 0, 0, 0, 65535",
        "1, -1, 0, -1, 0, 0, 0, 65535",
        "1, -1, 0, 0, 0, -2147483648, 0, 65535",
        "1, -1, 0, 0, 0, 0, 9, 8",
        "1, -1, 0, 0, 0, 0, -1, 65535",
        "1, -1, 0, 0, 0, 0, 0, 65536",
    ][usize::try_from(seed).expect("small") % 10];
    let mut network = Network::new();
    let sender = network.endpoint("");
    let receiver = network.endpoint(&format!(
        "applet = \"builtin:Firewall\"\nstate = {{ RULES = [{everything}, {mistake}] }}"
    ));
    network.channel((sender, 1), (receiver, 1));
    for number in 0..10 {
        network.send(sender, 1, 10 + 200 * number, &any(random));
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!((seen.received.len(), seen.traps.len()), (0, 0), "{mistake}");
}
