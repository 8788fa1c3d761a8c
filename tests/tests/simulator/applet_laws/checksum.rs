//! `Checksum`: frames that the applet sends or lets pass have the checksums that `etherparse` computes.

use tests::seen::Seen;

use super::frames::{any, datagram, flow, is_ipv4, is_same, valid};
use super::network::{Network, random};

/// Returns whether a receiver that verifies checksums accepts a frame.
fn is_right(frame: &[u8]) -> bool {
    if !is_ipv4(frame) {
        return true;
    }
    let Some(datagram) = datagram(frame) else {
        return false;
    };
    if datagram.ip.protocol.0 == 17 && !datagram.ip.is_fragmenting_payload() {
        let Some((udp, data)) = datagram.udp() else {
            return false;
        };
        let computed = udp.calc_checksum_ipv4(&datagram.ip, data).expect("short");
        if udp.checksum != 0 && !is_same(udp.checksum, computed) {
            return false;
        }
    }
    datagram.has_right_header()
}

pub(crate) fn law(seed: u64) {
    let random = &mut random("checksum", seed);
    let mut network = Network::new();
    let applet = "applet = \"builtin:Checksum\"";
    let sender = network.endpoint(applet);
    let plain_sink = network.endpoint("");
    let plain_sender = network.endpoint("");
    let receiver = network.endpoint(applet);
    network.channel((sender, 1), (plain_sink, 1));
    network.channel((plain_sender, 1), (receiver, 1));

    let (mut filled, mut accepted) = (Vec::new(), Vec::new());
    for number in 0..20 {
        let at = 10 + 400 * number;
        // The host leaves arbitrary checksums, and the applet restores those of `etherparse`.
        let flow = flow(random);
        let right = valid(flow, random);
        let mut blank = right.clone();
        let parsed = datagram(&right).expect("a valid frame");
        blank[24..26].copy_from_slice(&random.bytes(2));
        let mut right = right.clone();
        if let Some((udp, data)) = parsed.udp().filter(|_| flow.protocol == 17)
            && !parsed.ip.is_fragmenting_payload()
        {
            let place = 14 + parsed.ip.header_len() + 6;
            blank[place..place + 2].copy_from_slice(&random.bytes(2));
            // The applet also fills in a checksum that the sender did not compute.
            let computed = udp.calc_checksum_ipv4(&parsed.ip, data).expect("short");
            right[place..place + 2].copy_from_slice(&computed.to_be_bytes());
        }
        network.send(sender, 1, at, &blank);
        filled.push(right);

        let frame = any(random);
        network.send(plain_sender, 1, at, &frame);
        if is_right(&frame) {
            accepted.push(frame);
        }
    }
    let seen = Seen::of(&network.scenario(seed));
    assert_eq!(seen.received_by(1, 1), filled);
    assert_eq!(seen.received_by(3, 1), accepted);
    assert_eq!((seen.traps.len(), seen.drops.len()), (0, 0));
}
