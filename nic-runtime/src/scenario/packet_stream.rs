//! The packets of a capture file, one after the other: a file of any length takes the memory of one block.

use std::io::Read;

use nic_core::time::SimDuration;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, TsResolution};

use super::capture::{
    CaptureError, CapturedPacket, PICOSECONDS_PER_SECOND, SECTION_HEADER, moment, whole_packet,
};
use super::limits;

/// Reads packets from a pcap or pcapng file.
pub struct PacketStream<R: Read> {
    format: Format<R>,
    link: DataLink,
    /// Packets that were read.
    count: usize,
    /// The moment of the first packet.
    first: Option<i128>,
    /// The time of the last packet since then.
    last: SimDuration,
}

enum Format<R: Read> {
    Pcap(PcapReader<Rejoined<R>>),
    PcapNg(PcapNgReader<Rejoined<R>>),
}

/// A reader, and the bytes that were read to see what it is.
type Rejoined<R> = std::io::Chain<std::io::Cursor<Vec<u8>>, R>;

impl<R: Read> PacketStream<R> {
    /// Starts to read a capture.
    ///
    /// # Errors
    ///
    /// [`CaptureError::Format`] where it is none.
    pub fn new(mut reader: R) -> Result<PacketStream<R>, CaptureError> {
        let mut magic = Vec::new();
        let length = SECTION_HEADER.len() as u64;
        let read = (&mut reader).take(length).read_to_end(&mut magic);
        read.map_err(|_| CaptureError::Format)?;
        let is_pcapng = magic == SECTION_HEADER;
        let reader = std::io::Cursor::new(magic).chain(reader);
        let (format, link) = if is_pcapng {
            let reader = PcapNgReader::new(reader).map_err(|_| CaptureError::Format)?;
            (Format::PcapNg(reader), DataLink::USER0)
        } else {
            let reader = PcapReader::new(reader).map_err(|_| CaptureError::Format)?;
            let link = reader.header().datalink;
            (Format::Pcap(reader), link)
        };
        let mut stream = PacketStream {
            format,
            link,
            count: 0,
            first: None,
            last: SimDuration::ZERO,
        };
        stream.find_link();
        Ok(stream)
    }

    /// Finds what the packets of a pcapng file are, from the interfaces that stand at its beginning.
    fn find_link(&mut self) {
        if let Format::PcapNg(reader) = &self.format
            && let Some(interface) = reader.interfaces().first()
        {
            self.link = interface.linktype;
        }
    }

    /// Returns what the packets are, as far as that is known: of pcapng it is when the first packet was read.
    #[must_use]
    pub fn link(&self) -> DataLink {
        self.link
    }

    /// Returns the next packet, and when it was seen after the first; never earlier than the one before.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the file behind the packets that were read. Nothing more can be read then.
    pub(super) fn read(&mut self) -> Result<Option<CapturedPacket>, CaptureError> {
        let damaged = CaptureError::Damaged { behind: self.count };
        let seen = match &mut self.format {
            Format::Pcap(reader) => next_of_pcap(reader, self.count),
            Format::PcapNg(reader) => next_of_pcapng(reader, self.count, damaged),
        };
        self.find_link();
        let Some((at, bytes)) = seen? else {
            return Ok(None);
        };
        self.count += 1;
        let first = *self.first.get_or_insert(at.unwrap_or(0));
        let after = at.map_or(self.last, |at| {
            let after = u64::try_from(at.saturating_sub(first).max(0)).unwrap_or(u64::MAX);
            SimDuration::from_ps(after)
        });
        self.last = self.last.max(after);
        Ok(Some(CapturedPacket {
            after: self.last,
            bytes,
        }))
    }
}

/// A packet's moment, where it has one, and its bytes.
type Seen = (Option<i128>, Vec<u8>);

fn next_of_pcap<R: Read>(
    reader: &mut PcapReader<R>,
    count: usize,
) -> Result<Option<Seen>, CaptureError> {
    let unit = match reader.header().ts_resolution {
        TsResolution::MicroSecond => 1_000_000,
        TsResolution::NanoSecond => 1_000,
    };
    let Some(packet) = reader.next_raw_packet() else {
        return Ok(None);
    };
    let packet = packet.map_err(|_| CaptureError::Damaged { behind: count })?;
    let whole = i128::from(packet.ts_sec) * PICOSECONDS_PER_SECOND;
    let bytes = whole_packet(&packet.data, packet.orig_len, count)?;
    let at = whole + i128::from(packet.ts_frac) * unit;
    Ok(Some((Some(at), bytes)))
}

fn next_of_pcapng<R: Read>(
    reader: &mut PcapNgReader<R>,
    count: usize,
    damaged: CaptureError,
) -> Result<Option<Seen>, CaptureError> {
    loop {
        // The library keeps each interface.
        if reader.interfaces().len() > limits::CAPTURE_PACKETS_MAX {
            let limit = limits::CAPTURE_PACKETS_MAX;
            return Err(CaptureError::TooMany { limit });
        }
        let Some(block) = reader.next_block() else {
            return Ok(None);
        };
        let packet = match block {
            Err(_) => return Err(damaged),
            Ok(Block::EnhancedPacket(packet)) => packet.into_owned(),
            Ok(Block::SimplePacket(packet)) => {
                // Its bytes end with padding, and it has no time: the time of the packet before serves.
                let length = packet.original_len as usize;
                let bytes = packet.data.get(..length).unwrap_or(&packet.data);
                let bytes = whole_packet(bytes, packet.original_len, count)?;
                return Ok(Some((None, bytes)));
            }
            Ok(Block::Packet(_)) => return Err(CaptureError::Obsolete { packet: count + 1 }),
            Ok(_) => continue,
        };
        let interface = reader.packet_interface(&packet).ok_or(damaged)?;
        // The library takes every count for nanoseconds.
        let at = moment(interface, packet.timestamp.as_nanos()).ok_or(damaged)?;
        let bytes = whole_packet(&packet.data, packet.original_len, count)?;
        return Ok(Some((Some(at), bytes)));
    }
}

impl<R: Read> Iterator for PacketStream<R> {
    type Item = Result<(SimDuration, Vec<u8>), CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read().transpose()?;
        Some(read.map(|packet| (packet.after, packet.bytes)))
    }
}
