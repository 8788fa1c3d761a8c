//! Frames on a serial line: the packets of capsules, on a line that has bytes only.
//!
//! A frame is a packet and its CRC-32 in big-endian order, in the bytes of SLIP (RFC 1055): an END on both sides, and an
//! escape of two bytes for each END and ESC inside. The END before a frame ends whatever noise came before it. A frame
//! that is cut, changed or too long is dropped, and the reader is in step again at the next END.

use super::capsule::{FRAGMENT_HEADER_BYTES, checksum};

/// How many bytes of a class file or certificate a fragment on a line carries. Chosen: at 115,200 bits per second a
/// frame takes 25 ms, so little is lost with it.
pub const LINE_FRAGMENT_BYTES: usize = 256;

const CHECKSUM_BYTES: usize = 4;

/// Length of the memory that a [`FrameReader`] needs: the longest frame without its escapes.
pub const FRAME_BYTES_MAX: usize = FRAGMENT_HEADER_BYTES + LINE_FRAGMENT_BYTES + CHECKSUM_BYTES;

const END: u8 = 0xc0;
const ESC: u8 = 0xdb;
/// After ESC: an END inside of a frame.
const ESC_END: u8 = 0xdc;
/// After ESC: an ESC inside of a frame.
const ESC_ESC: u8 = 0xdd;

/// Returns the bytes of the frame with a packet.
pub fn frame(packet: &[u8]) -> impl Iterator<Item = u8> {
    let content = packet.iter().copied().chain(checksum(packet).to_be_bytes());
    let escaped = content.flat_map(|byte| {
        let (first, second) = match byte {
            END => (ESC, Some(ESC_END)),
            ESC => (ESC, Some(ESC_ESC)),
            byte => (byte, None),
        };
        core::iter::once(first).chain(second)
    });
    core::iter::once(END)
        .chain(escaped)
        .chain(core::iter::once(END))
}

/// Finds the frames among the bytes of a line.
#[derive(Debug)]
pub struct FrameReader<'m> {
    memory: &'m mut [u8],
    length: usize,
    state: State,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// The next byte belongs to the frame.
    Inside,
    /// The byte before was an ESC.
    Escaped,
    /// The frame is not a frame, so its bytes are skipped up to the next END.
    Lost,
}

