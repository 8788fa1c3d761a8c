//! Reads pcap, the classic format: a header, then a record for each packet.
//!
//! Programs of the last thirty years have written several variants. What is read here is what the magic number and the
//! version tell apart, as in libpcap and Wireshark.

use std::io::Read;

use super::packet::{CaptureError, CapturePacket, PICOSECONDS_PER_SECOND};
use super::source::{Order, Source, packet_bytes};

/// What a magic number says of a file.
#[derive(Copy, Clone)]
struct Variant {
    magic: u32,
    /// The picoseconds of the unit in which a record counts the part of a second.
    unit: i128,
    /// Whether Linux's additional fields follow the four fields of each record.
    is_patched: bool,
}

const MICROSECOND: i128 = 1_000_000;
const NANOSECOND: i128 = 1_000;

const fn variant(magic: u32, unit: i128, is_patched: bool) -> Variant {
    Variant {
        magic,
        unit,
        is_patched,
    }
}

const VARIANTS: [Variant; 3] = [
    variant(0xa1b2_c3d4, MICROSECOND, false),
    variant(0xa1b2_3c4d, NANOSECOND, false),
    // Alexey Kuznetsov's patch of 1999.
    variant(0xa1b2_cd34, MICROSECOND, true),
    // Ixia's `lcap` (0x1c0001ab, 0x1c0001ac) is not among them: versions of Wireshark disagree about its unit.
];

/// How many bytes follow the four fields of a patched record: there are two versions of the patch with one magic number.
const PATCHED: [u64; 2] = [8, 12];

/// Maximum number of bytes of a packet in a patched file, which is looked at to tell the versions apart.
const PATCHED_BYTES_MAX: u32 = 65_536;

/// The part of the field `network` that is the link type.
const LINK_TYPE: u32 = 0x0000_ffff;

/// The part of the field `network` that is reserved. The rest says how many bytes of a frame check sequence the packets
/// have, which are bytes of the packets.
const NETWORK_RESERVED: u32 = 0x03ff_0000;

/// The order of the two lengths of a record.
#[derive(Copy, Clone)]
enum Lengths {
    /// The captured length is the first.
    Stored,
    /// The captured length is the second, as in old versions.
    Exchanged,
    /// The captured length is the smaller: programs of version 2.3 wrote either order.
    Unknown,
}

/// The records of a pcap file.
pub(super) struct Records {
    order: Order,
    unit: i128,
    lengths: Lengths,
    link: u16,
    /// Number of bytes of a record between the two lengths and the packet.
    extra: u64,
}

impl Records {
    /// Reads the rest of a header whose first bytes were read. Returns `None` if these bytes are no magic number.
    pub(super) fn new<R: Read>(
        magic: [u8; 4],
        source: &mut Source<R>,
    ) -> Result<Option<Records>, CaptureError> {
        let orders = [Order::Little, Order::Big].into_iter();
        let mut known = orders.flat_map(|order| VARIANTS.map(|variant| (order, variant)));
        let Some((order, variant)) =
            known.find(|(order, variant)| order.u32(magic) == variant.magic)
        else {
            return Ok(None);
        };
        let [major, minor] = [source.take()?, source.take()?].map(|bytes| order.u16(bytes));
        let [_zone, _accuracy, _snaplen, network] = order.words(source.take::<16>()?);
        if major < 2 {
            return Err(CaptureError::Version { major, minor });
        }
        if network & NETWORK_RESERVED != 0 {
            return Err(CaptureError::Network { network });
        }
        let lengths = match (major, minor) {
            (2, 0..=2) | (543, _) => Lengths::Exchanged,
            (2, 3) => Lengths::Unknown,
            _ => Lengths::Stored,
        };
        let mut records = Records {
            order,
            unit: variant.unit,
            lengths,
            link: (network & LINK_TYPE) as u16,
            extra: 0,
        };
        if variant.is_patched {
            records.extra = records.patched(source)?;
        }
        Ok(Some(records))
    }

    /// Returns how many bytes follow the four fields of a patched record: as many as make the second record a sound one.
    fn patched<R: Read>(&self, source: &mut Source<R>) -> Result<u64, CaptureError> {
        let fields = |bytes: &[u8]| -> Option<[u32; 4]> {
            Some(self.order.words(*bytes.first_chunk::<16>()?))
        };
        let Some([_, _, first, _]) = fields(source.peek(16)?) else {
            return Ok(PATCHED[0]);
        };
        let first = first.min(PATCHED_BYTES_MAX) as usize;
        let longest = 16 + PATCHED[1] as usize + first + 16;
        let bytes = source.peek(longest)?;
        let is_sound = |extra: &u64| {
            let Some(rest) = bytes.get(16 + *extra as usize + first..) else {
                return false;
            };
            match fields(rest) {
                Some([_, part, captured, length]) => part < 1_000_000 && captured <= length,
                None => rest.is_empty(),
            }
        };
        Ok(PATCHED.into_iter().find(is_sound).unwrap_or(PATCHED[0]))
    }

    /// Returns the next packet.
    pub(super) fn next<R: Read>(
        &self,
        source: &mut Source<R>,
    ) -> Result<Option<CapturePacket>, CaptureError> {
        let Some(fields) = source.next::<16>()? else {
            return Ok(None);
        };
        let [seconds, part, one, other] = self.order.words(fields);
        let (captured, length) = match self.lengths {
            Lengths::Stored => (one, other),
            Lengths::Exchanged => (other, one),
            Lengths::Unknown => (one.min(other), one.max(other)),
        };
        source.skip(self.extra)?;
        let (bytes, missing) = packet_bytes(source, captured, length)?;
        let whole = i128::from(seconds) * PICOSECONDS_PER_SECOND;
        Ok(Some(CapturePacket {
            at: Some(whole + i128::from(part) * self.unit),
            link: self.link,
            bytes,
            missing,
        }))
    }
}
