//! The format of capsules: class files that travel in packets.
//!
//! The sender cuts a class file into fragments, and each packet on the receiver's code channel carries one fragment.
//! All numbers in a capsule are big-endian, as in class files.
//!
//! | offset | bytes | a fragment | an answer |
//! |---|---|---|---|
//! | 0 | 4 | `JCAP` | `JCAP` |
//! | 4 | 1 | version, 1 | version, 1 |
//! | 5 | 1 | kind, 1 | kind, 2 |
//! | 6 | 2 | zeros | zeros |
//! | 8 | 4 | number of the capsule | number of the capsule |
//! | 12 | 4 | length of the class file | what became of it, as text |
//! | 16 | 4 | offset of the fragment in the class file | |
//! | 20 | 4 | CRC-32 of the class file | |
//! | 24 | | bytes of the class file, at least one | |
//!
//! A class that a device checks against a certificate comes with it: the fragments of the certificate precede those of
//! the class file, under the number of the capsule. They have kind 3, and length, offset and checksum are those of the
//! certificate. The simulator's NICs verify, so they take no certificates.

use jive_core::limits::FILE_BYTES_MAX;

use crate::id::ChannelId;

/// The number that an endpoint gives to the channel on which it accepts capsules.
pub const CODE_CHANNEL: ChannelId = ChannelId(0);

/// Length of a fragment's header in bytes.
pub const FRAGMENT_HEADER_BYTES: usize = 24;

/// Length of an answer's header in bytes. The text follows.
pub const ANSWER_HEADER_BYTES: usize = 12;

const MAGIC: [u8; 4] = *b"JCAP";
const VERSION: u8 = 1;
const FRAGMENT: u8 = 1;
const ANSWER: u8 = 2;
const CERTIFICATE: u8 = 3;

/// The answer to a capsule whose class has become the applet.
pub const INSTALLED: &str = "installed";

/// What a fragment is a part of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The class file.
    Class,
    /// The certificate, which precedes the class file.
    Certificate,
}

impl Part {
    const fn kind(self) -> u8 {
        match self {
            Part::Class => FRAGMENT,
            Part::Certificate => CERTIFICATE,
        }
    }
}

/// The header of a fragment, which was checked: the fragment lies inside a class file that is not too long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FragmentHeader {
    /// Number of the capsule, which the sender chooses. Later capsules of a sender have higher numbers.
    pub number: u32,
    /// Length of the class file in bytes.
    pub total: u32,
    /// Offset of the fragment in the class file.
    pub offset: u32,
    /// CRC-32 of the class file, computed as in Ethernet and zlib.
    pub checksum: u32,
}

/// Why a capsule is refused before its class is judged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CapsuleRefusal {
    /// A packet of the capsule does not begin with the header of a fragment.
    Header,
    /// The class file is empty or too long, or a fragment does not lie inside it.
    Length,
    /// A fragment is missing.
    Gap,
    /// A fragment states another length or checksum of the class file than the first fragment did.
    Mismatch,
    /// The class file does not have the checksum that its fragments state.
    Checksum,
    /// The number of the capsule is lower than that of an earlier capsule.
    Stale,
    /// The NIC's SRAM has no room for the class file.
    NoSram,
}

impl CapsuleRefusal {
    /// All refusals.
    pub const ALL: [CapsuleRefusal; 7] = [
        CapsuleRefusal::Header,
        CapsuleRefusal::Length,
        CapsuleRefusal::Gap,
        CapsuleRefusal::Mismatch,
        CapsuleRefusal::Checksum,
        CapsuleRefusal::Stale,
        CapsuleRefusal::NoSram,
    ];

    /// Returns the word that the trace and the answer show for the refusal.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            CapsuleRefusal::Header => "header",
            CapsuleRefusal::Length => "length",
            CapsuleRefusal::Gap => "gap",
            CapsuleRefusal::Mismatch => "mismatch",
            CapsuleRefusal::Checksum => "checksum",
            CapsuleRefusal::Stale => "stale",
            CapsuleRefusal::NoSram => "sram",
        }
    }
}

