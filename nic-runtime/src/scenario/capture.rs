//! The packets of a whole capture file, pcap or pcapng: their bytes and times.
//!
//! A capture file is untrusted. The library that reads a capture file checks every length. Arithmetic on the times in a
//! capture does not overflow.

use nic_core::time::SimDuration;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};

use super::limits;
use super::packet_stream::PacketStream;

pub(super) const PICOSECONDS_PER_SECOND: i128 = 1_000_000_000_000;

/// The default of `if_tsresol`, the unit of an interface's times: microseconds.
const RESOLUTION_DEFAULT: u8 = 6;

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CapturedPacket {
    /// Time since the earliest packet of the capture.
    pub(super) after: SimDuration,
    /// All bytes of the packet, none of which is missing in the capture.
    pub(super) bytes: Vec<u8>,
}

/// The reason why a capture file cannot be replayed. Packets in a [`CaptureError`] are counted from 1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The file starts neither like pcap nor like pcapng.
    #[error("expected a capture file, pcap or pcapng")]
    Format,
    /// The file ends in the middle of a block, or breaks the rules of its format.
    #[error("expected a whole capture file, found damage behind packet {behind}")]
    Damaged {
        /// How many packets of the file precede the damage.
        behind: usize,
    },
    /// The file has more packets or interfaces than the limit.
    #[error("expected a capture of at most {limit} packets and interfaces")]
    TooMany {
        /// The limit, which applies to packets and to interfaces separately.
        limit: usize,
    },
    /// The capture file has no packet.
    #[error("expected a capture with at least one packet")]
    Empty,
    /// The capture has only the beginning of a packet.
    #[error("expected whole packets, found {captured} of {length} bytes of packet {packet}")]
    Cut {
        /// The number of the packet.
        packet: usize,
        /// How many bytes of the packet were captured.
        captured: usize,
        /// How many bytes the packet had.
        length: u32,
    },
    /// A packet is in a block of an obsolete type (pcapng, appendix A).
    #[error("expected enhanced or simple packet blocks, found an obsolete one for packet {packet}")]
    Obsolete {
        /// The number of the packet.
        packet: usize,
    },
}

/// Reads every packet of a capture, in the order of the file.
///
/// # Errors
///
/// Returns a [`CaptureError`] that says what is wrong with the capture file.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket>, CaptureError> {
    let mut stream = PacketStream::new(bytes)?;
    let mut seen: Vec<(i128, Vec<u8>)> = Vec::new();
    while let Some((moment, bytes)) = stream.next_seen()? {
        check_count(seen.len())?;
        // A simple packet block has no time, so its packet gets the time of the previous packet.
        let moment = moment.unwrap_or(seen.last().map_or(0, |(before, _)| *before));
        seen.push((moment, bytes));
    }
    let first = seen.iter().map(|(moment, _)| *moment).min();
    let first = first.ok_or(CaptureError::Empty)?;
    let packets = seen.into_iter().map(|(moment, bytes)| {
        let after = u64::try_from(moment - first).unwrap_or(u64::MAX);
        CapturedPacket {
            after: SimDuration::from_ps(after),
            bytes,
        }
    });
    Ok(packets.collect())
}

/// Returns an error if the number of packets or interfaces reaches the limit.
pub(super) fn check_count(count: usize) -> Result<(), CaptureError> {
    let limit = limits::CAPTURE_PACKETS_MAX;
    if count < limit {
        Ok(())
    } else {
        Err(CaptureError::TooMany { limit })
    }
}

/// Converts a time from the unit of the interface to picoseconds.
pub(super) fn moment(interface: &InterfaceDescriptionBlock<'_>, count: u128) -> Option<i128> {
    let (mut resolution, mut offset) = (RESOLUTION_DEFAULT, 0i128);
    for option in &interface.options {
        match option {
            InterfaceDescriptionOption::IfTsResol(given) => resolution = *given,
            // The library returns the time offset `if_tsoffset` unsigned, but pcapng defines it as signed.
            InterfaceDescriptionOption::IfTsOffset(given) => {
                offset = i128::from(given.cast_signed());
            }
            _ => {}
        }
    }
    let exponent = u32::from(resolution & 0x7f);
    // The product cannot overflow: a count has 64 bits, and the picoseconds of a second have 40.
    let product = count.checked_mul(PICOSECONDS_PER_SECOND.cast_unsigned())?;
    let since = if resolution & 0x80 == 0 {
        product / 10u128.checked_pow(exponent)?
    } else {
        product >> exponent
    };
    i128::try_from(since)
        .ok()?
        .checked_add(offset * PICOSECONDS_PER_SECOND)
}

