//! The bytes of a capture file, read in their order and never further than a reader asks for.

use std::io::{self, ErrorKind, Read};

use super::packet::CaptureError;
use crate::scenario::limits;

/// How many bytes are passed over at a time.
const STEP: usize = 4_096;

/// A file that is read once, from its beginning. It knows how many packets were read, to say where a file breaks off.
pub(super) struct Source<R: Read> {
    pub(super) reader: R,
    /// Bytes that [`Source::peek`] has read ahead, and how many of them were taken.
    ahead: (Vec<u8>, usize),
    /// Number of packets that were read.
    pub(super) packets: usize,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R) -> Source<R> {
        Source {
            reader,
            ahead: (Vec::new(), 0),
            packets: 0,
        }
    }

    /// Returns the error for a file that breaks off, or breaks the rules of its format, behind the last packet read.
    pub(super) fn damaged(&self) -> CaptureError {
        CaptureError::Damaged {
            behind: self.packets,
        }
    }

    fn unreadable(&self, error: &io::Error) -> CaptureError {
        CaptureError::Unreadable {
            behind: self.packets,
            kind: error.kind(),
        }
    }

    /// Fills the array, and returns how many bytes the file still had for it.
    fn fill(&mut self, into: &mut [u8]) -> Result<usize, CaptureError> {
        let (bytes, taken) = &mut self.ahead;
        let mut filled = 0;
        if *taken < bytes.len() {
            filled = into.len().min(bytes.len() - *taken);
            into[..filled].copy_from_slice(&bytes[*taken..*taken + filled]);
            *taken += filled;
        }
        while filled < into.len() {
            match self.reader.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unreadable(&error)),
            }
        }
        Ok(filled)
    }

    /// Returns the next bytes, or `None` at the end of the file. A file that ends within these bytes is damaged.
    pub(super) fn next<const LENGTH: usize>(
        &mut self,
    ) -> Result<Option<[u8; LENGTH]>, CaptureError> {
        let mut bytes = [0; LENGTH];
        match self.fill(&mut bytes)? {
            0 => Ok(None),
            filled if filled == LENGTH => Ok(Some(bytes)),
            _ => Err(self.damaged()),
        }
    }

    /// Returns the next bytes, which the file must have.
    pub(super) fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], CaptureError> {
        self.next()?.ok_or_else(|| self.damaged())
    }

    /// Returns as many bytes as asked for. The memory grows with what the file has, not with what it claims.
    fn take_long(&mut self, length: usize) -> Result<Vec<u8>, CaptureError> {
        let (ahead, taken) = &mut self.ahead;
        let rest = &ahead[*taken..];
        let mut bytes = rest[..rest.len().min(length)].to_vec();
        *taken += bytes.len();
        let left = (length - bytes.len()) as u64;
        let read = (&mut self.reader).take(left).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&error))?;
        if bytes.len() < length {
            return Err(self.damaged());
        }
        Ok(bytes)
    }

    /// Passes over bytes, which the file must have.
    pub(super) fn skip(&mut self, mut length: u64) -> Result<(), CaptureError> {
        let mut passed = [0; STEP];
        while length > 0 {
            let step = length.min(STEP as u64) as usize;
            if self.fill(&mut passed[..step])? < step {
                return Err(self.damaged());
            }
            length -= step as u64;
        }
        Ok(())
    }

    /// Returns the next bytes without taking them: fewer than asked for if the file ends before.
    pub(super) fn peek(&mut self, length: usize) -> Result<&[u8], CaptureError> {
        let (bytes, taken) = &mut self.ahead;
        bytes.drain(..*taken);
        *taken = 0;
        let left = length.saturating_sub(bytes.len()) as u64;
        let read = (&mut self.reader).take(left).read_to_end(bytes);
        read.map_err(|error| self.unreadable(&error))?;
        let (bytes, _) = &self.ahead;
        Ok(&bytes[..bytes.len().min(length)])
    }
}

/// The order of the bytes of a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        }
    }

    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Order::Little => u64::from_le_bytes(bytes),
            Order::Big => u64::from_be_bytes(bytes),
        }
    }

    /// Returns the numbers of 32 bits that the bytes hold.
    pub(super) fn words<const BYTES: usize, const WORDS: usize>(
        self,
        bytes: [u8; BYTES],
    ) -> [u32; WORDS] {
        const { assert!(BYTES == 4 * WORDS) };
        let (words, _) = bytes.as_chunks::<4>();
        std::array::from_fn(|index| self.u32(words[index]))
    }
}

/// Reads the bytes of a packet that a capture has, and how many are missing. A packet may have more bytes than its length
/// says.
pub(super) fn packet_bytes<R: Read>(
    source: &mut Source<R>,
    captured: u32,
    length: u32,
) -> Result<(Vec<u8>, u32), CaptureError> {
    check_length(source.packets + 1, captured)?;
    let bytes = source.take_long(captured as usize)?;
    Ok((bytes, length.saturating_sub(captured)))
}

/// Returns an error if a packet has more bytes than a payload may have.
pub(super) fn check_length(packet: usize, captured: u32) -> Result<(), CaptureError> {
    let limit = limits::PAYLOADS_TOTAL_MAX;
    if u64::from(captured) <= limit {
        return Ok(());
    }
    Err(CaptureError::TooLong {
        packet,
        captured,
        limit,
    })
}