/// The error for a packet that is no fragment of a class file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NotFragment {
    /// Number of the capsule, if the packet has one.
    pub number: Option<u32>,
    /// [`CapsuleRefusal::Header`] or [`CapsuleRefusal::Length`].
    pub reason: CapsuleRefusal,
}

impl FragmentHeader {
    /// Reads a packet of a capsule: the header, and the fragment's bytes of the class file.
    ///
    /// # Errors
    ///
    /// Returns [`NotFragment`] if the packet is no fragment of a class file that the parser could accept.
    pub fn read(packet: &[u8]) -> Result<(FragmentHeader, &[u8]), NotFragment> {
        FragmentHeader::read_part(Part::Class, packet)
    }

    /// Reads a packet with a fragment of this part of a capsule, as [`FragmentHeader::read`] does.
    ///
    /// # Errors
    ///
    /// Returns [`NotFragment`] if the packet is no such fragment. A fragment of the other part has no such header.
    pub fn read_part(part: Part, packet: &[u8]) -> Result<(FragmentHeader, &[u8]), NotFragment> {
        let without_number = NotFragment {
            number: None,
            reason: CapsuleRefusal::Header,
        };
        let (start, rest) = packet.split_first_chunk::<8>().ok_or(without_number)?;
        if *start != start_of(part.kind()) {
            return Err(without_number);
        }
        let (numbers, bytes) = rest.split_first_chunk::<16>().ok_or(without_number)?;
        let [number, total, offset, checksum] = [0, 4, 8, 12].map(|at| {
            let number = numbers.get(at..).and_then(<[u8]>::first_chunk);
            number.map_or(0, |bytes| u32::from_be_bytes(*bytes))
        });
        let header = FragmentHeader {
            number,
            total,
            offset,
            checksum,
        };
        // A fragment must have at least one byte, so that each one makes progress.
        let length = u32::try_from(bytes.len()).ok().filter(|length| *length > 0);
        let end = length.and_then(|length| offset.checked_add(length));
        let is_inside = end.is_some_and(|end| end <= total) && total as usize <= FILE_BYTES_MAX;
        match is_inside {
            true => Ok((header, bytes)),
            false => Err(NotFragment {
                number: Some(number),
                reason: CapsuleRefusal::Length,
            }),
        }
    }

    /// Returns the header of a fragment of the class file as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; FRAGMENT_HEADER_BYTES] {
        self.to_bytes_of(Part::Class)
    }

    /// Returns the header of a fragment of this part as bytes.
    #[must_use]
    pub fn to_bytes_of(self, part: Part) -> [u8; FRAGMENT_HEADER_BYTES] {
        let mut bytes = [0; FRAGMENT_HEADER_BYTES];
        let numbers = [self.number, self.total, self.offset, self.checksum];
        let fields = numbers.iter().flat_map(|number| number.to_be_bytes());
        let content = start_of(part.kind()).into_iter().chain(fields);
        for (place, byte) in bytes.iter_mut().zip(content) {
            *place = byte;
        }
        bytes
    }
}

/// Returns the header of an answer about a capsule.
#[must_use]
pub fn answer_header(number: u32) -> [u8; ANSWER_HEADER_BYTES] {
    let mut bytes = [0; ANSWER_HEADER_BYTES];
    let content = start_of(ANSWER).into_iter().chain(number.to_be_bytes());
    for (place, byte) in bytes.iter_mut().zip(content) {
        *place = byte;
    }
    bytes
}

/// Reads an answer: the number of the capsule, and what became of it.
#[must_use]
pub fn read_answer(packet: &[u8]) -> Option<(u32, &str)> {
    let (start, rest) = packet.split_first_chunk::<8>()?;
    let (number, text) = rest.split_first_chunk()?;
    let text = core::str::from_utf8(text).ok()?;
    (*start == start_of(ANSWER)).then_some((u32::from_be_bytes(*number), text))
}

fn start_of(kind: u8) -> [u8; 8] {
    let [a, b, c, d] = MAGIC;
    [a, b, c, d, VERSION, kind, 0, 0]
}

