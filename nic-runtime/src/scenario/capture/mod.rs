//! The packets of a capture file, pcap or pcapng: their bytes, times and link types.
//!
//! A capture file is untrusted. Every length is checked against a limit and against the file before memory is taken for
//! it. Arithmetic on the times in a capture does not overflow.

mod packet;
mod pcap;
mod pcapng;
mod source;
mod stream;
mod unpacked;

use std::io::{BufReader, Read};
use std::sync::Arc;

use nic_core::time::SimDuration;

pub use self::packet::{CaptureError, CapturePacket, Cut};
pub use self::stream::{Arrival, Elapsed, PacketStream};
use crate::scenario::files::Files;
use crate::scenario::limits;
use crate::spec::{MadeMessage, Messages};

/// A packet of a capture that a scenario sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CapturedPacket {
    /// Time since the earliest packet of the capture.
    pub(super) after: SimDuration,
    /// All bytes of the packet.
    pub(super) bytes: Vec<u8>,
}

/// What a first reading of a capture found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gathered {
    /// The packets, in the order of the file, or `None` if there are too many to hold.
    pub(super) packets: Option<Vec<CapturedPacket>>,
    /// How many packets are sent.
    pub(super) sent: u64,
    /// How many of these end in zeros that the capture does not have.
    pub(super) padded: u64,
    /// How many packets are not sent, because the capture has only their beginnings.
    pub(super) dropped: u64,
    /// The length of the longest packet.
    pub(super) longest: u64,
    /// The time from the first packet to the last, if the packets are read one after the other.
    pub(super) lasts: SimDuration,
}

/// Reads a capture to its end, and holds its packets unless they have more than `room` bytes together or are too many.
/// A packet without a time has the time of the packet before it, or of the first packet that has a time. Reading ends
/// once it has taken the `left` bytes.
///
/// # Errors
///
/// Returns a [`CaptureError`] that says what is wrong with the capture file.
pub(super) fn gather(
    reader: impl Read,
    cut: Cut,
    room: u64,
    left: &mut u64,
) -> Result<Gathered, CaptureError> {
    let mut stream = PacketStream::new(reader)?.with_cut(cut).with_limit(*left);
    let gathered = gather_from(&mut stream, cut, room);
    *left = stream.left();
    gathered
}

fn gather_from(
    stream: &mut PacketStream<impl Read>,
    cut: Cut,
    room: u64,
) -> Result<Gathered, CaptureError> {
    let mut held = Some(Vec::new());
    let (mut bytes, mut longest) = (0, 0);
    let (mut sent, mut padded, mut dropped) = (0, 0, 0);
    let (mut earliest, mut first) = (None, None);
    let mut elapsed = Elapsed::default();
    for packet in stream {
        let packet = packet?;
        elapsed.next(packet.at);
        first = first.or(packet.at);
        earliest = earliest.into_iter().chain(packet.at).min();
        if packet.missing > 0 && cut == Cut::Drop {
            dropped += 1;
            continue;
        }
        sent += 1;
        padded += u64::from(packet.missing > 0);
        let length = packet.bytes.len() as u64;
        bytes += length;
        longest = length.max(longest);
        if sent > limits::CAPTURE_PACKETS_MAX as u64 || bytes > room {
            held = None;
        } else if let Some(held) = &mut held {
            held.push((packet.at, packet.bytes));
        }
    }
    if sent == 0 {
        return Err(CaptureError::Empty);
    }
    let (earliest, mut last) = (earliest.unwrap_or(0), first.unwrap_or(0));
    let packets = held.map(|held| {
        let packets = held.into_iter().map(|(at, bytes)| {
            last = at.unwrap_or(last);
            let after = u64::try_from(last - earliest).unwrap_or(u64::MAX);
            CapturedPacket {
                after: SimDuration::from_ps(after),
                bytes,
            }
        });
        packets.collect()
    });
    Ok(Gathered {
        packets,
        sent,
        padded,
        dropped,
        longest,
        lasts: elapsed.last(),
    })
}

/// A capture whose packets a run reads as they become due.
#[derive(Clone, Debug)]
pub(super) struct CaptureFile {
    pub(super) files: Arc<dyn Files>,
    pub(super) name: String,
    pub(super) cut: Cut,
    /// Whether the packets have the times of the capture; otherwise all are due at once.
    pub(super) is_recorded: bool,
}

impl Messages for CaptureFile {
    fn open(&self) -> Box<dyn Iterator<Item = MadeMessage> + Send> {
        let CaptureFile {
            cut, is_recorded, ..
        } = *self;
        let file = self.files.open(&self.name).ok();
        let stream = file.and_then(|file| PacketStream::new(BufReader::new(file)).ok());
        let mut elapsed = Elapsed::default();
        let packets = stream
            .into_iter()
            .flat_map(move |stream| stream.with_cut(cut));
        Box::new(packets.map_while(Result::ok).filter_map(move |packet| {
            let after = match elapsed.next(packet.at) {
                Arrival::After(after) | Arrival::Early(after) if is_recorded => after,
                Arrival::After(_) | Arrival::Early(_) => SimDuration::ZERO,
                Arrival::Beyond => SimDuration::from_ps(u64::MAX),
            };
            let is_sent = packet.missing == 0 || cut == Cut::Pad;
            is_sent.then_some(MadeMessage {
                after,
                channel: None,
                bytes: packet.bytes,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> Result<Vec<CapturedPacket>, CaptureError> {
        let room = limits::PAYLOADS_TOTAL_MAX;
        let mut left = u64::MAX;
        let gathered = gather(file, Cut::Refuse, room, &mut left)?;
        Ok(gathered.packets.expect("there is room"))
    }

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
