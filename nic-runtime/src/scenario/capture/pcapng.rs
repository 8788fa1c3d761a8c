//! Reads pcapng: sections of blocks, some of which hold packets.
//!
//! The library `pcap-file`, which writes JIVE's captures, cannot read every file that Wireshark reads. It refuses options
//! without an end, text that is not UTF-8, and blocks above 8 MB. So blocks are read here. Only what packets need is
//! kept, and the other blocks and options may contain anything.

use std::io::Read;

use super::packet::{CaptureError, CapturePacket, PICOSECONDS_PER_SECOND, check_count};
use super::source::{Order, Source, packet_bytes};

/// The type of a section header block, which reads the same in both byte orders: the first bytes of a pcapng file.
pub(super) const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// The number in a section header that tells the byte order.
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

/// The versions of pcapng, major and minor, which are one format.
const VERSIONS: [(u16, u16); 2] = [(1, 0), (1, 2)];

/// The types of the blocks that are read.
const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET_OBSOLETE: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// Number of bytes of a block around its body: its type, and twice its length.
const AROUND: u64 = 12;

const OPTION_END: u16 = 0;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// The default of `if_tsresol`, the unit of an interface's times: microseconds.
const RESOLUTION_DEFAULT: u8 = 6;

/// What packets need of their interface.
struct Interface {
    link: u16,
    /// Maximum number of bytes that were captured of a packet; 0 if there is none.
    snaplen: u32,
    resolution: u8,
    /// Seconds that are added to each time.
    offset: i64,
}

/// The blocks of a pcapng file, of which one section has begun.
pub(super) struct Blocks {
    order: Order,
    /// The interfaces of the section so far.
    interfaces: Vec<Interface>,
}

impl Blocks {
    /// Reads the rest of the first section header, whose type was read.
    pub(super) fn new<R: Read>(source: &mut Source<R>) -> Result<Blocks, CaptureError> {
        let mut blocks = Blocks {
            order: Order::Little,
            interfaces: Vec::new(),
        };
        blocks.begin_section(source)?;
        Ok(blocks)
    }

    /// Reads a section header behind its type.
    fn begin_section<R: Read>(&mut self, source: &mut Source<R>) -> Result<(), CaptureError> {
        let (length, magic) = (source.take()?, source.take()?);
        let mut orders = [Order::Little, Order::Big].into_iter();
        let order = orders.find(|order| order.u32(magic) == BYTE_ORDER_MAGIC);
        self.order = order.ok_or_else(|| source.damaged())?;
        self.interfaces.clear();
        let [major, minor] = [source.take()?, source.take()?].map(|bytes| self.order.u16(bytes));
        if !VERSIONS.contains(&(major, minor)) {
            return Err(CaptureError::Version { major, minor });
        }
        let mut block = Block::of(self.order.u32(length), source)?;
        // The byte order magic and the version were read; the length of the section is not needed.
        block.count(8, source)?;
        block.leave(8, source)?;
        block.end(self.order, source)
    }

    /// Returns the next packet.
    pub(super) fn next<R: Read>(
        &mut self,
        source: &mut Source<R>,
    ) -> Result<Option<CapturePacket>, CaptureError> {
        while let Some(kind) = source.next::<4>()? {
            if kind == SECTION_HEADER {
                self.begin_section(source)?;
                continue;
            }
            let length = self.order.u32(source.take()?);
            let mut block = Block::of(length, source)?;
            let packet = match self.order.u32(kind) {
                INTERFACE_DESCRIPTION => {
                    // Every interface of a section stays in memory, so their number is limited.
                    check_count(self.interfaces.len())?;
                    let interface = self.interface(&mut block, source)?;
                    self.interfaces.push(interface);
                    None
                }
                PACKET_OBSOLETE => {
                    let interface = self.order.u16(block.take(source)?);
                    let _drops: [u8; 2] = block.take(source)?;
                    Some(self.packet(interface.into(), &mut block, source)?)
                }
                SIMPLE_PACKET => Some(self.simple(&mut block, source)?),
                ENHANCED_PACKET => {
                    let interface = self.order.u32(block.take(source)?);
                    Some(self.packet(interface, &mut block, source)?)
                }
                _ => None,
            };
            block.end(self.order, source)?;
            if packet.is_some() {
                return Ok(packet);
            }
        }
        Ok(None)
    }

