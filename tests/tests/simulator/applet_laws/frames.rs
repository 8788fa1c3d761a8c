//! Random Ethernet frames, and how the library `etherparse` reads them.

use etherparse::checksum::Sum16BitWords;
use etherparse::{
    EtherType, Ethernet2Header, IpFragOffset, IpNumber, Ipv4Header, Ipv4HeaderSlice, Ipv4Options,
    TcpHeader, TcpHeaderSlice, UdpHeader, UdpHeaderSlice,
};
use jive_lab::Random;

/// Addresses and ports, few enough that rules often apply to frames.
pub(crate) const ADDRESSES: [[u8; 4]; 4] = [
    [10, 0, 0, 5],
    [10, 0, 1, 5],
    [192, 0, 2, 1],
    [203, 0, 113, 9],
];
pub(crate) const PORTS: [u16; 5] = [0, 22, 53, 4000, 65535];

/// Addresses and ports of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flow {
    pub(crate) protocol: u8,
    pub(crate) source: ([u8; 4], u16),
    pub(crate) destination: ([u8; 4], u16),
}

pub(crate) fn flow(random: &mut Random) -> Flow {
    let mut end = || {
        let address = ADDRESSES[random.below(ADDRESSES.len())];
        (address, PORTS[random.below(PORTS.len())])
    };
    let (source, destination) = (end(), end());
    Flow {
        protocol: [17, 17, 6, 1][random.below(4)],
        source,
        destination,
    }
}

/// Makes a valid frame, which may have IPv4 options, be a fragment, lack a UDP checksum, or be padded.
pub(crate) fn valid(flow: Flow, random: &mut Random) -> Vec<u8> {
    let data = random.below(120);
    let data = random.bytes(data);
    let mut ip = Ipv4Header::new(
        0,
        64,
        IpNumber(flow.protocol),
        flow.source.0,
        flow.destination.0,
    )
    .expect("an empty datagram");
    if random.one_in(4) {
        let words = 1 + random.below(10);
        let options = random.bytes(4 * words);
        ip.options = Ipv4Options::try_from(&options[..]).expect("at most ten words");
    }
    if random.one_in(6) {
        let offset = u16::try_from(random.below(3)).expect("small");
        ip.fragment_offset = IpFragOffset::try_new(offset).expect("small");
        ip.more_fragments = random.one_in(2);
    }
    let (from, to) = (flow.source.1, flow.destination.1);
    let body = match flow.protocol {
        17 => {
            let mut udp = UdpHeader::with_ipv4_checksum(from, to, &ip, &data).expect("short");
            if random.one_in(5) {
                udp.checksum = 0;
            }
            [&udp.to_bytes()[..], &data].concat()
        }
        6 => {
            let mut tcp = TcpHeader::new(from, to, 1, 1000);
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, &data).expect("short");
            [&tcp.to_bytes()[..], &data].concat()
        }
        _ => data,
    };
    ip.set_payload_len(body.len()).expect("short");
    ip.header_checksum = ip.calc_header_checksum();
    let ether = Ethernet2Header {
        source: [2, 0, 0, 0, 0, 1],
        destination: [2, 0, 0, 0, 0, 2],
        ether_type: EtherType::IPV4,
    };
    let mut frame = [&ether.to_bytes()[..], &ip.to_bytes(), &body].concat();
    if random.one_in(4) {
        frame.resize(frame.len() + random.below(20), 0xee);
    }
    frame
}

/// Makes a frame that is valid, or that has a bit flipped, bytes changed or its end cut off.
pub(crate) fn any(random: &mut Random) -> Vec<u8> {
    let flow = flow(random);
    let mut frame = valid(flow, random);
    match random.below(8) {
        0 => {
            let at = random.below(frame.len());
            frame[at] ^= 1 << random.below(8);
        }
        1 => {
            // Change a byte of the headers, where a change matters most.
            let at = 12 + random.below(34.min(frame.len() - 12));
            frame[at] = random.bytes(1)[0];
        }
        2 => frame.truncate(random.below(frame.len())),
        3 => {
            let length = random.below(80);
            frame = random.bytes(length);
        }
        _ => {}
    }
    frame
}

/// The IPv4 datagram of a frame.
pub(crate) struct Datagram<'a> {
    pub(crate) ip: Ipv4Header,
    header: &'a [u8],
    pub(crate) payload: &'a [u8],
}

/// Returns whether the EtherType of a frame is that of IPv4.
pub(crate) fn is_ipv4(frame: &[u8]) -> bool {
    Ethernet2Header::from_slice(frame).is_ok_and(|(ether, _)| ether.ether_type == EtherType::IPV4)
}

/// Parses the datagram of a frame, or returns `None` if the frame does not contain a whole datagram.
pub(crate) fn datagram(frame: &[u8]) -> Option<Datagram<'_>> {
    let (ether, rest) = Ethernet2Header::from_slice(frame).ok()?;
    if ether.ether_type != EtherType::IPV4 {
        return None;
    }
    let header = Ipv4HeaderSlice::from_slice(rest).ok()?;
    let length = usize::from(header.payload_len().ok()?);
    let payload = rest[header.slice().len()..].get(..length)?;
    Some(Datagram {
        ip: header.to_header(),
        header: header.slice(),
        payload,
    })
}

impl<'a> Datagram<'a> {
    /// Returns the UDP header and the data that it covers, if the lengths are right.
    pub(crate) fn udp(&self) -> Option<(UdpHeader, &'a [u8])> {
        let udp = UdpHeaderSlice::from_slice(self.payload).ok()?.to_header();
        let data = self.payload.get(8..usize::from(udp.length))?;
        Some((udp, data))
    }

    /// Returns the TCP header and the data after it.
    pub(crate) fn tcp(&self) -> Option<(TcpHeader, &'a [u8])> {
        let tcp = TcpHeaderSlice::from_slice(self.payload).ok()?;
        Some((tcp.to_header(), &self.payload[tcp.slice().len()..]))
    }

    /// Returns whether the checksum of the IPv4 header is right.
    pub(crate) fn has_right_header(&self) -> bool {
        // Do not use `Ipv4Header::calc_header_checksum`, which leaves out the reserved bit of the flags.
        Sum16BitWords::new()
            .add_slice(self.header)
            .ones_complement()
            == 0
    }
}

/// Compares checksums, of which ones' complement arithmetic has two zeros.
pub(crate) fn is_same(a: u16, b: u16) -> bool {
    a == b || (a.min(b) == 0 && a.max(b) == 0xffff)
}
