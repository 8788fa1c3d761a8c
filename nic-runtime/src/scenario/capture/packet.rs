//! A packet of a capture, and the reasons why a capture cannot be replayed.

use std::io::ErrorKind;

use crate::scenario::limits;

pub(super) const PICOSECONDS_PER_SECOND: i128 = 1_000_000_000_000;

/// A packet as a capture has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturePacket {
    /// The time in picoseconds since 1970, if the capture has one. A simple packet block has none.
    pub at: Option<i128>,
    /// The number of the link type, as in the registry of tcpdump.
    pub link: u16,
    /// The bytes of the packet that the capture has, or all of its bytes if the missing ones were [padded](Cut::Pad).
    /// They include a frame check sequence, if the capture has it.
    pub bytes: Vec<u8>,
    /// How many bytes at the end of the packet the capture does not have.
    pub missing: u32,
}

/// What a reader does with a packet of which the capture has only the beginning, because of the limit on captured bytes
/// (`tcpdump -s`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The packet is a [mistake](CaptureError::Cut), behind which nothing is read.
    #[default]
    Refuse,
    /// Zeros stand for the missing bytes.
    Pad,
    /// The packet is left out.
    Drop,
}

impl Cut {
    /// Every way, with its word.
    pub const ALL: [(&'static str, Cut); 3] = [
        ("refuse", Cut::Refuse),
        ("pad", Cut::Pad),
        ("drop", Cut::Drop),
    ];
}

/// The reason why a capture file cannot be replayed. Packets in a [`CaptureError`] are counted from 1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The file starts neither like pcap nor like pcapng.
    #[error("expected a capture file, pcap or pcapng")]
    Format,
    /// The header of the file, or of a section, states a version that is not known.
    #[error("expected pcap of version 2 or pcapng of version 1.0, found version {major}.{minor}")]
    Version {
        /// The major version.
        major: u16,
        /// The minor version.
        minor: u16,
    },
    /// The link type of a pcap file has reserved bits.
    #[error("expected a link type whose reserved bits are 0, found {network:#010x}")]
    Network {
        /// The field of the header.
        network: u32,
    },
    /// The file ends in the middle of a block, or breaks the rules of its format.
    #[error("expected a whole capture file, found damage behind packet {behind}")]
    Damaged {
        /// How many packets of the file precede the damage.
        behind: usize,
    },
    /// The system cannot read the rest of the file.
    #[error("reading ended behind packet {behind}: {kind}")]
    Unreadable {
        /// How many packets were read.
        behind: usize,
        /// The system's reason.
        kind: ErrorKind,
    },
    /// The file has more packets or interfaces than the limit.
    #[error("expected a capture of at most {limit} packets and interfaces")]
    TooMany {
        /// The limit, which applies to packets and to interfaces separately.
        limit: usize,
    },
    /// A packet has more bytes than the limit.
    #[error("expected packets of at most {limit} bytes, found {captured} bytes of packet {packet}")]
    TooLong {
        /// The number of the packet.
        packet: usize,
        /// How many bytes of the packet were captured.
        captured: u32,
        /// The limit.
        limit: u64,
    },
    /// The capture file has no packet.
    #[error("expected a capture with at least one packet")]
    Empty,
    /// The capture has only the beginning of a packet, and the reader was to [refuse](Cut::Refuse) such packets.
    #[error(
        "expected whole packets, found {captured} of {length} bytes of packet {packet}; `cut` can be `pad` or `drop`"
    )]
    Cut {
        /// The number of the packet.
        packet: usize,
        /// How many bytes of the packet were captured.
        captured: u32,
        /// How many bytes the packet had.
        length: u32,
    },
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