    fn interface<R: Read>(
        &self,
        block: &mut Block,
        source: &mut Source<R>,
    ) -> Result<Interface, CaptureError> {
        let order = self.order;
        let link = order.u16(block.take(source)?);
        let _reserved: [u8; 2] = block.take(source)?;
        let snaplen = order.u32(block.take(source)?);
        let (mut resolution, mut offset) = (None, None);
        // The options may end with `opt_endofopt`, or with the block.
        while block.left >= 4 {
            let [code, length] = [block.take(source)?, block.take(source)?];
            match (order.u16(code), order.u16(length)) {
                (OPTION_END, _) => break,
                // The first of several is the one that counts, as in Wireshark.
                (IF_TSRESOL, 1) => {
                    let [value, ..] = block.take::<4, R>(source)?;
                    resolution.get_or_insert(value);
                }
                (IF_TSOFFSET, 8) => {
                    let value = order.u64(block.take(source)?);
                    offset.get_or_insert(value.cast_signed());
                }
                (_, length) => block.leave(u64::from(length).next_multiple_of(4), source)?,
            }
        }
        Ok(Interface {
            link,
            snaplen,
            resolution: resolution.unwrap_or(RESOLUTION_DEFAULT),
            offset: offset.unwrap_or(0),
        })
    }

    /// Reads a packet with a time and two lengths, which is the rest of an enhanced and of an obsolete packet block.
    fn packet<R: Read>(
        &self,
        interface: u32,
        block: &mut Block,
        source: &mut Source<R>,
    ) -> Result<CapturePacket, CaptureError> {
        let interface = self.interfaces.get(interface as usize);
        let interface = interface.ok_or_else(|| source.damaged())?;
        let [high, low, captured, length] = self.order.words(block.take::<16, R>(source)?);
        let count = u64::from(high) << 32 | u64::from(low);
        let (bytes, missing) = block.packet((captured, length), source)?;
        Ok(CapturePacket {
            at: Some(moment(interface, count)),
            link: interface.link,
            bytes,
            missing,
        })
    }

    /// Reads a simple packet, which has no time and belongs to the first interface.
    fn simple<R: Read>(
        &self,
        block: &mut Block,
        source: &mut Source<R>,
    ) -> Result<CapturePacket, CaptureError> {
        let interface = self.interfaces.first().ok_or_else(|| source.damaged())?;
        let length = self.order.u32(block.take(source)?);
        let captured = match interface.snaplen {
            0 => length,
            snaplen => length.min(snaplen),
        };
        let (bytes, missing) = block.packet((captured, length), source)?;
        Ok(CapturePacket {
            at: None,
            link: interface.link,
            bytes,
            missing,
        })
    }
}

/// A block whose type and length were read.
struct Block {
    length: u32,
    /// Number of bytes of the body that were not yet read.
    left: u64,
}

impl Block {
    fn of<R: Read>(length: u32, source: &Source<R>) -> Result<Block, CaptureError> {
        // Some programs leave the padding out of the length, but not out of the file.
        let padded = u64::from(length).next_multiple_of(4);
        let left = padded.checked_sub(AROUND).ok_or_else(|| source.damaged())?;
        Ok(Block { length, left })
    }

    /// Counts bytes of the body, which must have them.
    fn count<R: Read>(&mut self, bytes: u64, source: &Source<R>) -> Result<(), CaptureError> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| source.damaged())?;
        Ok(())
    }

    fn take<const LENGTH: usize, R: Read>(
        &mut self,
        source: &mut Source<R>,
    ) -> Result<[u8; LENGTH], CaptureError> {
        self.count(LENGTH as u64, source)?;
        source.take()
    }

    /// Passes over bytes of the body.
    fn leave<R: Read>(&mut self, bytes: u64, source: &mut Source<R>) -> Result<(), CaptureError> {
        self.count(bytes, source)?;
        source.skip(bytes)
    }

    fn packet<R: Read>(
        &mut self,
        (captured, length): (u32, u32),
        source: &mut Source<R>,
    ) -> Result<(Vec<u8>, u32), CaptureError> {
        self.count(captured.into(), source)?;
        packet_bytes(source, captured, length)
    }

    /// Passes over the rest of the block, which ends with its length.
    fn end<R: Read>(self, order: Order, source: &mut Source<R>) -> Result<(), CaptureError> {
        source.skip(self.left)?;
        if order.u32(source.take()?) == self.length {
            Ok(())
        } else {
            Err(source.damaged())
        }
    }
}

/// Converts a time from the unit of the interface to picoseconds.
fn moment(interface: &Interface, count: u64) -> i128 {
    let exponent = u32::from(interface.resolution & 0x7f);
    // The product cannot overflow: a count has 64 bits, and the picoseconds of a second have 40.
    let product = u128::from(count) * PICOSECONDS_PER_SECOND.cast_unsigned();
    let since = if interface.resolution & 0x80 == 0 {
        // With a unit so small that its power does not fit, every count is less than a picosecond.
        let units = 10u128.checked_pow(exponent);
        units.map_or(0, |units| product / units)
    } else {
        product >> exponent
    };
    since.cast_signed() + i128::from(interface.offset) * PICOSECONDS_PER_SECOND
}
