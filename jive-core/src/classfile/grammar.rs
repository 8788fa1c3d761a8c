//! Parsers for structures that occur in several parts of a class file. These parsers wrap nom's parsers with a cursor
//! that reports the position of an error.

use nom::Parser;
use nom::bytes::complete::take;

use super::error::ParseErrorKind;
use super::fault::{Faults, Place, Rejected};
use super::tag::ConstantTag;

/// Reads a part of a file from start to end.
pub(super) struct Reader<'f, 'a> {
    rest: &'a [u8],
    /// The error to report if the part ends too early.
    cut_off: ParseErrorKind,
    faults: &'f Faults<'a>,
}

impl<'f, 'a> Reader<'f, 'a> {
    /// Creates a reader at the beginning of the file.
    pub(super) const fn file(faults: &'f Faults<'a>) -> Self {
        Self {
            rest: faults.file(),
            cut_off: ParseErrorKind::Truncated,
            faults,
        }
    }

    /// Creates a reader at the beginning of a part that is known to be complete: attributes, or the contents of an
    /// attribute.
    pub(super) const fn part(bytes: &'a [u8], faults: &'f Faults<'a>) -> Self {
        Self {
            rest: bytes,
            cut_off: ParseErrorKind::AttributeLength,
            faults,
        }
    }

    /// Returns the bytes that the reader has not read yet.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the current position.
    pub(super) fn place(&self) -> Place {
        Place::of(self.rest)
    }

    /// Returns the offset of the reader's position. The offset is only valid for readers whose part extends to the end
    /// of the file.
    pub(super) fn offset(&self) -> u32 {
        let read = self.faults.file().len().saturating_sub(self.rest.len());
        u32::try_from(read).unwrap_or(u32::MAX)
    }

    /// Records an error.
    pub(super) fn reject(&self, at: Place, kind: ParseErrorKind) -> Rejected {
        self.faults.record(at, kind)
    }

    /// Checks that the reader has read its part of the class file to the end.
    pub(super) fn end(&self, otherwise: ParseErrorKind) -> Result<(), Rejected> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.reject(self.place(), otherwise))
        }
    }

    /// Runs a parser that fails only if there are too few bytes.
    #[cfg_attr(threaded, inline(always))]
    fn read<T>(
        &mut self,
        mut parser: impl Parser<&'a [u8], Output = T, Error = ()>,
    ) -> Result<T, Rejected> {
        match parser.parse(self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(_) => Err(self.reject(self.place(), self.cut_off)),
        }
    }

    pub(super) fn u8(&mut self) -> Result<u8, Rejected> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Rejected> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Rejected> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads `N` bytes. All number widths share a single instance of nom's `take`, which keeps the code small.
    #[cfg_attr(threaded, inline(always))]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Rejected> {
        let bytes = self.read(take(N))?;
        Ok(bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    #[cfg_attr(threaded, inline(always))]
    pub(super) fn bytes(&mut self, length: u32) -> Result<&'a [u8], Rejected> {
        self.read(take(length))
    }

    /// Skips a constant pool entry. Returns the constant's tag, and the offset after the tag (JVMS §4.4).
    pub(super) fn constant(&mut self) -> Result<(ConstantTag, u32), Rejected> {
        let at = self.place();
        let byte = self.u8()?;
        let Some(tag) = ConstantTag::from_byte(byte) else {
            return Err(self.reject(at, ParseErrorKind::UnknownTag { found: byte }));
        };
        let behind_tag = self.offset();
        let length = match tag.payload_length() {
            Some(length) => u32::from(length),
            None => u32::from(self.u16()?),
        };
        self.bytes(length)?;
        Ok((tag, behind_tag))
    }

    /// Reads an attribute. Returns the index of the attribute's name, and the attribute's contents (JVMS §4.7).
    pub(super) fn attribute(&mut self) -> Result<(u16, &'a [u8]), Rejected> {
        let name = self.u16()?;
        let length = self.u32()?;
        Ok((name, self.bytes(length)?))
    }

    /// Skips a list of attributes. Returns the number of attributes, and the bytes from the first attribute onwards.
    pub(super) fn attributes(&mut self) -> Result<(u16, &'a [u8]), Rejected> {
        let count = self.u16()?;
        let attributes = self.rest;
        for _ in 0..count {
            self.attribute()?;
        }
        Ok((count, attributes))
    }

    /// Reads a two-byte count of rows, and as many rows of `N` bytes each.
    pub(super) fn table<const N: usize>(&mut self) -> Result<&'a [[u8; N]], Rejected> {
        let count = usize::from(self.u16()?);
        let rows = self.read(take(count.saturating_mul(N)))?;
        Ok(rows.as_chunks().0)
    }
}

/// Parses a part of a file on demand, after the parser has accepted the file. The function records no error. `attempt`
/// returns `None` if the part of the file is malformed, which can happen only in a trusted file.
pub(super) fn attempt<'a, T>(
    part: &'a [u8],
    read: impl FnOnce(&mut Reader<'_, 'a>) -> Result<T, Rejected>,
) -> Option<T> {
    let faults = Faults::new(part);
    read(&mut Reader::part(part, &faults)).ok()
}