/// Returns a packet's bytes, or an error if some were not captured.
pub(super) fn whole_packet(
    bytes: &[u8],
    length: u32,
    before: usize,
) -> Result<Vec<u8>, CaptureError> {
    if bytes.len() as u64 != u64::from(length) {
        return Err(CaptureError::Cut {
            packet: before + 1,
            captured: bytes.len(),
            length,
        });
    }
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A little-endian pcap file with times in microseconds and two packets. The time of the second packet is 1.5 ms
    /// before that of the first.
    fn pcap() -> Vec<u8> {
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let mut file = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
        file.extend(words(&[7, 1_000, 3, 3]));
        file.extend(b"abc");
        file.extend(words(&[6, 999_500, 2, 2]));
        file.extend(b"de");
        file
    }

    /// A big-endian block of pcapng.
    fn block(kind: u32, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 12).expect("short");
        let ends = length.to_be_bytes();
        [&kind.to_be_bytes()[..], &ends, body, &ends].concat()
    }

    /// A pcapng file with one interface of the given resolution byte, and packets with these times.
    fn pcapng(resolution: u8, times: &[u32]) -> Vec<u8> {
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_be_bytes()).collect()
        };
        let mut file = block(
            0x0a0d_0d0a,
            &words(&[0x1a2b_3c4d, 0x0001_0000, u32::MAX, u32::MAX]),
        );
        let mut interface = words(&[0x0001_0000, 0, 0x0009_0001]);
        interface.extend([resolution, 0, 0, 0, 0, 0, 0, 0]);
        file.extend(block(1, &interface));
        for time in times {
            let mut packet = words(&[0, 0, *time, 1, 1]);
            packet.extend([0x55, 0, 0, 0]);
            file.extend(block(6, &packet));
        }
        file
    }

    fn after_ps(file: &[u8]) -> Vec<u64> {
        let packets = read(file).expect("a capture");
        packets.iter().map(|packet| packet.after.as_ps()).collect()
    }

    #[test]
    fn packets_keep_their_order_and_their_distance_in_time() {
        let packets = read(&pcap()).expect("a capture");
        let bytes: Vec<_> = packets.iter().map(|packet| &packet.bytes[..]).collect();
        assert_eq!(bytes, [&b"abc"[..], b"de"]);
        assert_eq!(after_ps(&pcap()), [1_500_000_000, 0]);
    }

    #[test]
    fn times_count_in_the_interfaces_units() {
        // The resolutions are microseconds, nanoseconds, and 2⁻¹⁰ seconds (977 µs, rounded down to the picosecond).
        assert_eq!(after_ps(&pcapng(6, &[5, 7])), [0, 2_000_000]);
        assert_eq!(after_ps(&pcapng(9, &[5, 7])), [0, 2_000]);
        assert_eq!(after_ps(&pcapng(0x80 | 10, &[0, 1])), [0, 976_562_500]);
        let beyond = pcapng(39, &[0, 1]);
        assert_eq!(read(&beyond), Err(CaptureError::Damaged { behind: 0 }));
    }

    #[test]
    fn what_cannot_be_replayed_is_named() {
        assert_eq!(read(b""), Err(CaptureError::Format));
        assert_eq!(
            read(b"a text that is no capture at all"),
            Err(CaptureError::Format)
        );
        assert_eq!(read(&pcap()[..24]), Err(CaptureError::Empty));
        assert_eq!(
            read(&pcap()[..45]),
            Err(CaptureError::Damaged { behind: 1 })
        );
        let mut cut = pcap();
        cut[36] = 200;
        let (packet, captured, length) = (1, 3, 200);
        assert_eq!(
            read(&cut),
            Err(CaptureError::Cut {
                packet,
                captured,
                length
            })
        );
        let mut obsolete = pcapng(6, &[]);
        obsolete.extend(block(2, &[0; 20]));
        assert_eq!(read(&obsolete), Err(CaptureError::Obsolete { packet: 1 }));
        let mut stranger = pcapng(6, &[1]);
        let interface = stranger.len() - 12 - 24 + 8;
        stranger[interface..interface + 4].copy_from_slice(&9u32.to_be_bytes());
        assert_eq!(read(&stranger), Err(CaptureError::Damaged { behind: 0 }));
    }

    #[test]
    fn blocks_that_are_no_packets_are_skipped_whatever_they_contain() {
        // A name resolution block (type 4) whose record claims more bytes than the block has.
        let mut file = pcapng(6, &[5]);
        file.extend(block(4, &[0, 1, 0xff, 0xff, 0, 0, 0, 0]));
        let rest = pcapng(6, &[7]);
        let packets = rest.len() - 36;
        file.extend(&rest[packets..]);
        assert_eq!(after_ps(&file), [0, 2_000_000]);
        // An enhanced packet block that is too short for its fields is damage.
        let mut short = pcapng(6, &[5]);
        short.extend(block(6, &[0; 8]));
        assert_eq!(read(&short), Err(CaptureError::Damaged { behind: 1 }));
    }

    #[test]
    fn damage_anywhere_is_an_error_or_another_capture_and_never_a_panic() {
        for file in [pcap(), pcapng(6, &[1, 2, 3])] {
            for place in 0..file.len() {
                // Whatever the damage, all packet bytes that were read occur in the file.
                let within = |read: Result<Vec<CapturedPacket>, CaptureError>| {
                    let lengths = read.iter().flatten().map(|packet| packet.bytes.len());
                    assert!(lengths.sum::<usize>() <= file.len(), "at byte {place}");
                };
                within(read(&file[..place]));
                for value in [0, 1, 2, 0x7f, 0x80, 0xff] {
                    let mut damaged = file.clone();
                    damaged[place] = value;
                    within(read(&damaged));
                }
            }
        }
    }
}