impl<'m> FrameReader<'m> {
    /// Returns a reader at the beginning of a line. Frames that do not fit in `memory` are dropped.
    #[must_use]
    pub const fn new(memory: &'m mut [u8]) -> FrameReader<'m> {
        FrameReader {
            memory,
            length: 0,
            state: State::Inside,
        }
    }

    /// Takes the next byte of the line. Returns the packet of a frame that ends with this byte.
    pub fn take(&mut self, byte: u8) -> Option<&[u8]> {
        let content = match (self.state, byte) {
            (_, END) => return self.end(),
            (State::Lost, _) => return None,
            (State::Inside, ESC) => {
                self.state = State::Escaped;
                return None;
            }
            (State::Inside, byte) => Some(byte),
            (State::Escaped, ESC_END) => Some(END),
            (State::Escaped, ESC_ESC) => Some(ESC),
            (State::Escaped, _) => None,
        };
        let place = self.memory.get_mut(self.length);
        self.state = match (place, content) {
            (Some(place), Some(content)) => {
                *place = content;
                self.length += 1;
                State::Inside
            }
            (None, _) | (_, None) => State::Lost,
        };
        None
    }

    /// Ends a frame, and begins the next one.
    fn end(&mut self) -> Option<&[u8]> {
        let length = core::mem::take(&mut self.length);
        let state = core::mem::replace(&mut self.state, State::Inside);
        let content = self.memory.get(..length)?;
        let (packet, sum) = content.split_last_chunk()?;
        let is_whole = state == State::Inside && u32::from_be_bytes(*sum) == checksum(packet);
        is_whole.then_some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// Returns the packets that a reader finds among bytes.
    fn packets(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut memory = [0; FRAME_BYTES_MAX];
        let mut reader = FrameReader::new(&mut memory);
        let found = bytes
            .iter()
            .filter_map(|byte| reader.take(*byte).map(<[u8]>::to_vec));
        found.collect()
    }

    fn framed(packets: &[Vec<u8>]) -> Vec<u8> {
        packets.iter().flat_map(|packet| frame(packet)).collect()
    }

    /// Returns packets of all lengths that a line has, of bytes that often need an escape.
    fn random_packets(random: &mut Generator) -> Vec<Vec<u8>> {
        let lengths = [0, 1, 2, 12, 25, 100, FRAME_BYTES_MAX - CHECKSUM_BYTES];
        let packet = |length: &usize| {
            let mut packet = vec![0; *length];
            random.fill(&mut packet);
            for byte in &mut packet {
                *byte = match *byte % 5 {
                    0 => END,
                    1 => ESC,
                    2 => ESC_END,
                    3 => ESC_ESC,
                    _ => *byte,
                };
            }
            packet
        };
        lengths.iter().map(packet).collect()
    }

    #[test]
    fn a_frame_is_laid_out_as_documented() {
        // The checksum is the check value of CRC-32/ISO-HDLC.
        let bytes: Vec<u8> = frame(b"123456789").collect();
        let expected = [b"\xc0123456789", &[0xcb, 0xf4, 0x39, 0x26, 0xc0][..]].concat();
        assert_eq!(bytes, expected);
        let bytes: Vec<u8> = frame(&[0xc0, 0xdb, 0xdc]).collect();
        let start = [0xc0, 0xdb, 0xdc, 0xdb, 0xdd, 0xdc];
        assert_eq!(bytes[..6], start);
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let mut random = Generator::named(1, &["frames"]);
        for _ in 0..50 {
            let sent = random_packets(&mut random);
            assert_eq!(packets(&framed(&sent)), sent);
        }
        let longer = vec![1; FRAME_BYTES_MAX - CHECKSUM_BYTES + 1];
        assert_eq!(packets(&framed(&[longer, vec![7]])), [vec![7]]);
    }

    #[test]
    fn a_line_that_is_cut_anywhere_loses_one_frame_at_most() {
        let mut random = Generator::named(2, &["frames"]);
        let sent = random_packets(&mut random);
        let bytes = framed(&sent);
        let next = vec![1, 2, 3];
        for cut in 0..=bytes.len() {
            // What was sent before the cut, and a frame that is sent when the line is there again.
            let found = packets(&[&bytes[..cut], &framed(std::slice::from_ref(&next))].concat());
            let (last, before) = found.split_last().expect("the last frame is whole");
            assert_eq!(*last, next, "cut at {cut}");
            assert_eq!(before, &sent[..before.len()], "cut at {cut}");
        }
    }

    #[test]
    fn a_changed_byte_costs_no_other_frame_and_makes_none() {
        let mut random = Generator::named(3, &["frames"]);
        let sent = random_packets(&mut random);
        let bytes = framed(&sent);
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                let found = packets(&changed);
                // A changed END joins two frames, and any other byte belongs to one.
                assert!(found.len() >= sent.len() - 2, "byte {place}, bit {bit}");
                let mut rest = sent.iter();
                let is_sent = found.iter().all(|packet| rest.any(|other| other == packet));
                assert!(is_sent, "byte {place}, bit {bit}");
            }
        }
    }

    #[test]
    fn the_reader_is_in_step_after_any_noise() {
        let mut random = Generator::named(4, &["frames"]);
        let sent = [vec![9; 20]];
        for length in 0..600 {
            let mut noise = vec![0; length];
            random.fill(&mut noise);
            let found = packets(&[noise, framed(&sent)].concat());
            assert_eq!(found, sent, "{length}");
        }
    }
}