/// Returns the CRC-32 of bytes, as in Ethernet and zlib: polynomial 0x04c11db7, reflected.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..u8::BITS).fold(crc ^ u32::from(*byte), |crc, _| {
            let low = crc & 1;
            (crc >> 1) ^ (0xedb8_8320 & low.wrapping_neg())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_published_check_value() {
        // The expected number is the check value of CRC-32/ISO-HDLC.
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn a_fragment_is_laid_out_as_documented() {
        let header = FragmentHeader {
            number: 0x0102_0304,
            total: 0x1000,
            offset: 0x0a0b,
            checksum: 0xdead_beef,
        };
        let mut packet = header.to_bytes().to_vec();
        assert_eq!(
            packet,
            [
                b'J', b'C', b'A', b'P', 1, 1, 0, 0, 1, 2, 3, 4, 0, 0, 0x10, 0, 0, 0, 0x0a, 0x0b,
                0xde, 0xad, 0xbe, 0xef
            ]
        );
        packet.extend([5, 6]);
        assert_eq!(FragmentHeader::read(&packet), Ok((header, &[5, 6][..])));
        let mut answer = answer_header(7).to_vec();
        assert_eq!(answer, [b'J', b'C', b'A', b'P', 1, 2, 0, 0, 0, 0, 0, 7]);
        assert_eq!(read_answer(&answer), Some((7, "")));
        answer.extend(INSTALLED.bytes());
        assert_eq!(read_answer(&answer), Some((7, "installed")));
        answer.push(0xff);
        assert_eq!(read_answer(&answer), None);
        assert_eq!(read_answer(&answer[..11]), None);
        assert_eq!(read_answer(&packet), None);
    }

    #[test]
    fn a_certificate_is_no_class_file() {
        let header = FragmentHeader {
            number: 3,
            total: 2,
            offset: 0,
            checksum: 9,
        };
        let not_this = Err(NotFragment {
            number: None,
            reason: CapsuleRefusal::Header,
        });
        for (part, other, kind) in [
            (Part::Class, Part::Certificate, 1),
            (Part::Certificate, Part::Class, 3),
        ] {
            let packet = [&header.to_bytes_of(part)[..], &[7, 8]].concat();
            assert_eq!(packet[5], kind);
            let read = FragmentHeader::read_part(part, &packet);
            assert_eq!(read, Ok((header, &[7, 8][..])));
            assert_eq!(FragmentHeader::read_part(other, &packet), not_this);
        }
    }

    #[test]
    fn fragments_lie_within_their_class_file() {
        let read = |total: u32, offset: u32, bytes: usize| {
            let header = FragmentHeader {
                number: 9,
                total,
                offset,
                checksum: 0,
            };
            let packet = [&header.to_bytes()[..], &vec![0; bytes]].concat();
            FragmentHeader::read(&packet).map(|(header, _)| header.offset)
        };
        let length = Err(NotFragment {
            number: Some(9),
            reason: CapsuleRefusal::Length,
        });
        assert_eq!(read(10, 0, 10), Ok(0));
        assert_eq!(read(10, 9, 1), Ok(9));
        assert_eq!(read(1 << 20, 0, 1), Ok(0));
        for (total, offset, bytes) in [
            (10, 0, 11),
            (10, 9, 2),
            (10, 10, 0),
            (10, 11, 1),
            (0, 0, 0),
            (10, u32::MAX, 1),
            ((1 << 20) + 1, 0, 1),
            (u32::MAX, u32::MAX - 1, 1),
        ] {
            assert_eq!(
                read(total, offset, bytes),
                length,
                "{total} {offset} {bytes}"
            );
        }
    }

    #[test]
    fn a_packet_that_is_cut_or_changed_is_no_fragment() {
        let header = FragmentHeader {
            number: 1,
            total: 1,
            offset: 0,
            checksum: 0,
        };
        let packet = [&header.to_bytes()[..], &[1]].concat();
        let refused = Err(NotFragment {
            number: None,
            reason: CapsuleRefusal::Header,
        });
        for length in 0..FRAGMENT_HEADER_BYTES {
            assert_eq!(FragmentHeader::read(&packet[..length]), refused, "{length}");
        }
        for place in 0..8 {
            let mut changed = packet.clone();
            changed[place] ^= 0x10;
            assert_eq!(FragmentHeader::read(&changed), refused, "{place}");
        }
    }
}
