//! Reads the packets of a capture file, pcap or pcapng, one after the other. Reading a capture file of any length takes
//! the memory of one packet. A file that gzip compressed is read as what it holds.

use std::io::Read;

use nic_core::time::SimDuration;

use super::packet::{CaptureError, CapturePacket, Cut};
use super::pcap::Records;
use super::pcapng::{Blocks, SECTION_HEADER};
use super::source::{Source, check_length};
use super::unpacked::Unpacked;

/// Reads packets from a pcap or pcapng file, in the order of the file.
pub struct PacketStream<R: Read> {
    source: Source<Unpacked<R>>,
    format: Format,
    cut: Cut,
}

enum Format {
    Pcap(Records),
    PcapNg(Blocks),
    /// An error ended the file.
    Ended,
}

impl<R: Read> PacketStream<R> {
    /// Starts to read a capture.
    ///
    /// # Errors
    ///
    /// Returns [`CaptureError::Format`] if the capture starts neither like pcap nor like pcapng. Returns another error if
    /// its header is cut off, or of an unknown version.
    pub fn new(reader: R) -> Result<PacketStream<R>, CaptureError> {
        let reader = Unpacked::new(reader).map_err(|error| CaptureError::Unreadable {
            behind: 0,
            kind: error.kind(),
        })?;
        let mut source = Source::new(reader);
        let magic = match source.next() {
            Err(CaptureError::Damaged { .. }) => None,
            magic => magic?,
        };
        let magic = magic.ok_or(CaptureError::Format)?;
        let format = if magic == SECTION_HEADER {
            Format::PcapNg(Blocks::new(&mut source)?)
        } else {
            let records = Records::new(magic, &mut source)?;
            Format::Pcap(records.ok_or(CaptureError::Format)?)
        };
        Ok(PacketStream {
            source,
            format,
            cut: Cut::Refuse,
        })
    }

    /// Sets what happens to packets of which the capture has only the beginning; they are refused otherwise. A reader
    /// that is to [drop](Cut::Drop) them gets them as they are, so that it can count them, and their times.
    #[must_use]
    pub fn with_cut(self, cut: Cut) -> PacketStream<R> {
        PacketStream { cut, ..self }
    }

    /// Limits how many bytes are read, as they are before compression. Reading more is an error.
    #[must_use]
    pub fn with_limit(mut self, bytes: u64) -> PacketStream<R> {
        self.source.reader.left = bytes;
        self
    }

    /// Returns how many more bytes the [limit](PacketStream::with_limit) allows.
    pub(super) fn left(&self) -> u64 {
        self.source.reader.left
    }

    /// Does with the missing bytes of a packet what the reader asked for.
    fn complete(&self, mut packet: CapturePacket) -> Result<CapturePacket, CaptureError> {
        if packet.missing == 0 {
            return Ok(packet);
        }
        let number = self.source.packets + 1;
        // A capture was read with this number of bytes, which therefore fits.
        let captured = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
        let length = captured.saturating_add(packet.missing);
        match self.cut {
            Cut::Refuse => Err(CaptureError::Cut {
                packet: number,
                captured,
                length,
            }),
            Cut::Pad => {
                check_length(number, length)?;
                packet.bytes.resize(length as usize, 0);
                Ok(packet)
            }
            Cut::Drop => Ok(packet),
        }
    }
}

impl<R: Read> Iterator for PacketStream<R> {
    type Item = Result<CapturePacket, CaptureError>;

    /// Returns the next packet, or what is wrong with the file behind the packets that were already read. After an
    /// error, no more packets are read.
    fn next(&mut self) -> Option<Self::Item> {
        let read = match &mut self.format {
            Format::Pcap(records) => records.next(&mut self.source),
            Format::PcapNg(blocks) => blocks.next(&mut self.source),
            Format::Ended => Ok(None),
        };
        let read = read.and_then(|packet| packet.map(|packet| self.complete(packet)).transpose());
        self.source.packets += 1;
        if read.is_err() {
            self.format = Format::Ended;
        }
        read.transpose()
    }
}

/// The times of a capture's packets, counted from the first one that has a time.
#[derive(Copy, Clone, Debug, Default)]
pub struct Elapsed {
    first: Option<i128>,
    last: SimDuration,
}

/// When a packet of a capture arrives in a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At its own time.
    After(SimDuration),
    /// Together with the packet before it, because its own time is earlier.
    Early(SimDuration),
    /// Never: its time is beyond those of a run.
    Beyond,
}

impl Elapsed {
    /// Returns the time of the last packet that arrived.
    #[must_use]
    pub fn last(&self) -> SimDuration {
        self.last
    }

    /// Returns when the next packet arrives, given its time in the capture. A packet without a time arrives together
    /// with the packet before it.
    pub fn next(&mut self, at: Option<i128>) -> Arrival {
        let Some(at) = at else {
            return Arrival::After(self.last);
        };
        let since = at - *self.first.get_or_insert(at);
        let Ok(since) = u64::try_from(since.max(0)).map(SimDuration::from_ps) else {
            return Arrival::Beyond;
        };
        if at < self.first.unwrap_or(at) || since < self.last {
            return Arrival::Early(self.last);
        }
        self.last = since;
        Arrival::After(since)
    }
}
