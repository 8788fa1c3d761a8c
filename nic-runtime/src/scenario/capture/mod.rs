//! The packets of a capture file, pcap or pcapng: their bytes, times and link types.
//!
//! A capture file is untrusted. Every length is checked against a limit and against the file before memory is taken for
//! it. Arithmetic on the times in a capture does not overflow.

mod packet;
mod pcap;
mod pcapng;
mod source;
mod stream;

use nic_core::time::SimDuration;

use self::packet::check_count;
pub use self::packet::{CaptureError, CapturePacket};
pub use self::stream::{Arrival, Elapsed, PacketStream};
/// A packet of a capture that a scenario sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CapturedPacket {
    /// Time since the earliest packet of the capture.
    pub(super) after: SimDuration,
    /// All bytes of the packet.
    pub(super) bytes: Vec<u8>,
}

/// Reads every packet of a capture, in the order of the file. A packet without a time has the time of the packet before
/// it, or of the first packet that has a time.
///
/// # Errors
///
/// Returns a [`CaptureError`] that says what is wrong with the capture file.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket>, CaptureError> {
    let mut seen = Vec::new();
    for packet in PacketStream::new(bytes)? {
        check_count(seen.len())?;
        seen.push(packet?);
    }
    if seen.is_empty() {
        return Err(CaptureError::Empty);
    }
    let times = || seen.iter().filter_map(|packet| packet.at);
    let earliest = times().min().unwrap_or(0);
    let mut last = times().next().unwrap_or(0);
    let packets = seen.into_iter().map(|packet| {
        last = packet.at.unwrap_or(last);
        let after = u64::try_from(last - earliest).unwrap_or(u64::MAX);
        CapturedPacket {
            after: SimDuration::from_ps(after),
            bytes: packet.bytes,
        }
    });
    Ok(packets.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::limits;

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
        // A unit so small that its power of ten has more than 128 bits.
        assert_eq!(after_ps(&pcapng(39, &[0, 1])), [0, 0]);
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
        let mut long = pcap();
        long[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
        let (captured, limit) = (u32::MAX, limits::PAYLOADS_TOTAL_MAX);
        assert_eq!(
            read(&long),
            Err(CaptureError::TooLong {
                packet,
                captured,
                limit
            })
        );
        let mut old = pcap();
        old[4] = 1;
        let (major, minor) = (1, 4);
        assert_eq!(read(&old), Err(CaptureError::Version { major, minor }));
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
