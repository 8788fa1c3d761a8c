//! Reads the packets of a capture file, pcap or pcapng, one after the other. Reading a capture file of any length takes
//! the memory of one block.

use std::io::Read;

use nic_core::time::SimDuration;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, TsResolution};

use super::capture::{CaptureError, PICOSECONDS_PER_SECOND, check_count, moment, whole_packet};

/// The first bytes of a pcapng file.
const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// The block types of pcapng that are read; blocks of other types are skipped, whatever they contain.
const READ_BLOCKS: [u32; 4] = [
    // The block types read are interface description, packet (obsolete), simple packet and enhanced packet.
    1, 2, 3, 6,
];

/// Reads packets from a pcap or pcapng file.
pub struct PacketStream<R: Read> {
    format: Format<R>,
    link: DataLink,
    /// Number of packets that were read.
    count: usize,
    /// The time of the first packet in the capture.
    first: Option<i128>,
    /// The time from the first packet to the last packet read.
    last: SimDuration,
}

enum Format<R: Read> {
    Pcap(PcapReader<Rejoined<R>>),
    PcapNg(PcapNgReader<Rejoined<R>>),
}

/// A reader, preceded by the bytes that were read from it to recognise the file's format.
type Rejoined<R> = std::io::Chain<std::io::Cursor<Vec<u8>>, R>;

impl<R: Read> PacketStream<R> {
    /// Starts to read a capture.
    ///
    /// # Errors
    ///
    /// Returns [`CaptureError::Format`] if the capture starts neither like pcap nor like pcapng. Returns
    /// [`CaptureError::Damaged`] if the first block of the capture is cut off.
    pub fn new(mut reader: R) -> Result<PacketStream<R>, CaptureError> {
        let mut magic = Vec::new();
        let length = SECTION_HEADER.len() as u64;
        let read = (&mut reader).take(length).read_to_end(&mut magic);
        read.map_err(|_| CaptureError::Format)?;
        let is_pcapng = magic == SECTION_HEADER;
        let reader = std::io::Cursor::new(magic).chain(reader);
        let (format, link) = if is_pcapng {
            let damaged = CaptureError::Damaged { behind: 0 };
            let reader = PcapNgReader::new(reader).map_err(|_| damaged)?;
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

    /// Takes the link type of a pcapng file's packets from its first interface.
    fn find_link(&mut self) {
        if let Format::PcapNg(reader) = &self.format
            && let Some(interface) = reader.interfaces().first()
        {
            self.link = interface.linktype;
        }
    }

    /// Returns the link type of the packets. The link type of a pcapng file is known once the first packet has been
    /// read.
    #[must_use]
    pub fn link(&self) -> DataLink {
        self.link
    }

    /// Returns the next packet and its time in the capture.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the file after the packets that were already read. After an error in the file, no
    /// more of its packets can be read.
    pub(super) fn next_seen(&mut self) -> Result<Option<Seen>, CaptureError> {
        let seen = match &mut self.format {
            Format::Pcap(reader) => next_of_pcap(reader, self.count),
            Format::PcapNg(reader) => next_of_pcapng(reader, self.count),
        };
        self.find_link();
        let seen = seen?;
        self.count += usize::from(seen.is_some());
        Ok(seen)
    }
}

impl<R: Read> Iterator for PacketStream<R> {
    type Item = Result<(SimDuration, Vec<u8>), CaptureError>;

    /// Returns the next packet and its time since the first packet, which is never less than that of the previous
    /// packet.
    fn next(&mut self) -> Option<Self::Item> {
        let (moment, bytes) = match self.next_seen() {
            Ok(seen) => seen?,
            Err(error) => return Some(Err(error)),
        };
        let first = *self.first.get_or_insert(moment.unwrap_or(0));
        let after = moment.map_or(self.last, |moment| {
            let after = u64::try_from(moment.saturating_sub(first).max(0)).unwrap_or(u64::MAX);
            SimDuration::from_ps(after)
        });
        self.last = self.last.max(after);
        Some(Ok((self.last, bytes)))
    }
}

/// A packet's time in picoseconds, if the capture has one, and its bytes. Each capture counts times from a start of its
/// own.
pub(super) type Seen = (Option<i128>, Vec<u8>);

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
) -> Result<Option<Seen>, CaptureError> {
    let damaged = CaptureError::Damaged { behind: count };
    loop {
        // The library keeps every interface in memory, so the number of interfaces is limited.
        check_count(reader.interfaces().len().saturating_sub(1))?;
        let packet = match reader.next_block() {
            None => return Ok(None),
            Some(Ok(Block::EnhancedPacket(packet))) => Some(packet.into_owned()),
            Some(Ok(Block::SimplePacket(packet))) => {
                // The data of a simple packet block includes padding.
                let length = packet.original_len as usize;
                let bytes = packet.data.get(..length).unwrap_or(&packet.data);
                let bytes = whole_packet(bytes, packet.original_len, count)?;
                return Ok(Some((None, bytes)));
            }
            Some(Ok(Block::Packet(_))) => {
                return Err(CaptureError::Obsolete { packet: count + 1 });
            }
            Some(Ok(_)) => continue,
            Some(Err(_)) => None,
        };
        let Some(packet) = packet else {
            // The library did not understand the block and has not moved past it, so the raw block is read.
            match reader.next_raw_block() {
                Some(Ok(block)) if !READ_BLOCKS.contains(&block.type_) => continue,
                Some(_) | None => return Err(damaged),
            }
        };
        let interface = reader.packet_interface(&packet).ok_or(damaged)?;
        // The library treats every time count as nanoseconds, but only the count itself is used here.
        let at = moment(interface, packet.timestamp.as_nanos()).ok_or(damaged)?;
        let bytes = whole_packet(&packet.data, packet.original_len, count)?;
        return Ok(Some((Some(at), bytes)));
    }
}
